"""One game and what a guess does to it. Pure: the same game and guess give the same next game.

A `Play` holds no price and no verdict; whoever has the price derives them. So a game can travel
through a browser (`token.py`) without giving the price away.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final
from uuid import UUID

from costcodle import days
from costcodle.days import PuzzleNumber
from costcodle.game import rules
from costcodle.game.rules import LEAST_CENTS, MOST_CENTS, MOST_GUESSES, Cents, Direction, Verdict


class Mode(StrEnum):
    """What a game counts for: its day's statistics, or nothing."""

    DAILY = "daily"
    PRACTICE = "practice"


class State(StrEnum):
    """How far a game is."""

    PLAYING = "playing"
    WON = "won"
    LOST = "lost"


class GuessRefusal(StrEnum):
    """Why a guess was not taken; it costs no turn."""

    REPEATED = "repeated_guess"
    GAME_OVER = "game_over"

    @property
    def message(self) -> str:
        """What is wrong and how to go on, in words for the player."""
        return _MESSAGES[self]


_MESSAGES: Final = {
    GuessRefusal.REPEATED: "You have guessed that price before: try another. It cost no turn.",
    GuessRefusal.GAME_OVER: "This game is over: it takes no more guesses.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Play:
    """One session's game of one puzzle: the guesses so far, oldest first."""

    number: PuzzleNumber
    mode: Mode
    session: UUID
    guesses: tuple[Cents, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One judged guess; its direction is None exactly where it wins."""

    guess: Cents
    verdict: Verdict
    direction: Direction | None


def start(number: PuzzleNumber, mode: Mode, session: UUID) -> Play:
    """A game without a guess."""
    return Play(number=number, mode=mode, session=session)


def take_guess(play: Play, price: Cents, guess: Cents) -> Play | GuessRefusal:
    """The game after one more guess; refused, and unchanged, after its end or for a repeat.

    `guess` is within bounds, as `price_input.parse` answers it.
    """
    if state(play, price) is not State.PLAYING:
        return GuessRefusal.GAME_OVER
    if guess in play.guesses:
        return GuessRefusal.REPEATED
    return replace(play, guesses=(*play.guesses, guess))


def state(play: Play, price: Cents) -> State:
    """Won from its first winning guess on; lost when the sixth has missed."""
    if any(_wins(guess, price) for guess in play.guesses):
        return State.WON
    return State.LOST if len(play.guesses) >= MOST_GUESSES else State.PLAYING


def rows(play: Play, price: Cents) -> tuple[Row, ...]:
    """Every guess with its verdict and arrow, oldest first."""
    return tuple(
        Row(
            guess=guess,
            verdict=rules.verdict(guess, price),
            direction=rules.direction(guess, price),
        )
        for guess in play.guesses
    )


def is_possible(play: Play) -> bool:
    """Whether such a game can exist, whatever its price.

    Its number is a puzzle's; it has at most six guesses, all within bounds, none twice.
    """
    return (
        days.is_number(play.number)
        and len(play.guesses) <= MOST_GUESSES
        and len(set(play.guesses)) == len(play.guesses)
        and all(LEAST_CENTS <= guess <= MOST_CENTS for guess in play.guesses)
    )


def goes_on_after_win(play: Play, price: Cents) -> bool:
    """Whether a guess follows a winning one, which `take_guess` never lets happen.

    A practice game reaches this when its price is corrected under it.
    """
    return any(_wins(guess, price) for guess in play.guesses[:-1])


def _wins(guess: Cents, price: Cents) -> bool:
    return rules.verdict(guess, price) is Verdict.WIN
