"""`publish_answers` as its operator sees it."""

import json
import os
import pty
import termios
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from answers import drafts, leases, publisher
from answers.domain import Owner
from answers.models import AnswerPost, JobLease, PublicationItem
from costcodle import days
from costcodle.days import PuzzleNumber
from costcodle.models import SiteState
from tests.factories import make_puzzle, make_puzzles, make_result
from tests.interleaving import public, snapshot
from tests.invariants import assert_consistent
from tests.sites import Site

DUE = "2026-10-16T00:10:00Z"
MILLISECOND = timedelta(milliseconds=1)

REFUSE_1120 = {
    "sqlite": [
        """CREATE TRIGGER refuse BEFORE INSERT ON answer_posts WHEN NEW.puzzle_id = 1120
           BEGIN SELECT RAISE(ABORT, 'refused here'); END"""
    ],
    "postgresql": [
        """CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
           $$ BEGIN RAISE EXCEPTION 'refused here'; END $$""",
        """CREATE TRIGGER refuse BEFORE INSERT ON answer_posts FOR EACH ROW
           WHEN (NEW.puzzle_id = 1120) EXECUTE FUNCTION refuse()""",
    ],
}
REFUSE_NO_MORE = {
    "sqlite": ["DROP TRIGGER refuse"],
    "postgresql": ["DROP TRIGGER refuse ON answer_posts", "DROP FUNCTION refuse"],
}


def outcomes(site: Site, *options: str) -> dict[int, str]:
    items = json.loads(site.call("publish_answers", "--json", *options).stdout)["items"]
    return {item["puzzle"]: item["outcome"] for item in items}


@pytest.mark.guarantee("G13")
def test_a_page_is_due_at_ten_past_midnight_and_not_a_millisecond_earlier(site: Site) -> None:
    make_puzzle()
    site.at("2026-10-16T00:09:59.999Z")
    assert outcomes(site) == {}
    assert outcomes(site, "--puzzle", "1121") == {1121: "not_due"}
    assert not AnswerPost.objects.exists()
    site.at(DUE)
    assert outcomes(site) == {1121: "published"}


@pytest.mark.guarantee("G13")
@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe"])
def test_the_hosts_zone_and_its_daylight_saving_move_no_page(site: Site, zone: str) -> None:
    """tests/unit/test_days.py walks every hour of both weekends; this is the whole command."""
    make_puzzles(919, 922)
    make_puzzles(1129, 1132)
    switches = {921: datetime(2026, 3, 29, tzinfo=UTC), 1131: datetime(2026, 10, 25, tzinfo=UTC)}
    for number, day in switches.items():
        for instant, published in ((day - MILLISECOND, number - 1), (day, number)):
            site.at((instant + timedelta(days=1, minutes=10)).isoformat())
            assert site.run("publish_answers", "-v", "0", TZ=zone).returncode == 0
            assert AnswerPost.objects.order_by("-puzzle_id")[0].puzzle_id == published
            assert days.day_of(PuzzleNumber(number)) == day.date()


@pytest.mark.guarantee("G13")
def test_a_due_date_that_was_set_by_hand_publishes_nothing_early(site: Site) -> None:
    now = site.at("2026-10-15T12:00:00Z")
    make_puzzle()
    PublicationItem.objects.create(puzzle_id=1121, due_at=now - timedelta(days=1), updated_at=now)
    assert outcomes(site) == {}
    assert not AnswerPost.objects.exists()


def test_the_draft_counts_every_result_of_its_day(site: Site) -> None:
    site.at(DUE)
    make_puzzle(price_cents=349)
    for slot, (outcome, guesses) in enumerate(
        [("won", 1), ("won", 4), ("won", 4), ("lost", 6)], start=1
    ):
        make_result(slot=slot, outcome=outcome, guesses_used=guesses)
    outcomes(site)
    page = AnswerPost.objects.get()
    assert page.games == 4
    assert page.body == {
        "date": "2026-10-15",
        "size": "20 oz",
        "low_cents": 332,
        "high_cents": 366,
        "won": [1, 0, 0, 2, 0, 0],
        "lost": 1,
        "correction_note": "",
    }


