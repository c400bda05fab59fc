"""The vocabulary of a day's shared results. Pure."""

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


class RecordOutcome(StrEnum):
    """What became of a reported game, in the order of precedence."""

    REFUSED = "refused"
    ALREADY_RECORDED = "already_recorded"
    CLOSED = "closed"
    FULL = "full"
    RECORDED = "recorded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """The result that is kept of a session's game; its slot counts from 1 within the puzzle."""

    slot: int
    outcome: GameOutcome
    guesses_used: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """What became of a reported game; `kept` where the day has a result of its session."""

    outcome: RecordOutcome
    kept: Kept | None = None


def percent(part: int, whole: int) -> int | None:
    """A share in whole per cent, halves up; None, which is shown as a dash, where whole is 0.

    The one rounding of the site.
    """
    return (200 * part + whole) // (2 * whole) if whole else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One bar of a distribution; `percent` is None where there is no game at all."""

    label: str
    games: int
    percent: int | None
    is_mine: bool


def bars(counted: Distribution, mine: str = "") -> tuple[Bar, ...]:
    """The bars of a distribution: 1…6, then X for the games that were lost."""
    labels = [*map(str, range(1, MOST_GUESSES + 1)), "X"]
    return tuple(
        Bar(
            label=label,
            games=games,
            percent=percent(games, counted.games),
            is_mine=label == mine,
        )
        for label, games in zip(labels, [*counted.won, counted.lost], strict=True)
    )
