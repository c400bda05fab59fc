"""One run of the night job: what is due is published, what is out of date is updated.

Each item is one attempt under its own lease; one that fails delays no other. After an error of
the database the lease is forgotten, and the item is tried again from the start.
"""

import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from django.conf import settings
from django.db import DatabaseError, InterfaceError

from answers import attempts, committer, drafts, events, faults, ledger
from answers.attempts import AwayError
from answers.domain import Committed, ItemState, Lease, Outcome, Owner, Refused, Report, Revision
from answers.ledger import Candidate
from answers.states import OPEN
from costcodle import clock, days
from costcodle.days import PuzzleNumber
from costcodle.models import SiteState

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
    report = RunReport(run=uuid.uuid4(), now=clock.now(), revision=_revision())
    owner, elapsed = attempts.new_owner(report.run, label), clock.stopwatch()
    with events.of_run(report.run, owner):
        _publish(report, owner, only, most, watch)
        events.ended(
            revision=report.revision,
            items=len(report.items),
            remaining=report.remaining,
            stopped_by=report.stopped_by,
            seconds=elapsed(),
        )
    return report


def _publish(
    report: RunReport,
    owner: Owner,
    only: PuzzleNumber | None,
    most: int | None,
    watch: Callable[[Sequence[Candidate]], Iterable[Candidate]],
) -> None:
    """The run itself, into its report."""
    now = report.now
    ledger.list_items([item.number for item in ledger.unlisted(now, only)], now)
    candidates = ledger.due(now, only) + ledger.out_of_date(only)
    report.remaining = len(candidates)
    try:
        for candidate in watch(candidates):
            if most is not None and len(report.items) - report.count(*SKIPPED) >= most:
                break
            for item in _publish_one(candidate, owner, now):
                report.items.append(item)
                events.item(item)
            report.remaining -= 1
        report.revision = _revision()
    except AwayError as error:
        report.stopped_by = str(error)
    except (DatabaseError, InterfaceError) as error:
        # What was done before must be reported all the same.
        report.stopped_by = faults.describe(error)
    if only and not candidates:
        report.items.append(_nothing_to_do(only, now, owner))
        events.item(report.items[-1])


def plan(*, only: PuzzleNumber | None = None) -> RunReport:
    """What a run would do now; takes no lease and writes nothing."""
    now = clock.now()
    report = RunReport(run=uuid.uuid4(), now=now, revision=_revision())
    owner = attempts.new_owner(report.run)
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
    number = candidate.number
    if _waits_for_photo(candidate):
        return [Report(number=number, outcome=Outcome.NOT_READY, owner=owner)]
    is_wanted = True

    def work() -> Report:
        nonlocal is_wanted
        is_wanted = _is_still_wanted(candidate, now)
        if not is_wanted:
            return Report(number=number, outcome=Outcome.UNCHANGED, owner=owner)
        return attempts.attempt(number, owner, candidate.state, _build_and_commit)

    report = attempts.with_retries(number, owner, work)
    return [report] if is_wanted else []


def _build_and_commit(lease: Lease) -> Committed | Refused:
    """Read, build, commit: publish the page or bring it up to date."""
    reading = ledger.read(lease.number)
    page, least_games = reading.page, settings.INDEXABLE_MIN_GAMES
    if reading.state is ItemState.WITHDRAWN:
        return Refused(outcome=Outcome.UNCHANGED, guard="it is withdrawn")
    if page and not drafts.is_out_of_date(page, reading.bank, least_games=least_games):
        return Refused(outcome=Outcome.UNCHANGED, guard="it is up to date")
    draft = drafts.build(reading, least_games=least_games)
    if not (draft.photo or settings.PUBLISH_WITHOUT_PHOTO):
        return Refused(outcome=Outcome.NOT_READY, guard="its photo is not ready")
    return committer.commit_page(lease, draft)


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
