import json
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any

import pytest
from django.core.signing import Signer
from django.db import OperationalError, connection, connections
from django.http import HttpRequest, UnreadablePostError
from django.test import Client, RequestFactory

from answers import publisher
from answers.domain import Outcome
from answers.models import AnswerPost
from costcodle import clock
from costcodle.game.board import Mode
from costcodle.game.rules import Cents
from costcodle.web.bodies import MOST_BYTES, is_too_large, json_object
from costcodle.web.play import Game
from costcodle.web.refusals import Refusal
from results.models import DailyResult
from tests.factories import make_puzzle
from tests.games import SESSION, error_code, guess, make_play, post, report, sealed
from tests.sites import Site

NOON = "2026-10-15T12:00:00Z"
LAST_MOMENT = "2026-10-16T00:09:59.999Z"
CLOSE = "2026-10-16T00:10:00.000Z"
NO_STORE = "private, no-store"
REVALIDATE = "public, max-age=0, must-revalidate"


@pytest.fixture
def noon(site: Site) -> Site:
    """Puzzle 1121 of $9.49 is today's, 1120 of $20.00 is published."""
    make_puzzle(number=1120, price_cents=2000)
    make_puzzle(number=1122, price_cents=3000)
    make_puzzle(number=1121, price_cents=949)
    site.at(NOON)
    published = [item.outcome for item in publisher.publish_due().items]
    assert published == [Outcome.PUBLISHED]
    return site


def withdraw(number: int) -> None:
    AnswerPost.objects.filter(puzzle_id=number).update(withdrawn_at=clock.now())


# A game


@pytest.mark.usefixtures("noon")
def test_a_guess_is_judged_and_handed_back_as_a_token() -> None:
    response = guess("$8.00")
    assert response.status_code == 200
    assert response["Cache-Control"] == NO_STORE
    assert not response.cookies
    body = response.json()
    assert body.pop("token").startswith("1121.daily.")
    row = {"guess": "8.00", "verdict": "near", "direction": "up", "words": "too low, near"}
    assert body == {
        "puzzle": 1121,
        "mode": "daily",
        "turn": 1,
        "verdict": "near",
        "direction": "up",
        "guesses": [row],
        "state": "playing",
        "result": None,
    }


@pytest.mark.usefixtures("noon")
def test_a_won_game_tells_price_winning_range_and_what_to_share() -> None:
    first = guess("20").json()
    body = guess("9.49", first["token"]).json()
    assert (body["turn"], body["state"], body["verdict"]) == (2, "won", "win")
    assert body["direction"] is None
    result = body["result"]
    assert result["price"] == "9.49"
    assert result["winning_range"] == {"low": "9.02", "high": "9.96"}
    assert result["share"] == (
        "Costcodle #1121 2/6\n\u2b07\ufe0f\U0001f7e5\n\u2705\nhttp://127.0.0.1:8000"
    )
    assert result["share_in_words"].splitlines()[1:3] == ["Guess 1: too high, far", "Guess 2: won"]


@pytest.mark.usefixtures("noon")
def test_the_sixth_miss_loses_and_a_seventh_guess_is_refused() -> None:
    body: dict[str, Any] = {"token": None}
    for turn in range(1, 7):
        body = guess(str(turn), body["token"]).json()
        assert body["turn"] == turn
        assert (body["result"] is None) == (body["state"] == "playing") == (turn < 6)
    assert (body["state"], body["result"]["price"]) == ("lost", "9.49")
    seventh = guess("9.49", body["token"])
    assert (seventh.status_code, error_code(seventh)) == (400, "game_over")


@pytest.mark.usefixtures("noon")
def test_a_repeated_request_costs_no_turn_the_first_one_included() -> None:
    first = guess("8")
    assert guess("8").content == first.content
    second = guess("10.50", first.json()["token"])
    assert guess("10.50", first.json()["token"]).content == second.content
    assert second.json()["turn"] == 2


@pytest.mark.usefixtures("noon")
def test_a_repeated_price_is_refused_in_every_spelling() -> None:
    sealed_game = guess("8").json()["token"]
    for spelling in ("8", "$8.00", "8,00"):
        response = guess(spelling, sealed_game)
        assert (response.status_code, error_code(response)) == (400, "repeated_guess")


