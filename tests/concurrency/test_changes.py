"""Updates, withdrawals, reinstatements and corrections against each other."""

import os
import random
import uuid
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from threading import Event

import pytest
from django.db import DatabaseError, OperationalError, connection

from answers import attempts, audit, committer, drafts, leases, ledger, operations, publisher
from answers.attempts import AwayError
from answers.committer import commit_page, withdraw_page
from answers.domain import Draft, ItemState, Lease, Outcome, Owner, Refused, Report
from answers.models import AnswerPost, PublicationItem, PublicationLog
from answers.operations import Correction, RefusedError
from costcodle import bank, clock
from costcodle.bank_rows import BankVersion
from costcodle.days import PuzzleNumber
from costcodle.game.rules import Cents
from costcodle.models import Puzzle, SiteState
from tests.dumps import dumped, restored
from tests.factories import make_puzzle, make_puzzles
from tests.interleaving import (
    IN_THE_BATCH,
    Rows,
    at,
    begin_and_let_block,
    die,
    in_a_fork,
    public,
    snapshot,
)
from tests.invariants import assert_consistent
from tests.sites import Site, elsewhere

NUMBER = PuzzleNumber(1121)
DUE = "2026-10-16T00:10:00Z"
AFTER_THE_LEASE = "2026-10-16T00:11:01Z"


@pytest.fixture
def shop(site: Site) -> Site:
    """A site whose puzzle 1121 is published and out of date."""
    site.at(DUE)
    make_puzzle()
    publisher.publish_due()
    rename("Second name")
    return site


def rename(name: str) -> None:
    """A change of the bank that makes the page out of date."""
    version = SiteState.objects.get().bank_version + 1
    Puzzle.objects.filter(number=NUMBER).update(name=name, bank_version=version)
    SiteState.objects.update(bank_version=version, revision_token=uuid.uuid4())


def publish() -> list[Outcome]:
    return [item.outcome for item in publisher.publish_due().items]


def withdraw() -> Report:
    return operations.withdraw(NUMBER, "a test")


def reinstate() -> Report:
    return operations.reinstate(NUMBER)


def correct() -> Report:
    return operations.correct(NUMBER, Correction(price=Cents(777)))


@pytest.fixture
def begin_withdrawal(monkeypatch: pytest.MonkeyPatch) -> Callable[[], "Future[Report]"]:
    """Begin a withdrawal elsewhere; return once it is done, waits for a lock or for the lease."""
    told_to_wait = Event()
    pause = clock.pause

    def pause_and_tell(seconds: float) -> None:
        told_to_wait.set()
        pause(seconds)

    monkeypatch.setattr(clock, "pause", pause_and_tell)
    return lambda: begin_and_let_block(withdraw, told_to_wait.is_set)


@pytest.mark.guarantee("G5", "G12")
@pytest.mark.parametrize("point", [*(f"before {step}" for step in IN_THE_BATCH), "before begin 4"])
def test_a_withdrawal_that_starts_inside_an_updates_batch_wins_in_the_end(
    shop: Site, point: str, begin_withdrawal: Callable[[], "Future[Report]"]
) -> None:
    futures: list[Future[Report]] = []
    with at(point, lambda: futures.append(begin_withdrawal())):
        assert publish() == [Outcome.UPDATED]
    assert futures[0].result(timeout=60).outcome is Outcome.WITHDRAWN
    for _ in range(10):
        assert publish() == []
    assert AnswerPost.objects.get().withdrawn_at is not None
    assert PublicationItem.objects.get().state == "withdrawn"
    kinds = list(PublicationLog.objects.order_by("revision").values_list("kind", flat=True))
    assert kinds == ["create", "update", "withdraw"]
    assert_consistent()
    assert shop.engine == connection.vendor


