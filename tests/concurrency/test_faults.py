"""Errors that the database itself raises: the report is true, and the next run mends it.

The engines fail in different ways, so each has tests of its own here; what they prove is the same.
"""

from concurrent.futures import Future, ThreadPoolExecutor

import psycopg
import pytest
from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

from answers import operations, publisher
from answers.domain import Outcome
from answers.models import AnswerPost, JobLease, PublicationLog
from costcodle import clock
from costcodle.days import PuzzleNumber
from tests.factories import make_puzzle, make_puzzles
from tests.interleaving import at, public, snapshot, wait_until
from tests.invariants import assert_consistent
from tests.services import Cluster
from tests.sites import LEASE_SECONDS, Site, begin_elsewhere, elsewhere, point_at

DUE = "2026-10-16T00:10:00Z"
AFTER_THE_LEASE = "2026-10-16T00:11:01Z"
BOUNDARIES = (
    "before take_lease",
    "before begin 3",
    "before claim_open_item",
    "before begin 4",
    "after pin_lease 2",
    "after write_page",
    "before commit of read_page",
    "before begin 5",
)


def publish() -> list[Outcome]:
    return [item.outcome for item in publisher.publish_due().items]


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait between tries."""
    monkeypatch.setattr(clock, "pause", lambda _seconds: None)


@pytest.fixture(params=["postgresql"])
def engine(request: pytest.FixtureRequest) -> str:
    """Most tests here are PostgreSQL's own."""
    return str(request.param)


def refuse_pages(sqlstate: str) -> None:
    """Make PostgreSQL itself raise an error at the page write."""
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
            f" $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '{sqlstate}'; END $$"
        )
        cursor.execute(
            "CREATE TRIGGER refuse BEFORE INSERT ON answer_posts"
            " FOR EACH ROW EXECUTE FUNCTION refuse()"
        )


def refuse_no_more() -> None:
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER refuse ON answer_posts")
        cursor.execute("DROP FUNCTION refuse")


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("sqlstate", "outcomes", "away"),
    [
        ("40001", [Outcome.CONFLICT, Outcome.CONFLICT], False),
        ("40P01", [Outcome.CONFLICT, Outcome.CONFLICT], False),
        ("55P03", [Outcome.CONFLICT, Outcome.CONFLICT], False),
        ("57014", [Outcome.CONFLICT, Outcome.CONFLICT], False),
        ("53100", [], True),
        ("25006", [], True),
        ("23514", [Outcome.FAILED, Outcome.FAILED], False),
    ],
)
def test_each_error_of_postgresql_has_its_outcome_and_changes_nothing(
    site: Site, sqlstate: str, outcomes: list[Outcome], *, away: bool
) -> None:
    site.at(DUE)
    make_puzzles(1120, 1121)
    refuse_pages(sqlstate)
    before = public(snapshot())
    try:
        report = publisher.publish_due()
    finally:
        refuse_no_more()
    assert [item.outcome for item in report.items] == outcomes
    assert bool(report.stopped_by) is away
    assert report.remaining == (2 if away else 0)
    assert public(snapshot()) == before
    site.at(AFTER_THE_LEASE)
    assert publish() == [Outcome.PUBLISHED, Outcome.PUBLISHED]
    assert_consistent()


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("point", BOUNDARIES)
def test_a_connection_that_is_reset_at_a_boundary_costs_a_try_and_nothing_else(
    site: Site, point: str
) -> None:
    site.at(DUE)
    make_puzzle()
    backend = connection.cursor().execute("SELECT pg_backend_pid()").fetchone()[0]

    def reset() -> None:
        with psycopg.connect(site.url, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s, 5000)", [backend])

    with at(point, reset):
        report = publisher.publish_due()
    assert [item.outcome for item in report.items] == [Outcome.PUBLISHED]
    assert PublicationLog.objects.count() == 1
    assert_consistent()


@pytest.mark.usefixtures("quick")
def test_a_row_that_stays_locked_is_a_conflict_within_bounded_time(site: Site) -> None:
    site.at(DUE)
    make_puzzle()
    site.settings.LEASE_SECONDS = 1
    point_at(site.url, lease_seconds=1)
    with psycopg.connect(site.url) as other:
        other.execute("UPDATE puzzles SET name = name WHERE number = 1121")
        elapsed = clock.stopwatch()
        assert publish() == [Outcome.CONFLICT]
        assert elapsed() < LEASE_SECONDS
    site.at(AFTER_THE_LEASE)
    assert publish() == [Outcome.PUBLISHED]
    assert_consistent()


