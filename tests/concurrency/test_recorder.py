"""The day's shared results against everything that can come between the recorder's steps."""

import threading
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, OperationalError, connection, connections

from answers import publisher
from answers.domain import Outcome
from answers.models import AnswerPost
from costcodle import clock, days
from costcodle.days import PuzzleNumber
from costcodle.game.board import Mode, Play
from costcodle.game.rules import Cents
from results.domain import MOST_RESULTS, GameOutcome, Kept, Recording, RecordOutcome
from results.models import DailyResult
from results.recorder import record
from results.stats import distribution
from tests.factories import make_puzzle, make_puzzles
from tests.interleaving import at, begin_and_let_block, snapshot
from tests.sites import Site

NUMBER = PuzzleNumber(1121)
PRICE = Cents(949)
NOON = "2026-10-15T12:00:00Z"
LAST_MOMENT = "2026-10-16T00:09:59.999999Z"
CLOSE = "2026-10-16T00:10:00Z"
STEPS = ("begin 1", "pin_puzzle", "record_result", "commit of record_result")
POINTS = tuple(f"{side} {step}" for step in STEPS for side in ("before", "after"))[:-1]


def make_play(
    *cents: int,
    session: uuid.UUID | None = None,
    number: int = NUMBER,
    mode: Mode = Mode.DAILY,
) -> Play:
    guesses = tuple(Cents(guess) for guess in cents or (100, 949))
    return Play(
        number=PuzzleNumber(number), mode=mode, session=session or uuid.uuid4(), guesses=guesses
    )


def slots(number: int = NUMBER) -> list[int]:
    return sorted(DailyResult.objects.filter(puzzle_id=number).values_list("slot", flat=True))


def publish() -> list[Outcome]:
    return [item.outcome for item in publisher.publish_due().items]


def fill(results: int) -> None:
    DailyResult.objects.bulk_create(
        (
            DailyResult(
                puzzle_id=NUMBER,
                session_id=uuid.uuid4(),
                slot=slot,
                outcome="won",
                guesses_used=1,
                created_at=days.starts_at(NUMBER),
            )
            for slot in range(1, results + 1)
        ),
        batch_size=5000,
    )


def refusing(name: str, error: Exception, times: int) -> Any:
    """Let the statement `name` fail so many times."""
    left = [times]

    def around(execute: Any, sql: str, *rest: Any) -> Any:
        if sql.startswith(f"-- name: {name}\n") and left[0]:
            left[0] -= 1
            raise error
        return execute(sql, *rest)

    return connection.execute_wrapper(around)


def contention() -> OperationalError:
    cause = Exception()
    cause.sqlstate = "55P03"  # type: ignore[attr-defined] # as psycopg's errors have it
    error = OperationalError("canceling statement due to lock timeout")
    error.__cause__ = cause
    return error


@pytest.mark.guarantee("G21")
def test_a_finished_game_is_recorded_in_the_next_slot_with_how_it_ended(site: Site) -> None:
    now = site.at(NOON)
    make_puzzle(price_cents=PRICE)
    won, lost = make_play(100, 949), make_play(1, 2, 3, 4, 5, 6)
    assert record(won, PRICE) == Recording(
        outcome=RecordOutcome.RECORDED,
        kept=Kept(slot=1, outcome=GameOutcome.WON, guesses_used=2),
    )
    assert record(lost, PRICE) == Recording(
        outcome=RecordOutcome.RECORDED,
        kept=Kept(slot=2, outcome=GameOutcome.LOST, guesses_used=6),
    )
    rows = snapshot()["daily_results"]
    assert [(row["session_id"], row["created_at"]) for row in rows] == [
        (won.session, now),
        (lost.session, now),
    ]
    assert (distribution(NUMBER).won, distribution(NUMBER).lost) == ((0, 1, 0, 0, 0, 0), 1)


@pytest.mark.guarantee("G21")
def test_a_second_report_of_a_session_changes_nothing_and_is_told_what_is_kept(site: Site) -> None:
    site.at(NOON)
    make_puzzle(price_cents=PRICE)
    first = make_play(100, 949)
    kept = record(first, PRICE).kept
    before = snapshot()
    for play in (first, make_play(949, session=first.session)):
        again = record(play, PRICE)
        assert again == Recording(outcome=RecordOutcome.ALREADY_RECORDED, kept=kept)
    assert snapshot() == before


