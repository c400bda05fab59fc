"""Nothing names or links an answer before it is public, nor after it was withdrawn."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from answers import operations, publisher
from answers.models import AnswerPost
from costcodle import clock
from costcodle.days import PuzzleNumber
from tests.crawl import crawl
from tests.factories import make_puzzle
from tests.published import PHOTO, publish_many
from tests.sites import Site

NAME, PRICE = "Zanzibar Clove Honey, 33 oz", 731957
BEFORE, DUE = "2026-10-16T00:09:59.999Z", "2026-10-16T00:10:00.000Z"
TELLING = (
    "/answers/",
    "/answers/page/2",
    "/answers/page/3",
    "/answers/feed.xml",
    "/answers/feed.json",
    "/sitemap.xml",
    "/sitemap-1.xml",
    "/sitemap-2.xml",
    "/robots.txt",
    "/answers/1120",
    "/answers/1119",
    "/about",
)
TRACES = (NAME, "Zanzibar", "/answers/1121", "answer:1121", "answer-1121", "731957", "7,319.57")


@pytest.fixture
def night(site: Site) -> Site:
    """Puzzle 1121 is yesterday's; those before it are published, 1122 is today's."""
    for number in range(1081, 1121):
        make_puzzle(number=number, photo=PHOTO, photo_ready=True)
    make_puzzle(number=1121, name=NAME, price_cents=PRICE, photo=PHOTO, photo_ready=True)
    make_puzzle(number=1122, name="Today's, 2 lbs", price_cents=953761)
    site.at("2026-10-15T12:00:00Z")
    assert len(publisher.publish_due().items) == 40
    return site


def traces(paths: tuple[str, ...] = TELLING) -> list[tuple[str, str]]:
    bodies = {path: Client().get(path).content.decode() for path in paths}
    return [(path, trace) for path, body in bodies.items() for trace in TRACES if trace in body]


def links_to_1121() -> list[str]:
    """Every page that can be reached and links the answer; the session token is random text."""
    pages = crawl(["/", *TELLING])
    return [
        path
        for path, page in pages.items()
        if re.search(r"/answers/1121\b|answer-1121\b|answer:1121\b", page.body.decode("latin-1"))
    ]


@pytest.mark.parametrize("instant", [BEFORE, DUE])
def test_an_answer_without_a_page_is_named_and_linked_nowhere(night: Site, instant: str) -> None:
    night.at(instant)
    assert traces() == []
    assert links_to_1121() == []
    assert Client().get("/answers/1121").status_code == 404


def test_a_run_before_the_moment_makes_nothing_public(night: Site) -> None:
    night.at(BEFORE)
    assert publisher.publish_due().items == []
    assert traces() == []


def test_at_the_moment_the_page_and_every_way_to_it_appear_together(night: Site) -> None:
    night.at(DUE)
    publisher.publish_due()
    assert Client().get("/answers/1121").status_code == 200
    telling = {path for path, _ in traces()}
    assert telling == {
        "/answers/",
        "/answers/page/2",
        "/answers/feed.xml",
        "/answers/feed.json",
        "/sitemap.xml",
        "/sitemap-2.xml",
        "/answers/1120",
    }
    night.at(BEFORE)
    assert {path for path, _ in traces()} == telling, "what is public stays so on a slow clock"


def test_a_withdrawn_answer_disappears_from_everywhere_and_comes_back(night: Site) -> None:
    night.at("2026-10-16T12:00:00Z")
    publisher.publish_due()
    before = traces()
    assert before
    operations.withdraw(PuzzleNumber(1121), reason="recall")
    assert traces() == []
    assert links_to_1121() == []
    page = Client().get("/answers/1121")
    assert page.status_code == 410
    assert [trace for trace in (NAME, "recall", "7,319.57") if trace in page.content.decode()] == []
    operations.reinstate(PuzzleNumber(1121))
    assert traces() == before


def test_the_neighbours_of_a_withdrawn_answer_are_each_others(night: Site) -> None:
    night.at("2026-10-16T12:00:00Z")
    publisher.publish_due()
    operations.withdraw(PuzzleNumber(1120), reason="recall")
    assert 'rel="prev" href="/answers/1119"' in Client().get("/answers/1121").content.decode()
    assert 'rel="next" href="/answers/1121"' in Client().get("/answers/1119").content.decode()


# However many answers there are


@pytest.mark.parametrize(
    ("path", "most"),
    [
        ("/answers/", 2),
        ("/answers/page/1", 0),
        ("/answers/2", 3),
        ("/answers/feed.xml", 1),
        ("/answers/feed.json", 1),
        ("/sitemap.xml", 1),
        ("/sitemap-1.xml", 1),
        ("/robots.txt", 0),
        ("/answers/500", 2),
        ("/play/2", 1),
        ("/about", 0),
    ],
)
def test_no_page_takes_more_queries_for_300_answers_than_for_3(
    site: Site, path: str, most: int
) -> None:
    site.at("2026-10-16T12:00:00Z")
    publish_many(1, 3, indexable=True)
    few = queries_of(path)
    publish_many(4, 300, indexable=True)
    assert queries_of(path) == few <= most
    assert AnswerPost.objects.count() == 300


def queries_of(path: str) -> int:
    clock.now()  # the first connection of a process asks for its version
    with CaptureQueriesContext(connection) as captured:
        Client().get(path)
    return len(captured)
