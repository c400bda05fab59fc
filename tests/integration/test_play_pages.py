"""The board as a page and as a plain form."""

import re

import pytest
from django.test import Client

from answers import publisher
from answers.domain import Outcome
from answers.models import AnswerPost
from costcodle import clock
from costcodle.game.board import Mode
from results.models import DailyResult
from tests.factories import make_puzzle, make_result
from tests.games import SESSION, Form, sealed
from tests.sites import Site

NOON = "2026-10-15T12:00:00Z"
LAST_MOMENT = "2026-10-16T00:09:59.999Z"
CLOSE = "2026-10-16T00:10:00.000Z"
NO_STORE = "private, no-store"
REVALIDATE = "public, max-age=0, must-revalidate"


@pytest.fixture
def noon(site: Site) -> Site:
    """Puzzle 1121 of $9.49 is today's, 1120 of $20.00 is published."""
    make_puzzle(number=1120, price_cents=2000, name="Yesterday's, 2 lbs")
    make_puzzle(number=1122, price_cents=3000, name="Tomorrow's, 2 lbs")
    make_puzzle(number=1121, price_cents=949)
    make_result(number=1120, guesses_used=2)
    site.at(NOON)
    assert [item.outcome for item in publisher.publish_due().items] == [Outcome.PUBLISHED]
    return site


