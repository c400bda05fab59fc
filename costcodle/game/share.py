"""The text that a player shares after a game. Pure. Source: the design's `game.md`, Sharing.

Its first line is read by others' programs: `Costcodle #1121 3/6`, with X when lost.
"""

from collections.abc import Callable
from typing import Final

from costcodle.game import board
from costcodle.game.board import Play, Row, State
from costcodle.game.rules import MOST_GUESSES, Cents, Direction, Verdict

_CHECK_MARK: Final = "\u2705"
# U+FE0F asks for the coloured arrow; without it many fonts draw a thin black one.
_ARROWS: Final = {Direction.UP: "\u2b06\ufe0f", Direction.DOWN: "\u2b07\ufe0f"}
_SQUARES: Final = {Verdict.NEAR: "\U0001f7e8", Verdict.FAR: "\U0001f7e5"}
_SIDES: Final = {Direction.UP: "too low", Direction.DOWN: "too high"}


def share_text(play: Play, price: Cents, *, origin: str) -> str:
    """A finished game in arrows and squares, a line per guess, the site's origin last.

    Raises ValueError while the game is being played.
    """
    return _shared(play, price, origin, _in_signs)


def share_in_words(play: Play, price: Cents, *, origin: str) -> str:
    """The same as `share_text` in words: `Guess 1: too low, far`.

    Raises ValueError while the game is being played.
    """
    return _shared(play, price, origin, _in_words)


def in_words(row: Row) -> str:
    """How one guess went: `won`, or `too low, far`."""
    return "won" if row.direction is None else f"{_SIDES[row.direction]}, {row.verdict}"


def score(play: Play, price: Cents) -> str:
    """How many guesses a finished game took, or X. Raises ValueError while it is being played."""
    state = board.state(play, price)
    if state is State.PLAYING:
        raise ValueError("only a finished game is shared")
    return str(len(play.guesses)) if state is State.WON else "X"


def _shared(play: Play, price: Cents, origin: str, line: Callable[[int, Row], str]) -> str:
    heading = f"Costcodle #{play.number} {score(play, price)}/{MOST_GUESSES}"
    rows = board.rows(play, price)
    return "\n".join([heading, *(line(turn, row) for turn, row in enumerate(rows, 1)), origin])


def _in_signs(_turn: int, row: Row) -> str:
    if row.direction is None:
        return _CHECK_MARK
    return _ARROWS[row.direction] + _SQUARES[row.verdict]


def _in_words(turn: int, row: Row) -> str:
    return f"Guess {turn}: {in_words(row)}"