@pytest.mark.guarantee("G1", "G8", "G9", "G12")
@pytest.mark.parametrize("point", ["before begin 1", "before begin 2", "before begin 3"])
def test_a_withdrawal_outside_an_updates_batch_wins_in_the_end(
    shop: Site, point: str, begin_withdrawal: Callable[[], "Future[Report]"]
) -> None:
    """Where the updater holds the lease already, the withdrawal waits for its release."""
    futures: list[Future[Report]] = []
    with at(point, lambda: futures.append(begin_withdrawal())):
        publish()
    assert futures[0].result(timeout=60).outcome is Outcome.WITHDRAWN
    assert publish() == []
    assert PublicationItem.objects.get().state == "withdrawn"
    assert_consistent()
    assert shop.engine == connection.vendor


def claimed(owner: str) -> Lease:
    """A lease under which the item of 1121 is claimed, whatever its state."""
    lease = leases.take(NUMBER, Owner(owner))
    assert isinstance(lease, Lease)
    assert ledger.claim(lease, ledger.read(NUMBER).state) is None
    return lease


def stale_draft(worse: dict[str, object]) -> Draft:
    """The present draft of 1121, but for some facts."""
    draft = drafts.build(ledger.read(NUMBER), least_games=50)
    return Draft(**({name: getattr(draft, name) for name in draft.__slots__} | worse))


@pytest.mark.guarantee("G10", "G11")
@pytest.mark.parametrize(("least_games", "worse"), [(0, {"indexable": False}), (50, {"photo": ""})])
def test_a_stale_writer_cannot_take_away_what_is_one_way(
    site: Site, least_games: int, worse: dict[str, object]
) -> None:
    """The statement refuses it even where everything else of the guard holds."""
    site.settings.INDEXABLE_MIN_GAMES = least_games
    site.at(DUE)
    make_puzzle(photo="a.webp", photo_ready=True)
    publisher.publish_due()
    before = public(snapshot())
    result = commit_page(claimed("stale"), stale_draft(worse))
    assert result == Refused(outcome=Outcome.CONFLICT, guard="write_page")
    assert public(snapshot()) == before


@pytest.mark.guarantee("G12")
def test_a_stale_writer_cannot_bring_a_withdrawn_page_back(shop: Site) -> None:
    """Not even where the item was set back by hand."""
    withdraw()
    lease = claimed("stale")
    PublicationItem.objects.update(state="published")
    before = public(snapshot())
    result = commit_page(lease, stale_draft({}))
    assert result == Refused(outcome=Outcome.CONFLICT, guard="write_page")
    assert public(snapshot()) == before
    assert shop.engine == connection.vendor


@pytest.mark.guarantee("G17")
def test_a_batch_that_builds_on_an_older_version_is_a_conflict(shop: Site) -> None:
    lease = claimed("late")
    reading = ledger.read(NUMBER)
    assert reading.page is not None
    AnswerPost.objects.update(content_version=9)
    draft = drafts.build(reading, least_games=0)
    conflict = Refused(outcome=Outcome.CONFLICT, guard="write_page")
    assert commit_page(lease, draft) == conflict
    taken_back = withdraw_page(lease, reading.page, reading.bank.bank_version, "late")
    assert taken_back == Refused(outcome=Outcome.CONFLICT, guard="withdraw_page")
    wrong_bank = withdraw_page(lease, reading.page, BankVersion(99), "late")
    assert wrong_bank == Refused(outcome=Outcome.CONFLICT, guard="pin_puzzle")
    assert shop.engine == connection.vendor


@pytest.mark.guarantee("G5", "G8")
@pytest.mark.parametrize("change", [withdraw, correct])
def test_an_operator_who_lost_the_lease_writes_nothing(
    shop: Site, change: Callable[[], Report]
) -> None:
    seen: list[Rows] = []

    def take_over() -> None:
        def act() -> None:
            shop.at(AFTER_THE_LEASE)
            assert isinstance(leases.take(NUMBER, Owner("rival")), Lease)

        elsewhere(act)
        seen.append(snapshot())

    with at("before begin 3", take_over):
        assert change().outcome is Outcome.LEASE_LOST
    assert snapshot() == seen[0]