@pytest.mark.usefixtures("noon")
def test_the_session_of_a_game_is_the_one_that_the_page_made_up() -> None:
    assert SESSION.replace("-", "") in guess("8").json()["token"]
    assert guess("8", session=SESSION.upper()).content == guess("8").content
    other = guess("8", session=str(uuid.uuid4())).json()["token"]
    assert other != guess("8").json()["token"]


@pytest.mark.usefixtures("noon")
def test_the_session_beside_a_token_is_not_read() -> None:
    game = guess("8").json()["token"]
    assert guess("9", game, session=17).content == guess("9", game).content


# What is refused


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "empty"),
        ("1e3", "not_a_price"),
        ("1.299", "ambiguous"),
        ("1.2345", "too_many_decimals"),
        ("-1", "sign"),
        ("9" * 21, "too_long"),
        ("9" * 3000, "too_long"),
        ("100000", "out_of_range"),
        ("9\0", "not_a_price"),
        ("\ud800", "not_a_price"),
        ("\uff19", "foreign_digits"),
        (9.49, "guess_malformed"),
        (None, "guess_malformed"),
        (["9.49"], "guess_malformed"),
        ({}, "guess_malformed"),
        (True, "guess_malformed"),
    ],
)
@pytest.mark.usefixtures("noon")
def test_what_is_no_price_is_refused_with_the_reason(text: object, code: str) -> None:
    response = guess(text)
    assert (response.status_code, error_code(response)) == (400, code)
    assert response["Cache-Control"] == NO_STORE


@pytest.mark.parametrize(
    "session",
    [None, "", "x", 17, [], {}, SESSION.replace("-", ""), f"{{{SESSION}}}", SESSION + "\n"],
)
@pytest.mark.usefixtures("noon")
def test_a_game_begins_with_a_session_in_the_form_of_a_uuid(session: object) -> None:
    response = guess("8", session=session)
    assert (response.status_code, error_code(response)) == (400, "session_malformed")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "token_foreign"),
        ("x" * 3000, "token_malformed"),
        (17, "token_malformed"),
        ({}, "token_malformed"),
        (False, "token_malformed"),
        ("\ud800", "token_malformed"),
        ("1121.daily.x", "token_foreign"),
        (sealed(100, session=SESSION)[:-1], "token_foreign"),
        (sealed(100, session=SESSION) + "x", "token_foreign"),
        (sealed(100, number=1120, session=SESSION), "token_other_puzzle"),
        (sealed(100, mode=Mode.PRACTICE, session=SESSION), "token_other_mode"),
        (sealed(100, 100, session=SESSION), "token_impossible"),
        (sealed(949, 100, session=SESSION), "token_continued"),
        (Signer(salt="other").sign("1121.daily." + "0" * 32), "token_foreign"),
    ],
)
@pytest.mark.usefixtures("noon")
def test_what_this_server_did_not_seal_for_this_game_is_refused(text: object, code: str) -> None:
    response = guess("8", text)
    assert (response.status_code, error_code(response)) == (400, code)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b" ", "not_json"),
        (b"{", "not_json"),
        (b"\0", "not_json"),
        (b"\xff\xfe{}", "not_json"),
        ('{"guess": "9"}'.encode("utf-16"), "not_json"),
        (b"[" * MOST_BYTES, "not_json"),
        (b'{"a":' * 800, "not_json"),
        (b'{"guess": NaN}', "not_json"),
        (b'{"guess": -Infinity}', "not_json"),
        (b"[]", "no_object"),
        (b"null", "no_object"),
        (b'"9"', "no_object"),
        (b"1" * MOST_BYTES, "no_object"),
        (b"{}", "session_malformed"),
        (b'{"guess": ' + b"9" * 4000 + b', "session": "%s"}' % SESSION.encode(), "guess_malformed"),
        (b'{"guess": 1e999, "session": "%s"}' % SESSION.encode(), "guess_malformed"),
    ],
)
@pytest.mark.usefixtures("noon")
def test_a_body_that_is_no_request_is_refused(body: bytes, code: str) -> None:
    response = Client().post("/api/play/1121/guess", body, content_type="application/json")
    assert (response.status_code, error_code(response)) == (400, code)


