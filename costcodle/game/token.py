"""The play token: a game as signed text, on its way between a browser and the server. Pure.

It reads `number.mode.session.guess.guess…:signature`, guesses in cents. Everyone may read it and
only the server can write it; it holds nothing that the player has not typed. It has no time in
it, so that one game has one token and a repeated request the same answer.
"""

import re
from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from django.core.signing import BadSignature, Signer

from costcodle import days
from costcodle.days import PuzzleNumber
from costcodle.game import board
from costcodle.game.board import Mode, Play
from costcodle.game.rules import Cents

MOST_CHARACTERS: Final = 200
"""More than the longest token, 138, has."""

_SALT: Final = "costcodle.play-token.v1"
_INTEGER: Final = r"(?:0|[1-9][0-9]{0,8})"
_CONTENT: Final = re.compile(
    rf"(?P<number>{_INTEGER})\.(?P<mode>{'|'.join(Mode)})\.(?P<session>[0-9a-f]{{32}})"
    rf"(?P<guesses>(?:\.{_INTEGER})*)"
)


class TokenRefusal(StrEnum):
    """Why a text is not the token of the game that is being played."""

    MALFORMED = "token_malformed"
    FOREIGN = "token_foreign"
    IMPOSSIBLE = "token_impossible"
    OTHER_PUZZLE = "token_other_puzzle"
    OTHER_MODE = "token_other_mode"
    CONTINUED = "token_continued"

    @property
    def message(self) -> str:
        """What is wrong and how to go on, in words for the player."""
        return _MESSAGES[self]


_MESSAGES: Final = {
    TokenRefusal.MALFORMED: "This game cannot be read: reload the page to start it again.",
    TokenRefusal.FOREIGN: "This game was not begun here: reload the page to start it again.",
    TokenRefusal.IMPOSSIBLE: "This game breaks the rules: reload the page to start it again.",
    TokenRefusal.OTHER_PUZZLE: "This game belongs to another puzzle: reload the page.",
    TokenRefusal.OTHER_MODE: "This game was begun in another mode: reload the page.",
    TokenRefusal.CONTINUED: "This game was won before its last guess: reload the page.",
}


def seal(play: Play) -> str:
    """The token of a game: ASCII without spaces, the same for the same game and key."""
    content = (str(play.number), play.mode, play.session.hex, *map(str, play.guesses))
    return Signer(salt=_SALT).sign(".".join(content))


def open_token(
    text: object,
    *,
    number: PuzzleNumber | None,
    mode: Mode | None = None,
    price: Cents | None = None,
) -> Play | TokenRefusal:
    """The game that this server sealed as `text`, or why it is not taken. Never raises.

    With a number, a mode or a price the game must belong to it; None leaves it open, for a
    caller that learns the puzzle from the token. Keys in SECRET_KEY_FALLBACKS still open. Whether
    it is still in time is for `is_in_time`.
    """
    play = _unsealed(text)
    if isinstance(play, TokenRefusal):
        return play
    if number not in (None, play.number):
        return TokenRefusal.OTHER_PUZZLE
    if mode not in (None, play.mode):
        return TokenRefusal.OTHER_MODE
    if price is not None and board.goes_on_after_win(play, price):
        return TokenRefusal.CONTINUED
    return play


def is_in_time(play: Play, now: datetime) -> bool:
    """Whether a game may go on at `now`: a daily one until 00:10 UTC, a practice one always."""
    return play.mode is Mode.PRACTICE or days.is_playable(play.number, now)


def _unsealed(text: object) -> Play | TokenRefusal:
    # The signer would raise on what cannot be encoded, such as a lone surrogate.
    if not isinstance(text, str) or len(text) > MOST_CHARACTERS or not text.isascii():
        return TokenRefusal.MALFORMED
    try:
        content = _CONTENT.fullmatch(Signer(salt=_SALT).unsign(text))
    except BadSignature:
        return TokenRefusal.FOREIGN
    if content is None:
        return TokenRefusal.MALFORMED
    play = Play(
        number=PuzzleNumber(int(content["number"])),
        mode=Mode(content["mode"]),
        session=UUID(content["session"]),
        guesses=tuple(Cents(int(guess)) for guess in content["guesses"].split(".")[1:]),
    )
    return play if board.is_possible(play) else TokenRefusal.IMPOSSIBLE
