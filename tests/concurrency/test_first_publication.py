"""A first publication against everything that can come between its steps."""

import json
from collections.abc import Callable

import pytest
from django.db import DatabaseError, OperationalError, connection

from answers import batch, leases, ledger, publisher
from answers.domain import CommitToken, Fence, Held, ItemState, Kind, Lease, Outcome, Owner
from answers.models import AnswerPost, JobLease, PublicationItem, PublicationLog
from costcodle import clock
from costcodle.days import PuzzleNumber
from costcodle.models import Puzzle, SiteState
from tests.factories import make_puzzle, make_result
from tests.interleaving import (
    BOUNDARIES,
    IN_THE_BATCH,
    Rows,
    at,
    begin_and_let_block,
    public,
    snapshot,
)
from tests.invariants import assert_consistent
from tests.sites import Site, elsewhere

NUMBER = PuzzleNumber(1121)
DUE = "2026-10-16T00:10:00Z"
AFTER_THE_LEASE = "2026-10-16T00:11:01Z"
RIVAL = Owner("rival")

OUTSIDE_TRANSACTIONS = (
    "before begin 1",
    "before begin 2",
    "before begin 3",
    "before begin 4",
    "before begin 5",
    "after commit of release_lease",
)


def publish() -> list[Outcome]:
    return [item.outcome for item in publisher.publish_due().items]


def take_over(site: Site) -> Lease:
    """Let the lease run out, then take it, as another publisher would."""
    site.at(AFTER_THE_LEASE)
    lease = leases.take(NUMBER, RIVAL)
    assert isinstance(lease, Lease)
    return lease


def publish_over(site: Site) -> list[Outcome]:
    site.at(AFTER_THE_LEASE)
    return publish()


@pytest.mark.guarantee("G5", "G8")
def test_takeover_between_read_and_commit_reports_lease_lost(site: Site) -> None:
    site.at(DUE)
    make_puzzle()
    seen: list[Rows] = []

    def act() -> None:
        elsewhere(lambda: take_over(site))
        seen.append(snapshot())

    with at("before begin 4", act):
        assert publish() == [Outcome.LEASE_LOST]
    assert snapshot() == seen[0]
    assert not AnswerPost.objects.exists()
    assert SiteState.objects.get().publication_revision == 0
    assert PublicationItem.objects.get().state == "processing"
    assert JobLease.objects.get().owner_id == RIVAL


@pytest.mark.guarantee("G5")
@pytest.mark.parametrize("step", IN_THE_BATCH)
def test_takeover_inside_the_batch_waits_for_its_commit(site: Site, step: str) -> None:
    site.at(DUE)
    make_puzzle()
    futures = []

    def act() -> None:
        futures.append(begin_and_let_block(lambda: take_over(site)))
        assert not futures[0].done()

    point = f"before {step}" if step.startswith("commit") else f"after {step}"
    with at(point, act):
        assert publish() == [Outcome.PUBLISHED]
    assert futures[0].result(timeout=20).fence == 2
    assert PublicationLog.objects.get().fence == 1
    assert_consistent()


@pytest.mark.guarantee("G1", "G2", "G3")
@pytest.mark.parametrize("point", OUTSIDE_TRANSACTIONS)
def test_another_publisher_that_takes_over_and_publishes_is_the_only_one(
    site: Site, point: str
) -> None:
    site.at(DUE)
    make_puzzle()
    rivals: list[list[Outcome]] = []
    with at(point, lambda: rivals.append(elsewhere(lambda: publish_over(site)))):
        ours = publish()
    assert [*ours, *rivals[0]].count(Outcome.PUBLISHED) == 1
    assert set(ours) <= {Outcome.PUBLISHED, Outcome.UNCHANGED, Outcome.LEASE_LOST}
    assert PublicationLog.objects.get().kind == "create"
    assert_consistent()


@pytest.mark.guarantee("G1", "G5")
def test_a_writer_that_was_taken_over_twice_changes_nothing(site: Site) -> None:
    site.at(DUE)
    make_puzzle()

    def act() -> None:
        elsewhere(lambda: take_over(site))
        site.at("2026-10-16T00:12:02Z")
        elsewhere(publish)

    with at("after commit of claim_open_item", act):
        assert publish() == [Outcome.LEASE_LOST]
    assert PublicationLog.objects.get().fence == 3
    assert_consistent()


