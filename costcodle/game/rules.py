"""The rules of the game in integer cents. Pure. Source: the design's `game.md`."""

from enum import StrEnum
from typing import Final, NewType

Cents = NewType("Cents", int)

LEAST_CENTS: Final = Cents(1)
MOST_CENTS: Final = Cents(9_999_999)
MOST_GUESSES: Final = 6
_WIN_PERCENT: Final = 5
_NEAR_PERCENT: Final = 25


class Verdict(StrEnum):
    """How close a guess came."""

    WIN = "win"
    NEAR = "near"
    FAR = "far"


class Direction(StrEnum):
    """Where the price lies as seen from a guess: `UP` when the guess was too low."""

    UP = "up"
    DOWN = "down"


def verdict(guess: Cents, price: Cents) -> Verdict:
    """Within 5 % wins and within 25 % is near, both bounds inclusive."""
    distance = abs(guess - price) * 100
    if distance <= _WIN_PERCENT * price:
        return Verdict.WIN
    return Verdict.NEAR if distance <= _NEAR_PERCENT * price else Verdict.FAR


def direction(guess: Cents, price: Cents) -> Direction | None:
    """The arrow of a guess; none where it wins."""
    if verdict(guess, price) is Verdict.WIN:
        return None
    return Direction.UP if guess < price else Direction.DOWN


def winning_range(price: Cents) -> tuple[Cents, Cents]:
    """The least and the greatest guess that win."""
    least = -(-price * (100 - _WIN_PERCENT) // 100)
    return Cents(least), Cents(price * (100 + _WIN_PERCENT) // 100)
