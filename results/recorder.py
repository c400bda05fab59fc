"""The recorder: one finished daily game into its day's shared results, once a session.

What is authoritative: the database, at the moment of each statement. What holds (G21): slots are
1…n without gaps and n is at most 50,000; one result a session; none after the window; none that
the puzzle's page does not count.

Why it is safe: the transaction pins the puzzle's row in a statement of its own, then reads the
clock, then runs the one statement that decides. The pin makes the recorders of a puzzle queue, so
that the insert's snapshot shows every earlier slot. A publisher pins the same row: what was
recorded before its pin it has counted, or its batch is a conflict; what waits for its pin reads
the clock afterwards and finds the window closed.

Why running twice is safe: a session that has a row keeps it. After a COMMIT whose answer was lost
the same report is answered `already_recorded`.
"""

from datetime import datetime
from pathlib import Path
from typing import Final

from django.db import Error

from costcodle import clock, days, statements
from costcodle.contention import is_contention
from costcodle.game import board
from costcodle.game.board import Mode, Play, State
from costcodle.game.rules import Cents
from costcodle.models import Puzzle
from costcodle.statements import durable_transaction
from results.domain import MOST_RESULTS, GameOutcome, Kept, Recording, RecordOutcome
from results.models import DailyResult

_PAUSES_BETWEEN_TRIES: Final = (0.05, 0.2)
"""Seconds after each try but the last that met another writer."""

_GAME_OUTCOMES: Final = {State.WON: GameOutcome.WON, State.LOST: GameOutcome.LOST}

_SQL = statements.load(
    Path(__file__).parent / "sql" / "record.sql",
    {
        "number": Puzzle._meta.get_field("number"),
        "session": DailyResult._meta.get_field("session_id"),
        "outcome": DailyResult._meta.get_field("outcome"),
        "guesses_used": DailyResult._meta.get_field("guesses_used"),
        "most": DailyResult._meta.get_field("slot"),
        "now": DailyResult._meta.get_field("created_at"),
        "closes_at": DailyResult._meta.get_field("created_at"),
    },
)


def record(play: Play, price: Cents) -> Recording:
    """Record a game, judged by its puzzle's price, for its session.

    `REFUSED` unless it is a finished daily game; else the first that holds of `ALREADY_RECORDED`
    (with what was kept before), `CLOSED` (from 00:10 UTC on), `FULL`, `RECORDED` (durably).
    Raises `django.db.Error`: then it is safe to report the same game again.
    """
    state = board.state(play, price)
    if play.mode is not Mode.DAILY or state is State.PLAYING:
        return Recording(outcome=RecordOutcome.REFUSED)
    outcome = _GAME_OUTCOMES[state]
    for seconds in _PAUSES_BETWEEN_TRIES:
        try:
            return _record(play, outcome)
        except Error as error:
            if not is_contention(error):
                raise
            clock.pause(seconds)
    return _record(play, outcome)


def _record(play: Play, outcome: GameOutcome) -> Recording:
    used = len(play.guesses)
    with durable_transaction():
        if _SQL["pin_puzzle"].run(number=play.number).count != 1:
            return Recording(outcome=RecordOutcome.REFUSED)
        now = clock.now()
        inserted = _SQL["record_result"].run(
            **_window(play, now), outcome=outcome, guesses_used=used, most=MOST_RESULTS
        )
        if not inserted.rows:
            return _read_back(play, now)
    kept = Kept(slot=inserted.rows[0][0], outcome=outcome, guesses_used=used)
    return Recording(outcome=RecordOutcome.RECORDED, kept=kept)


def _read_back(play: Play, now: datetime) -> Recording:
    reason, slot, outcome, guesses_used = _SQL["read_back"].run(**_window(play, now)).rows[0]
    found = RecordOutcome(reason)
    if found is not RecordOutcome.ALREADY_RECORDED:
        return Recording(outcome=found)
    kept = Kept(slot=slot, outcome=GameOutcome(outcome), guesses_used=guesses_used)
    return Recording(outcome=found, kept=kept)


def _window(play: Play, now: datetime) -> dict[str, object]:
    closes_at = days.due_at(play.number)
    return {"number": play.number, "session": play.session, "now": now, "closes_at": closes_at}