@pytest.mark.guarantee("G3", "G8", "G19")
@pytest.mark.parametrize(
    "step",
    ["correct_puzzle", "write_page", "move_item", "raise_revision_and_bank", "stamp_puzzle",
     "stamp_page", "append_log", "read_page"],
)  # fmt: skip
def test_a_correction_that_fails_at_any_step_changes_neither_row(shop: Site, step: str) -> None:
    publish()
    before = snapshot()

    def fail() -> None:
        raise DatabaseError("this statement failed")

    with at(f"after {step}", fail):
        assert correct().outcome is Outcome.FAILED
    after = snapshot()
    assert public(after) == public(before)
    assert after["puzzles"] == before["puzzles"]
    assert PublicationItem.objects.get().last_outcome == "failed"
    assert correct().outcome is Outcome.UPDATED
    assert publish() == []
    assert_consistent()
    assert shop.engine == connection.vendor


@pytest.mark.guarantee("G8", "G9")
def test_a_bank_change_between_an_operators_read_and_commit_is_kept(shop: Site) -> None:
    with at("before begin 3", lambda: elsewhere(lambda: rename("Third name"))):
        assert correct().outcome is Outcome.UPDATED
    puzzle, page = Puzzle.objects.get(), AnswerPost.objects.get()
    assert (puzzle.name, puzzle.price_cents) == (page.title, page.price_cents)
    assert (puzzle.name, puzzle.price_cents) == ("Third name", 777)
    assert publish() == []
    assert shop.engine == connection.vendor


def lock_timeout() -> None:
    error = OperationalError("canceling statement due to lock timeout")
    error.__cause__ = type("Cause", (Exception,), {"sqlstate": "55P03"})()
    raise error


@pytest.mark.guarantee("G8", "G20")
def test_contention_that_passes_is_tried_again_and_one_that_lasts_is_a_conflict(
    shop: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "pause", lambda _seconds: None)
    with at("before pin_puzzle", lock_timeout):
        assert publish() == [Outcome.UPDATED]
    rename("Third name")
    before = public(snapshot())
    monkeypatch.setattr(committer, "commit_page", lambda *_: lock_timeout())
    result = shop.call("publish_answers")
    assert result.returncode == 75
    assert "outcome=conflict" in result.stdout
    assert public(snapshot()) == before


