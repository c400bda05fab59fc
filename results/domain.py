"""The vocabulary of a day's shared results. Pure."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from costcodle.game.rules import MOST_GUESSES

MOST_RESULTS: Final = 50_000
"""How many results a puzzle keeps."""
_EASY_TENTHS, _FAIR_TENTHS, _HARD_TENTHS = 35, 45, 55


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
    return _rounded(100 * part, whole) if whole else None


def _rounded(part: int, whole: int) -> int:
    return (2 * part + whole) // (2 * whole)


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


class Difficulty(StrEnum):
    """How hard an item was to find, in one word."""

    EASY = "easy"
    FAIR = "fair"
    HARD = "hard"
    VERY_HARD = "very hard"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hardness:
    """How hard an item was: the word, and the figures it rests on.

    `percent` is the share of games that were won; `mean_tenths` the mean guesses of those, in
    tenths of a guess, None where none was.
    """

    word: Difficulty
    won: int
    games: int
    percent: int
    mean_tenths: int | None

    @property
    def mean(self) -> str:
        """The mean guesses of the games that were won, as `4.2`; empty where none was."""
        return "" if self.mean_tenths is None else f"{self.mean_tenths / 10:.1f}"


def hardness(counted: Distribution) -> Hardness | None:
    """How hard an item was to those who finished; None, which is shown as a dash, for no games.

    The word follows from the mean guesses of all games, one that was lost counted as one guess
    more than there are: up to 3.5 easy, up to 4.5 fair, up to 5.5 hard.
    """
    games = counted.games
    if not games:
        return None
    won = games - counted.lost
    guesses = sum(turn * count for turn, count in enumerate(counted.won, start=1))
    return Hardness(
        word=_word(10 * (guesses + (MOST_GUESSES + 1) * counted.lost), games),
        won=won,
        games=games,
        percent=_rounded(100 * won, games),
        mean_tenths=_rounded(10 * guesses, won) if won else None,
    )


def _word(tenths: int, games: int) -> Difficulty:
    if tenths <= _EASY_TENTHS * games:
        return Difficulty.EASY
    if tenths <= _FAIR_TENTHS * games:
        return Difficulty.FAIR
    return Difficulty.HARD if tenths <= _HARD_TENTHS * games else Difficulty.VERY_HARD
