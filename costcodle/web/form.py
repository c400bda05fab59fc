"""The board without a script: a plain form, whose hidden field is the token."""

import re
from typing import Final
from uuid import uuid4

from django.http import HttpRequest, HttpResponse, QueryDict

from answers import pages
from costcodle import days, http
from costcodle.game.board import Mode
from costcodle.game.price_input import MOST_CHARACTERS
from costcodle.web import boards, limits, play
from costcodle.web.boards import Board
from costcodle.web.bodies import is_too_large
from costcodle.web.play import Access, Game, Item
from costcodle.web.refusals import NOT_PLAYABLE, TOO_LARGE, WITHDRAWN, Refusal, as_page
from results.domain import Distribution, RecordOutcome
from results.recorder import record
from results.stats import distribution

_NUMBER: Final = re.compile(r"[1-9][0-9]{0,3}")


def submit(request: HttpRequest, number: int | None = None) -> HttpResponse:
    """Judge one guess and show the board; a finishing guess records the result.

    Never stored, and no cookie is set. Without a number the hidden field `puzzle` tells it, so
    that a board begun before midnight is judged as what it is; without that it is today's.
    """
    if is_too_large(request):
        return as_page(TOO_LARGE)
    refusal = limits.refusal_of_address(request, limits.GUESSES_AN_ADDRESS)
    if refusal is not None:
        return as_page(refusal)
    now = http.instant(request)
    item = play.find_item(number or _number(request.POST) or days.today(now), now)
    if item is None:
        return as_page(NOT_PLAYABLE)
    return as_page(WITHDRAWN) if item.access is Access.WITHDRAWN else _judged(item, request.POST)


def page(item: Item, board: Board, *, status: int = 200) -> HttpResponse:
    """The page of one board, which search engines leave alone."""
    context = {"board": board, "canonical": http.absolute(boards.action_of(item))}
    return http.html("play/play.html", context, status=status)


def between(item: Item) -> HttpResponse:
    """The page of a puzzle that is over while its answer is not public yet: 404."""
    return http.html("play/between.html", {"item": item}, status=NOT_PLAYABLE.status)


def _number(fields: QueryDict) -> int | None:
    text = fields.get("puzzle", "")
    return int(text) if _NUMBER.fullmatch(text) else None


def _judged(item: Item, fields: QueryDict) -> HttpResponse:
    sealed, typed = fields.get("token") or None, fields.get("guess", "")
    if item.access is Access.CLOSED and sealed is None:
        return between(item)
    before = play.open_game(item, sealed=sealed, session=fields.get("session") or str(uuid4()))
    after = _guessed(before, typed)
    if isinstance(after, Game):
        return page(item, _board(item, after))
    if after.retry_after is not None:
        return as_page(after)
    kept = play.game_of(item, sealed) if sealed else None
    game = kept if isinstance(kept, Game) else None
    return page(item, _board(item, game, after, typed), status=after.status)


def _guessed(game: Game | Refusal, typed: str) -> Game | Refusal:
    if isinstance(game, Refusal):
        return game
    return limits.refusal_of_session(game.play.session) or play.guessed(game, typed)


def _board(item: Item, game: Game | None, refusal: Refusal | None = None, typed: str = "") -> Board:
    recorded, counted = _result(game) if game and game.is_over else (None, None)
    return boards.shown(
        item,
        game,
        refusal=refusal,
        typed=typed.replace("\0", "")[:MOST_CHARACTERS],
        recorded=recorded,
        counted=counted,
    )


def _result(game: Game) -> tuple[RecordOutcome | None, Distribution | None]:
    """What became of a finished game's result, and the day's; practice has none of its own."""
    number = game.play.number
    if game.play.mode is Mode.DAILY:
        return record(game.play, game.price).outcome, distribution(number)
    counted = pages.final_results(number)
    return None, counted if isinstance(counted, Distribution) else None
