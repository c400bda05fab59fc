import pytest
from hypothesis import given
from hypothesis import strategies as st

from costcodle import clock
from costcodle.game.money import decimal, dollars
from costcodle.game.rules import LEAST_CENTS, MOST_CENTS, Cents
from results.domain import Difficulty, Distribution, bars, hardness, percent
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


@pytest.mark.parametrize(
    ("won", "lost", "word"),
    [
        ((1, 0, 0, 0, 0, 0), 0, Difficulty.EASY),
        ((0, 0, 5, 5, 0, 0), 0, Difficulty.EASY),
        ((0, 0, 5, 6, 0, 0), 0, Difficulty.FAIR),
        ((0, 0, 0, 5, 5, 0), 0, Difficulty.FAIR),
        ((0, 0, 0, 5, 6, 0), 0, Difficulty.HARD),
        ((0, 0, 0, 1, 0, 0), 1, Difficulty.HARD),
        ((0, 0, 0, 0, 5, 6), 0, Difficulty.VERY_HARD),
        ((0, 0, 0, 0, 0, 0), 1, Difficulty.VERY_HARD),
    ],
)
def test_how_hard_an_item_was_follows_from_the_mean_guesses_a_loss_counted_as_seven(
    won: tuple[int, ...], lost: int, word: Difficulty
) -> None:
    found = hardness(Distribution(won=won, lost=lost))
    assert found
    assert found.word is word


def test_how_hard_an_item_was_rests_on_figures_rounded_like_every_other() -> None:
    found = hardness(Distribution(won=(0, 1, 2, 0, 0, 1), lost=4))
    assert found
    assert (found.won, found.games, found.percent) == (4, 8, 50)
    assert (found.mean_tenths, found.mean) == (35, "3.5")
    rounded_up = hardness(Distribution(won=(3, 1, 0, 0, 0, 0)))
    assert rounded_up
    assert rounded_up.mean == "1.3"


def test_without_a_win_there_is_no_mean_and_without_a_game_no_word() -> None:
    lost = hardness(Distribution(lost=3))
    assert lost
    assert (lost.percent, lost.mean_tenths, lost.mean) == (0, None, "")
    assert hardness(Distribution()) is None


@given(st.lists(st.integers(0, 50_000), min_size=7, max_size=7))
def test_how_hard_an_item_was_never_depends_on_how_many_played(games: list[int]) -> None:
    once = hardness(Distribution(won=tuple(games[:6]), lost=games[6]))
    twice = hardness(Distribution(won=tuple(2 * n for n in games[:6]), lost=2 * games[6]))
    assert (once and (once.word, once.percent, once.mean)) == (
        twice and (twice.word, twice.percent, twice.mean)
    )