@pytest.mark.guarantee("G20")
def test_one_failing_item_delays_no_other(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.at(DUE)
    make_puzzles(1119, 1121)
    build = drafts.build

    def fail_one(reading: Any, **options: Any) -> Any:
        if reading.bank.number == 1119:
            raise ValueError("this one is broken")
        return build(reading, **options)

    monkeypatch.setattr(drafts, "build", fail_one)
    result = site.call("publish_answers")
    assert result.returncode == 1
    first = 'puzzle=1119 outcome=failed fence=1 detail="ValueError: this one is broken"'
    assert result.stdout.splitlines()[0] == first
    assert "published=2 updated=0 skipped=0 failed=1 remaining=0" in result.stdout
    item = PublicationItem.objects.get(puzzle_id=1119)
    assert (item.state, item.last_error) == ("failed", "ValueError: this one is broken")
    assert_consistent()
    make_puzzles(1118, 1118)
    assert outcomes(site, "--max", "1") == {1118: "published"}
    monkeypatch.undo()
    assert outcomes(site) == {1119: "published"}


@pytest.mark.guarantee("G20")
def test_an_item_that_kills_its_publisher_is_tried_after_all_others(site: Site) -> None:
    now = site.at(DUE)
    make_puzzles(1119, 1121)
    PublicationItem.objects.create(
        puzzle_id=1119, state="processing", fence=1, attempts=1, due_at=now, updated_at=now
    )
    assert list(outcomes(site)) == [1120, 1121, 1119]


@pytest.mark.guarantee("G20")
def test_an_error_of_the_database_for_one_item_is_recorded_on_it(site: Site) -> None:
    site.at(DUE)
    make_puzzles(1120, 1121)
    with connection.cursor() as cursor:
        for statement in REFUSE_1120[site.engine]:
            cursor.execute(statement)
    try:
        assert outcomes(site) == {1120: "failed", 1121: "published"}
    finally:
        with connection.cursor() as cursor:
            for statement in REFUSE_NO_MORE[site.engine]:
                cursor.execute(statement)
    assert PublicationItem.objects.get(puzzle_id=1120).last_error.endswith("refused here")
    assert outcomes(site) == {1120: "published"}


@pytest.mark.guarantee("G19")
def test_days_of_silence_are_caught_up_in_order(site: Site) -> None:
    make_puzzles(1115, 1125)
    site.at("2026-10-10T00:10:00Z")
    assert list(outcomes(site)) == [1115]
    site.at(DUE)
    assert list(outcomes(site)) == [1116, 1117, 1118, 1119, 1120, 1121]
    assert_consistent()


def test_max_says_how_many_remain(site: Site) -> None:
    site.at(DUE)
    make_puzzles(1117, 1121)
    result = site.call("publish_answers", "--max", "2")
    assert result.returncode == 0
    assert result.stdout.splitlines()[-1].endswith(
        "published=2 updated=0 skipped=0 failed=0 remaining=3"
    )


def test_without_its_photo_a_page_is_published_but_not_indexable(site: Site) -> None:
    site.at(DUE)
    make_puzzle()
    outcomes(site)
    assert not AnswerPost.objects.get().indexable


def test_a_page_that_must_have_its_photo_waits_for_it_and_touches_nothing(site: Site) -> None:
    site.settings.PUBLISH_WITHOUT_PHOTO = False
    site.at(DUE)
    make_puzzle(number=1120)
    make_puzzle(photo="a.webp", photo_ready=True)
    assert outcomes(site) == {1120: "not_ready", 1121: "published"}
    assert AnswerPost.objects.get().indexable
    assert JobLease.objects.count() == 1
    assert PublicationItem.objects.get(puzzle_id=1120).state == "pending"


@pytest.mark.guarantee("G15")
def test_a_rerun_is_quiet_and_its_queries_do_not_grow_with_the_pages(site: Site) -> None:
    site.at(DUE)
    make_puzzles(1120, 1121)
    site.call("publish_answers")
    with CaptureQueriesContext(connection) as few:
        site.call("publish_answers")
    make_puzzles(1080, 1119)
    site.call("publish_answers")
    before = snapshot()
    with CaptureQueriesContext(connection) as many:
        result = site.call("publish_answers")
    assert result.returncode == 0
    assert len(result.stdout.splitlines()) == 1
    assert len(few) == len(many) <= 6
    assert snapshot() == before


def test_a_catch_up_costs_the_same_queries_per_page_early_and_late(site: Site) -> None:
    site.at(DUE)
    make_puzzles(1001, 1121)
    costs = []
    for _ in range(2):
        with CaptureQueriesContext(connection) as queries:
            site.call("publish_answers", "--max", "10")
        costs.append(len(queries))
        site.call("publish_answers", "--max", "80")
    assert costs[1] <= costs[0]


def test_a_dry_run_takes_no_lease_and_writes_nothing(site: Site) -> None:
    site.at(DUE)
    make_puzzles(1120, 1122)
    before = snapshot()
    result = site.call("publish_answers", "--dry-run")
    assert result.stdout.splitlines() == [
        "puzzle=1120 would=published",
        "puzzle=1121 would=published",
        "dry_run=yes revision=0 items=2",
    ]
    document = json.loads(site.call("publish_answers", "--dry-run", "--json").stdout)
    assert [item["would"] for item in document["items"]] == ["published", "published"]
    assert "published" not in document
    assert snapshot() == before


def test_a_dry_run_knows_what_waits_for_a_photo_and_what_is_not_due(site: Site) -> None:
    site.settings.PUBLISH_WITHOUT_PHOTO = False
    site.at(DUE)
    make_puzzles(1121, 1122)
    assert "puzzle=1121 would=not_ready" in site.call("publish_answers", "--dry-run").stdout
    assert "would=not_due" in site.call("publish_answers", "--dry-run", "--puzzle", "1122").stdout


def test_the_json_document_has_its_documented_shape(site: Site) -> None:
    site.at(DUE)
    make_puzzle()
    document = json.loads(site.call("publish_answers", "--json", "--owner", "cron-a").stdout)
    item = document["items"][0]
    assert document["now"] == "2026-10-16T00:10:00Z"
    counts = [document[key] for key in ("published", "updated", "skipped", "failed", "remaining")]
    assert (document["revision"], counts) == (1, [1, 0, 0, 0, 0])
    assert item["owner"] == f"cron-a/{document['run']}"
    assert (item["puzzle"], item["outcome"], item["revision"], item["fence"]) == (
        1121, "published", 1, 1,
    )  # fmt: skip
    assert item["seconds"] >= 0
    assert item["detail"] == ""
    assert JobLease.objects.get().owner_id == item["owner"]


def test_the_text_output_has_its_documented_form(site: Site) -> None:
    site.at(DUE)
    make_puzzle()
    first, last = site.call("publish_answers").stdout.splitlines()
    assert first == "puzzle=1121 outcome=published revision=1 fence=1"
    assert last.startswith("run=")
    assert last.endswith("revision=1 published=1 updated=0 skipped=0 failed=0 remaining=0")


def test_verbosity_zero_is_silent(site: Site) -> None:
    site.at(DUE)
    make_puzzle()
    result = site.run("publish_answers", "-v", "0")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_a_held_lease_is_skipped_and_leaves_nothing_undone(site: Site) -> None:
    site.at(DUE)
    make_puzzles(1120, 1121)
    leases.take(PuzzleNumber(1120), Owner("other"))
    result = site.call("publish_answers")
    assert result.returncode == 0
    assert result.stdout.startswith("puzzle=1120 outcome=lease_held")
    assert "published=1 updated=0 skipped=1" in result.stdout


def test_a_puzzle_asked_for_by_number_that_is_published_is_unchanged(site: Site) -> None:
    site.at(DUE)
    make_puzzle()
    site.call("publish_answers")
    before = snapshot()
    assert outcomes(site, "--puzzle", "1121") == {1121: "unchanged"}
    assert snapshot() == before


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--puzzle", "0"], "argument --puzzle: '0' is no puzzle number (1 to 9999)"),
        (["--puzzle", "x"], "publish_answers: argument --puzzle: 'x' is no puzzle number"),
        (["--puzzle", "9" * 30], "is no puzzle number (1 to 9999)"),
        (["--puzzle", "-5"], "is no puzzle number (1 to 9999)"),
        (["--puzzle", "١١٢١"], "is no puzzle number (1 to 9999)"),
        (["--puzzle", "77"], "puzzle 77 is not in the bank"),
        (["--max", "0"], "publish_answers: argument --max: '0' is no whole number from 1 on"),
        (["--max", "many"], "'many' is no whole number from 1 on"),
        (["--owner", "a b"], "--owner takes up to 40 letters"),
        (["--owner", "x" * 41], "--owner takes up to 40 letters"),
        (["--nonsense"], "unrecognized arguments: --nonsense"),
    ],
)  # fmt: skip
def test_bad_usage_is_one_line_and_changes_nothing(
    site: Site, options: list[str], complaint: str
) -> None:
    site.at(DUE)
    make_puzzle()
    before = snapshot()
    result = site.run("publish_answers", *options)
    assert result.returncode == 2
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert complaint in result.stderr
    assert snapshot() == before