@pytest.mark.guarantee("G5", "G7")
def test_an_old_fence_of_the_same_owner_can_neither_write_nor_release(site: Site) -> None:
    site.at(DUE)
    make_puzzle()
    ledger.list_items([NUMBER], clock.now())
    old = leases.take(NUMBER, RIVAL)
    assert isinstance(old, Lease)
    new = take_over(site)
    before = snapshot()
    leases.release(old)
    assert ledger.claim(old, ItemState.PENDING) is Outcome.LEASE_LOST
    assert ledger.record_attempt(old, Outcome.FAILED, "late") is Outcome.LEASE_LOST
    assert snapshot() == before
    assert new.fence == old.fence + 1


@pytest.mark.guarantee("G8", "G9")
def test_a_false_guard_changes_nothing_even_if_nobody_counts_rows(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.at(DUE)
    make_puzzle()
    monkeypatch.setattr(batch, "_pin_term", lambda *_: None)
    monkeypatch.setattr(batch, "expect", lambda statement, **values: statement.run(**values))
    monkeypatch.setattr(
        batch,
        "insist",
        lambda statement, **values: (statement.run(**values).rows or [(0,)])[0],
    )
    seen: list[Rows] = []

    def act() -> None:
        elsewhere(lambda: take_over(site))
        seen.append(snapshot())

    with at("before begin 4", act):
        publisher.publish_due()
    assert public(snapshot()) == public(seen[0])
    assert PublicationItem.objects.get().state == "processing"


def rename(site: Site) -> None:
    """A bank change, as every writer of the bank makes it."""
    del site
    version = SiteState.objects.get().bank_version + 1
    Puzzle.objects.filter(number=NUMBER).update(name="Mended name", bank_version=version)
    SiteState.objects.update(bank_version=version)


def photo_arrives(site: Site) -> None:
    del site
    Puzzle.objects.filter(number=NUMBER).update(photo="a.webp", photo_ready=True, bank_version=7)


def photo_goes(site: Site) -> None:
    del site
    Puzzle.objects.filter(number=NUMBER).update(photo_ready=False)


def result_is_counted_late(site: Site) -> None:
    del site
    make_result(slot=1, guesses_used=2)


@pytest.mark.guarantee("G9")
@pytest.mark.parametrize("change", [rename, photo_arrives, photo_goes, result_is_counted_late])
def test_a_fact_that_changes_between_read_and_commit_is_rebuilt(
    site: Site, change: Callable[[Site], None]
) -> None:
    site.at(DUE)
    is_lost = change is photo_goes
    make_puzzle(photo="first.webp" if is_lost else "", photo_ready=is_lost)
    with at("before begin 4", lambda: elsewhere(lambda: change(site))) as passed:
        assert publish() == [Outcome.PUBLISHED]
    assert passed.count("before write_page") + passed.count("before write_page 2") >= 1
    page, puzzle = AnswerPost.objects.get(), Puzzle.objects.get()
    assert (page.title, page.bank_version) == (puzzle.name, puzzle.bank_version)
    assert page.photo == (puzzle.photo if puzzle.photo_ready else "")
    assert page.games == sum(page.body["won"]) == (1 if change is result_is_counted_late else 0)
    assert_consistent()


@pytest.mark.guarantee("G9")
def test_a_bank_change_inside_the_batch_waits_for_its_commit(site: Site) -> None:
    site.at(DUE)
    make_puzzle()
    futures = []
    with at("after pin_puzzle", lambda: futures.append(begin_and_let_block(lambda: rename(site)))):
        assert publish() == [Outcome.PUBLISHED]
    futures[0].result(timeout=20)
    assert AnswerPost.objects.get().title != Puzzle.objects.get().name
    assert publish() == [Outcome.UPDATED]
    assert_consistent()


@pytest.mark.guarantee("G3", "G8", "G19")
@pytest.mark.parametrize("step", [*IN_THE_BATCH[1:-1], "pin_lease 2"])
def test_an_error_after_any_statement_leaves_the_item_due_and_the_next_run_publishes_it(
    site: Site, step: str
) -> None:
    site.at(DUE)
    make_puzzle()

    def fail() -> None:
        raise DatabaseError("this statement failed")

    with at(f"after {step}", fail):
        assert publish() == [Outcome.FAILED]
    item = PublicationItem.objects.get()
    assert (item.state, item.last_outcome) == ("failed", "failed")
    assert item.last_error == "DatabaseError: this statement failed"
    assert public(snapshot()) == {
        "answer_posts": [],
        "publication_log": [],
        "site_state": snapshot()["site_state"],
    }
    assert SiteState.objects.get().publication_revision == 0
    assert publish() == [Outcome.PUBLISHED]
    assert_consistent()


def lose_the_answer() -> None:
    raise OperationalError("server closed the connection unexpectedly")


@pytest.mark.guarantee("G16")
def test_a_commit_that_landed_is_reported_though_its_answer_was_lost(site: Site) -> None:
    site.at(DUE)
    make_puzzle()
    with at("after commit of read_page", lose_the_answer):
        report = publisher.publish_due()
    assert [(item.outcome, item.revision) for item in report.items] == [(Outcome.PUBLISHED, 1)]
    assert JobLease.objects.get().expires_at == clock.now()
    assert_consistent()


@pytest.mark.guarantee("G16")
def test_a_commit_that_never_landed_is_tried_again_and_reported_once(site: Site) -> None:
    site.at(DUE)
    make_puzzle()
    with at("before commit of read_page", lose_the_answer):
        report = publisher.publish_due()
    assert [(item.outcome, item.fence) for item in report.items] == [(Outcome.PUBLISHED, 2)]
    assert PublicationLog.objects.count() == 1
    assert_consistent()


@pytest.mark.guarantee("G16", "G19")
def test_a_commit_whose_fate_cannot_be_learned_is_unknown_and_the_next_run_settles_it(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.at(DUE)
    make_puzzle()
    monkeypatch.setattr(clock, "pause", lambda _seconds: None)

    def cut_off() -> None:
        monkeypatch.setattr(connection, "connect", lose_the_answer)
        raise OperationalError("server closed the connection unexpectedly")

    with at("after commit of read_page", cut_off):
        result = site.call("publish_answers", "--json")
        monkeypatch.undo()
    document = json.loads(result.stdout)
    assert (result.returncode, document["published"]) == (75, 0)
    assert [item["outcome"] for item in document["items"]] == ["unknown"]
    assert document["stopped_by"].startswith("OperationalError: server closed")
    site.at(AFTER_THE_LEASE)
    assert publish() == []
    assert_consistent()


@pytest.mark.guarantee("G16")
def test_the_look_up_of_a_lost_commit_waits_for_the_transaction_in_doubt(site: Site) -> None:
    site.at(DUE)
    make_puzzle()
    found = []

    def look_up() -> None:
        token = AnswerPost.objects.get().commit_token
        attempt = batch.Attempt(
            lease=Lease(number=NUMBER, owner=RIVAL, fence=Fence(1), expires_at=clock.now()),
            kind=Kind.CREATE,
            token=CommitToken(token),
        )
        found.append(begin_and_let_block(lambda: batch._look_up(attempt)))
        assert not found[0].done()

    with at("before commit of read_page", look_up):
        assert publish() == [Outcome.PUBLISHED]
    committed = found[0].result(timeout=20)
    assert (committed.outcome, committed.revision) == (Outcome.PUBLISHED, 1)


@pytest.mark.guarantee("G15")
def test_a_rerun_leaves_every_row_as_it_was(site: Site) -> None:
    site.at(DUE)
    make_puzzle()
    publish()
    before = snapshot()
    site.at("2026-10-16T00:15:00Z")
    assert publish() == []
    assert snapshot() == before


def test_every_boundary_is_one_that_a_publication_passes(site: Site) -> None:
    site.at(DUE)
    make_puzzle()
    with at("after commit of release_lease", lambda: None) as passed:
        publish()
    assert tuple(passed) == BOUNDARIES


def test_a_lease_that_is_held_is_reported_with_its_holder(site: Site) -> None:
    site.at(DUE)
    make_puzzle()
    held = leases.take(NUMBER, RIVAL)
    before = snapshot()
    report = publisher.publish_due().items[0]
    assert report.outcome is Outcome.LEASE_HELD
    assert report.detail.startswith("held by rival until 2026-10-16T00:11:00")
    assert snapshot()["job_leases"] == before["job_leases"]
    assert not isinstance(held, Held)
