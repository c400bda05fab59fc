"""What may be played, and what a guess does: shared by the API and by the plain form."""

import re
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from costcodle import days
from costcodle.days import PuzzleNumber
from costcodle.game import board, price_input, token
from costcodle.game.board import GuessRefusal, Mode, Play, State
from costcodle.game.price_input import Refusal as InputRefusal
from costcodle.game.rules import Cents
from costcodle.game.token import TokenRefusal
from costcodle.models import Puzzle
from costcodle.web.refusals import CLOSED, NOT_PLAYABLE, WITHDRAWN, Refusal, bad_request

_SESSION: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_NO_SESSION: Final = bad_request(
    "session_malformed", "A game without a token needs a session: a UUID, made up by the page."
)
_NO_TEXT: Final = bad_request("guess_malformed", "A guess is a text: what was typed.")


class Access(StrEnum):
    """How a puzzle that has begun can be played."""

    DAILY = "daily"
    """On its day and until 00:10 UTC of the next."""

    CLOSED = "closed"
    """Over, and its answer not public yet."""

    PRACTICE = "practice"
    WITHDRAWN = "withdrawn"


_MODES: Final = {Access.DAILY: Mode.DAILY, Access.PRACTICE: Mode.PRACTICE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """What may be seen of a puzzle while it is played. Its price is not even read."""

    number: PuzzleNumber
    name: str
    size: str
    photo: str
    access: Access
    is_today: bool

    @property
    def day(self) -> date:
        """Its UTC date."""
        return days.day_of(self.number)

    @property
    def ends_at(self) -> datetime:
        """The instant at which the next puzzle begins."""
        return days.starts_at(PuzzleNumber(self.number + 1))

    @property
    def closes_at(self) -> datetime:
        """The instant from which it does not count for its day any more; its answer is due."""
        return days.due_at(self.number)


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """A game and the price that judges it. The price is the server's alone until the end."""

    play: Play
    price: Cents = field(repr=False)

    @property
    def state(self) -> State:
        """How far it is."""
        return board.state(self.play, self.price)

    @property
    def is_over(self) -> bool:
        """Whether its price may be told."""
        return self.state is not State.PLAYING


def find_item(number: int, now: datetime) -> Item | None:
    """The item of a puzzle that has begun at `now`; none of any other. One query."""
    if not days.is_number(number) or number > days.today(now):
        return None
    row = (
        Puzzle.objects.filter(number=number)
        .values_list(
            "name", "size", "photo", "photo_ready", "answerpost", "answerpost__withdrawn_at"
        )
        .first()
    )
    if row is None:
        return None
    name, size, photo, photo_ready, page, withdrawn_at = row
    puzzle = PuzzleNumber(number)
    return Item(
        number=puzzle,
        name=name,
        size=size,
        photo=photo if photo_ready else "",
        access=access(
            is_in_time=days.is_playable(puzzle, now),
            has_page=page is not None,
            is_withdrawn=withdrawn_at is not None,
        ),
        is_today=puzzle == days.today(now),
    )


def access(*, is_in_time: bool, has_page: bool, is_withdrawn: bool) -> Access:
    """How a puzzle can be played, from its window and its page. Pure."""
    if is_withdrawn:
        return Access.WITHDRAWN
    if is_in_time:
        return Access.DAILY
    return Access.PRACTICE if has_page else Access.CLOSED


def price_of(number: PuzzleNumber) -> Cents:
    """The price of a puzzle, in one query. Raises `Puzzle.DoesNotExist`."""
    return Cents(Puzzle.objects.values_list("price_cents", flat=True).get(number=number))


def open_game(item: Item | None, *, sealed: object, session: object) -> Game | Refusal:
    """The game that a guess belongs to: the one sealed as a token, or a new one of a session.

    A session begins a game only where there is no token, and is then a UUID in its usual form.
    Refused where the item cannot be played now: 404, or 410 once it is withdrawn or the window of
    a daily game has closed; and 400 for what this server did not seal for this item.
    """
    if item is None:
        return NOT_PLAYABLE
    if item.access is Access.WITHDRAWN:
        return WITHDRAWN
    if sealed is None:
        return NOT_PLAYABLE if item.access is Access.CLOSED else _begun(item, session)
    game = game_of(item, sealed)
    if isinstance(game, Game) and game.play.mode is not _MODES.get(item.access):
        return CLOSED if game.play.mode is Mode.DAILY else _refused(TokenRefusal.OTHER_MODE)
    return game


def game_of(item: Item, sealed: object) -> Game | Refusal:
    """The game of a token of this item, whether or not it may go on now."""
    price = price_of(item.number)
    play = token.open_token(sealed, number=item.number, price=price)
    return _refused(play) if isinstance(play, TokenRefusal) else Game(play=play, price=price)


def reported_game(sealed: object) -> Game | Refusal:
    """The game of a token of any puzzle of the bank, finished or not, in time or not; or a 400."""
    play = token.open_token(sealed, number=None)
    if isinstance(play, TokenRefusal):
        return _refused(play)
    try:
        price = price_of(play.number)
    except Puzzle.DoesNotExist:
        return _refused(TokenRefusal.IMPOSSIBLE)
    if board.goes_on_after_win(play, price):
        return _refused(TokenRefusal.CONTINUED)
    return Game(play=play, price=price)


def guessed(game: Game, text: object) -> Game | Refusal:
    """The game after what was typed; refused, it costs no turn."""
    if not isinstance(text, str):
        return _NO_TEXT
    cents = price_input.parse(text)
    if isinstance(cents, InputRefusal):
        return _refused(cents)
    play = board.take_guess(game.play, game.price, cents)
    return _refused(play) if isinstance(play, GuessRefusal) else replace(game, play=play)


def _begun(item: Item, session: object) -> Game | Refusal:
    if not isinstance(session, str) or not _SESSION.fullmatch(session):
        return _NO_SESSION
    play = board.start(item.number, _MODES[item.access], UUID(session))
    return Game(play=play, price=price_of(item.number))


def _refused(reason: InputRefusal | GuessRefusal | TokenRefusal) -> Refusal:
    return bad_request(reason, reason.message)
