from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from costcodle.days import PuzzleNumber
from costcodle.game import rules
from costcodle.game.board import (
    GuessRefusal,
    Mode,
    Play,
    Row,
    State,
    goes_on_after_win,
    is_possible,
    rows,
    start,
    state,
    take_guess,
)
from costcodle.game.rules import LEAST_CENTS, MOST_CENTS, Cents, Direction, Verdict

SESSION = UUID("0f8fad5b-d9cb-469f-a165-70867728950e")
PRICE = Cents(440)
amounts = st.integers(LEAST_CENTS, MOST_CENTS).map(Cents)


def make_play(*guesses: int, number: int = 1121, mode: Mode = Mode.DAILY) -> Play:
    return Play(
        number=PuzzleNumber(number),
        mode=mode,
        session=SESSION,
        guesses=tuple(Cents(guess) for guess in guesses),
    )


def taken(play: Play | GuessRefusal) -> Play:
    assert isinstance(play, Play)
    return play


def test_a_game_starts_without_a_guess() -> None:
    play = start(PuzzleNumber(1121), Mode.DAILY, SESSION)
    assert play == make_play()
    assert state(play, PRICE) is State.PLAYING
    assert rows(play, PRICE) == ()


def test_a_guess_is_appended_and_the_game_before_it_is_left_alone() -> None:
    before = make_play(100)
    assert take_guess(before, PRICE, Cents(200)) == make_play(100, 200)
    assert before == make_play(100)


def test_a_repeated_guess_is_refused_and_costs_no_turn() -> None:
    play = make_play(100, 200)
    assert take_guess(play, PRICE, Cents(100)) is GuessRefusal.REPEATED
    assert taken(take_guess(play, PRICE, Cents(300))).guesses == (100, 200, 300)


def test_a_guess_after_a_win_is_refused_even_when_it_repeats() -> None:
    won = make_play(100, 418)
    assert take_guess(won, PRICE, Cents(300)) is GuessRefusal.GAME_OVER
    assert take_guess(won, PRICE, Cents(418)) is GuessRefusal.GAME_OVER


def test_a_seventh_guess_is_refused() -> None:
    lost = make_play(1, 2, 3, 4, 5, 6)
    assert state(lost, PRICE) is State.LOST
    assert take_guess(lost, PRICE, PRICE) is GuessRefusal.GAME_OVER


def test_a_win_on_the_last_guess_is_a_win() -> None:
    assert state(taken(take_guess(make_play(1, 2, 3, 4, 5), PRICE, PRICE)), PRICE) is State.WON


def test_the_rows_carry_verdict_and_arrow_in_the_order_of_the_guesses() -> None:
    assert rows(make_play(999, 417, 418), PRICE) == (
        Row(guess=Cents(999), verdict=Verdict.FAR, direction=Direction.DOWN),
        Row(guess=Cents(417), verdict=Verdict.NEAR, direction=Direction.UP),
        Row(guess=Cents(418), verdict=Verdict.WIN, direction=None),
    )


near_guesses = st.integers(300, 600).map(Cents)


@given(price=near_guesses, guesses=st.lists(near_guesses, max_size=12))
def test_a_game_played_by_the_rules_keeps_its_invariants(
    price: Cents, guesses: list[Cents]
) -> None:
    play = start(PuzzleNumber(1121), Mode.DAILY, SESSION)
    for guess in guesses:
        answer = take_guess(play, price, guess)
        assert answer == take_guess(play, price, guess)
        if isinstance(answer, GuessRefusal):
            over = state(play, price) is not State.PLAYING
            assert answer is (GuessRefusal.GAME_OVER if over else GuessRefusal.REPEATED)
            assert over or guess in play.guesses
        else:
            play = answer
        assert is_possible(play)
        assert not goes_on_after_win(play, price)
    last_wins = bool(play.guesses) and rules.verdict(play.guesses[-1], price) is Verdict.WIN
    assert (state(play, price) is State.WON) == last_wins
    assert (state(play, price) is State.LOST) == (len(play.guesses) == 6 and not last_wins)


@given(price=amounts, guess=amounts)
def test_the_first_guess_is_always_taken(price: Cents, guess: Cents) -> None:
    play = taken(take_guess(make_play(), price, guess))
    assert play == make_play(guess)
    assert (state(play, price) is State.WON) == (rules.verdict(guess, price) is Verdict.WIN)


@pytest.mark.parametrize(
    "play",
    [
        make_play(),
        make_play(1, 2, 3, 4, 5, 6),
        make_play(1, 9_999_999),
        make_play(number=1),
        make_play(number=9999),
    ],
)
def test_a_game_within_every_bound_is_possible(play: Play) -> None:
    assert is_possible(play)


@pytest.mark.parametrize(
    "play",
    [
        make_play(1, 2, 3, 4, 5, 6, 7),
        make_play(100, 200, 100),
        make_play(0),
        make_play(-1),
        make_play(10_000_000),
        make_play(number=0),
        make_play(number=10_000),
    ],
)
def test_a_game_beyond_any_bound_is_impossible(play: Play) -> None:
    assert not is_possible(play)


def test_only_a_guess_after_a_win_makes_a_game_go_on_after_it() -> None:
    assert goes_on_after_win(make_play(418, 300), PRICE)
    assert goes_on_after_win(make_play(418, 440), PRICE)
    assert not goes_on_after_win(make_play(300, 418), PRICE)
    assert not goes_on_after_win(make_play(), PRICE)


def test_a_game_whose_price_was_corrected_under_it_stays_won_and_takes_no_guess() -> None:
    play = make_play(418, 300)
    assert state(play, PRICE) is State.WON
    assert take_guess(play, PRICE, Cents(1)) is GuessRefusal.GAME_OVER


@pytest.mark.parametrize("refusal", GuessRefusal)
def test_every_refused_guess_is_explained(refusal: GuessRefusal) -> None:
    assert refusal.message.endswith(".")
