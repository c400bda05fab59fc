"""The vocabulary of a day's shared results."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from costcodle.game.rules import MOST_GUESSES

MOST_RESULTS: Final = 50_000
"""How many results a puzzle keeps."""


class GameOutcome(StrEnum):
    """How a finished game ended."""

    WON = "won"
    LOST = "lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """How a day's games went: `won[i]` games were won with guess i + 1, `lost` were lost."""

    won: tuple[int, ...] = (0,) * MOST_GUESSES
    lost: int = 0

    @property
    def games(self) -> int:
        """All finished games."""
        return sum(self.won) + self.lost
