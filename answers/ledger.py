"""The ledger: which puzzles are due, and how the attempts at them went."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db.models import F, Q

from answers import leases
from answers.domain import (
    BankRow,
    ContentVersion,
    ItemState,
    Lease,
    Outcome,
    Page,
    Reading,
)
from answers.models import AnswerPost, JobLease, PublicationItem
from answers.states import OPEN
from costcodle import clock, days, statements
from costcodle.bank_rows import BankVersion
from costcodle.days import PuzzleNumber
from costcodle.game.rules import Cents
from costcodle.models import Puzzle
from costcodle.statements import durable_transaction
from results.stats import distribution

_LONGEST_ERROR = 500

_SQL = statements.load(
    Path(__file__).parent / "sql" / "ledger.sql",
    {
        "key": JobLease._meta.get_field("key"),
        "owner": JobLease._meta.get_field("owner_id"),
        "fence": JobLease._meta.get_field("fence"),
        "now": PublicationItem._meta.get_field("updated_at"),
        "number": Puzzle._meta.get_field("number"),
        "state": PublicationItem._meta.get_field("state"),
        "outcome": PublicationItem._meta.get_field("last_outcome"),
        "error": PublicationItem._meta.get_field("last_error"),
    },
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A puzzle that a run has something to do for."""

    number: PuzzleNumber
    state: ItemState
    photo_ready: bool


def unlisted(now: datetime, only: PuzzleNumber | None = None) -> list[Candidate]:
    """Finished puzzles that have no item yet, by number."""
    puzzles = Puzzle.objects.filter(number__lte=days.last_due(now), publicationitem=None)
    rows = (puzzles.filter(number=only) if only else puzzles).order_by("number")
    return [
        Candidate(number=PuzzleNumber(number), state=ItemState.PENDING, photo_ready=photo_ready)
        for number, photo_ready in rows.values_list("number", "photo_ready")
    ]


def list_items(numbers: Sequence[PuzzleNumber], now: datetime) -> None:
    """Give each of these puzzles its pending item; one that another run gave it is left alone."""
    if not numbers:
        return
    PublicationItem.objects.bulk_create(
        (
            PublicationItem(puzzle_id=number, due_at=days.due_at(number), updated_at=now)
            for number in numbers
        ),
        batch_size=500,
        ignore_conflicts=True,
    )


def due(now: datetime, only: PuzzleNumber | None = None) -> list[Candidate]:
    """Items that wait for their first publication, the least tried first, then by number.

    What failed before, or killed the process that tried it, stands behind what nobody tried yet,
    so that one bad item delays no other.
    """
    items = PublicationItem.objects.filter(
        state__in=OPEN, due_at__lte=now, puzzle_id__lte=days.last_due(now)
    )
    rows = (items.filter(puzzle_id=only) if only else items).order_by("attempts", "puzzle_id")
    return [
        Candidate(number=PuzzleNumber(number), state=ItemState(state), photo_ready=photo_ready)
        for number, state, photo_ready in rows.values_list(
            "puzzle_id", "state", "puzzle__photo_ready"
        )
    ]


def out_of_date(only: PuzzleNumber | None = None) -> list[Candidate]:
    """Published items whose page is out of date: one query for the whole site.

    It asks what `drafts.is_out_of_date` asks; withdrawn pages are never among them.
    """
    changed = ~Q(bank_version=F("puzzle__bank_version"))
    lacks_photo = Q(puzzle__photo_ready=True) & ~Q(photo=F("puzzle__photo"))
    earned = Q(indexable=False, games__gte=settings.INDEXABLE_MIN_GAMES) & ~Q(photo="")
    pages = AnswerPost.objects.filter(
        changed | lacks_photo | earned,
        withdrawn_at=None,
        puzzle__publicationitem__state=ItemState.PUBLISHED,
    )
    rows = (pages.filter(puzzle_id=only) if only else pages).order_by(
        "puzzle__publicationitem__attempts", "puzzle_id"
    )
    return [
        Candidate(number=PuzzleNumber(number), state=ItemState.PUBLISHED, photo_ready=photo_ready)
        for number, photo_ready in rows.values_list("puzzle_id", "puzzle__photo_ready")
    ]


def state_of(number: PuzzleNumber) -> ItemState | None:
    """The state of an item; `None` stands for a puzzle that has no item."""
    state = PublicationItem.objects.filter(puzzle_id=number).values_list("state", flat=True).first()
    return ItemState(state) if state else None


def claim(lease: Lease, state: ItemState) -> Outcome | None:
    """Take up an item under a lease; nothing (`None`) stands in the way of it, or an outcome does.

    `LEASE_LOST`, or `CONFLICT` when the item is no longer in a state that this attempt can start
    from. An open item becomes `processing`; a settled one keeps its state.
    """
    with durable_transaction():
        now = clock.now()
        if not leases.pin(lease, now):
            return Outcome.LEASE_LOST
        values = {**_under(lease), "now": now}
        if state in OPEN:
            claimed = _SQL["claim_open_item"].run(**values)
        else:
            claimed = _SQL["claim_settled_item"].run(**values, state=state)
    return None if claimed.count == 1 else Outcome.CONFLICT


def record_attempt(lease: Lease, outcome: Outcome, error: str = "") -> Outcome:
    """Write down an attempt that made no public change; `LEASE_LOST` writes nothing at all.

    `FAILED` turns a processing item into a failed one. Returns what the attempt ended in: the
    outcome, or `LEASE_LOST` when the lease is gone by now.
    """
    with durable_transaction():
        now = clock.now()
        if not leases.pin(lease, now):
            return Outcome.LEASE_LOST
        _SQL["record_attempt"].run(
            **_under(lease), now=now, outcome=outcome, error=error[:_LONGEST_ERROR]
        )
    return outcome


def read(number: PuzzleNumber) -> Reading:
    """Everything a draft is built on. Each fact is guarded again by the batch that writes it."""
    item = PublicationItem.objects.select_related("puzzle").get(puzzle_id=number)
    page = AnswerPost.objects.filter(puzzle_id=number).first()
    puzzle = item.puzzle
    return Reading(
        state=ItemState(item.state),
        bank=BankRow(
            number=PuzzleNumber(puzzle.number),
            name=puzzle.name,
            size=puzzle.size,
            price=Cents(puzzle.price_cents),
            photo=puzzle.photo,
            photo_ready=puzzle.photo_ready,
            correction_note=puzzle.correction_note,
            bank_version=BankVersion(puzzle.bank_version),
        ),
        page=_page(page) if page else None,
        results=distribution(number),
    )


def _page(post: AnswerPost) -> Page:
    return Page(
        content_version=ContentVersion(post.content_version),
        bank_version=BankVersion(post.bank_version),
        indexable=post.indexable,
        photo=post.photo,
        games=post.games,
    )


def _under(lease: Lease) -> dict[str, object]:
    return {
        "key": lease.key,
        "owner": lease.owner,
        "fence": lease.fence,
        "number": lease.number,
    }