@pytest.mark.parametrize("path", ["/api/play/1121/guess", "/api/results"])
@pytest.mark.usefixtures("noon")
def test_a_body_over_four_kilobytes_is_413_whatever_length_it_claims(path: str) -> None:
    body = json.dumps({"guess": "9", "token": None, "session": SESSION})
    exact = body + " " * (MOST_BYTES - len(body))
    assert post(path, exact).status_code in (200, 400)
    too_long = post(path, exact + " ")
    assert (too_long.status_code, error_code(too_long)) == (413, "too_large")


def test_a_length_that_is_a_lie_is_caught_while_reading() -> None:
    request = RequestFactory().post("/", b" " * 5000, content_type="application/json")
    request.META["CONTENT_LENGTH"] = "10"
    found = json_object(request)
    assert isinstance(found, Refusal)
    assert found.status == 413
    for odd in ("", "x", "-1", "²"):
        request.META["CONTENT_LENGTH"] = odd
        assert not is_too_large(request)
    request.META["CONTENT_LENGTH"] = "9" * 50
    assert is_too_large(request)


def test_a_body_that_is_cut_off_is_a_400(monkeypatch: pytest.MonkeyPatch) -> None:
    def cut_off(_request: HttpRequest, *_args: object) -> bytes:
        raise UnreadablePostError

    monkeypatch.setattr(HttpRequest, "read", cut_off)
    found = json_object(RequestFactory().post("/", b"{}", content_type="application/json"))
    assert isinstance(found, Refusal)
    assert (found.status, found.code) == (400, "incomplete")


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
@pytest.mark.parametrize("path", ["/api/play/1121/guess", "/api/results"])
@pytest.mark.usefixtures("noon")
def test_a_body_that_is_not_sent_as_json_is_415(path: str, kind: str) -> None:
    response = Client().generic("POST", path, b"{}", content_type=kind)
    assert (response.status_code, error_code(response)) == (415, "not_json")


@pytest.mark.usefixtures("noon")
def test_json_may_name_its_charset() -> None:
    body = json.dumps({"guess": "8", "session": SESSION})
    response = Client().generic(
        "POST", "/api/play/1121/guess", body, content_type="application/json; charset=utf-8"
    )
    assert response.status_code == 200


# Which puzzle, and when


@pytest.mark.parametrize("number", [1122, 1119, 9999, 10_000, 10**30])
@pytest.mark.usefixtures("noon")
def test_a_puzzle_that_is_not_there_or_of_the_future_is_404(number: int) -> None:
    response = guess("8", number=number)
    assert (response.status_code, error_code(response)) == (404, "not_playable")


@pytest.mark.parametrize(
    "path", ["/api/play/0/guess", "/api/play/x/guess", "/api/nowhere", "/api/"]
)
@pytest.mark.usefixtures("noon")
def test_what_is_no_address_of_the_api_is_404_in_json(path: str) -> None:
    response = post(path, {})
    assert (response.status_code, error_code(response)) == (404, "not_found")


@pytest.mark.usefixtures("noon")
def test_a_published_puzzle_is_for_practice_and_a_withdrawn_one_is_410() -> None:
    body = guess("20.00", number=1120).json()
    assert (body["mode"], body["state"], body["result"]["price"]) == ("practice", "won", "20.00")
    game = guess("1", number=1120).json()["token"]
    withdraw(1120)
    for response in (guess("1", number=1120), guess("2", game, number=1120)):
        assert (response.status_code, error_code(response)) == (410, "withdrawn")


def test_yesterdays_board_is_judged_by_yesterdays_price_until_ten_past_midnight(noon: Site) -> None:
    board = guess("8").json()["token"]
    noon.at(LAST_MOMENT)
    body = guess("9.49", board).json()
    assert (body["puzzle"], body["mode"], body["state"]) == (1121, "daily", "won")
    assert guess("8", number=1122).json()["mode"] == "daily"
    noon.at(CLOSE)
    closed = guess("9.49", board)
    assert (closed.status_code, error_code(closed)) == (410, "closed")
    assert set(closed.json()) == {"error"}
    begun_late = guess("8")
    assert (begun_late.status_code, error_code(begun_late)) == (404, "not_playable")