def words(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


# The empty board


@pytest.mark.usefixtures("noon")
def test_the_empty_board_has_six_rows_one_field_and_a_live_region() -> None:
    page = Client().get("/").content.decode()
    assert page.count('<li class="row"') == 6
    field = re.findall(r"<input type=\"text\".*?>", page, re.DOTALL)
    assert len(field) == 1
    for attribute in ('inputmode="decimal"', 'autocomplete="off"', 'aria-describedby="refusal"'):
        assert attribute in field[0]
    for attribute in ("autofocus", "aria-invalid"):
        assert attribute not in field[0]
    assert '<p id="announcement" role="status"></p>' in page


@pytest.mark.usefixtures("noon")
def test_the_board_tells_a_script_its_puzzle_mode_and_instants() -> None:
    page = Client().get("/").content.decode()
    for attribute in (
        'data-puzzle="1121"',
        'data-mode="daily"',
        'data-today="yes"',
        'data-ends-at="2026-10-16T00:00:00Z"',
        'data-closes-at="2026-10-16T00:10:00Z"',
        'data-guess-url="/api/play/1121/guess"',
        'data-results-url="/api/results"',
        'data-stats-url="/api/puzzles/1121/stats"',
    ):
        assert attribute in page
    assert 'data-mode="practice"' in Client().get("/play/1120").content.decode()


@pytest.mark.parametrize("path", ["/", "/play/1120", "/about"])
@pytest.mark.usefixtures("noon")
def test_a_page_is_the_same_bytes_for_everyone(path: str) -> None:
    response = Client().get(path)
    assert response["Cache-Control"] == REVALIDATE
    assert not response.cookies
    assert "Vary" not in response
    visitor = Client(headers={"cookie": "sessionid=abc; csrftoken=" + "a" * 32, "accept": "x/y"})
    assert visitor.get(path, {"token": "x"}).content == response.content
    assert "csrf" not in response.content.decode()


# A game by form


@pytest.mark.usefixtures("noon")
def test_a_game_is_won_without_a_script_and_recorded_once() -> None:
    form = Form()
    assert form.hidden == {"puzzle": "1121", "token": ""}
    response = form.guess("8")
    assert (response.status_code, response["Cache-Control"]) == (200, NO_STORE)
    assert not response.cookies
    assert form.rows == ["near"]
    assert "Guess 1: $8.00, too low, near. 5 guesses left." in words(form.page)
    assert "9.49" not in form.page
    lost_answer = form.send("9.49")
    response = form.guess("9.49")
    assert response.content == lost_answer.content
    page = words(form.page)
    assert form.rows == ["near", "win"]
    assert "Guess 2: $9.49. You have won." in page
    assert "Anything from $9.02 to $9.96 would have won." in page
    assert "Costcodle #1121 2/6" in form.page
    assert form.page.count("data-mine") == 1
    assert "1 (100 %) you" in page
    assert "<form" not in form.page
    assert DailyResult.objects.filter(puzzle_id=1121).count() == 1


@pytest.mark.usefixtures("noon")
def test_a_game_is_lost_without_a_script() -> None:
    form = Form()
    for turn in range(1, 6):
        form.guess(str(turn))
    assert "1 guess left." in words(form.page)
    form.guess("1000")
    assert form.rows == ["far"] * 6
    assert "That was the last guess." in words(form.page)
    assert "Not this time" in form.page
    assert "$9.49" in form.page
    assert "Costcodle #1121 X/6" in form.page
    assert DailyResult.objects.get(puzzle_id=1121).outcome == "lost"


@pytest.mark.usefixtures("noon")
def test_a_refused_guess_costs_no_turn_and_stands_in_the_field_to_be_mended() -> None:
    form = Form()
    form.guess("8")
    response = form.guess('1.299"\0')
    assert response.status_code == 400
    assert response["Cache-Control"] == NO_STORE
    assert 'aria-invalid="true"' in form.page
    assert 'value="1.299&quot;"' in form.page
    assert re.search(r'id="refusal">[^<]+\.</p>', form.page)
    assert form.rows == ["near"]
    assert form.guess("9.49").status_code == 200
    assert form.rows == ["near", "win"]


@pytest.mark.usefixtures("noon")
def test_a_refused_first_guess_leaves_an_empty_board() -> None:
    form = Form()
    assert form.guess("").status_code == 400
    assert form.rows == []
    assert form.hidden["token"] == ""
    assert form.guess("8").status_code == 200


@pytest.mark.usefixtures("noon")
def test_a_session_that_the_page_made_up_is_kept_and_another_text_is_refused() -> None:
    client = Client()
    body = {"guess": "8", "session": SESSION}
    assert SESSION.replace("-", "") in client.post("/", body).content.decode()
    assert client.post("/", body | {"session": "x"}).status_code == 400


@pytest.mark.usefixtures("noon")
def test_two_games_begun_by_form_are_two_sessions() -> None:
    first, second = Form(), Form()
    first.guess("8")
    second.guess("8")
    assert first.hidden["token"] != second.hidden["token"]


@pytest.mark.parametrize("fields", [{"token": "x:y"}, {"token": "\x00"}, {"puzzle": "1120x"}])
@pytest.mark.usefixtures("noon")
def test_odd_fields_are_refused_or_passed_over(fields: dict[str, str]) -> None:
    response = Client().post("/", {"guess": "8", **fields})
    assert response.status_code == (200 if "puzzle" in fields else 400)
    assert b'data-puzzle="1121"' in response.content


@pytest.mark.parametrize("number", ["1122", "9999", "1119"])
@pytest.mark.usefixtures("noon")
def test_a_form_of_a_puzzle_that_cannot_be_played_is_404(number: str) -> None:
    client = Client(enforce_csrf_checks=True)
    assert client.post("/", {"guess": "8", "puzzle": number}).status_code == 404
    assert client.post(f"/play/{number}", {"guess": "8"}).status_code == 404


@pytest.mark.usefixtures("noon")
def test_a_finished_board_sent_again_is_shown_again() -> None:
    response = Client().post("/", {"guess": "8", "token": sealed(949), "puzzle": "1121"})
    assert response.status_code == 400
    page = response.content.decode()
    assert "This game is over" in page
    assert "$9.49" in page
    assert "data-mine" in page


@pytest.mark.usefixtures("noon")
def test_a_form_that_is_too_large_is_413() -> None:
    response = Client().post("/", {"guess": "8" * 5000})
    assert (response.status_code, response["Cache-Control"]) == (413, NO_STORE)


@pytest.mark.usefixtures("noon")
def test_a_full_day_is_told_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("results.recorder.MOST_RESULTS", 0)
    form = Form()
    form.guess("9.49")
    assert "the statistics are full" in words(form.page)
    assert "Games: — none" in words(form.page)
    assert "<meter" not in form.page


# Practice


@pytest.mark.usefixtures("noon")
def test_practice_counts_for_nothing_and_shows_the_days_final_distribution() -> None:
    form = Form("/play/1120")
    assert form.action == "/play/1120"
    assert '<meta name="robots" content="noindex">' in form.page
    assert "For practice" in form.page
    form.guess("20.00")
    assert form.rows == ["win"]
    assert "1 (100 %)" in words(form.page)
    assert "data-mine" not in form.page
    assert DailyResult.objects.filter(puzzle_id=1120).count() == 1


@pytest.mark.usefixtures("noon")
def test_a_page_withdrawn_under_a_practice_board_is_410() -> None:
    form = Form("/play/1120")
    form.guess("1")
    AnswerPost.objects.update(withdrawn_at=clock.now())
    assert form.send("20.00").status_code == 410
    response = Client().get("/play/1120")
    assert (response.status_code, response["Cache-Control"]) == (410, REVALIDATE)


@pytest.mark.usefixtures("noon")
def test_a_page_withdrawn_while_the_end_is_told_tells_it_without_a_distribution(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    form = Form("/play/1120")
    monkeypatch.setattr("answers.pages.final_results", lambda _number: None)
    assert form.guess("20.00").status_code == 200
    assert "$20.00" in form.page
    assert "<meter" not in form.page


@pytest.mark.parametrize("number", ["1122", "1119", "10000", "0", "x", "01120", "9" * 30])
@pytest.mark.usefixtures("noon")
def test_a_play_page_of_a_puzzle_that_is_not_there_or_of_the_future_is_404(number: str) -> None:
    assert Client().get(f"/play/{number}").status_code == 404


@pytest.mark.usefixtures("noon")
def test_the_play_page_of_today_leads_to_the_front_page() -> None:
    response = Client().get("/play/1121")
    assert (response.status_code, response["Location"]) == (302, "/")
    assert response["Cache-Control"] == NO_STORE
    assert Client().post("/play/1121", {"guess": "8"}).status_code == 200


@pytest.mark.parametrize("method", ["put", "patch", "delete", "options"])
@pytest.mark.parametrize("path", ["/", "/play/1120"])
@pytest.mark.usefixtures("noon")
def test_a_board_takes_get_head_and_post_alone(path: str, method: str) -> None:
    response = getattr(Client(enforce_csrf_checks=True), method)(path)
    assert (response.status_code, response["Allow"]) == (405, "GET, HEAD, POST")


# Midnight, and ten past


def test_a_board_begun_before_midnight_is_judged_by_its_own_price(noon: Site) -> None:
    form = Form()
    form.guess("8")
    noon.at(LAST_MOMENT)
    response = form.guess("9.49")
    assert response.status_code == 200
    assert form.rows == ["near", "win"]
    assert "Yesterday\u2019s item" in form.page
    assert DailyResult.objects.get(puzzle_id=1121).slot == 1


def test_a_board_begun_before_midnight_goes_on_at_the_address_of_its_puzzle(noon: Site) -> None:
    form = Form()
    noon.at("2026-10-16T00:00:00Z")
    form.guess("8")
    assert form.action == "/play/1121"
    form.guess("9.49")
    assert form.rows == ["near", "win"]


def test_a_board_is_refused_at_ten_past_midnight_and_stays_intact(noon: Site) -> None:
    form = Form()
    form.guess("8")
    noon.at(CLOSE)
    response = form.guess("9.49")
    assert (response.status_code, response["Cache-Control"]) == (410, NO_STORE)
    assert form.rows == ["near"]
    assert "closed at 00:10 UTC" in form.page
    assert "<form" not in form.page
    assert "9.49" not in form.page
    assert not DailyResult.objects.filter(puzzle_id=1121).exists()


def test_a_board_that_closed_stays_closed_when_its_puzzle_is_public(noon: Site) -> None:
    form = Form()
    form.guess("8")
    noon.at(CLOSE)
    publisher.publish_due()
    assert form.guess("9.49").status_code == 410
    assert form.rows == ["near"]
    assert "<form" not in form.page
    assert 'data-mode="daily"' in form.page
    assert 'href="/play/1121"' in form.page


def test_a_game_that_ends_as_the_window_closes_says_that_it_is_not_counted(
    noon: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    form = Form()
    late = noon.at(CLOSE)
    readings = iter([noon.at(LAST_MOMENT), late])
    monkeypatch.setattr(clock, "now", lambda: next(readings))
    assert form.guess("9.49").status_code == 200
    assert "had closed when this game was over" in words(form.page)
    assert not DailyResult.objects.filter(puzzle_id=1121).exists()


def test_yesterdays_puzzle_is_linked_and_playable_until_ten_past_midnight(noon: Site) -> None:
    assert 'id="yesterday"' not in Client().get("/").content.decode()
    noon.at(LAST_MOMENT)
    assert 'href="/play/1121"' in Client().get("/").content.decode()
    page = Client().get("/play/1121").content.decode()
    assert 'data-mode="daily"' in page
    assert 'data-today="no"' in page
    assert "You can finish yesterday\u2019s board until" in page
    noon.at(CLOSE)
    assert 'href="/play/1121"' not in Client().get("/").content.decode()
    closed = Client().get("/play/1121")
    assert (closed.status_code, closed["Cache-Control"]) == (404, REVALIDATE)
    assert "off the shelf for the moment" in closed.content.decode()
    late = Client().post("/play/1121", {"guess": "8"})
    assert (late.status_code, late["Cache-Control"]) == (404, NO_STORE)
    practice = {"guess": "8", "token": sealed(100, mode=Mode.PRACTICE)}
    assert Client().post("/play/1121", practice).status_code == 400


def test_a_day_whose_yesterday_had_no_puzzle_links_none(site: Site) -> None:
    site.at(LAST_MOMENT)
    make_puzzle(number=1122)
    assert 'id="yesterday"' not in Client().get("/").content.decode()


def test_without_a_puzzle_for_today_a_guess_is_404(site: Site) -> None:
    site.at(NOON)
    assert Client().post("/", {"guess": "8"}).status_code == 404


# About


def test_about_says_when_the_day_turns_in_instants(site: Site) -> None:
    site.at(NOON)
    page = Client().get("/about").content.decode()
    assert '<time datetime="2026-10-16T00:00:00Z">' in page
    assert '<time datetime="2026-10-16T00:10:00Z">' in page
    assert "not affiliated" in page
    assert 'href="/about"' in Client().get("/").content.decode()
