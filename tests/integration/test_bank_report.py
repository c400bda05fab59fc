import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from costcodle import bank_reading
from costcodle.models import Puzzle
from tests.factories import make_puzzle, make_puzzles
from tests.interleaving import snapshot
from tests.sites import Site

TODAY = 1121
SECTIONS = ("gaps", "look_alikes", "repeats", "no_photo", "no_size", "no_whole_dollar")


@pytest.fixture(autouse=True)
def today(site: Site) -> None:
    site.at("2026-10-15T12:00:00Z")


def test_an_empty_bank_wants_attention(site: Site) -> None:
    done = site.call("bank_report")
    assert (done.returncode, done.stderr) == (3, "")
    assert done.stdout.splitlines()[:2] == [
        "today=1121 (2026-10-15) items=0 last=none days_left=0",
        "gaps: ahead=0 past=0 (days without an item)",
    ]
    document = json.loads(site.call("bank_report", "--json").stdout)
    head = {"today": TODAY, "date": "2026-10-15", "items": 0, "last": None, "days_left": 0}
    assert document == {**head, **{section: [] for section in SECTIONS}}


@pytest.mark.parametrize(("last", "status"), [(TODAY + 60, 0), (TODAY + 59, 3)])
def test_the_exit_status_asks_for_attention_below_sixty_days(
    site: Site, last: int, status: int
) -> None:
    make_puzzles(TODAY - 5, last)
    assert site.call("bank_report").returncode == status


def test_a_gap_ahead_asks_for_attention(site: Site) -> None:
    make_puzzles(TODAY, TODAY + 70)
    make_puzzles(TODAY + 72, TODAY + 73)
    done = site.call("bank_report")
    assert done.returncode == 3
    assert "gaps: ahead=1 past=0 (days without an item)" in done.stdout
    assert f"  ahead puzzle={TODAY + 71} 1 day, 2026-12-25" in done.stdout.splitlines()


def test_the_text_is_capped_and_the_document_is_whole(site: Site) -> None:
    make_puzzles(TODAY - 20, TODAY + 90)
    done = site.call("bank_report")
    lines = done.stdout.splitlines()
    assert "no_photo: ahead=90 past=21 (items without a photo)" in lines
    assert f"  ahead puzzle={TODAY + 1} Item 1122, 2 lbs" in lines
    assert "  and 101 more (--json names every one)" in lines
    document = json.loads(site.call("bank_report", "--json").stdout)
    assert list(document) == ["today", "date", "items", "last", "days_left", *SECTIONS]
    assert len(document["no_photo"]) == 111
    first = {"puzzles": [TODAY + 1], "ahead": True, "about": "Item 1122, 2 lbs"}
    assert (document["no_photo"][0], document["last"]) == (first, TODAY + 90)


def test_every_list_finds_its_kind(site: Site) -> None:
    make_puzzle(number=TODAY - 30, name="Beet Sugar", size="5 lbs", price_cents=349)
    make_puzzle(number=TODAY + 1, name="Beet Sugar 5 lbs", size="5 lbs", photo="photos/x")
    make_puzzle(number=TODAY + 5, name="Beet Sugar", size="", price_cents=1000)
    Puzzle.objects.filter(number=TODAY + 1).update(photo_ready=True)
    document = json.loads(site.call("bank_report", "--json").stdout)
    told = {
        section: [(each["puzzles"], each["ahead"]) for each in document[section]]
        for section in SECTIONS
    }
    assert told == {
        "gaps": [
            *(([TODAY, TODAY], True), ([TODAY + 2, TODAY + 4], True)),
            ([TODAY - 29, TODAY - 1], False),
        ],
        "look_alikes": [([TODAY + 1, TODAY + 5], True)],
        "repeats": [([TODAY - 30, TODAY + 1], True)],
        "no_photo": [([TODAY + 5], True), ([TODAY - 30], False)],
        "no_size": [([TODAY + 5], True)],
        "no_whole_dollar": [([TODAY + 1], True), ([TODAY - 30], False)],
    }


def test_a_report_is_one_query_after_the_clock_and_writes_nothing(site: Site) -> None:
    make_puzzles(1, 2000)
    before = snapshot()
    now = site.at("2026-10-15T12:00:00Z")
    with CaptureQueriesContext(
        connection,
    ) as queries:
        report = bank_reading.bank_report(now)
    assert (len(queries), report.items) == (1, 2000)
    assert snapshot() == before


def test_a_silent_report_still_says_by_its_status(site: Site) -> None:
    done = site.call("bank_report", "-v", "0")
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "")


def test_a_database_that_is_away_is_temporary(site: Site) -> None:
    site.environment["DATABASE_URL"] = "postgresql://postgres@127.0.0.1:1/none"
    done = site.run("bank_report")
    assert (done.returncode, done.stdout) == (75, "")
    assert done.stderr.startswith("the database cannot be used now: ")
