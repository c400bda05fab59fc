"""What came of the last night: what was made public, what is not, what wants a person.

A night begins at 00:00 UTC; until 00:10, when the next answer is due, it is still the one before.
The queries are as many on every night. Leases are read before items, so that whatever happens in
between looks like work that goes on and never like a doubt.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from django.conf import settings
from django.db.models import Count, OuterRef, Q, Subquery

from answers import ledger, status
from answers.domain import PUBLIC_CHANGE, ItemState, Kind, Outcome, lease_key
from answers.models import JobLease, PublicationItem, PublicationLog
from answers.office import words
from answers.office.words import Signature
from answers.states import OPEN
from costcodle import clock, days
from costcodle.days import PuzzleNumber
from costcodle.models import SiteState

LONG_HELD: Final = timedelta(seconds=10)
"""An attempt takes milliseconds; a lease held for longer wants a look."""

MOST_CHANGES: Final = 100
"""How many changes are listed; all are counted."""


class Standing(StrEnum):
    """How a puzzle stands whose answer is not as it should be, the worst first."""

    FAILED = "failed"
    IN_DOUBT = "in doubt"
    OVERDUE = "overdue"
    WAITING = "waiting"
    OUT_OF_DATE = "out of date"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One public change; `delay` is a first publication's, after the answer was due."""

    revision: int
    number: PuzzleNumber
    kind: Kind
    at: datetime
    by: Signature
    fence: int
    reason: str
    delay: timedelta | None

    @property
    def what(self) -> str:
        """What happened, in words."""
        return words.KINDS[self.kind]

    @property
    def late(self) -> str:
        """The delay in words."""
        return "" if self.delay is None else words.lasting(self.delay)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfinished:
    """A puzzle that is not as it should be, and why."""

    number: PuzzleNumber
    standing: Standing
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One lease as it was seen: `left` is zero when it is free."""

    key: str
    owner: str
    fence: int
    left: timedelta
    held_for: timedelta

    @property
    def by(self) -> Signature:
        """Who holds it."""
        return words.signature(self.owner)

    @property
    def left_in_words(self) -> str:
        """Until it expires."""
        return words.lasting(self.left)

    @property
    def held_in_words(self) -> str:
        """Since it was taken."""
        return words.lasting(self.held_for)

    @property
    def is_held(self) -> bool:
        """Whether nobody else can take it now."""
        return self.left > timedelta(0)

    @property
    def is_held_long(self) -> bool:
        """Whether it is held for longer than work takes, or further ahead than a lease may be."""
        most = timedelta(seconds=settings.LEASE_SECONDS)
        return self.is_held and (self.held_for > LONG_HELD or self.left > most)


@dataclass(slots=True, kw_only=True)
class LastNight:
    """The night up to `now`."""

    now: datetime
    since: datetime
    revision: int | None
    """`None` on a damaged site, whose row is lost."""
    counts: dict[Kind, int]
    changes: list[Change]
    leases: list[Term]
    unfinished: list[Unfinished] = field(default_factory=list)

    def standing(self, *standings: Standing) -> list[Unfinished]:
        """The puzzles that stand so, by number."""
        return [each for each in self.unfinished if each.standing in standings]

    @property
    def is_well(self) -> bool:
        """Whether nothing wants a person; what merely waits is done by the next run."""
        left = self.standing(Standing.FAILED, Standing.IN_DOUBT, Standing.OVERDUE)
        return (
            self.revision is not None
            and not left
            and not any(term.is_held_long for term in self.leases)
        )


def night_of(now: datetime) -> datetime:
    """The 00:00 UTC at which the night that `now` belongs to began."""
    return days.starts_at(days.today(now - days.GRACE))


def summary() -> LastNight:
    """The night up to now. Raises `django.db.Error`."""
    now = clock.now()
    since = night_of(now)
    terms = {term.key: term for term in _terms(now)}
    log = PublicationLog.objects.filter(created_at__gte=since)
    kinds = log.order_by().values_list("kind").annotate(changes=Count("*"))
    return LastNight(
        now=now,
        since=since,
        revision=SiteState.objects.values_list("publication_revision", flat=True).first(),
        counts={Kind(kind): changes for kind, changes in kinds},
        changes=[_change(row) for row in log.order_by("-revision")[:MOST_CHANGES]],
        leases=[term for term in terms.values() if term.is_held],
        unfinished=_unfinished(now, since, terms),
    )


def _terms(now: datetime) -> Iterable[Term]:
    for lease in JobLease.objects.order_by("key"):
        yield term_of(lease, now)


def term_of(lease: JobLease, now: datetime) -> Term:
    """A lease's row as a term at `now`."""
    return Term(
        key=lease.key,
        owner=lease.owner_id,
        fence=lease.fence,
        left=max(timedelta(0), lease.expires_at - now),
        held_for=max(timedelta(0), now - lease.updated_at),
    )


