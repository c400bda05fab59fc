"""One run of the night job: what is due is published, what is out of date is updated.

Each item is one attempt under its own lease; one that fails delays no other. After an error of
the database the lease is forgotten, and the item is tried again from the start.
"""

import logging
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection

from answers import committer, drafts, faults, leases, ledger
from answers.domain import Committed, Held, ItemState, Lease, Outcome, Owner, Report, Revision
from answers.faults import Fault
from answers.ledger import Candidate
from answers.states import OPEN
from costcodle import clock, days
from costcodle.days import PuzzleNumber
from costcodle.models import SiteState

logger = logging.getLogger(__name__)

TRIES: Final = 3
"""How often a conflict is rebuilt, and how often an error of the database is tried again."""

_PAUSES_BETWEEN_TRIES: Final = (0.2, 1.0, 0.0)

SKIPPED: Final = frozenset(
    {Outcome.LEASE_HELD, Outcome.LEASE_LOST, Outcome.NOT_DUE, Outcome.NOT_READY}
)
TEMPORARY: Final = frozenset({Outcome.CONFLICT, Outcome.UNKNOWN})


@dataclass(slots=True, kw_only=True)
class RunReport:
    """What one run did. `stopped_by` says why it ended early, if the database was away."""

    run: uuid.UUID
    now: datetime
    revision: Revision
    items: list[Report] = field(default_factory=list)
    remaining: int = 0
    stopped_by: str = ""

    def count(self, *outcomes: Outcome) -> int:
        """How many items ended in one of these outcomes."""
        return sum(item.outcome in outcomes for item in self.items)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ending:
    """How the work under one lease ended."""

    outcome: Outcome
    revision: Revision | None = None
    detail: str = ""


class _AwayError(Exception):
    """The database stayed away for all tries."""


def new_owner(run: uuid.UUID, label: str = "") -> Owner:
    """An owner that no other run has; the label is for people and decides nothing."""
    return Owner(f"{label}/{run}" if label else str(run))


def publish_due(
    *,
    label: str = "",
    only: PuzzleNumber | None = None,
    most: int | None = None,
    watch: Callable[[Sequence[Candidate]], Iterable[Candidate]] = iter,
) -> RunReport:
    """Publish every finished puzzle that is due and update every page that is out of date.

    `only` restricts the run to one puzzle of the bank, `most` ends it after so many items that
    were not skipped; `watch` sees the candidates as they are taken up.
    Raises `django.db.Error` when the database cannot be used at the start.
    """
    now = clock.now()
    report = RunReport(run=uuid.uuid4(), now=now, revision=_revision())
    owner = new_owner(report.run, label)
    ledger.list_items([item.number for item in ledger.unlisted(now, only)], now)
    candidates = ledger.due(now, only) + ledger.out_of_date(only)
    report.remaining = len(candidates)
    try:
        for candidate in watch(candidates):
            if most is not None and len(report.items) - report.count(*SKIPPED) >= most:
                break
            report.items.extend(_publish_one(candidate, owner, now))
            report.remaining -= 1
        report.revision = _revision()
    except _AwayError as error:
        report.stopped_by = str(error)
    if only and not candidates:
        report.items.append(_nothing_to_do(only, now, owner))
    return report


def plan(*, only: PuzzleNumber | None = None) -> RunReport:
    """What a run would do now; takes no lease and writes nothing."""
    now = clock.now()
    report = RunReport(run=uuid.uuid4(), now=now, revision=_revision())
    owner = new_owner(report.run)
    for candidate in ledger.unlisted(now, only) + ledger.due(now, only) + ledger.out_of_date(only):
        outcome = Outcome.PUBLISHED if candidate.state in OPEN else Outcome.UPDATED
        if _waits_for_photo(candidate):
            outcome = Outcome.NOT_READY
        report.items.append(Report(number=candidate.number, outcome=outcome, owner=owner))
    if only and not report.items:
        report.items.append(_nothing_to_do(only, now, owner))
    return report


def _publish_one(candidate: Candidate, owner: Owner, now: datetime) -> list[Report]:
    """The report of one candidate; none when another run was faster and nothing was touched."""
    elapsed = clock.stopwatch()
    if _waits_for_photo(candidate):
        return [Report(number=candidate.number, outcome=Outcome.NOT_READY, owner=owner)]
    for seconds in _PAUSES_BETWEEN_TRIES:
        try:
            if not _is_still_wanted(candidate, now):
                return []
            report = _attempt(candidate, owner)
            return [replace(report, seconds=elapsed())]
        except (DatabaseError, InterfaceError) as error:
            fault, reason = faults.classify(error), faults.describe(error)
            if fault is Fault.ITEM:
                raise
            if fault is Fault.AWAY:
                connection.close()
            logger.warning("puzzle=%d will be tried again: %s", candidate.number, reason)
            clock.pause(seconds)
    if fault is Fault.AWAY:
        raise _AwayError(reason)
    report = Report(number=candidate.number, outcome=Outcome.CONFLICT, owner=owner, detail=reason)
    return [replace(report, seconds=elapsed())]