def test_a_database_that_is_away_is_one_line_and_exit_75(site: Site) -> None:
    away = {
        "sqlite": f"sqlite:///{site.folder}/no/such/folder/site.sqlite3",
        "postgresql": "postgresql://postgres@127.0.0.1:1/nowhere",
    }[site.engine]
    result = site.run("publish_answers", DATABASE_URL=away)
    assert (result.returncode, result.stdout) == (75, "")
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith("the database cannot be used now: ")


def test_a_lost_state_row_is_one_line_and_exit_1(site: Site) -> None:
    site.at(DUE)
    make_puzzle()
    SiteState.objects.all().delete()
    result = site.call("publish_answers")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith("site_state has lost its row")
    assert public(snapshot())["answer_posts"] == []


@pytest.fixture
def monitor() -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """The address of a monitor, and what it was told."""
    told: list[tuple[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            told.append((self.path, self.rfile.read(length).decode()))
            self.send_response(500 if "broken" in self.path else 200)
            self.end_headers()

        def log_message(self, *args: object) -> None:
            del args

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/switch", told
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_dead_mans_switch_hears_the_start_and_how_the_run_ended(
    site: Site, monitor: tuple[str, list[tuple[str, str]]]
) -> None:
    site.at(DUE)
    make_puzzle()
    site.settings.PING_URL, told = monitor
    summary = site.call("publish_answers").stdout.splitlines()[-1]
    assert told == [("/switch/start", ""), ("/switch/0", summary)]
    site.call("publish_answers", "--dry-run")
    assert len(told) == 2


def test_the_dead_mans_switch_hears_of_a_run_that_failed(
    site: Site, monitor: tuple[str, list[tuple[str, str]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    site.at(DUE)
    make_puzzle()
    site.settings.PING_URL, told = monitor
    monkeypatch.setattr(drafts, "build", lambda *_args, **_options: 1 / 0)
    assert site.call("publish_answers").returncode == 1
    assert [path for path, _ in told] == ["/switch/start", "/switch/1"]


@pytest.mark.parametrize("address", ["http://127.0.0.1:1/x", "http://[::bad/", "http://a..b/"])
def test_a_switch_that_cannot_be_reached_never_fails_the_run(site: Site, address: str) -> None:
    site.at(DUE)
    make_puzzle()
    site.settings.PING_URL = address
    assert site.call("publish_answers").returncode == 0
    assert AnswerPost.objects.exists()


def test_a_long_catch_up_draws_a_bar_on_a_terminal_and_nothing_elsewhere(site: Site) -> None:
    site.at(DUE)
    make_puzzles(1090, 1121)
    leader, follower = pty.openpty()
    termios.tcsetwinsize(follower, (24, 80))
    process = site.start("manage.py", "publish_answers", "--json", stderr=follower)
    os.close(follower)
    output, _ = process.communicate(timeout=60)
    drawn = os.read(leader, 100_000).decode()
    os.close(leader)
    assert len(json.loads(output)["items"]) == 32
    assert "page" in drawn
    assert site.run("publish_answers").stderr == ""


def test_two_runs_never_share_an_owner(site: Site) -> None:
    site.at(DUE)
    make_puzzles(1120, 1121)
    owners = {
        publisher.publish_due(only=PuzzleNumber(number), label="same").items[0].owner
        for number in (1120, 1121)
    }
    assert len(owners) == 2
    assert all(owner.startswith("same/") for owner in owners)
