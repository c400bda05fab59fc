"""A lease that an operator breaks: its holder loses its work, and no guarantee is lost."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from answers import leases, ledger, operations, publisher
from answers.domain import Fence, Lease, Outcome, Owner, Report
from answers.models import AnswerPost, JobLease, PublicationItem, PublicationLog
from answers.operations import Correction
from costcodle import clock
from costcodle.days import PuzzleNumber
from costcodle.game.rules import Cents
from tests.factories import make_puzzle
from tests.interleaving import (
    IN_THE_BATCH,
    Rows,
    at,
    begin_and_let_block,
    die,
    in_a_fork,
    public,
    snapshot,
    wait_until,
)
from tests.invariants import assert_consistent
from tests.sites import Site, elsewhere

NUMBER = PuzzleNumber(1121)
KEY = "publication:1121"
DUE = "2026-10-16T00:10:00Z"

OUTSIDE_TRANSACTIONS = ("before begin 3", "before begin 4", "before begin 5")


@pytest.fixture
def due(site: Site) -> Site:
    site.at(DUE)
    make_puzzle()
    return site


def publish() -> list[Outcome]:
    return [item.outcome for item in publisher.publish_due().items]


def break_it() -> bool:
    """End the term that is there now, as an operator who looked at it would."""
    seen = JobLease.objects.get(key=KEY)
    return leases.expire(KEY, Owner(seen.owner_id), Fence(seen.fence))


def break_and_publish() -> list[Outcome]:
    break_it()
    return publish()


@pytest.mark.guarantee("G4", "G5", "G6", "G8", "G18")
def test_a_holder_whose_lease_was_broken_changes_nothing_after_another_published(
    due: Site,
) -> None:
    seen: list[Rows] = []

    def act() -> None:
        assert elsewhere(break_and_publish) == [Outcome.PUBLISHED]
        seen.append(snapshot())

    with at("before begin 4", act):
        assert publish() == [Outcome.LEASE_LOST]
    assert snapshot() == seen[0]
    assert PublicationLog.objects.get().fence == JobLease.objects.get().fence == 2
    assert_consistent()
    assert clock.now() == due.at(DUE)


@pytest.mark.guarantee("G8")
@pytest.mark.parametrize("point", ["before begin 3", "before begin 4"])
def test_a_holder_whose_lease_was_broken_writes_nothing_even_if_nobody_took_it(
    due: Site, point: str
) -> None:
    seen: list[Rows] = []

    def act() -> None:
        assert elsewhere(break_it)
        seen.append(snapshot())

    with at(point, act):
        assert publish() == [Outcome.LEASE_LOST]
    assert snapshot() == seen[0]
    assert publish() == [Outcome.PUBLISHED]
    assert_consistent()
    assert due.engine


@pytest.mark.guarantee("G1", "G5")
@pytest.mark.parametrize("point", OUTSIDE_TRANSACTIONS)
def test_whoever_publishes_over_a_broken_lease_is_the_only_one(due: Site, point: str) -> None:
    rivals: list[list[Outcome]] = []
    with at(point, lambda: rivals.append(elsewhere(break_and_publish))):
        ours = publish()
    assert [*ours, *rivals[0]].count(Outcome.PUBLISHED) == 1
    assert set(ours) <= {Outcome.PUBLISHED, Outcome.LEASE_LOST}
    assert_consistent()
    assert due.engine


@pytest.mark.guarantee("G5", "G6")
@pytest.mark.parametrize("step", IN_THE_BATCH)
def test_breaking_a_lease_inside_the_batch_waits_for_its_commit(due: Site, step: str) -> None:
    futures = []

    def act() -> None:
        futures.append(begin_and_let_block(break_it))
        assert not futures[0].done()

    point = f"before {step}" if step.startswith("commit") else f"after {step}"
    with at(point, act):
        assert publish() == [Outcome.PUBLISHED]
    futures[0].result(timeout=20)
    assert PublicationLog.objects.get().fence == JobLease.objects.get().fence == 1
    assert leases.take(NUMBER, Owner("next")) == Lease(
        number=NUMBER,
        owner=Owner("next"),
        fence=Fence(2),
        expires_at=clock.now() + timedelta(seconds=due.settings.LEASE_SECONDS),
    )
    assert_consistent()


@pytest.mark.guarantee("G6", "G7")
def test_only_the_term_that_was_seen_is_ended_and_only_once(due: Site) -> None:
    lease = leases.take(NUMBER, Owner("holder"))
    assert isinstance(lease, Lease)
    before = snapshot()
    assert not leases.expire(KEY, Owner("another"), lease.fence)
    assert not leases.expire(KEY, Owner("holder"), Fence(2))
    assert not leases.expire("publication:1120", Owner("holder"), lease.fence)
    assert snapshot() == before
    now = due.at("2026-10-16T00:10:05Z")
    assert leases.expire(KEY, Owner("holder"), lease.fence)
    row = JobLease.objects.get()
    assert (row.owner_id, row.fence, row.expires_at) == ("holder", 1, now)
    due.at("2026-10-16T00:10:09Z")
    assert not leases.expire(KEY, Owner("holder"), lease.fence)
    assert JobLease.objects.get().expires_at == now
    following = leases.take(NUMBER, Owner("holder"))
    assert isinstance(following, Lease)
    assert following.fence == 2
    assert not leases.expire(KEY, Owner("holder"), lease.fence)
    leases.release(lease)
    assert JobLease.objects.get().expires_at == following.expires_at


@pytest.mark.guarantee("G19")
def test_what_a_killed_publisher_left_is_published_at_once_when_its_lease_is_broken(
    due: Site,
) -> None:
    def happen(point: str) -> None:
        if point == "before begin 4":
            die()

    with in_a_fork(publish, happen):
        wait_until(lambda: PublicationItem.objects.filter(state="processing").exists())
    assert publish() == [Outcome.LEASE_HELD]
    assert break_it()
    assert publish() == [Outcome.PUBLISHED]
    assert_consistent()
    assert due.engine


def withdraw() -> Report:
    return operations.withdraw(NUMBER, "a test")


def correct() -> Report:
    return operations.correct(NUMBER, Correction(price=Cents(777)))


@pytest.mark.guarantee("G5", "G8")
@pytest.mark.parametrize("change", [withdraw, correct])
def test_an_operator_whose_lease_was_broken_writes_nothing(
    due: Site, change: Callable[[], Report]
) -> None:
    publish()
    before = public(snapshot())
    with at("before begin 3", lambda: elsewhere(break_it)):
        assert change().outcome is Outcome.LEASE_LOST
    assert public(snapshot()) == before
    assert ledger.state_of(NUMBER) == "published"
    assert AnswerPost.objects.get().content_version == 1
    assert_consistent()
    assert due.engine


def test_an_operator_waits_as_long_as_it_has_patience(
    due: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish()
    assert isinstance(leases.take(NUMBER, Owner("holder")), Lease)
    waited: list[float] = []
    monkeypatch.setattr(clock, "stopwatch", lambda: lambda: sum(waited))
    monkeypatch.setattr(clock, "pause", waited.append)
    for patience, seconds in ((0.0, 0), (1.0, 1), (None, due.settings.LEASE_SECONDS)):
        waited.clear()
        by = operations.Operator(label="admin:olga", patience=patience)
        report = operations.withdraw(NUMBER, "a test", by)
        assert report.outcome is Outcome.LEASE_HELD
        assert report.owner.startswith("admin:olga/")
        assert seconds <= sum(waited) < seconds + 0.3
