"""Puzzle numbers, UTC days and the 00:10 boundary. Pure: every function is handed its instant.

A day is a UTC date and nothing else: dates are counted, never blocks of 24 hours, so that no
zone and no daylight saving can shift a puzzle.
"""

from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from typing import Final, NewType

PuzzleNumber = NewType("PuzzleNumber", int)

FIRST_DAY: Final = date(2023, 9, 21)
LAST_NUMBER: Final = PuzzleNumber(9999)
GRACE: Final = timedelta(minutes=10)
"""How long after its day a puzzle stays playable; its answer is due when this has passed."""


class Phase(StrEnum):
    """The part of a UTC day, as far as yesterday's puzzle is concerned."""

    GRACE = "grace"
    SETTLED = "settled"


def is_number(number: int) -> bool:
    """Whether a puzzle can have this number at all: 1 to 9999."""
    return 1 <= number <= LAST_NUMBER


def number_on(day: date) -> PuzzleNumber:
    """The number of the puzzle of a UTC date; below 1 before the first day."""
    return PuzzleNumber((day - FIRST_DAY).days + 1)


def day_of(number: PuzzleNumber) -> date:
    """The UTC date of a puzzle."""
    return FIRST_DAY + timedelta(days=number - 1)


def today(now: datetime) -> PuzzleNumber:
    """The number of the puzzle that `now` (aware) belongs to."""
    return number_on(now.astimezone(UTC).date())


def starts_at(number: PuzzleNumber) -> datetime:
    """The instant, 00:00 UTC of its day, from which a puzzle can be played."""
    return datetime.combine(day_of(number), time(tzinfo=UTC))


def due_at(number: PuzzleNumber) -> datetime:
    """The instant, 00:10 UTC of the day after, at which play ends and the answer is due."""
    return starts_at(PuzzleNumber(number + 1)) + GRACE


def last_due(now: datetime) -> PuzzleNumber:
    """The greatest number whose answer is due at `now`; below 1 while there is none."""
    return PuzzleNumber(today(now - GRACE) - 1)


def phase(now: datetime) -> Phase:
    """Whether yesterday's puzzle can still be played at `now`."""
    return Phase.GRACE if today(now - GRACE) < today(now) else Phase.SETTLED


def is_playable(number: PuzzleNumber, now: datetime) -> bool:
    """Whether a puzzle counts as a daily game at `now`: on its day and ten minutes longer."""
    return last_due(now) < number <= today(now)
