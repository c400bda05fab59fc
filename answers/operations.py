"""What an operator does to one page: withdraw it, put it back, correct it.

Each goes through the same lease, claim and batch as the night job, and waits for a lease that is
held: a command for up to `LEASE_SECONDS`, a page of the admin for as long as its reader would.
"""

import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from django.conf import settings

from answers import attempts, committer, drafts, events, ledger
from answers.attempts import Change
from answers.domain import Committed, ItemState, Lease, Outcome, Owner, Reading, Refused, Report
from costcodle import clock
from costcodle.days import PuzzleNumber
from costcodle.game.money import dollars
from costcodle.game.rules import Cents
from costcodle.models import Puzzle

_SECONDS_BETWEEN_ASKING = 0.2


class RefusedError(Exception):
    """What was asked for is not possible for this puzzle; nothing was changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """Who asks: a label for people, and for how many seconds a lease that is held is waited for.

    `None` stands for `LEASE_SECONDS`.
    """

    label: str = "operator"
    patience: float | None = None


AT_THE_SHELL: Final = Operator()
"""Whoever runs a command."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """Errata for a published puzzle; what is `None` stays as it is."""

    price: Cents | None = None
    name: str | None = None
    note: str | None = None


def withdraw(number: PuzzleNumber, reason: str, by: Operator = AT_THE_SHELL) -> Report:
    """Take a published page back; `withdrawn`, or `unchanged` where it is withdrawn already.

    The reason goes into the log, for operators alone. Raises `RefusedError` where there is no
    page, `AwayError` and `django.db.Error` where the database is away.
    """

    def change(lease: Lease) -> Committed | Refused:
        reading = ledger.read(number)
        if reading.page is None or reading.state is ItemState.WITHDRAWN:
            return Refused(outcome=Outcome.UNCHANGED, guard="it is withdrawn already")
        return committer.withdraw_page(lease, reading.page, reading.bank.bank_version, reason)

    _require_page(number)
    return _operate(number, ItemState.PUBLISHED, change, by)


def reinstate(number: PuzzleNumber, by: Operator = AT_THE_SHELL) -> Report:
    """Put a withdrawn page back; `reinstated`, or `unchanged` where it is published already.

    Raises as `withdraw`.
    """

    def change(lease: Lease) -> Committed | Refused:
        reading = ledger.read(number)
        if reading.page is None or reading.state is ItemState.PUBLISHED:
            return Refused(outcome=Outcome.UNCHANGED, guard="it is published already")
        return committer.reinstate_page(lease, reading.page, reading.bank.bank_version)

    _require_page(number)
    return _operate(number, ItemState.WITHDRAWN, change, by)


def correct(number: PuzzleNumber, correction: Correction, by: Operator = AT_THE_SHELL) -> Report:
    """Change a published puzzle's row and page together; `updated`, or `unchanged`.

    Without a note of its own a correction says what it changed. Finished games are not judged
    again. Raises as `withdraw`, and `RefusedError` for a withdrawn page too.
    """

    def change(lease: Lease) -> Committed | Refused:
        reading = ledger.read(number)
        corrected = _corrected(reading, correction)
        if corrected == reading:
            return Refused(outcome=Outcome.UNCHANGED, guard="it says so already")
        draft = drafts.build(corrected, least_games=settings.INDEXABLE_MIN_GAMES)
        return committer.correct_page(lease, draft, corrected.bank.correction_note)

    _require_page(number)
    report = _operate(number, ItemState.PUBLISHED, change, by)
    was_not_made = report.outcome in (Outcome.UNCHANGED, Outcome.CONFLICT)
    if was_not_made and ledger.state_of(number) is ItemState.WITHDRAWN:
        raise RefusedError(f"puzzle {number} is withdrawn: reinstate it first")
    return report


def _require_page(number: PuzzleNumber) -> None:
    """Raises `RefusedError` for a puzzle that has no page."""
    if not Puzzle.objects.filter(number=number).exists():
        raise RefusedError(f"puzzle {number} is not in the bank")
    if ledger.state_of(number) not in (ItemState.PUBLISHED, ItemState.WITHDRAWN):
        raise RefusedError(f"puzzle {number} is not published")


def _operate(number: PuzzleNumber, state: ItemState, change: Change, by: Operator) -> Report:
    """Attempt a change of an item in `state`; wait for a lease as long as the operator would."""
    run = uuid.uuid4()
    owner = attempts.new_owner(run, by.label)
    patience = settings.LEASE_SECONDS if by.patience is None else by.patience
    with events.of_run(run, owner):
        report = _until_free(number, owner, state, change, patience)
        events.item(report)
    return report


def _until_free(
    number: PuzzleNumber, owner: Owner, state: ItemState, change: Change, patience: float
) -> Report:
    """Attempt it, again and again while another publisher has the lease and patience lasts."""
    elapsed = clock.stopwatch()
    while True:
        report = attempts.with_retries(number, owner, _one_attempt(number, owner, state, change))
        if report.outcome is not Outcome.LEASE_HELD or elapsed() >= patience:
            return report
        clock.pause(_SECONDS_BETWEEN_ASKING)


def _one_attempt(
    number: PuzzleNumber, owner: Owner, state: ItemState, change: Change
) -> Callable[[], Report]:
    def work() -> Report:
        present = ledger.state_of(number)
        if present is not state:
            # It was so before, or somebody else made this very change while we waited.
            detail = f"it is {present} already"
            return Report(number=number, outcome=Outcome.UNCHANGED, owner=owner, detail=detail)
        return attempts.attempt(number, owner, state, change)

    return work


def _corrected(reading: Reading, correction: Correction) -> Reading:
    """The reading with the corrected facts in the bank's row."""
    bank = reading.bank
    price = bank.price if correction.price is None else correction.price
    name = bank.name if correction.name is None else correction.name
    note = bank.correction_note if correction.note is None else correction.note
    if correction.note is None and (price, name) != (bank.price, bank.name):
        note = _note_of(bank.price, price, is_renamed=name != bank.name)
    return replace(reading, bank=replace(bank, price=price, name=name, correction_note=note))


def _note_of(old: Cents, new: Cents, *, is_renamed: bool) -> str:
    """What a correction changed, for a reader of the page."""
    parts = ["The name was corrected."] if is_renamed else []
    if old != new:
        parts.append(f"The price was corrected from {dollars(old)} to {dollars(new)}.")
    return " ".join(parts)
