"""The question bank's writer: loads items, attaches photos.

Each public function is one durable transaction, all or nothing. Locks are taken in the publisher's
order: existing puzzle rows by number, then the site's row; new rows are inserted under that lock,
which every load holds while it looks for what is absent. So two loads at once never insert the same
puzzle, and no load waits for a puzzle row while it holds the site's.

Whether a puzzle has started is judged by the database's clock once the locks are held. That a day
begins between that reading and the commit is an accepted race.
"""

import dataclasses
import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Final

from django.db import OperationalError, transaction
from django.db.models import QuerySet

from costcodle import clock, days, statements
from costcodle.bank_rows import BankItem, BankVersion
from costcodle.days import PuzzleNumber
from costcodle.models import Puzzle, SiteState
from costcodle.statements import Outcome, Row

DEMO_SOURCE: Final = "demo:"
"""How the photo source of every demonstration puzzle begins; no bank file can hold one."""

_TRIES = 3
_PUZZLE = {field.name: field for field in Puzzle._meta.concrete_fields}
_SITE = {field.name: field for field in SiteState._meta.concrete_fields}
_SQL = statements.load(
    Path(__file__).parent / "sql" / "bank.sql",
    _PUZZLE
    | {
        "today": _PUZZLE["number"],
        "revision_token": _SITE["revision_token"],
        "now": _SITE["updated_at"],
    },
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadReport:
    """What became of every item of one load (or would, on a dry run).

    The last two count puzzles that differ from their item: not started but not to be replaced,
    and started. `bank_version` is the bank's version afterwards.
    """

    added: int
    replaced: int
    unchanged: int
    kept_different: int
    frozen_different: int
    bank_version: BankVersion


class PhotoRefusal(StrEnum):
    """Why a photo was not attached, or is no longer to be; nothing was written."""

    NO_PUZZLE = "no_puzzle"
    UNCHANGED = "unchanged"


class DemoRefusal(StrEnum):
    """Why demonstration items were not added; nothing was written."""

    OTHER_BANK = "other_bank"


class _Fate(StrEnum):
    ADDED = "added"
    REPLACED = "replaced"
    UNCHANGED = "unchanged"
    KEPT_DIFFERENT = "kept_different"
    FROZEN_DIFFERENT = "frozen_different"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """The fate of every item, decided under the site's lock; `rows` are the existing puzzles."""

    rows: Mapping[int, Puzzle]
    fates: Mapping[_Fate, list[BankItem]]
    now: datetime
    bank_version: BankVersion


def load_items(
    items: Collection[BankItem], *, replace_future: bool, dry_run: bool = False
) -> LoadReport:
    """Add the absent puzzles of any day; with `replace_future` overwrite those not started.

    The items' numbers are distinct. A started puzzle is never changed. Whatever is written
    carries one new bank version; a load that changes nothing writes nothing.

    Raises `OperationalError`, with nothing written, when other loads got in between three times.
    """
    for _ in range(_TRIES):
        with transaction.atomic(durable=True):
            locked = _lock_future(items) if replace_future else set()
            plan = _plan(items, replace_future=replace_future)
            # A row that another load added after ours had locked what was there is not ours to
            # write: start again.
            if locked.issuperset(item.number for item in plan.fates[_Fate.REPLACED]):
                return _report(plan) if dry_run else _carry_out(plan)
    raise OperationalError("other loads added puzzles again and again")


def add_demo_items(items: Collection[BankItem]) -> LoadReport | DemoRefusal:
    """Add the absent puzzles, provided that the bank holds demonstration puzzles or nothing."""
    with transaction.atomic(durable=True):
        plan = _plan(items, replace_future=False)
        if holds_another_bank():
            return DemoRefusal.OTHER_BANK
        return _carry_out(plan)


def holds_another_bank() -> bool:
    """Whether the bank holds any puzzle that is not of the demonstration."""
    return Puzzle.objects.exclude(photo_source__startswith=DEMO_SOURCE).exists()


def attach_photo(number: PuzzleNumber, photo: str) -> BankVersion | PhotoRefusal:
    """Make `photo` (its name in the storage) a puzzle's ready photo, started or not.

    Gives the bank version that this change raised the bank to.
    """
    with transaction.atomic(durable=True):
        return attach_photo_within(number, photo)


def attach_photo_within(number: PuzzleNumber, photo: str) -> BankVersion | PhotoRefusal:
    """What `attach_photo` does, as a part of the caller's transaction, which has no locks yet."""
    puzzle = Puzzle.objects.select_for_update().filter(number=number).first()
    return _attach(puzzle, photo)


def attach_fetched(
    number: PuzzleNumber, photo: str, *, source: str, instead_of: str
) -> BankVersion | PhotoRefusal:
    """The same, while the puzzle has this source still, and this ready photo (empty for none).

    Else it is `UNCHANGED`: it shows another item by now, or another photo was quicker.
    """
    with transaction.atomic(durable=True):
        puzzle = Puzzle.objects.select_for_update().filter(number=number).first()
        if puzzle and (puzzle.photo_source, _ready_photo(puzzle)) != (source, instead_of):
            return PhotoRefusal.UNCHANGED
        return _attach(puzzle, photo)


def raise_bank_version(*, now: datetime) -> BankVersion:
    """Raise the bank's version by one and renew the revision token; gives the new version.

    Call it once in every transaction that writes `puzzles`: after the locks on existing rows,
    before rows are written. Raises `RuntimeError` where the site's row is missing.
    """
    row = only_row(_SQL["raise_bank_version"].run(revision_token=uuid.uuid4(), now=now))
    return BankVersion(row[0])


def _attach(puzzle: Puzzle | None, photo: str) -> BankVersion | PhotoRefusal:
    """Attach a photo to a puzzle whose row is locked."""
    if puzzle is None:
        return PhotoRefusal.NO_PUZZLE
    if _ready_photo(puzzle) == photo:
        return PhotoRefusal.UNCHANGED
    version = raise_bank_version(now=clock.now())
    only_row(
        _SQL["attach_photo"].run(
            number=puzzle.number, photo=photo, photo_ready=True, bank_version=version
        )
    )
    return version


def _ready_photo(row: Puzzle) -> str:
    return row.photo if row.photo_ready else ""


def _existing(items: Collection[BankItem]) -> QuerySet[Puzzle]:
    """The puzzles between the items' least and greatest number: far fewer words than a list."""
    numbers = [item.number for item in items]
    return Puzzle.objects.filter(number__range=(min(numbers, default=1), max(numbers, default=0)))


def _lock_future(items: Collection[BankItem]) -> set[int]:
    """Lock the existing puzzles of these days that have not started; gives their numbers."""
    future = _existing(items).filter(number__gt=days.today(clock.now()))
    numbers = future.select_for_update().order_by("number").values_list("number", flat=True)
    return set(numbers)


def _plan(items: Collection[BankItem], *, replace_future: bool) -> _Plan:
    """Lock the site's row, then read the clock, then decide."""
    site = SiteState.objects.select_for_update().get(id=1)
    now = clock.now()
    today = days.today(now)
    rows = _existing(items).in_bulk()
    fates: dict[_Fate, list[BankItem]] = {fate: [] for fate in _Fate}
    for item in items:
        row = rows.get(item.number)
        fates[_fate(item, row, today=today, replace_future=replace_future)].append(item)
    return _Plan(rows=rows, fates=fates, now=now, bank_version=BankVersion(site.bank_version))


def _fate(
    item: BankItem, row: Puzzle | None, *, today: PuzzleNumber, replace_future: bool
) -> _Fate:
    if row is None:
        return _Fate.ADDED
    if _facts(row) == (item.name, item.size, item.price, item.photo_source):
        return _Fate.UNCHANGED
    if item.number <= today:
        return _Fate.FROZEN_DIFFERENT
    return _Fate.REPLACED if replace_future else _Fate.KEPT_DIFFERENT


def _facts(row: Puzzle) -> tuple[str, str, int, str]:
    return row.name, row.size, row.price_cents, row.photo_source


def _carry_out(plan: _Plan) -> LoadReport:
    added, replaced = plan.fates[_Fate.ADDED], plan.fates[_Fate.REPLACED]
    if not (added or replaced):
        return _report(plan)
    plan = dataclasses.replace(plan, bank_version=raise_bank_version(now=plan.now))
    for item in replaced:
        _replace(plan, item)
    Puzzle.objects.bulk_create(new_row(item, plan.bank_version) for item in added)
    return _report(plan)


def _report(plan: _Plan) -> LoadReport:
    counts = {fate.value: len(items) for fate, items in plan.fates.items()}
    return LoadReport(bank_version=plan.bank_version, **counts)


def _replace(plan: _Plan, item: BankItem) -> None:
    photo = photo_that_stays(plan.rows[item.number], item)
    only_row(
        _SQL["replace_puzzle"].run(
            number=item.number,
            name=item.name,
            size=item.size,
            price_cents=item.price,
            photo_source=item.photo_source,
            photo=photo,
            photo_ready=photo != "",
            bank_version=plan.bank_version,
            today=days.today(plan.now),
        )
    )


def photo_that_stays(row: Puzzle, item: BankItem) -> str:
    """The ready photo while it shows the item, which its source tells, or without one its name."""
    same_source = row.photo_source == item.photo_source
    shows_it = same_source and (item.photo_source != "" or row.name == item.name)
    return _ready_photo(row) if shows_it else ""


def new_row(item: BankItem, bank_version: BankVersion) -> Puzzle:
    """An absent puzzle's row, to be inserted under the lock of the site's row."""
    return Puzzle(
        number=item.number,
        name=item.name,
        size=item.size,
        price_cents=item.price,
        photo=item.photo,
        photo_ready=item.photo != "",
        photo_source=item.photo_source,
        bank_version=bank_version,
    )


def only_row(outcome: Outcome) -> Row:
    """The one row that a statement was to meet; another count is a broken assumption."""
    if outcome.count != 1:
        raise RuntimeError(f"one row was to be written, not {outcome.count}")
    return outcome.rows[0]
