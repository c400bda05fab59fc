import re
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from django.core.signing import Signer
from hypothesis import assume, example, given
from hypothesis import strategies as st
from pytest_django import Settings

from costcodle import days
from costcodle.days import PuzzleNumber
from costcodle.game import board, price_input, token
from costcodle.game.board import Mode, Play
from costcodle.game.rules import LEAST_CENTS, MOST_CENTS, MOST_GUESSES, Cents
from costcodle.game.token import TokenRefusal, is_in_time, open_token, seal

SALT = "costcodle.play-token.v1"
SESSION = UUID("0f8fad5b-d9cb-469f-a165-70867728950e")
HEAD = f"1121.daily.{SESSION.hex}"


def make_play(*guesses: int, number: int = 1121, mode: Mode = Mode.DAILY) -> Play:
    return Play(
        number=PuzzleNumber(number),
        mode=mode,
        session=SESSION,
        guesses=tuple(Cents(guess) for guess in guesses),
    )


def signed(content: str) -> str:
    return Signer(salt=SALT).sign(content)


plays = st.builds(
    Play,
    number=st.integers(1, days.LAST_NUMBER).map(PuzzleNumber),
    mode=st.sampled_from(Mode),
    session=st.uuids(),
    guesses=st.lists(
        st.integers(LEAST_CENTS, MOST_CENTS).map(Cents), unique=True, max_size=MOST_GUESSES
    ).map(tuple),
)


@given(plays)
def test_a_sealed_game_opens_as_itself(play: Play) -> None:
    assert open_token(seal(play), number=play.number, mode=play.mode) == play
    assert open_token(seal(play), number=None) == play


@given(plays)
def test_the_same_game_has_one_token_fit_for_a_form_field(play: Play) -> None:
    again = Play(number=play.number, mode=play.mode, session=play.session, guesses=play.guesses)
    assert seal(play) == seal(again)
    assert re.fullmatch(r"[\w.:-]+", seal(play), re.ASCII)


@given(plays, plays)
def test_two_games_never_share_a_token(one: Play, other: Play) -> None:
    assume(one != other)
    assert seal(one) != seal(other)


def test_the_content_of_a_token_is_what_the_player_knows() -> None:
    content, _, _ = seal(make_play(399, 420)).rpartition(":")
    assert content == f"{HEAD}.399.420"


def test_the_longest_token_is_as_short_as_documented() -> None:
    longest = make_play(*range(MOST_CENTS - 5, MOST_CENTS + 1), number=9999, mode=Mode.PRACTICE)
    assert len(seal(longest)) == 138
    assert token.MOST_CHARACTERS > 138


@given(plays, st.data())
def test_a_token_altered_in_any_one_place_is_refused(play: Play, data: st.DataObject) -> None:
    text = seal(play)
    place = data.draw(st.integers(0, len(text) - 1))
    other = data.draw(st.characters())
    assume(other != text[place])
    answer = open_token(text[:place] + other + text[place + 1 :], number=None)
    assert isinstance(answer, TokenRefusal)


@given(plays, st.data())
def test_a_truncated_or_lengthened_token_is_refused(play: Play, data: st.DataObject) -> None:
    text = seal(play)
    end = data.draw(st.integers(0, len(text) - 1))
    for altered in (text[:end], text[end + 1 :], f"{text}=", f"{text} ", f" {text}"):
        assert isinstance(open_token(altered, number=None), TokenRefusal)


@given(
    st.text(max_size=300)
    | st.none()
    | st.integers()
    | st.binary()
    | st.lists(st.text())
    | st.dictionaries(st.text(), st.integers())
)
@example(":")
@example("\ud800:\ud800")
@example("\x00")
def test_whatever_is_no_token_is_refused_without_an_error(text: object) -> None:
    assert open_token(text, number=None) in {TokenRefusal.MALFORMED, TokenRefusal.FOREIGN}


def test_a_token_of_another_puzzle_is_refused() -> None:
    answer = open_token(seal(make_play(399)), number=PuzzleNumber(1120))
    assert answer is TokenRefusal.OTHER_PUZZLE


@pytest.mark.parametrize(
    ("mode", "other"), [(Mode.DAILY, Mode.PRACTICE), (Mode.PRACTICE, Mode.DAILY)]
)
def test_a_token_of_another_mode_is_refused(mode: Mode, other: Mode) -> None:
    answer = open_token(seal(make_play(mode=mode)), number=PuzzleNumber(1121), mode=other)
    assert answer is TokenRefusal.OTHER_MODE


