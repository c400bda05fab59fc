"""One attempt at one puzzle: take the lease, claim the item, make the change, release.

What the change is, the caller says: the night job's publisher or an operator's command. Here is
what every attempt has in common, the bounded retries included.
"""

import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import structlog
from django.db import DatabaseError, InterfaceError, connection

from answers import faults, leases, ledger
from answers.domain import (
    Committed,
    Held,
    ItemState,
    Lease,
    Outcome,
    Owner,
    Refused,
    Report,
    Revision,
)
from answers.faults import Fault
from answers.states import OPEN
from costcodle import clock
from costcodle.days import PuzzleNumber

logger = structlog.get_logger(__name__)

TRIES: Final = 3
"""How often a conflict is rebuilt under one lease."""

PAUSES_BETWEEN_TRIES: Final = (0.2, 1.0, 0.0)
"""Seconds after each try that an error of the database ended; so many tries there are."""

Change = Callable[[Lease], Committed | Refused]
"""Reads, builds and commits under a lease."""


class AwayError(Exception):
    """The database stayed away for all tries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ending:
    """How the work under one lease ended."""

    outcome: Outcome
    revision: Revision | None = None
    detail: str = ""


def new_owner(run: uuid.UUID, label: str = "") -> Owner:
    """An owner that no other run has; the label is for people and decides nothing."""
    return Owner(f"{label}/{run}" if label else str(run))


def with_retries(number: PuzzleNumber, owner: Owner, work: Callable[[], Report]) -> Report:
    """Do the work, again from the start after an error of the database that may pass.

    Contention that lasts is a `conflict`; an error of the item's own is `failed`.
    Raises `AwayError` when the database was away at the last try.
    """
    elapsed = clock.stopwatch()
    for seconds in PAUSES_BETWEEN_TRIES:
        try:
            return replace(work(), seconds=elapsed())
        except (DatabaseError, InterfaceError) as error:
            fault, reason = faults.classify(error), faults.describe(error)
        if fault is Fault.ITEM:
            break
        if fault is Fault.AWAY:
            connection.close()
        logger.warning("will be tried again", puzzle=number, reason=reason)
        clock.pause(seconds)
    if fault is Fault.AWAY:
        raise AwayError(reason)
    outcome = Outcome.FAILED if fault is Fault.ITEM else Outcome.CONFLICT
    return Report(number=number, outcome=outcome, owner=owner, detail=reason, seconds=elapsed())


def attempt(number: PuzzleNumber, owner: Owner, state: ItemState, change: Change) -> Report:
    """Take the lease, work under it on an item seen in `state`, release it.

    Raises `django.db.Error` when the database failed in between: then the lease is forgotten.
    """
    lease = leases.take(number, owner)
    if isinstance(lease, Held):
        detail = f"held by {lease.owner} until {lease.expires_at.isoformat()}"
        return Report(number=number, outcome=Outcome.LEASE_HELD, owner=owner, detail=detail)
    try:
        ending = _work(lease, state, change)
    finally:
        _release(lease)
    return Report(
        number=number,
        outcome=ending.outcome,
        owner=owner,
        revision=ending.revision,
        fence=lease.fence,
        detail=ending.detail,
    )


def _work(lease: Lease, state: ItemState, change: Change) -> _Ending:
    """Claim the item, make the change, and record the attempt where there was none."""
    refused = ledger.claim(lease, state)
    if refused is not None:
        return _not_claimed(lease, state, refused)
    try:
        ending = _rebuilt(lease, change)
    except Exception as error:
        if faults.classify(error) is not Fault.ITEM:
            raise
        ending = _Ending(outcome=Outcome.FAILED, detail=faults.describe(error))
        logger.debug("failed here", puzzle=lease.number, exc_info=True)
    if ending.revision is None and ending.outcome not in (Outcome.LEASE_LOST, Outcome.UNKNOWN):
        outcome = ledger.record_attempt(lease, ending.outcome, ending.detail)
        return replace(ending, outcome=outcome)
    return ending


def _not_claimed(lease: Lease, state: ItemState, refused: Outcome) -> _Ending:
    """Why the claim met no row; where another run was faster, nothing is left to do."""
    present = ledger.state_of(lease.number)
    was_published = state in OPEN and present is not None and present not in OPEN
    if refused is Outcome.CONFLICT and was_published:
        return _Ending(outcome=Outcome.UNCHANGED, detail="another run was faster")
    return _Ending(outcome=refused, detail=f"the item is {present}")


def _rebuilt(lease: Lease, change: Change) -> _Ending:
    """Make the change; a conflict is read, built and tried again up to `TRIES` times."""
    ending = _Ending(outcome=Outcome.CONFLICT)
    for _ in range(TRIES):
        result = change(lease)
        if isinstance(result, Committed):
            return _Ending(outcome=result.outcome, revision=result.revision)
        ending = _Ending(outcome=result.outcome, detail=result.guard)
        if ending.outcome is not Outcome.CONFLICT:
            break
    return ending


def _release(lease: Lease) -> None:
    """Release what may still be ours; where that fails the lease expires by itself."""
    try:
        leases.release(lease)
    except (DatabaseError, InterfaceError) as error:
        logger.warning("was not released", lease=lease.key, reason=faults.describe(error))
        connection.close()
