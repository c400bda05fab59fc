"""The board as a page: what `/`, `/play/<n>` and their plain forms show."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from django.conf import settings
from django.urls import reverse

from costcodle.game import board, share, token
from costcodle.game.board import Mode, State
from costcodle.game.money import dollars
from costcodle.game.rules import MOST_GUESSES, Cents, Direction, Verdict, winning_range
from costcodle.web.play import Access, Game, Item
from costcodle.web.refusals import CLOSED, Refusal
from results.domain import Bar, Distribution, RecordOutcome, bars


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One of the six rows; an empty one has only its turn."""

    turn: int
    guess: Cents | None = None
    verdict: Verdict | None = None
    direction: Direction | None = None
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """What is told when a game is over, and not before."""

    state: State
    price: Cents
    low: Cents
    high: Cents
    share: str
    share_in_words: str
    recorded: RecordOutcome | None
    """What became of its result; None for practice."""

    games: int
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """A board as it is shown. `typed` is what was refused, to be mended in the field."""

    item: Item
    rows: tuple[Row, ...]
    action: str
    token: str = ""
    announcement: str = ""
    refusal: Refusal | None = None
    typed: str = ""
    end: End | None = None

    @property
    def is_open(self) -> bool:
        """Whether it takes a guess."""
        return self.end is None and self.refusal is not CLOSED

    @property
    def is_practice(self) -> bool:
        """Whether it counts for nothing."""
        return self.item.access is Access.PRACTICE and self.refusal is not CLOSED


def empty(item: Item) -> Board:
    """The board that every visitor is sent: no guess, no token, no session."""
    return Board(item=item, rows=tuple(_rows(None)), action=action_of(item))


def shown(
    item: Item,
    game: Game | None,
    *,
    refusal: Refusal | None = None,
    typed: str = "",
    recorded: RecordOutcome | None = None,
    counted: Distribution | None = None,
) -> Board:
    """One player's board after a guess was sent; `counted` is shown once the game is over."""
    return Board(
        item=item,
        rows=tuple(_rows(game)),
        action=action_of(item),
        token=token.seal(game.play) if game and game.play.guesses else "",
        announcement="" if refusal or game is None else sentence(game),
        refusal=refusal,
        typed=typed if refusal else "",
        end=_end(game, recorded, counted) if game and game.is_over else None,
    )


def action_of(item: Item) -> str:
    """The page of an item, where its form is sent."""
    return reverse("home") if item.is_today else reverse("play", args=[item.number])


def sentence(game: Game) -> str:
    """The latest verdict, said in one breath."""
    rows = board.rows(game.play, game.price)
    said = f"Guess {len(rows)}: {dollars(rows[-1].guess)}"
    match game.state:
        case State.WON:
            return f"{said}. You have won."
        case State.LOST:
            return f"{said}, {share.in_words(rows[-1])}. That was the last guess."
        case State.PLAYING:
            left = MOST_GUESSES - len(rows)
            guesses = "guess" if left == 1 else "guesses"
            return f"{said}, {share.in_words(rows[-1])}. {left} {guesses} left."
        case _:
            assert_never(game.state)


def _rows(game: Game | None) -> Iterator[Row]:
    judged = board.rows(game.play, game.price) if game else ()
    for turn, row in enumerate(judged, start=1):
        yield Row(
            turn=turn,
            guess=row.guess,
            verdict=row.verdict,
            direction=row.direction,
            words=share.in_words(row),
        )
    for turn in range(len(judged) + 1, MOST_GUESSES + 1):
        yield Row(turn=turn)


def _end(game: Game, recorded: RecordOutcome | None, counted: Distribution | None) -> End:
    low, high = winning_range(game.price)
    origin = settings.SITE_ORIGIN
    is_counted = game.play.mode is Mode.DAILY
    score = share.score(game.play, game.price)
    return End(
        state=game.state,
        price=game.price,
        low=low,
        high=high,
        share=share.share_text(game.play, game.price, origin=origin),
        share_in_words=share.share_in_words(game.play, game.price, origin=origin),
        recorded=recorded,
        games=counted.games if counted else 0,
        bars=bars(counted, score if is_counted else "") if counted else (),
    )
