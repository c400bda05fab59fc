"""What the API answers, as JSON documents. Pure."""

from django.conf import settings

from costcodle.game import board, share, token
from costcodle.game.board import Row
from costcodle.game.money import decimal
from costcodle.game.rules import winning_range
from costcodle.web.play import Game
from costcodle.web.refusals import Refusal
from results.domain import Distribution, Recording

Document = dict[str, object]


def turn(game: Game) -> Document:
    """A game after a guess; it holds the price only when the game is over."""
    rows = board.rows(game.play, game.price)
    return {
        "puzzle": game.play.number,
        "mode": game.play.mode,
        "turn": len(rows),
        "verdict": rows[-1].verdict,
        "direction": rows[-1].direction,
        "guesses": [_row(row) for row in rows],
        "state": game.state,
        "token": token.seal(game.play),
        "result": _result(game) if game.is_over else None,
    }


def report(recording: Recording, counted: Distribution | None, refusal: Refusal | None) -> Document:
    """What became of a reported game, with the day's distribution so far, and an error if any."""
    kept = recording.kept
    document: Document = {
        "outcome": recording.outcome,
        "slot": kept and kept.slot,
        "result": kept and {"state": kept.outcome, "guesses_used": kept.guesses_used},
        "distribution": counted and distribution(counted),
    }
    if refusal is not None:
        document["error"] = {"code": refusal.code, "message": refusal.message}
    return document


def distribution(counted: Distribution) -> Document:
    """How a day's games went: `won[i]` with guess i + 1, `lost`, and `games`, their sum."""
    return {"won": list(counted.won), "lost": counted.lost, "games": counted.games}


def _row(row: Row) -> Document:
    return {
        "guess": decimal(row.guess),
        "verdict": row.verdict,
        "direction": row.direction,
        "words": share.in_words(row),
    }


def _result(game: Game) -> Document:
    origin = settings.SITE_ORIGIN
    low, high = winning_range(game.price)
    return {
        "price": decimal(game.price),
        "winning_range": {"low": decimal(low), "high": decimal(high)},
        "share": share.share_text(game.play, game.price, origin=origin),
        "share_in_words": share.share_in_words(game.play, game.price, origin=origin),
    }
