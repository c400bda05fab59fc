import re
from collections.abc import Callable
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from costcodle.days import PuzzleNumber
from costcodle.game.board import Mode, Play
from costcodle.game.rules import Cents
from costcodle.game.share import share_in_words, share_text

SESSION = UUID("0f8fad5b-d9cb-469f-a165-70867728950e")
ORIGIN = "https://costcodle.com"
PRICE = Cents(440)
SHARES = (share_text, share_in_words)
MISSES = (999, 350, 500, 100, 441_00, 329)

MISSES_IN_SIGNS = (
    "\N{DOWNWARDS BLACK ARROW}\ufe0f\N{LARGE RED SQUARE}",
    "\N{UPWARDS BLACK ARROW}\ufe0f\N{LARGE YELLOW SQUARE}",
    "\N{DOWNWARDS BLACK ARROW}\ufe0f\N{LARGE YELLOW SQUARE}",
    "\N{UPWARDS BLACK ARROW}\ufe0f\N{LARGE RED SQUARE}",
    "\N{DOWNWARDS BLACK ARROW}\ufe0f\N{LARGE RED SQUARE}",
    "\N{UPWARDS BLACK ARROW}\ufe0f\N{LARGE RED SQUARE}",
)
MISSES_IN_WORDS = (
    "Guess 1: too high, far",
    "Guess 2: too low, near",
    "Guess 3: too high, near",
    "Guess 4: too low, far",
    "Guess 5: too high, far",
    "Guess 6: too low, far",
)


def make_play(*guesses: int, number: int = 1121) -> Play:
    return Play(
        number=PuzzleNumber(number),
        mode=Mode.DAILY,
        session=SESSION,
        guesses=tuple(Cents(guess) for guess in guesses),
    )


def test_a_shared_win_reads_as_the_design_shows_it() -> None:
    assert share_text(make_play(999, 350, 418), PRICE, origin=ORIGIN) == (
        "Costcodle #1121 3/6\n⬇️🟥\n⬆️🟨\n✅\nhttps://costcodle.com"
    )


def test_a_shared_loss_scores_x_in_both_forms() -> None:
    play = make_play(*MISSES)
    signs = share_text(play, PRICE, origin=ORIGIN)
    words = share_in_words(play, PRICE, origin=ORIGIN)
    assert signs.split("\n") == ["Costcodle #1121 X/6", *MISSES_IN_SIGNS, ORIGIN]
    assert words.split("\n") == ["Costcodle #1121 X/6", *MISSES_IN_WORDS, ORIGIN]


@pytest.mark.parametrize("turn", range(1, 7))
def test_a_win_on_each_turn_is_shared_with_its_score_in_both_forms(turn: int) -> None:
    play = make_play(*MISSES[: turn - 1], PRICE)
    heading = f"Costcodle #1121 {turn}/6"
    signs = share_text(play, PRICE, origin=ORIGIN)
    words = share_in_words(play, PRICE, origin=ORIGIN)
    check = "\N{WHITE HEAVY CHECK MARK}"
    assert signs.split("\n") == [heading, *MISSES_IN_SIGNS[: turn - 1], check, ORIGIN]
    won = f"Guess {turn}: won"
    assert words.split("\n") == [heading, *MISSES_IN_WORDS[: turn - 1], won, ORIGIN]


def test_the_signs_are_the_code_points_that_others_read() -> None:
    text = share_text(make_play(999, 350, 418), PRICE, origin=ORIGIN)
    _, far, near, won, _ = text.split("\n")
    assert [hex(ord(char)) for char in far] == ["0x2b07", "0xfe0f", "0x1f7e5"]
    assert [hex(ord(char)) for char in near] == ["0x2b06", "0xfe0f", "0x1f7e8"]
    assert [hex(ord(char)) for char in won] == ["0x2705"]


low_misses = st.integers(1, 1_000)
high_misses = st.integers(4_000, 9_000)


@given(
    number=st.integers(1, 9999),
    price=st.integers(2_000, 3_000).map(Cents),
    misses=st.lists(low_misses | high_misses, min_size=6, max_size=6, unique=True),
    won_with=st.integers(1, 6) | st.none(),
)
def test_every_shared_text_is_found_by_the_readers_in_the_wild(
    number: int, price: Cents, misses: list[int], won_with: int | None
) -> None:
    guesses = [*misses[: won_with - 1], price] if won_with else misses
    for share in SHARES:
        text = share(make_play(*guesses, number=number), price, origin=ORIGIN)
        first, *turns, last = text.split("\n")
        found = re.fullmatch(r"Costcodle #(\d{1,4}) ([1-6X])/6", first)
        assert found is not None
        assert found.groups() == (str(number), str(won_with or "X"))
        assert len(turns) == len(guesses)
        assert last == ORIGIN


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("play", [make_play(), make_play(999), make_play(1, 2, 3, 4, 5)])
def test_a_game_that_is_being_played_is_never_shared(play: Play, share: Callable[..., str]) -> None:
    with pytest.raises(ValueError, match="finished"):
        share(play, PRICE, origin=ORIGIN)


def test_the_form_in_words_has_no_sign_that_must_be_seen() -> None:
    assert share_in_words(make_play(*MISSES), PRICE, origin=ORIGIN).isascii()