def test_a_real_deadlock_is_tried_again_until_the_page_is_there(site: Site) -> None:
    """A writer that breaks the lock order: the site's row first, then the puzzle's."""
    site.at(DUE)
    make_puzzle()
    waiting: list[Future[object]] = []
    with psycopg.connect(site.url) as other, ThreadPoolExecutor(1) as pool:
        other.execute("UPDATE site_state SET bank_version = bank_version")

        def want_the_puzzle() -> None:
            statement = "UPDATE puzzles SET size = size WHERE number = 1121"
            waiting.append(pool.submit(other.execute, statement))

        with at("after pin_puzzle", want_the_puzzle):
            waiting_ended = begin_elsewhere(lambda: end_when_somebody_failed(waiting, other))
            outcomes = publish()
        waiting_ended.result(timeout=30)
    assert outcomes == [Outcome.PUBLISHED]
    assert_consistent()


def end_when_somebody_failed(
    waiting: "list[Future[object]]", other: "psycopg.Connection[tuple[object, ...]]"
) -> None:
    """Let the rule breaker go once PostgreSQL has chosen its victim, whoever that is."""
    wait_until(lambda: bool(waiting) and waiting[0].done())
    other.rollback()


@pytest.mark.parametrize("point", BOUNDARIES)
def test_a_server_that_restarts_at_a_boundary_costs_a_try_and_nothing_else(
    own_site: Cluster, point: str
) -> None:
    def restart() -> None:
        own_site.stop()
        own_site.start()

    with at(point, restart):
        report = publisher.publish_due()
    assert [item.outcome for item in report.items] == [Outcome.PUBLISHED]
    assert PublicationLog.objects.count() == 1
    assert_consistent()


def test_a_server_that_stays_away_at_the_commit_leaves_its_fate_unknown_until_the_next_run(
    own_site: Cluster,
) -> None:
    with at("before commit of read_page", own_site.stop):
        report = publisher.publish_due()
    assert [item.outcome for item in report.items] == [Outcome.UNKNOWN]
    assert report.stopped_by.startswith("OperationalError: ")
    own_site.start()
    JobLease.objects.update(expires_at=clock.now())
    assert publish() == [Outcome.PUBLISHED]
    assert_consistent()


class TestSqlite:
    """What only SQLite can show."""

    @pytest.fixture
    def engine(self) -> str:
        return "sqlite"

    @pytest.mark.usefixtures("quick")
    def test_a_full_disk_ends_the_run_and_the_next_one_mends_it(self, site: Site) -> None:
        site.at(DUE)
        make_puzzles(1022, 1121)
        pages = connection.cursor().execute("PRAGMA page_count").fetchone()[0]

        def fill_the_disk(connection: BaseDatabaseWrapper, **_: object) -> None:
            connection.cursor().execute(f"PRAGMA max_page_count = {pages + 2}")

        connections.close_all()
        connection_created.connect(fill_the_disk)
        report = publisher.publish_due()
        connection_created.disconnect(fill_the_disk)
        assert "disk is full" in report.stopped_by
        done = [item.outcome for item in report.items]
        assert set(done) <= {Outcome.PUBLISHED}
        assert AnswerPost.objects.count() == len(done) == 100 - report.remaining
        assert_consistent()
        connections.close_all()
        site.at(AFTER_THE_LEASE)
        assert len(publish()) == report.remaining > 0
        assert_consistent()

    @pytest.mark.usefixtures("quick")
    def test_a_writer_that_stays_in_the_way_is_a_conflict(self, site: Site) -> None:
        site.at(DUE)
        make_puzzle()
        publisher.publish_due()
        point_at(site.url, lease_seconds=1)

        other = connections.create_connection("default")
        other.cursor().execute("BEGIN IMMEDIATE")
        report = operations.withdraw(PuzzleNumber(1121), "x")
        other.close()
        assert report.outcome is Outcome.CONFLICT
        assert "database is locked" in report.detail
        assert elsewhere(lambda: operations.withdraw(PuzzleNumber(1121), "x")).outcome is (
            Outcome.WITHDRAWN
        )