def _attempt(candidate: Candidate, owner: Owner) -> Report:
    """Take the lease, work under it, release it."""
    lease = leases.take(candidate.number, owner)
    if isinstance(lease, Held):
        detail = f"held by {lease.owner} until {lease.expires_at.isoformat()}"
        return Report(
            number=candidate.number, outcome=Outcome.LEASE_HELD, owner=owner, detail=detail
        )
    try:
        ending = _work(lease, candidate)
    finally:
        _release(lease)
    return Report(
        number=candidate.number,
        outcome=ending.outcome,
        owner=owner,
        revision=ending.revision,
        fence=lease.fence,
        detail=ending.detail,
    )


def _work(lease: Lease, candidate: Candidate) -> _Ending:
    """Claim the item, make the change, and record the attempt where there was none."""
    refused = ledger.claim(lease, candidate.state)
    if refused is not None:
        return _Ending(outcome=refused, detail="the item could not be claimed")
    try:
        ending = _change(lease)
    except Exception as error:
        if faults.classify(error) is not Fault.ITEM:
            raise
        logger.exception("puzzle=%d failed", candidate.number)
        ending = _Ending(outcome=Outcome.FAILED, detail=faults.describe(error))
    if ending.revision is None and ending.outcome not in (Outcome.LEASE_LOST, Outcome.UNKNOWN):
        outcome = ledger.record_attempt(lease, ending.outcome, ending.detail)
        return replace(ending, outcome=outcome)
    return ending


def _change(lease: Lease) -> _Ending:
    """Read, build, commit; a conflict is rebuilt up to `TRIES` times."""
    ending = _Ending(outcome=Outcome.CONFLICT)
    for _ in range(TRIES):
        ending = _build_and_commit(lease)
        if ending.outcome is not Outcome.CONFLICT:
            break
    return ending


def _build_and_commit(lease: Lease) -> _Ending:
    reading = ledger.read(lease.number)
    least_games = settings.INDEXABLE_MIN_GAMES
    if reading.state is ItemState.WITHDRAWN or (
        reading.page
        and not drafts.is_out_of_date(reading.page, reading.bank, least_games=least_games)
    ):
        return _Ending(outcome=Outcome.UNCHANGED)
    draft = drafts.build(reading, least_games=least_games)
    if not (draft.photo or settings.PUBLISH_WITHOUT_PHOTO):
        return _Ending(outcome=Outcome.NOT_READY)
    result = committer.commit_page(lease, draft)
    if isinstance(result, Committed):
        return _Ending(outcome=result.outcome, revision=result.revision)
    return _Ending(outcome=result.outcome, detail=f"refused by {result.guard}")


def _release(lease: Lease) -> None:
    """Release what may still be ours; where that fails the lease expires by itself."""
    try:
        leases.release(lease)
    except (DatabaseError, InterfaceError) as error:
        logger.warning("%s was not released: %s", lease.key, faults.describe(error))
        connection.close()


def _is_still_wanted(candidate: Candidate, now: datetime) -> bool:
    """Whether no other run was faster: asked before the lease, so that nothing is touched."""
    if candidate.state in OPEN:
        return bool(ledger.due(now, candidate.number))
    return bool(ledger.out_of_date(candidate.number))


def _waits_for_photo(candidate: Candidate) -> bool:
    return not (
        settings.PUBLISH_WITHOUT_PHOTO or candidate.photo_ready or candidate.state not in OPEN
    )


def _nothing_to_do(number: PuzzleNumber, now: datetime, owner: Owner) -> Report:
    """Why a puzzle that was asked for by number was no candidate."""
    if number > days.last_due(now):
        detail = f"due at {days.due_at(number).isoformat()}"
        return Report(number=number, outcome=Outcome.NOT_DUE, owner=owner, detail=detail)
    state = ledger.state_of(number)
    return Report(number=number, outcome=Outcome.UNCHANGED, owner=owner, detail=f"it is {state}")


def _revision() -> Revision:
    """The present publication revision. Raises `SiteState.DoesNotExist` on a damaged site."""
    return Revision(SiteState.objects.values_list("publication_revision", flat=True).get(id=1))