@pytest.mark.guarantee("G21")
def test_slots_are_counted_per_puzzle(site: Site) -> None:
    site.at("2026-10-16T00:05:00Z")
    make_puzzles(1121, 1122)
    session = uuid.uuid4()
    for number in (1121, 1122):
        play = make_play(1121, session=session, number=number)
        assert record(play, Cents(1121)).outcome is RecordOutcome.RECORDED
        assert slots(number) == [1]


@pytest.mark.guarantee("G21")
@pytest.mark.parametrize(
    "play",
    [
        make_play(100, mode=Mode.DAILY),
        make_play(mode=Mode.PRACTICE),
        make_play(1, 2, 3, 4, 5),
        make_play(number=1122),
    ],
    ids=["unfinished", "practice", "five misses", "unknown puzzle"],
)
def test_what_is_no_finished_daily_game_is_refused_and_changes_nothing(
    site: Site, play: Play
) -> None:
    site.at(NOON)
    make_puzzle(price_cents=PRICE)
    before = snapshot()
    assert record(play, PRICE) == Recording(outcome=RecordOutcome.REFUSED)
    assert snapshot() == before


@pytest.mark.guarantee("G21")
def test_the_window_closes_at_ten_past_midnight(site: Site) -> None:
    make_puzzle(price_cents=PRICE)
    site.at(LAST_MOMENT)
    in_time = make_play()
    assert record(in_time, PRICE).outcome is RecordOutcome.RECORDED
    site.at(CLOSE)
    before = snapshot()
    assert record(make_play(), PRICE) == Recording(outcome=RecordOutcome.CLOSED)
    assert record(in_time, PRICE).outcome is RecordOutcome.ALREADY_RECORDED
    assert snapshot() == before


@pytest.mark.guarantee("G21")
def test_at_fifty_thousand_results_the_next_is_full_and_the_known_are_still_known(
    site: Site,
) -> None:
    site.at(NOON)
    make_puzzle(price_cents=PRICE)
    fill(MOST_RESULTS - 1)
    last = make_play()
    kept = record(last, PRICE).kept
    assert kept is not None
    assert kept.slot == MOST_RESULTS
    assert record(make_play(), PRICE) == Recording(outcome=RecordOutcome.FULL)
    assert record(last, PRICE) == Recording(outcome=RecordOutcome.ALREADY_RECORDED, kept=kept)
    assert DailyResult.objects.count() == MOST_RESULTS
    site.at(CLOSE)
    assert record(make_play(), PRICE).outcome is RecordOutcome.CLOSED


@pytest.mark.guarantee("G21")
def test_two_hundred_games_reported_twice_by_32_clients_at_once_are_recorded_once(
    site: Site,
) -> None:
    site.at(NOON)
    make_puzzle(price_cents=PRICE)
    plays = [make_play() for _ in range(200)]
    start = threading.Barrier(32)

    def client(reports: list[Play]) -> list[tuple[uuid.UUID, RecordOutcome]]:
        start.wait(timeout=60)
        try:
            return [(play.session, record(play, PRICE).outcome) for play in reports]
        finally:
            connections.close_all()

    dealt = [(plays * 2)[first::32] for first in range(32)]
    with ThreadPoolExecutor(max_workers=32) as clients:
        answers = [answer for share in clients.map(client, dealt) for answer in share]
    assert slots() == list(range(1, 201))
    assert Counter(answers) == Counter(
        (play.session, outcome)
        for play in plays
        for outcome in (RecordOutcome.RECORDED, RecordOutcome.ALREADY_RECORDED)
    )


@pytest.mark.guarantee("G21")
def test_a_recorder_that_waited_for_another_takes_the_next_slot(site: Site) -> None:
    site.at(NOON)
    make_puzzle(price_cents=PRICE)
    rival = []
    with at(
        "after record_result",
        lambda: rival.append(begin_and_let_block(lambda: record(make_play(), PRICE))),
    ):
        mine = record(make_play(), PRICE)
    theirs = rival[0].result(timeout=60)
    assert mine.kept is not None
    assert (mine.kept.slot, theirs.kept.slot) == (1, 2)
    assert slots() == [1, 2]


@pytest.mark.guarantee("G21")
@pytest.mark.parametrize("point", POINTS)
def test_the_window_closing_at_any_point_loses_no_accepted_result(site: Site, point: str) -> None:
    make_puzzle(price_cents=PRICE)
    site.at(LAST_MOMENT)
    with at(point, lambda: site.at(CLOSE)):
        outcome = record(make_play(), PRICE).outcome
    late = point in ("before begin 1", "after begin 1", "before pin_puzzle", "after pin_puzzle")
    assert outcome is (RecordOutcome.CLOSED if late else RecordOutcome.RECORDED)
    assert publish() == [Outcome.PUBLISHED]
    assert AnswerPost.objects.get().games == len(slots()) == (0 if late else 1)