def _change(row: PublicationLog) -> Change:
    number, kind = PuzzleNumber(row.puzzle_id), Kind(row.kind)
    return Change(
        revision=row.revision,
        number=number,
        kind=kind,
        at=row.created_at,
        by=words.signature(row.owner_id),
        fence=row.fence,
        reason=row.reason,
        delay=row.created_at - days.due_at(number) if kind is Kind.CREATE else None,
    )


def _unfinished(now: datetime, since: datetime, terms: dict[str, Term]) -> list[Unfinished]:
    """Each puzzle once, as the worst of what it is."""
    last_fence = PublicationLog.objects.filter(puzzle_id=OuterRef("puzzle_id"))
    items = PublicationItem.objects.filter(
        Q(state__in=OPEN, due_at__lte=now)
        | Q(last_outcome__in=(Outcome.UNKNOWN, Outcome.FAILED))
        | Q(updated_at__gte=since)
    ).annotate(log_fence=Subquery(last_fence.order_by("-content_version").values("fence")[:1]))
    overdue = set(status.overdue(now))
    out_of_date = {candidate.number for candidate in ledger.out_of_date()}
    found = {number: _overdue(number, now) for number in overdue}
    found |= {
        candidate.number: _waiting(candidate.number, "the next run makes its ledger item")
        for candidate in ledger.unlisted(now)
        if candidate.number not in overdue
    }
    for item in items:
        judged = _judged(item, terms.get(lease_key(PuzzleNumber(item.puzzle_id))), since)
        number = PuzzleNumber(item.puzzle_id)
        if judged is not None and not (judged.standing is Standing.WAITING and number in overdue):
            found[number] = judged
    for number in out_of_date - found.keys():
        why = "the next run updates its page"
        found[number] = Unfinished(number=number, standing=Standing.OUT_OF_DATE, why=why)
    return [found[number] for number in sorted(found)]


def _overdue(number: PuzzleNumber, now: datetime) -> Unfinished:
    why = f"due for {words.lasting(now - days.due_at(number))}, and no run has published it"
    return Unfinished(number=number, standing=Standing.OVERDUE, why=why)


def _waiting(number: PuzzleNumber, why: str) -> Unfinished:
    return Unfinished(number=number, standing=Standing.WAITING, why=why)


def _judged(item: Any, term: Term | None, since: datetime) -> Unfinished | None:  # noqa: ANN401 - an item and its last log row's fence
    """How an item stands; `None` for one that is as it should be."""
    number = PuzzleNumber(item.puzzle_id)
    is_recent = item.updated_at >= since
    if item.state == ItemState.FAILED or (item.last_outcome == Outcome.FAILED and is_recent):
        why = item.last_error or "no reason was recorded"
        return Unfinished(number=number, standing=Standing.FAILED, why=why)
    doubt = _doubt(item, term, is_recent=is_recent)
    if doubt:
        return Unfinished(number=number, standing=Standing.IN_DOUBT, why=doubt)
    if item.state in OPEN:
        return _waiting(number, _why_it_waits(item))
    return None


def _doubt(item: Any, term: Term | None, *, is_recent: bool) -> str:  # noqa: ANN401 - as above
    """Why it is not known how the item's last attempt ended; nothing where it is."""
    if item.last_outcome == Outcome.UNKNOWN:
        return "the database went away in a commit; the next run settles it"
    has_ended = term is not None and term.fence >= item.fence and not term.is_held
    if item.state == ItemState.PROCESSING and has_ended:
        return (
            f"the attempt under fence {item.fence} ended without a word; the next run takes it up"
        )
    left_no_record = (
        item.state not in OPEN
        and item.last_outcome in PUBLIC_CHANGE.values()
        and item.fence > item.log_fence
    )
    if left_no_record and has_ended and is_recent:
        return f"a change under fence {item.fence} ended without a word and is not in the log"
    return ""


def _why_it_waits(item: PublicationItem) -> str:
    if item.last_outcome:
        return f"{words.outcome(item.last_outcome)} ({item.last_outcome})"
    return (
        "the next run publishes it" if item.state == ItemState.PENDING else "it is being worked on"
    )
