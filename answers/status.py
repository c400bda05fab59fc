"""What an operator wants to know at a glance: what is due, overdue, leased, and was done last."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from answers import ledger
from answers.models import JobLease, PublicationLog
from costcodle import clock, days
from costcodle.days import PuzzleNumber
from costcodle.models import Puzzle, SiteState

OVERDUE_AFTER: Final = timedelta(minutes=15)
_LOG_ENTRIES: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """The publication's state at `now`."""

    now: datetime
    revision: int
    due: list[PuzzleNumber]
    overdue: list[PuzzleNumber]
    leases: list[JobLease]
    log: list[PublicationLog]


def overdue(now: datetime) -> list[PuzzleNumber]:
    """Finished puzzles without a page whose answer is due for more than 15 minutes. One query.

    One whose ledger item was never made counts too, and a withdrawn one does not.
    """
    last = days.last_due(now - OVERDUE_AFTER)
    if now - days.due_at(last) <= OVERDUE_AFTER:
        last = PuzzleNumber(last - 1)
    waiting = Puzzle.objects.filter(number__lte=last, answerpost=None)
    return [PuzzleNumber(number) for number in waiting.values_list("number", flat=True)]


def wanted(now: datetime) -> list[PuzzleNumber]:
    """What a run would take up: due or out of date, by number."""
    candidates = [*ledger.unlisted(now), *ledger.due(now), *ledger.out_of_date()]
    return sorted(candidate.number for candidate in candidates)


def present() -> Status:
    """The state now. Raises `django.db.Error`, and `SiteState.DoesNotExist` on a damaged site."""
    now = clock.now()
    return Status(
        now=now,
        revision=SiteState.objects.get(id=1).publication_revision,
        due=wanted(now),
        overdue=overdue(now),
        leases=list(JobLease.objects.filter(expires_at__gt=now).order_by("key")),
        log=list(PublicationLog.objects.order_by("-revision")[:_LOG_ENTRIES]),
    )
