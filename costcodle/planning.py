"""The planner's writer: what an operator may do to a day that has not begun.

Each public function is one durable transaction in the bank's lock order (costcodle/bank.py) and
ends in an outcome; all but `changed` have written nothing. What changed stands, with who and when,
in the admin's history of each puzzle, written by the same transaction.

`seen` is the bank version that the puzzle carried when the operator looked at it: a puzzle that
another hand has changed since is `stale`. As in every load, started is judged by the database's
clock once the locks are held, and that a day begins between that reading and the commit is an
accepted race.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from django.contrib.admin.models import ADDITION, CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import transaction

from costcodle import bank, clock, days, statements
from costcodle.bank_rows import BankItem, BankVersion
from costcodle.days import PuzzleNumber
from costcodle.game.money import dollars
from costcodle.models import Puzzle, SiteState
from costcodle.photos import keeping

_FACTS: Final = ("name", "size", "price_cents", "photo", "photo_ready", "photo_source")
_PUZZLE = {field.name: field for field in Puzzle._meta.concrete_fields}
_SQL = statements.load(
    Path(__file__).parent / "sql" / "planning.sql",
    _PUZZLE | {"today": _PUZZLE["number"], "seen": _PUZZLE["bank_version"]},
)
_Facts = dict[str, Any]


class Outcome(StrEnum):
    """How one change of the plan ended."""

    CHANGED = "changed"
    UNCHANGED = "unchanged"
    ABSENT = "absent"
    TAKEN = "taken"
    STARTED = "started"
    STALE = "stale"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """The rows that a change is about and the instant, read in this order under their locks."""

    rows: Mapping[int, Puzzle]
    now: datetime

    def refusal(
        self, numbers: Collection[PuzzleNumber], *, seen: Mapping[PuzzleNumber, BankVersion]
    ) -> Outcome | None:
        """Why these days cannot be changed, if they cannot."""
        if any(number not in self.rows for number in numbers):
            return Outcome.ABSENT
        if min(numbers) <= days.today(self.now):
            return Outcome.STARTED
        if any(self.rows[number].bank_version != version for number, version in seen.items()):
            return Outcome.STALE
        return None


def swap_days(number: PuzzleNumber, other: PuzzleNumber, *, seen: BankVersion, by: int) -> Outcome:
    """Let two days trade their items, photos and all; `by` is the operator's user id.

    `changed`, `unchanged` where both hold the same, `absent` or `started` where either is, `stale`.
    """
    with transaction.atomic(durable=True):
        plan = _locked(number, other)
        if refusal := plan.refusal((number, other), seen={number: seen}):
            return refusal
        here, there = _facts(plan.rows[number]), _facts(plan.rows[other])
        words = {number: f"swapped with #{other}", other: f"swapped with #{number}"}
        return _write(plan, {number: there, other: here}, words, by=by)


def replace_item(item: BankItem, *, seen: BankVersion, by: int) -> Outcome:
    """Put another item on a day; the photo stays only while it shows that item.

    `changed`, `unchanged`, `absent`, `started`, `stale`.
    """
    with transaction.atomic(durable=True):
        plan = _locked(item.number)
        if refusal := plan.refusal((item.number,), seen={item.number: seen}):
            return refusal
        photo = bank.photo_that_stays(plan.rows[item.number], item)
        facts = _item_facts(item) | {"photo_source": item.photo_source}
        facts |= {"photo": photo, "photo_ready": photo != ""}
        return _write(plan, {item.number: facts}, {item.number: "replaced"}, by=by)


def fix_item(item: BankItem, *, seen: BankVersion, by: int) -> Outcome:
    """Mend name, size and price of a day's item, which stays the same item with the same photo.

    The photo and the photo source of `item` are not looked at. `changed`, `unchanged`, `absent`,
    `started`, `stale`.
    """
    with transaction.atomic(durable=True):
        plan = _locked(item.number)
        if refusal := plan.refusal((item.number,), seen={item.number: seen}):
            return refusal
        facts = _facts(plan.rows[item.number]) | _item_facts(item)
        return _write(plan, {item.number: facts}, {item.number: "fixed"}, by=by)


def add_item(item: BankItem, *, by: int) -> Outcome:
    """Put an item on a day ahead that has none: `changed`, `taken` where it has one, `started`."""
    with transaction.atomic(durable=True):
        plan = _locked(item.number)
        if item.number <= days.today(plan.now):
            return Outcome.STARTED
        # Looked at again under the site's lock, which everybody who inserts holds.
        if Puzzle.objects.filter(number=item.number).exists():
            return Outcome.TAKEN
        row = bank.new_row(item, bank.raise_bank_version(now=plan.now))
        row.save(force_insert=True)
        words = f"added {_shown(item.name)}, {dollars(item.price)}"
        _record(row, words, action=ADDITION, now=plan.now, by=by)
        return Outcome.CHANGED


def upload_photo(number: PuzzleNumber, content: bytes, *, by: int) -> Outcome:
    """Make a photo in any format that we take a puzzle's ready photo, started or not.

    `changed`, `absent`. Raises `keeping.UnusablePhotoError`. A file that no row came to name is
    deleted again, except after an error of the database, which may have kept the row.
    """
    photo = keeping.take_in(content)
    with transaction.atomic(durable=True):
        done = bank.attach_photo_within(number, photo)
        if not isinstance(done, bank.PhotoRefusal):
            row = Puzzle.objects.get(number=number)
            _record(row, f"photo uploaded as {photo}", now=clock.now(), by=by)
            return Outcome.CHANGED
    keeping.discard(photo)
    return Outcome.ABSENT if done is bank.PhotoRefusal.NO_PUZZLE else Outcome.UNCHANGED


def _locked(*numbers: PuzzleNumber) -> _Plan:
    """Lock the existing rows by number, then the site's row, then read the clock."""
    rows = Puzzle.objects.select_for_update().filter(number__in=numbers).order_by("number")
    found = {row.number: row for row in rows}
    SiteState.objects.select_for_update().get(id=1)
    return _Plan(rows=found, now=clock.now())


