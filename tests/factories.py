"""Plain builders with safe defaults: say only what the test is about."""

import uuid
from datetime import timedelta

from costcodle import days
from costcodle.days import PuzzleNumber
from costcodle.models import Puzzle
from results.models import DailyResult


def make_puzzle(
    *,
    number: int = 1121,
    name: str = "Dark Chocolate Almonds, 20 oz",
    size: str = "20 oz",
    price_cents: int = 949,
    photo: str = "",
    photo_ready: bool = False,
    photo_source: str = "",
    correction_note: str = "",
    bank_version: int = 0,
) -> Puzzle:
    return Puzzle.objects.create(
        number=number,
        name=name,
        size=size,
        price_cents=price_cents,
        photo=photo,
        photo_ready=photo_ready,
        photo_source=photo_source,
        correction_note=correction_note,
        bank_version=bank_version,
    )


def make_puzzles(first: int, last: int) -> list[Puzzle]:
    """A bank of puzzles `first`…`last`, each with a name and a price of its own."""
    return Puzzle.objects.bulk_create(
        Puzzle(number=number, name=f"Item {number}, 2 lbs", size="2 lbs", price_cents=100 + number)
        for number in range(first, last + 1)
    )


def make_result(
    *, number: int = 1121, slot: int = 1, outcome: str = "won", guesses_used: int = 3
) -> DailyResult:
    return DailyResult.objects.create(
        puzzle_id=number,
        session_id=uuid.uuid4(),
        slot=slot,
        outcome=outcome,
        guesses_used=guesses_used,
        created_at=days.starts_at(PuzzleNumber(number)) + timedelta(hours=9),
    )