@pytest.mark.guarantee("G9")
def test_a_fact_that_changes_at_every_try_is_a_conflict_and_exit_75(
    shop: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, reads = ledger.read, []

    def read_and_be_late(number: PuzzleNumber) -> object:
        reading = read(number)
        reads.append(reading)
        elsewhere(lambda: rename(f"Name {len(reads)}"))
        return reading

    monkeypatch.setattr(ledger, "read", read_and_be_late)
    result = shop.call("publish_answers")
    assert (result.returncode, len(reads)) == (75, 3)
    assert PublicationItem.objects.get().last_outcome == "conflict"
    monkeypatch.undo()
    shop.at("2026-10-16T00:15:00Z")
    assert publish() == [Outcome.UPDATED]


@pytest.mark.guarantee("G16", "G19")
@pytest.mark.parametrize("step", ["begin 2", "begin 3", "begin 4", "pin_puzzle", "append_log"])
def test_a_database_that_goes_away_ends_the_run_and_the_next_one_mends_it(
    shop: Site, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_puzzles(1119, 1120)
    monkeypatch.setattr(clock, "pause", lambda _seconds: None)

    def go_away() -> None:
        monkeypatch.setattr(connection, "ensure_connection", unreachable)
        unreachable()

    with at(f"before {step}", go_away):
        result = shop.call("publish_answers", "--json")
        monkeypatch.delattr(connection, "ensure_connection")
    assert result.returncode == 75
    assert "the database went away: OperationalError: connection refused" in result.stderr
    assert '"published": 0' in result.stdout
    assert '"remaining": 3' in result.stdout
    shop.at(AFTER_THE_LEASE)
    assert sorted(publish()) == [Outcome.PUBLISHED, Outcome.PUBLISHED, Outcome.UPDATED]
    assert_consistent()


def unreachable() -> None:
    raise OperationalError("connection refused")


def test_an_operator_whose_database_goes_away_is_told_so(
    shop: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "pause", lambda _seconds: None)
    monkeypatch.setattr(leases, "take", lambda *_: unreachable())
    with pytest.raises(AwayError):
        withdraw()
    result = shop.call("withdraw_answer", "1121", "--reason", "x")
    assert result.returncode == 75
    assert result.stderr == "the database went away: OperationalError: connection refused\n"


@pytest.mark.guarantee("G3", "G19")
@pytest.mark.parametrize("change", [withdraw, correct])
@pytest.mark.parametrize("step", [*IN_THE_BATCH[1:2], "write", *IN_THE_BATCH[5:]])
def test_an_operator_killed_inside_the_batch_leaves_it_whole_or_not_at_all(
    shop: Site, change: Callable[[], Report], step: str
) -> None:
    publish()
    own = {withdraw: "withdraw_page", correct: "correct_puzzle"}[change]
    if step == "raise_revision" and change is correct:
        step = "raise_revision_and_bank"
    point = f"after {own if step == 'write' else step}"
    before = snapshot()
    with in_a_fork(change, lambda here: die() if here == point else None) as child:
        assert os.WIFSIGNALED(os.waitpid(child, 0)[1])
    after = assert_consistent()
    is_whole = "commit" in step
    assert (public(after) != public(before)) is is_whole
    shop.at(AFTER_THE_LEASE)
    assert change().outcome is (Outcome.UNCHANGED if is_whole else after_all(change))
    assert_consistent()


def after_all(change: Callable[[], Report]) -> Outcome:
    return Outcome.WITHDRAWN if change is withdraw else Outcome.UPDATED


@pytest.mark.guarantee("G14")
def test_no_triple_is_used_twice_when_a_dump_is_restored(site: Site) -> None:
    site.at(DUE)
    make_puzzles(1112, 1121)
    publisher.publish_due()
    dump = dumped()
    first = ten_changes()
    restored(dump)
    second = ten_changes()
    assert not set(first) & set(second)
    assert len(set(first)) == len(set(second)) == len(first)
    assert_consistent()


def ten_changes() -> list[tuple[int, uuid.UUID, int]]:
    """Ten changes of the site, each by its own way of writing; the triple after each."""
    triples = []
    for turn in range(10):
        number = PuzzleNumber(1112 + turn)
        match turn % 5:
            case 0:  # first, so that a dump is followed by a change of the bank alone
                bank.attach_photo(number, "photos/x.webp")
            case 1:
                operations.withdraw(number, "a test")
            case 2:
                operations.correct(number, Correction(price=Cents(500)))
            case 3:
                publisher.publish_due()
            case _:
                bank.attach_photo(number, "photos/y.webp")
        triples.append(triple())
    return triples


def triple() -> tuple[int, uuid.UUID, int]:
    state = SiteState.objects.get()
    return state.publication_revision, state.revision_token, state.bank_version


@pytest.mark.guarantee("G2", "G3", "G12", "G17")
def test_fifty_withdrawn_half_reinstated_twenty_corrected_under_three_publishers(
    site: Site,
) -> None:
    site.at(DUE)
    make_puzzles(921, 1121)
    chosen = [PuzzleNumber(number) for number in random.Random(7).sample(range(921, 1120), 70)]  # noqa: S311 - a test's choice
    publishers = [site.start("-m", "tests.publishers", "20") for _ in range(3)]
    try:
        publisher.publish_due()
        for number in chosen[:50]:
            assert operations.withdraw(number, "a test").outcome is Outcome.WITHDRAWN
            bank.attach_photo(number, "photos/z.webp")
        for number in chosen[:25]:
            assert operations.reinstate(number).outcome is Outcome.REINSTATED
        for number in chosen[50:]:
            assert operations.correct(number, Correction(price=Cents(321))).outcome is (
                Outcome.UPDATED
            )
    finally:
        errors = [process.communicate("stop\n", timeout=60)[1] for process in publishers]
    assert errors == ["", "", ""]
    publisher.publish_due()
    assert audit.breaches() == []
    rows = assert_consistent()
    assert rows["site_state"][0]["publication_revision"] == len(rows["publication_log"])
    assert PublicationItem.objects.filter(state="withdrawn").count() == 25
    assert AnswerPost.objects.filter(price_cents=321).count() == 20


@pytest.mark.guarantee("G8", "G12")
def test_an_update_that_finds_its_page_withdrawn_under_its_lease_is_unchanged(
    shop: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when somebody withdrew it past the lease: what was read decides, not what was due."""
    read = ledger.read
    monkeypatch.setattr(
        ledger, "read", lambda number: replace(read(number), state=ItemState.WITHDRAWN)
    )
    before = public(snapshot())
    assert publish() == [Outcome.UNCHANGED]
    assert public(snapshot()) == before
    assert shop.engine == connection.vendor


@pytest.mark.guarantee("G8")
def test_a_photo_that_goes_away_under_the_lease_is_not_ready(site: Site) -> None:
    site.settings.PUBLISH_WITHOUT_PHOTO = False
    site.at(DUE)
    make_puzzle(photo="a.webp", photo_ready=True)

    def photo_goes() -> None:
        Puzzle.objects.update(photo_ready=False)

    with at("before begin 4", lambda: elsewhere(photo_goes)):
        assert publish() == [Outcome.NOT_READY]
    assert not AnswerPost.objects.exists()
    assert PublicationItem.objects.get().last_outcome == "not_ready"


@pytest.mark.guarantee("G8", "G12")
@pytest.mark.parametrize("change", [withdraw, reinstate])
def test_an_operators_change_that_is_there_already_when_it_reads_is_unchanged(
    shop: Site, change: Callable[[], Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    if change is reinstate:
        withdraw()
    read = ledger.read
    there = ItemState.WITHDRAWN if change is withdraw else ItemState.PUBLISHED
    monkeypatch.setattr(ledger, "read", lambda number: replace(read(number), state=there))
    before = public(snapshot())
    assert change().outcome is Outcome.UNCHANGED
    assert public(snapshot()) == before
    assert shop.engine == connection.vendor


@pytest.mark.guarantee("G8")
def test_a_correction_of_a_page_that_is_withdrawn_meanwhile_is_refused(
    shop: Site, begin_withdrawal: Callable[[], "Future[Report]"]
) -> None:
    with (
        at("before begin 1", lambda: begin_withdrawal().result(timeout=30)),
        pytest.raises(RefusedError, match="puzzle 1121 is withdrawn: reinstate it first"),
    ):
        correct()
    assert Puzzle.objects.get().price_cents != 777
    assert shop.engine == connection.vendor


@pytest.mark.guarantee("G3", "G8")
def test_a_site_without_its_row_fails_the_item_and_writes_no_page(site: Site) -> None:
    """A broken assumption is an error, never a page without a revision."""
    site.at(DUE)
    make_puzzle()
    ledger.list_items([NUMBER], clock.now())
    with at("before begin 3", lambda: elsewhere(SiteState.objects.all().delete)):
        report = attempts.attempt(
            NUMBER, Owner("us"), ItemState.PENDING, publisher._build_and_commit
        )
    assert report.outcome is Outcome.FAILED
    assert report.detail == "BrokenGuaranteeError: raise_revision met 0 rows instead of one"
    assert not AnswerPost.objects.exists()
    assert PublicationItem.objects.get().state == "failed"


@pytest.mark.guarantee("G20")
def test_an_error_of_its_own_while_the_lease_is_taken_fails_the_item_alone(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.at(DUE)
    make_puzzles(1120, 1121)
    take = leases.take

    def refuse_one(number: PuzzleNumber, owner: Owner) -> object:
        if number == 1120:
            raise DatabaseError("value too long")
        return take(number, owner)

    monkeypatch.setattr(leases, "take", refuse_one)
    assert publish() == [Outcome.FAILED, Outcome.PUBLISHED]