@pytest.mark.parametrize(
    "signer",
    [
        Signer(salt=SALT, key="another key"),
        Signer(salt="another salt"),
        Signer(),
        Signer(salt=SALT, sep="!"),
        Signer(salt=SALT, algorithm="sha512"),
    ],
    ids=["key", "salt", "default-salt", "separator", "algorithm"],
)
def test_what_another_signer_signed_is_foreign(signer: Signer) -> None:
    assert open_token(signer.sign(HEAD), number=None) is TokenRefusal.FOREIGN
    assert open_token(signed(HEAD), number=None) == make_play()


def test_a_token_survives_a_change_of_key_that_keeps_the_old_one_as_a_fallback(
    settings: Settings,
) -> None:
    before = settings.SECRET_KEY
    text = seal(make_play(399))
    settings.SECRET_KEY = f"not {before}"
    settings.SECRET_KEY_FALLBACKS = [before]
    assert open_token(text, number=None) == make_play(399)
    assert seal(make_play(399)) != text
    settings.SECRET_KEY_FALLBACKS = []
    assert open_token(text, number=None) is TokenRefusal.FOREIGN


@pytest.mark.parametrize(
    "content",
    [
        "",
        "1121",
        "1121.daily",
        f"1121.weekly.{SESSION.hex}",
        f"1121.daily.{SESSION.hex.upper()}",
        f"1121.daily.{SESSION}",
        f".daily.{SESSION.hex}",
        f"-1.daily.{SESSION.hex}",
        f"{HEAD}.",
        f"{HEAD}.abc",
        f"{HEAD}.-1",
        f"{HEAD}.3.99e2",
        f"{HEAD}.0399",
        f"{HEAD}.399\n",
        f"{HEAD}.1234567890",
        '{"number": 1121}',
    ],
)
def test_signed_text_of_another_form_is_malformed(content: str) -> None:
    assert open_token(signed(content), number=None) is TokenRefusal.MALFORMED


def test_an_oversized_token_is_malformed_though_signed() -> None:
    text = signed(HEAD + ".1" * 100)
    assert len(text) > token.MOST_CHARACTERS
    assert open_token(text, number=None) is TokenRefusal.MALFORMED


@pytest.mark.parametrize(
    "play",
    [
        make_play(1, 2, 3, 4, 5, 6, 7),
        make_play(399, 420, 399),
        make_play(0),
        make_play(MOST_CENTS + 1),
        make_play(number=0),
        make_play(number=10_000),
    ],
)
def test_a_signed_game_that_breaks_the_rules_is_impossible(play: Play) -> None:
    assert open_token(seal(play), number=None) is TokenRefusal.IMPOSSIBLE


def test_a_finished_game_opens_and_a_continued_one_is_refused() -> None:
    price = Cents(440)
    won, continued = make_play(100, 418), make_play(418, 100)
    assert open_token(seal(won), number=won.number, price=price) == won
    assert open_token(seal(continued), number=won.number, price=price) is TokenRefusal.CONTINUED


def test_a_repeated_request_gets_the_same_next_token() -> None:
    def answer(text: str) -> str:
        play = open_token(text, number=PuzzleNumber(1121))
        assert isinstance(play, Play)
        following = board.take_guess(play, Cents(440), Cents(300))
        assert isinstance(following, Play)
        return seal(following)

    text = seal(make_play(100))
    assert answer(text) == answer(text) == seal(make_play(100, 300))


@pytest.mark.parametrize(
    ("now", "in_time"),
    [
        (datetime(2026, 10, 14, 23, 59, 59, 999_999, tzinfo=UTC), False),
        (datetime(2026, 10, 15, tzinfo=UTC), True),
        (datetime(2026, 10, 16, 0, 9, 59, 999_999, tzinfo=UTC), True),
        (datetime(2026, 10, 16, 0, 10, tzinfo=UTC), False),
    ],
)
def test_a_daily_game_is_in_time_until_ten_past_midnight(now: datetime, *, in_time: bool) -> None:
    assert is_in_time(make_play(), now) is in_time


@given(st.integers(-2000, 2000))
def test_a_practice_game_is_always_in_time(off: int) -> None:
    now = days.due_at(PuzzleNumber(1121)) + timedelta(days=off)
    assert is_in_time(make_play(mode=Mode.PRACTICE), now)


@pytest.mark.parametrize("refusal", TokenRefusal)
def test_every_refused_token_is_explained(refusal: TokenRefusal) -> None:
    assert re.fullmatch(r"This game .+: reload the page.*\.", refusal.message)


def test_no_two_refusals_of_a_guess_share_a_code() -> None:
    codes = [*price_input.Refusal, *board.GuessRefusal, *TokenRefusal]
    assert len({str(code) for code in codes}) == len(codes)