def test_a_daily_board_stays_closed_when_its_puzzle_is_public_and_practice_begins_anew(
    noon: Site,
) -> None:
    board = guess("8").json()["token"]
    noon.at(CLOSE)
    publisher.publish_due()
    closed = guess("9.49", board)
    assert (closed.status_code, error_code(closed)) == (410, "closed")
    assert guess("8").json()["mode"] == "practice"


@pytest.mark.usefixtures("noon")
def test_a_practice_token_of_a_puzzle_that_is_closed_is_refused(noon: Site) -> None:
    noon.at(CLOSE)
    response = guess("8", sealed(100, mode=Mode.PRACTICE))
    assert (response.status_code, error_code(response)) == (400, "token_other_mode")


def test_a_guess_reads_the_clock_once(noon: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    now = noon.at(NOON)
    readings: list[datetime] = []

    def read() -> datetime:
        readings.append(now)
        return now

    monkeypatch.setattr(clock, "now", read)
    assert guess("8").status_code == 200
    assert len(readings) == 1


@pytest.mark.parametrize("method", ["get", "head", "put", "patch", "delete", "options"])
@pytest.mark.parametrize("path", ["/api/play/1121/guess", "/api/results"])
@pytest.mark.usefixtures("noon")
def test_other_methods_are_405_in_json(path: str, method: str) -> None:
    response = getattr(Client(enforce_csrf_checks=True), method)(path)
    assert (response.status_code, response["Allow"]) == (405, "POST")
    assert response["Content-Type"] == "application/json"


@pytest.mark.parametrize("path", ["/api/play/1121/guess", "/api/results"])
@pytest.mark.usefixtures("noon")
def test_a_database_fault_is_503_in_json(path: str) -> None:
    def away(*_args: Any) -> Any:
        raise OperationalError("secret detail")

    body = {"guess": "8", "token": sealed(949), "session": SESSION}
    with connection.execute_wrapper(away):
        response = post(path, body)
    assert (response.status_code, error_code(response)) == (503, "unavailable")
    assert response["Retry-After"] == "30"
    assert response["Cache-Control"] == NO_STORE


def test_the_price_is_in_no_representation_of_a_game() -> None:
    assert "731957" not in repr(Game(play=make_play(100), price=Cents(731957)))


# Results


def test_a_finished_game_is_recorded_once_and_told_the_distribution(noon: Site) -> None:
    game = guess("9.49", guess("8").json()["token"]).json()["token"]
    first = report(game)
    assert first.status_code == 201
    assert first["Cache-Control"] == NO_STORE
    counts = {"won": [0, 1, 0, 0, 0, 0], "lost": 0, "games": 1}
    document = {
        "outcome": "recorded",
        "slot": 1,
        "result": {"state": "won", "guesses_used": 2},
        "distribution": counts,
    }
    assert first.json() == document
    again = report(game)
    assert (again.status_code, again.json()) == (200, document | {"outcome": "already_recorded"})
    noon.at(CLOSE)
    late = report(game)
    assert (late.status_code, late.json()) == (200, document | {"outcome": "already_recorded"})
    other = report(sealed(1, 2, 3, 4, 5, 6))
    assert (other.status_code, error_code(other)) == (410, "closed")
    assert other.json()["outcome"] == "closed"
    assert other.json()["distribution"] == counts
    assert other.json()["slot"] is other.json()["result"] is None


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (sealed(100, session=SESSION), "not_finished"),
        (sealed(2000, number=1120, mode=Mode.PRACTICE, session=SESSION), "not_finished"),
        (sealed(949, number=1119, session=SESSION), "token_impossible"),
        (sealed(949, 100, session=SESSION), "token_continued"),
        ("x:y", "token_foreign"),
        (None, "token_malformed"),
        ({}, "token_malformed"),
    ],
)
@pytest.mark.usefixtures("noon")
def test_what_is_no_finished_game_of_a_day_is_refused(text: object, code: str) -> None:
    response = report(text)
    assert (response.status_code, error_code(response)) == (400, code)
    assert response.json()["outcome"] == "refused"
    assert response.json()["distribution"] is None
    assert not DailyResult.objects.exists()


