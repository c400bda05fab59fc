"""The page about the last night: what was done, by whom, and what wants a person."""

import re
from collections.abc import Iterator
from datetime import datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from answers import leases, ledger, operations, publisher
from answers.domain import ItemState, Outcome
from answers.models import AnswerPost, JobLease, PublicationItem
from answers.office import last_night
from answers.office.last_night import Standing
from costcodle import clock
from costcodle.days import PuzzleNumber
from costcodle.models import Puzzle, SiteState
from tests.admins import (
    ABANDONED,
    FAILED,
    HELD,
    SCRIPT,
    UNLISTED,
    open_the_office,
    staff,
    superuser,
    take,
)
from tests.factories import make_puzzle, make_puzzles
from tests.sites import Site

PAGE = "/admin/answers/publicationlog/last-night/"


@pytest.fixture
def office(site: Site) -> Site:
    open_the_office(site)
    return site


def text_of(page: bytes) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page.decode()).split())


def standings() -> dict[int, Standing]:
    return {each.number: each.standing for each in last_night.summary().unfinished}


@pytest.mark.parametrize(
    ("now", "since"),
    [
        ("2026-10-16T00:09:59.999Z", "2026-10-15T00:00:00Z"),
        ("2026-10-16T00:10:00Z", "2026-10-16T00:00:00Z"),
        ("2026-10-16T23:59:59Z", "2026-10-16T00:00:00Z"),
        ("2026-10-17T00:00:00Z", "2026-10-16T00:00:00Z"),
    ],
)
def test_a_night_begins_at_midnight_and_is_the_one_before_until_ten_past(
    now: str, since: str
) -> None:
    night = last_night.night_of(datetime.fromisoformat(now))
    assert night == datetime.fromisoformat(since)


def test_every_puzzle_that_is_not_as_it_should_be_stands_there_once(office: Site) -> None:
    assert standings() == {
        FAILED: Standing.FAILED,
        ABANDONED: Standing.IN_DOUBT,
        HELD: Standing.OVERDUE,
        1120: Standing.OVERDUE,
        UNLISTED: Standing.OVERDUE,
    }
    assert not last_night.summary().is_well
    assert office.engine == connection.vendor


def test_a_night_in_which_all_went_well_says_so(site: Site) -> None:
    site.at("2026-10-16T00:10:03Z")
    make_puzzle()
    publisher.publish_due(label="night")
    operations.withdraw(PuzzleNumber(1121), "wrong item")
    text = text_of(superuser().get(PAGE).content)
    assert "All is well." in text
    assert "1 published, 1 withdrawn" in text or "1 withdrawn, 1 published" in text
    assert "#1121 published Oct 16, 00:10:03 night" in text
    assert "1 3 s" in text
    assert "#1121 withdrawn Oct 16, 00:10:03 operator" in text
    assert "2 wrong item" in text
    assert "Nothing is due, and no page is out of date." in text


def test_what_the_next_run_does_by_itself_is_no_reason_to_wake_anybody(site: Site) -> None:
    site.at("2026-10-16T00:12:00Z")
    make_puzzles(1120, 1120)
    publisher.publish_due()
    make_puzzle()
    Puzzle.objects.filter(number=1120).update(bank_version=5)
    night = last_night.summary()
    assert night.is_well
    assert standings() == {1120: Standing.OUT_OF_DATE, 1121: Standing.WAITING}
    ledger.list_items([PuzzleNumber(1121)], clock.now())
    assert last_night.summary().unfinished[1].why == "the next run publishes it"
    PublicationItem.objects.filter(puzzle_id=1121).update(last_outcome="not_ready")
    assert "does not publish without" in last_night.summary().unfinished[1].why
    take(1121, "other/run")
    assert standings()[1121] is Standing.WAITING


def test_work_that_goes_on_is_no_doubt_and_work_that_ended_without_a_word_is_one(
    site: Site,
) -> None:
    site.at("2026-10-16T00:12:00Z")
    make_puzzle()
    ledger.list_items([PuzzleNumber(1121)], clock.now())
    lease = take(1121, "night/run")
    assert ledger.claim(lease, ItemState.PENDING) is None
    assert last_night.summary().unfinished[0].why == "it is being worked on"
    leases.release(lease)
    assert standings() == {1121: Standing.IN_DOUBT}
    publisher.publish_due()
    assert standings() == {}