def _facts(row: Puzzle) -> _Facts:
    return {field: getattr(row, field) for field in _FACTS}


def _item_facts(item: BankItem) -> _Facts:
    return {"name": item.name, "size": item.size, "price_cents": item.price}


def _write(
    plan: _Plan,
    wanted: Mapping[PuzzleNumber, _Facts],
    words: Mapping[PuzzleNumber, str],
    *,
    by: int,
) -> Outcome:
    """Give the days the facts that are wanted of them, all under one bank version."""
    changes = {n: facts for n, facts in wanted.items() if facts != _facts(plan.rows[n])}
    if not changes:
        return Outcome.UNCHANGED
    version = bank.raise_bank_version(now=plan.now)
    today = days.today(plan.now)
    for number, facts in changes.items():
        row = plan.rows[number]
        seen = row.bank_version
        statement = _SQL["plan_puzzle"]
        told = {"number": number, "today": today, "seen": seen, "bank_version": version}
        bank.only_row(statement.run(**told, **facts))
        _record(row, f"{words[number]}: {_in_words(_facts(row), facts)}", now=plan.now, by=by)
    return Outcome.CHANGED


def _in_words(before: _Facts, after: _Facts) -> str:
    """What differs, as `price $3.49 → $3.79`; of a photo only what becomes of it."""
    told = [
        f"{label} {_shown(before[field])} → {_shown(after[field])}"
        for field, label in (("name", "name"), ("size", "size"), ("photo_source", "photo source"))
        if before[field] != after[field]
    ]
    if before["price_cents"] != after["price_cents"]:
        told.append(f"price {dollars(before['price_cents'])} → {dollars(after['price_cents'])}")
    if before["photo"] != after["photo"]:
        told.append(f"photo {_shown(before['photo'])} → {_shown(after['photo'])}")
    return ", ".join(told)


def _shown(text: str) -> str:
    return f"“{text}”" if text else "none"


def _record(row: Puzzle, words: str, *, now: datetime, by: int, action: int = CHANGE) -> None:
    """Note a change in the admin's history (not by its manager, which asks this host's clock)."""
    LogEntry.objects.create(
        action_time=now,
        user_id=by,
        content_type_id=ContentType.objects.get_for_model(Puzzle).pk,
        object_id=str(row.number),
        object_repr=f"#{row.number}",
        action_flag=action,
        change_message=f"{words[:1].upper()}{words[1:]}.",
    )