@pytest.mark.guarantee("G21")
@pytest.mark.parametrize("point", POINTS)
def test_a_publisher_that_comes_at_any_point_counts_every_accepted_result(
    site: Site, point: str
) -> None:
    make_puzzle(price_cents=PRICE)
    site.at(LAST_MOMENT)
    assert record(make_play(), PRICE).outcome is RecordOutcome.RECORDED
    rival = []

    def come() -> None:
        site.at(CLOSE)
        rival.append(begin_and_let_block(publish))

    with at(point, come):
        outcome = record(make_play(), PRICE).outcome
    assert rival[0].result(timeout=60) == [Outcome.PUBLISHED]
    accepted = 1 + (outcome is RecordOutcome.RECORDED)
    page = AnswerPost.objects.get()
    assert page.games == sum(page.body["won"]) == len(slots()) == accepted


@pytest.mark.guarantee("G21")
@pytest.mark.parametrize("point", ["before begin 4", "before pin_puzzle", "after pin_puzzle"])
def test_a_recorder_that_comes_while_a_page_is_made_is_counted_or_closed(
    site: Site, point: str
) -> None:
    """The clock falls back into the window while the publisher works."""
    make_puzzle(price_cents=PRICE)
    site.at(CLOSE)
    rival = []

    def come() -> None:
        site.at(LAST_MOMENT)
        rival.append(begin_and_let_block(lambda: record(make_play(), PRICE)))

    with at(point, come):
        assert publish() in ([Outcome.PUBLISHED], [Outcome.CONFLICT])
    outcome = rival[0].result(timeout=60).outcome
    assert outcome in (RecordOutcome.RECORDED, RecordOutcome.CLOSED)
    site.at(CLOSE)
    publish()
    accepted = int(outcome is RecordOutcome.RECORDED)
    assert AnswerPost.objects.get().games == len(slots()) == accepted


@pytest.mark.guarantee("G21")
def test_a_clock_that_falls_back_opens_no_window_behind_the_page(site: Site) -> None:
    make_puzzle(price_cents=PRICE)
    site.at(CLOSE)
    assert publish() == [Outcome.PUBLISHED]
    site.at(NOON)
    assert record(make_play(), PRICE) == Recording(outcome=RecordOutcome.CLOSED)
    assert slots() == []


@pytest.mark.guarantee("G21")
def test_a_recorder_that_fails_after_any_statement_leaves_nothing_behind(site: Site) -> None:
    site.at(NOON)
    make_puzzle(price_cents=PRICE)
    before = snapshot()

    def fail() -> None:
        raise DatabaseError

    for point in ("after pin_puzzle", "before record_result", "after record_result"):
        with pytest.raises(DatabaseError), at(point, fail):
            record(make_play(), PRICE)
        assert snapshot() == before
    assert record(make_play(), PRICE).kept is not None
    assert slots() == [1]


@pytest.mark.guarantee("G21")
@pytest.mark.parametrize("statement", ["pin_puzzle", "record_result"])
def test_contention_is_tried_again_and_gives_up_after_three_tries(
    site: Site, monkeypatch: pytest.MonkeyPatch, statement: str
) -> None:
    site.at(NOON)
    make_puzzle(price_cents=PRICE)
    pauses: list[float] = []
    monkeypatch.setattr(clock, "pause", pauses.append)
    with refusing(statement, contention(), times=2):
        assert record(make_play(), PRICE).outcome is RecordOutcome.RECORDED
    assert len(pauses) == 2
    with refusing(statement, contention(), times=3), pytest.raises(OperationalError):
        record(make_play(), PRICE)
    with refusing(statement, IntegrityError(), times=1), pytest.raises(IntegrityError):
        record(make_play(), PRICE)
    assert slots() == [1]


@pytest.mark.guarantee("G21")
def test_a_lost_answer_to_commit_is_healed_by_reporting_again(site: Site) -> None:
    site.at(NOON)
    make_puzzle(price_cents=PRICE)
    play = make_play()

    def lose() -> None:
        raise OperationalError("server closed the connection unexpectedly")

    with pytest.raises(OperationalError), at("after commit of record_result", lose):
        record(play, PRICE)
    connection.close()
    assert record(play, PRICE).outcome is RecordOutcome.ALREADY_RECORDED
    assert slots() == [1]
