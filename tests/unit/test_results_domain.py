import pytest
from hypothesis import given
from hypothesis import strategies as st

from costcodle import clock
from costcodle.game.money import decimal, dollars
from costcodle.game.rules import LEAST_CENTS, MOST_CENTS, Cents
from results.domain import Distribution, bars, percent
from results.models import DailyResult


@pytest.mark.parametrize(
    ("part", "whole", "expected"),
    [(0, 1, 0), (1, 1, 100), (1, 3, 33), (2, 3, 67), (1, 8, 13), (1, 200, 1), (1, 201, 0)],
)
def test_a_share_is_rounded_to_whole_per_cent_with_halves_up(
    part: int, whole: int, expected: int
) -> None:
    assert percent(part, whole) == expected


def test_a_share_of_no_games_is_none() -> None:
    assert percent(0, 0) is None
    assert {bar.percent for bar in bars(Distribution())} == {None}


def test_there_is_a_bar_for_each_number_of_guesses_and_one_for_the_lost() -> None:
    counted = bars(Distribution(won=(1, 2, 3, 4, 5, 6), lost=7), mine="X")
    assert [(bar.label, bar.games) for bar in counted] == [
        *((str(n), n) for n in range(1, 7)),
        ("X", 7),
    ]
    assert [bar.label for bar in counted if bar.is_mine] == ["X"]
    assert not any(bar.is_mine for bar in bars(Distribution()))


@given(st.integers(LEAST_CENTS, MOST_CENTS))
def test_both_ways_to_write_an_amount_say_the_same(cents: int) -> None:
    assert dollars(Cents(cents)).replace("$", "").replace(",", "") == decimal(Cents(cents))
    assert len(decimal(Cents(cents)).split(".")[1]) == 2


def test_the_wait_until_an_instant_that_has_passed_is_negative() -> None:
    assert clock.seconds_until(0) < 0


def test_a_result_is_named_by_its_puzzle_slot_and_outcome() -> None:
    result = DailyResult(puzzle_id=1121, slot=7, outcome="won", guesses_used=3)
    assert str(result) == "#1121 slot 7: won with 3"