def test_a_change_of_a_page_that_ended_without_a_word_is_a_doubt_for_one_night(
    site: Site,
) -> None:
    site.at("2026-10-16T00:12:00Z")
    make_puzzle()
    publisher.publish_due()
    lease = take(1121, "admin:olga/run")
    assert ledger.claim(lease, ItemState.PUBLISHED) is None
    assert standings() == {}
    leases.release(lease)
    assert standings() == {1121: Standing.IN_DOUBT}
    site.at("2026-10-17T00:10:00Z")
    assert standings() == {}


def test_an_outcome_that_was_never_learned_is_a_doubt_and_a_failed_update_has_its_reason(
    site: Site,
) -> None:
    site.at("2026-10-16T00:12:00Z")
    make_puzzle()
    publisher.publish_due()
    PublicationItem.objects.update(last_outcome=Outcome.UNKNOWN)
    assert standings() == {1121: Standing.IN_DOUBT}
    PublicationItem.objects.update(last_outcome=Outcome.FAILED, last_error="ValueError: no")
    assert [each.why for each in last_night.summary().unfinished] == ["ValueError: no"]


@pytest.mark.parametrize(
    ("later", "expires", "long"),
    [
        ("2026-10-16T00:12:10Z", "2026-10-16T00:13:00Z", [False]),
        ("2026-10-16T00:12:10.001Z", "2026-10-16T00:13:00Z", [True]),
        ("2026-10-16T00:12:01Z", "2026-10-16T00:14:00Z", [True]),
        ("2026-10-16T00:13:00Z", "2026-10-16T00:13:00Z", []),
    ],
)
def test_a_lease_that_is_held_for_long_wants_a_look(
    site: Site, later: str, expires: str, long: list[bool]
) -> None:
    site.at("2026-10-16T00:12:00Z")
    take(1121, "night/run")
    JobLease.objects.update(expires_at=datetime.fromisoformat(expires))
    site.at(later)
    night = last_night.summary()
    assert [term.is_held_long for term in night.leases] == long
    assert night.is_well is not any(long)


def test_the_page_names_what_mends_each_and_offers_it_to_whoever_may(office: Site) -> None:
    page = superuser().get(PAGE).content.decode()
    assert f"/admin/answers/publicationitem/{FAILED}/publish/" in page
    assert f"publish_answers --puzzle {ABANDONED}" in page
    assert "/admin/answers/joblease/publication_3A1119/break/" in page
    assert "Something wants you." in page
    watcher = staff("watcher", "view_publicationlog").get(PAGE).content.decode()
    assert f"publish_answers --puzzle {ABANDONED}" in watcher
    assert "/publish/" not in watcher
    assert "/break/" not in watcher
    assert SCRIPT not in page + watcher
    assert "&lt;script&gt;" in page
    assert office.engine == connection.vendor


def test_a_site_that_lost_its_row_is_told_so(office: Site) -> None:
    SiteState.objects.all().delete()
    page = superuser().get(PAGE)
    assert page.status_code == 200
    assert "The row of site_state is lost" in text_of(page.content)
    assert office.engine == connection.vendor


@pytest.fixture
def queries() -> Iterator[CaptureQueriesContext]:
    with CaptureQueriesContext(connection) as captured:
        yield captured


def test_a_night_costs_the_same_however_much_came_out(
    site: Site, queries: CaptureQueriesContext
) -> None:
    site.at("2026-10-16T12:00:00Z")
    make_puzzles(1100, 1101)
    publisher.publish_due()
    costs = []
    for first, last in ((1090, 1099), (1050, 1089)):
        make_puzzles(first, last)
        publisher.publish_due()
        Puzzle.objects.filter(number__lt=1060).update(bank_version=1)
        before = len(queries)
        night = last_night.summary()
        costs.append(len(queries) - before)
    assert costs[0] == costs[1] <= 12
    assert sum(night.counts.values()) == AnswerPost.objects.count() == 52


def test_the_page_says_for_how_long_a_lease_is_held_and_to_whom_it_is_shown(office: Site) -> None:
    office.at("2026-10-16T12:00:30Z")
    page = text_of(superuser().get(PAGE).content)
    assert "publication:1119 : other run , fence 1, 30 s left held for 30 s" in page
    assert staff("nobody").get(PAGE).status_code == 403
    assert superuser("other").post(PAGE).status_code == 405
    assert office.engine == connection.vendor
