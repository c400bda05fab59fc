"""The price of a puzzle is nowhere before its game is over: a walk over all that can be reached."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

import pytest
from django.test import Client

from answers import publisher
from costcodle.game import token
from costcodle.game.board import Mode
from tests.factories import make_puzzle, make_puzzles
from tests.games import Form, guess, make_play, report, sealed
from tests.sites import Site

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Response

TODAY, YESTERDAY, TOMORROW = 1121, 1120, 1122
SECRETS = {TODAY: 731957, YESTERDAY: 842613, TOMORROW: 953761}
SPELLINGS = tuple(
    spelling
    for price in map(str, SECRETS.values())
    for spelling in (
        price,
        f"{price[:4]}.{price[4:]}",
        f"{price[:4]},{price[4:]}",
        f"{price[0]},{price[1:4]}.{price[4:]}",
        f"{price[0]}.{price[1:4]},{price[4:]}",
        f"{price[0]} {price[1:4]},{price[4:]}",
        f"{price[:4]}",
        f"{price[0]},{price[1:4]}",
    )
)
ADDRESS = re.compile(
    r"(?:href|src|action|data-[a-z-]+-url)=\"([^\"]+)\"|url\(\"?([^)\"]+)|<loc>([^<]+)"
)
UNLINKED = (
    "/",
    "/about",
    "/answers/",
    "/answers/feed.xml",
    "/answers/feed.json",
    "/sitemap.xml",
    "/robots.txt",
    "/api/openapi.json",
    "/healthz",
    "/readyz",
    "/metrics",
    "/admin/",
    "/nowhere",
    *(f"/play/{number}" for number in SECRETS),
    *(f"/answers/{number}" for number in SECRETS),
    *(f"/api/puzzles/{number}/stats" for number in SECRETS),
)


@pytest.fixture
def night(site: Site) -> Site:
    """00:05 UTC: today's and yesterday's puzzle are both played, older ones are published."""
    site.at("2026-10-15T00:05:00Z")
    make_puzzles(1, 40)
    for number, price in SECRETS.items():
        make_puzzle(number=number, price_cents=price)
    publisher.publish_due()
    return site


def trace(response: "Response") -> str:
    """Everything that reaches a client: headers, cookies, body."""
    body = b"".join(response) if response.streaming else response.content
    return f"{response.headers}\n{response.cookies}\n{body.decode('utf-8', 'replace')}"


def found_in(text: str) -> list[str]:
    # The origin's port and an element's size are no prices; a token's signature is random text.
    text = re.sub(r":[A-Za-z0-9_-]{43}\b", "", text)
    return [spelling for spelling in SPELLINGS if spelling in text]


def walk(*, start: tuple[str, ...] = UNLINKED) -> Iterator[tuple[str, str]]:
    """Every address that can be reached from these, with what it answers."""
    client, ahead, seen = Client(), list(start), set(start)
    while ahead:
        path = ahead.pop()
        for method in (client.get, client.options, client.head):
            answer = trace(method(path))
            yield path, answer
        for match in ADDRESS.finditer(trace(client.get(path))):
            parts = urlsplit(urljoin(path, next(filter(None, match.groups()))))
            if parts.netloc in ("", "127.0.0.1:8000") and parts.path not in seen:
                seen.add(parts.path)
                ahead.append(parts.path)


def test_no_response_of_the_whole_site_holds_the_price_of_a_running_puzzle(night: Site) -> None:
    night.at("2026-10-15T00:05:00Z")
    walked = list(walk())
    paths = {path for path, _ in walked}
    assert {"/static/costcodle/site.css", "/answers/page/2", "/play/40"} <= paths
    assert [(path, found_in(answer)) for path, answer in walked if found_in(answer)] == []


@pytest.mark.parametrize("number", [TODAY, YESTERDAY])
def test_no_answer_to_a_guess_holds_the_price_before_the_game_is_over(
    night: Site, number: int
) -> None:
    night.at("2026-10-15T00:05:00Z")
    sealed_game = None
    for text in ("1", "2", "x", "2", "3", "4", "5"):
        response = guess(text, sealed_game, number=number)
        assert not found_in(trace(response))
        sealed_game = response.json().get("token", sealed_game)
    assert not found_in(trace(report(sealed_game)))
    assert found_in(trace(guess("6", sealed_game, number=number)))


def test_no_page_of_a_board_holds_the_price_before_the_game_is_over(night: Site) -> None:
    night.at("2026-10-15T00:05:00Z")
    form = Form()
    for text in ("1", "2", "x", "2", "3", "4", "5"):
        assert not found_in(trace(form.guess(text)))
    assert found_in(trace(form.guess("6")))


def test_no_refusal_holds_the_price(night: Site) -> None:
    night.at("2026-10-15T00:05:00Z")
    for sealed_game in (
        sealed(1, 1),
        sealed(1, number=YESTERDAY),
        sealed(1, mode=Mode.PRACTICE),
        sealed(731957, 1),
    ):
        # The guesses inside a token are the player's own.
        assert not found_in(trace(guess("8", sealed_game)).replace(sealed_game, ""))
        assert not found_in(trace(report(sealed_game)).replace(sealed_game, ""))
    for number in (TOMORROW, 9999):
        assert not found_in(trace(guess("8", number=number)))
        assert not found_in(trace(Client().post("/", {"guess": "8", "puzzle": str(number)})))
    night.at("2026-10-16T00:10:00Z")
    board = token.seal(make_play(1))
    assert not found_in(trace(guess("8", board)))
    assert not found_in(trace(Client().post("/play/1121", {"guess": "8", "token": board})))


def test_the_walk_finds_a_price_that_is_public(night: Site) -> None:
    night.at("2026-10-16T00:10:00Z")
    publisher.publish_due()
    assert "/answers/1121" in {path for path, answer in walk() if found_in(answer)}
