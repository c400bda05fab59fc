from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from costcodle.game.rules import (
    LEAST_CENTS,
    MOST_CENTS,
    MOST_GUESSES,
    Cents,
    Direction,
    Verdict,
    direction,
    verdict,
    winning_range,
)

amounts = st.integers(LEAST_CENTS, MOST_CENTS).map(Cents)
BOUNDS = (Fraction(75, 100), Fraction(95, 100), Fraction(105, 100), Fraction(125, 100))


@st.composite
def price_and_guess_at_a_boundary(draw: st.DrawFn) -> tuple[Cents, Cents]:
    price = draw(amounts)
    boundary = price * draw(st.sampled_from(BOUNDS))
    return price, Cents(int(boundary) + draw(st.integers(-1, 2)))


def expected_verdict(guess: int, price: int) -> Verdict:
    off = Fraction(abs(guess - price), price)
    if off <= Fraction(1, 20):
        return Verdict.WIN
    return Verdict.NEAR if off <= Fraction(1, 4) else Verdict.FAR


def test_the_bounds_of_a_guess_and_of_a_game_are_the_designs() -> None:
    assert (LEAST_CENTS, MOST_CENTS, MOST_GUESSES) == (1, 9_999_999, 6)


@given(price_and_guess_at_a_boundary())
def test_a_guess_around_any_boundary_is_judged_as_exact_fractions_judge_it(
    case: tuple[Cents, Cents],
) -> None:
    price, guess = case
    assert verdict(guess, price) is expected_verdict(guess, price)


@given(price=amounts, guess=amounts)
def test_any_guess_is_judged_as_exact_fractions_judge_it(price: Cents, guess: Cents) -> None:
    assert verdict(guess, price) is expected_verdict(guess, price)


@pytest.mark.parametrize(
    ("price", "guess", "expected"),
    [
        (440, 418, Verdict.WIN),  # in floats abs(4.18 - 4.40) / 4.40 is more than 0.05
        (440, 417, Verdict.NEAR),
        (440, 462, Verdict.WIN),
        (440, 463, Verdict.NEAR),
        (440, 330, Verdict.NEAR),
        (440, 329, Verdict.FAR),
        (440, 550, Verdict.NEAR),
        (440, 551, Verdict.FAR),
        (349, 300, Verdict.NEAR),
        (349, 400, Verdict.NEAR),
        (1, 1, Verdict.WIN),
        (1, 2, Verdict.FAR),
    ],
)
def test_both_bounds_are_inclusive_on_both_sides(price: int, guess: int, expected: Verdict) -> None:
    assert verdict(Cents(guess), Cents(price)) is expected


@given(price=amounts, guess=amounts)
def test_the_arrow_points_from_a_miss_to_the_price(price: Cents, guess: Cents) -> None:
    arrow = direction(guess, price)
    if verdict(guess, price) is Verdict.WIN:
        assert arrow is None
    else:
        assert arrow is (Direction.UP if guess < price else Direction.DOWN)


def test_a_low_guess_is_told_up_and_a_high_one_down() -> None:
    assert direction(Cents(100), Cents(440)) is Direction.UP
    assert direction(Cents(417), Cents(440)) is Direction.UP
    assert direction(Cents(463), Cents(440)) is Direction.DOWN
    assert direction(Cents(440), Cents(440)) is None


def assert_range_is_exactly_what_wins(price: Cents) -> None:
    least, most = winning_range(price)
    assert LEAST_CENTS <= least <= price <= most
    assert verdict(least, price) is verdict(most, price) is Verdict.WIN
    assert verdict(Cents(least - 1), price) is not Verdict.WIN
    assert verdict(Cents(most + 1), price) is not Verdict.WIN


@given(amounts)
@example(LEAST_CENTS)
@example(MOST_CENTS)
def test_the_winning_range_is_exactly_what_wins(price: Cents) -> None:
    assert_range_is_exactly_what_wins(price)


def test_the_winning_range_is_exactly_what_wins_for_every_price_up_to_fifty_dollars() -> None:
    for price in range(1, 5_001):
        assert_range_is_exactly_what_wins(Cents(price))


def test_the_winning_range_of_three_forty_nine_holds_no_whole_dollar() -> None:
    assert winning_range(Cents(349)) == (332, 366)