@pytest.mark.usefixtures("noon")
def test_a_report_that_cannot_be_read_is_refused() -> None:
    response = post("/api/results", b"[]")
    assert (response.status_code, error_code(response)) == (400, "no_object")
    assert response.json()["outcome"] == "refused"


@pytest.mark.usefixtures("noon")
def test_a_full_day_says_so_politely(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("results.recorder.MOST_RESULTS", 1)
    assert report(sealed(949)).status_code == 201
    response = report(sealed(949))
    assert (response.status_code, response.json()["outcome"]) == (200, "full")
    assert response.json()["distribution"]["games"] == 1
    assert "error" not in response.json()


@pytest.mark.guarantee("G21")
def test_every_one_of_32_clients_is_told_recorded_once_and_already_recorded_once(
    noon: Site,
) -> None:
    noon.at(NOON)
    games = [sealed(949) for _ in range(200)]

    def client(share: list[str]) -> list[tuple[str, int, str]]:
        try:
            answers = [(game, report(game)) for game in share]
            return [(game, got.status_code, got.json()["outcome"]) for game, got in answers]
        finally:
            connections.close_all()

    dealt = [(games * 2)[first::32] for first in range(32)]
    with ThreadPoolExecutor(max_workers=32) as clients:
        told = [answer for share in clients.map(client, dealt) for answer in share]
    assert Counter(told) == Counter(
        (game, *answer)
        for game in games
        for answer in ((201, "recorded"), (200, "already_recorded"))
    )
    slots = DailyResult.objects.order_by("slot").values_list("slot", flat=True)
    assert list(slots) == list(range(1, 201))


# The final distribution


def test_the_final_distribution_is_what_the_published_page_shows(noon: Site) -> None:
    for game in (sealed(949), sealed(100, 949), sealed(1, 2, 3, 4, 5, 6)):
        assert report(game).status_code == 201
    before = Client().get("/api/puzzles/1121/stats")
    assert (before.status_code, error_code(before)) == (404, "not_public")
    noon.at(CLOSE)
    publisher.publish_due()
    response = Client().get("/api/puzzles/1121/stats")
    assert response.json() == {
        "puzzle": 1121,
        "won": [1, 1, 0, 0, 0, 0],
        "lost": 1,
        "games": 3,
    }
    withdraw(1121)
    withdrawn = Client().get("/api/puzzles/1121/stats")
    assert (withdrawn.status_code, error_code(withdrawn)) == (410, "withdrawn")
    for answer in (before, response, withdrawn):
        assert answer["Cache-Control"] == REVALIDATE
        assert not answer.cookies


@pytest.mark.parametrize("number", [1122, 9, 10_000, 10**30])
@pytest.mark.usefixtures("noon")
def test_a_puzzle_without_a_page_has_no_distribution(number: int) -> None:
    assert Client().get(f"/api/puzzles/{number}/stats").status_code == 404


@pytest.mark.usefixtures("noon")
def test_the_distribution_can_only_be_read() -> None:
    response = post("/api/puzzles/1120/stats", {})
    assert (response.status_code, response["Allow"]) == (405, "GET, HEAD")
    assert error_code(response) == "method_not_allowed"


@pytest.mark.usefixtures("noon")
def test_a_wrong_slash_of_the_api_redirects_to_the_listed_spelling() -> None:
    response = Client().get("/api/puzzles/1120/stats/")
    assert (response.status_code, response["Location"]) == (301, "/api/puzzles/1120/stats")


def test_errors_below_the_api_have_its_shape(noon: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_args: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("costcodle.web.play.find_item", broken)
    client = Client(raise_request_exception=False)
    response = client.post("/api/play/1121/guess", "{}", content_type="application/json")
    assert (response.status_code, error_code(response)) == (500, "server_error")
    noon.settings.ALLOWED_HOSTS = ["costcodle.example"]
    refused = client.get("/api/openapi.json", headers={"host": "evil.example"})
    assert (refused.status_code, error_code(refused)) == (400, "bad_request")
