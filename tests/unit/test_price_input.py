import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from costcodle.game.money import dollars
from costcodle.game.price_input import MOST_CHARACTERS, Refusal, parse
from costcodle.game.rules import LEAST_CENTS, MOST_CENTS, Cents

NO_BREAK = "\u00a0"
NARROW_NO_BREAK = "\u202f"
prices = st.integers(LEAST_CENTS, MOST_CENTS)


def spelled(cents: int, *, group: str, decimal: str) -> str:
    dollars, rest = divmod(cents, 100)
    return f"{dollars:,}".replace(",", group) + f"{decimal}{rest:02d}"


SPELLINGS = {
    "en": (",", "."),
    "de": (".", ","),
    "fr": (NARROW_NO_BREAK, ","),
    "fr-older": (NO_BREAK, ","),
    "sv": (NO_BREAK, ","),
    "typed-space": (" ", ","),
    "si": (" ", "."),
    "ungrouped-point": ("", "."),
    "ungrouped-comma": ("", ","),
}


@pytest.mark.parametrize("locale", SPELLINGS)
@given(price=prices)
@example(price=LEAST_CENTS)
@example(price=99_999)
@example(price=100_000)
@example(price=MOST_CENTS)
def test_every_price_is_read_back_from_every_locales_spelling(locale: str, price: int) -> None:
    group, decimal = SPELLINGS[locale]
    text = spelled(price, group=group, decimal=decimal)
    assert parse(text) == price
    for around in (f"${text}", f"$ {text}", f"{text}$", f"{text} $", f"{text}{NO_BREAK}$"):
        assert parse(around) == price
    assert parse(f" {text}{NO_BREAK}") == price


@given(prices)
def test_a_price_as_the_site_writes_it_is_read_back(price: int) -> None:
    assert dollars(Cents(price)) == "$" + spelled(price, group=",", decimal=".")
    assert parse(dollars(Cents(price))) == price


@given(st.integers(1, 99_999), st.sampled_from(["", ",", " ", NO_BREAK, NARROW_NO_BREAK]))
def test_whole_dollars_need_no_decimals(dollars: int, group: str) -> None:
    assert parse(f"{dollars:,}".replace(",", group)) == dollars * 100


@pytest.mark.parametrize(
    ("text", "cents"),
    [
        ("9.99", 999),
        ("9,99", 999),
        ("$9.99", 999),
        ("9", 900),
        (" 9.99 ", 999),
        ("\t9.99\r\n", 999),
        (".99", 99),
        (",99", 99),
        (".9", 90),
        ("9.9", 990),
        ("9,9", 990),
        ("09.99", 999),
        ("0.01", 1),
        ("0,01", 1),
        ("1,299.99", 129_999),
        ("1.299,99", 129_999),
        ("1 299,99", 129_999),
        ("1 299.99", 129_999),
        (f"1{NO_BREAK}299,99", 129_999),
        (f"1{NARROW_NO_BREAK}299,99", 129_999),
        ("1,299", 129_900),
        ("$1,299", 129_900),
        ("1,299.9", 129_990),
        ("12,345", 1_234_500),
        ("9,99 $", 999),
        ("99,999.99", 9_999_999),
        ("99999.99", 9_999_999),
        ("9" + " " * 19, 900),
    ],
)
def test_a_listed_spelling_is_read(text: str, cents: int) -> None:
    assert parse(text) == cents


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("", Refusal.EMPTY),
        ("   ", Refusal.EMPTY),
        ("$", Refusal.EMPTY),
        (f"{NO_BREAK}$ ", Refusal.EMPTY),
        (" " * 21, Refusal.TOO_LONG),
        ("9" * 21, Refusal.TOO_LONG),
        ("9" + " " * 20, Refusal.TOO_LONG),
        ("\uff19.\uff19\uff19", Refusal.FOREIGN_DIGITS),
        ("9.9\uff19", Refusal.FOREIGN_DIGITS),
        ("\u0669\u066b\u0669\u0669", Refusal.FOREIGN_DIGITS),
        ("\u096f", Refusal.FOREIGN_DIGITS),
        ("9\u00b2", Refusal.FOREIGN_DIGITS),
        ("-9.99", Refusal.SIGN),
        ("+9.99", Refusal.SIGN),
        ("\u22129.99", Refusal.SIGN),
        ("$-9.99", Refusal.SIGN),
        ("-$9.99", Refusal.SIGN),
        ("9.99-", Refusal.NOT_A_PRICE),
        ("1e3", Refusal.NOT_A_PRICE),
        ("1E3", Refusal.NOT_A_PRICE),
        ("1e-3", Refusal.NOT_A_PRICE),
        ("0x10", Refusal.NOT_A_PRICE),
        ("0b1", Refusal.NOT_A_PRICE),
        ("1_000", Refusal.NOT_A_PRICE),
        ("Infinity", Refusal.NOT_A_PRICE),
        ("NaN", Refusal.NOT_A_PRICE),
        ("nine", Refusal.NOT_A_PRICE),
        ("\x00", Refusal.NOT_A_PRICE),
        ("9.99\x00", Refusal.NOT_A_PRICE),
        ("9\x00.99", Refusal.NOT_A_PRICE),
        ("\ud800", Refusal.NOT_A_PRICE),
        ("9\n99", Refusal.NOT_A_PRICE),
        ("9.99\x0b", Refusal.NOT_A_PRICE),
        ("\u20ac9.99", Refusal.NOT_A_PRICE),
        ("$$9.99", Refusal.NOT_A_PRICE),
        ("$9.99$", Refusal.NOT_A_PRICE),
        ("9$99", Refusal.NOT_A_PRICE),
        ("\uff0d9", Refusal.NOT_A_PRICE),
        ("1'299.99", Refusal.NOT_A_PRICE),
        (".", Refusal.NOT_A_PRICE),
        (",", Refusal.NOT_A_PRICE),
        ("9.", Refusal.NOT_A_PRICE),
        ("9,", Refusal.NOT_A_PRICE),
        ("1,299.", Refusal.NOT_A_PRICE),
        ("1.299", Refusal.AMBIGUOUS),
        ("$1.299", Refusal.AMBIGUOUS),
        ("12.345 $", Refusal.AMBIGUOUS),
        ("0.999", Refusal.AMBIGUOUS),
        (".999", Refusal.AMBIGUOUS),
        ("9.9999", Refusal.TOO_MANY_DECIMALS),
        ("9,9999", Refusal.TOO_MANY_DECIMALS),
        ("1,299.999", Refusal.TOO_MANY_DECIMALS),
        ("1.299,999", Refusal.TOO_MANY_DECIMALS),
        ("1 299.999", Refusal.TOO_MANY_DECIMALS),
        ("1,29,9.99", Refusal.BAD_GROUPING),
        ("1,29,999", Refusal.BAD_GROUPING),
        ("1,,299", Refusal.BAD_GROUPING),
        ("1  299", Refusal.BAD_GROUPING),
        ("12 99", Refusal.BAD_GROUPING),
        ("9 .99", Refusal.BAD_GROUPING),
        ("1234,567", Refusal.BAD_GROUPING),
        ("1234,567.89", Refusal.BAD_GROUPING),
        ("0,299", Refusal.BAD_GROUPING),
        (",299", Refusal.BAD_GROUPING),
        ("1,299,99", Refusal.BAD_GROUPING),
        ("1.299.99", Refusal.BAD_GROUPING),
        ("1,299.9.9", Refusal.BAD_GROUPING),
        ("1 299,999", Refusal.BAD_GROUPING),
        ("1.299 999,99", Refusal.BAD_GROUPING),
        ("0", Refusal.OUT_OF_RANGE),
        ("0.00", Refusal.OUT_OF_RANGE),
        ("100000", Refusal.OUT_OF_RANGE),
        ("100,000.00", Refusal.OUT_OF_RANGE),
        ("12,345,678", Refusal.OUT_OF_RANGE),
        ("1.299.999", Refusal.OUT_OF_RANGE),
        ("9" * 20, Refusal.OUT_OF_RANGE),
    ],
)
def test_what_is_no_price_is_refused_for_its_own_reason(text: str, refusal: Refusal) -> None:
    assert parse(text) is refusal


@given(st.text(max_size=30) | st.text(alphabet="0123456789., $-+\u00a0\u202f", max_size=21))
@example("\ud800")
def test_any_text_is_a_price_within_bounds_or_a_refusal(text: str) -> None:
    answer = parse(text)
    assert isinstance(answer, Refusal) or LEAST_CENTS <= answer <= MOST_CENTS


@given(st.text(alphabet="0123456789., ", min_size=1, max_size=10))
def test_a_price_that_is_read_has_exactly_the_digits_that_were_typed(text: str) -> None:
    answer = parse(text)
    if isinstance(answer, Refusal):
        return
    tail = re.search(r"[.,]([0-9]{1,2})$", text.strip())
    decimals = len(tail[1]) if tail else 0
    assert answer == int(re.sub(r"[^0-9]", "", text)) * 10 ** (2 - decimals)


@given(st.characters(categories=["Nd"], exclude_characters="0123456789"), prices)
def test_a_digit_of_another_script_is_refused_by_name(digit: str, price: int) -> None:
    assert parse(f"{price // 100}.{digit}") is Refusal.FOREIGN_DIGITS


@given(prices, st.integers(3, 8))
def test_more_than_two_decimals_are_never_rounded(price: int, decimals: int) -> None:
    text = f"{price // 100}.{price % 10**decimals:0{decimals}d}"
    assert parse(text) in {Refusal.AMBIGUOUS, Refusal.TOO_MANY_DECIMALS}


@pytest.mark.parametrize("refusal", Refusal)
def test_every_refusal_says_in_a_sentence_what_to_do(refusal: Refusal) -> None:
    assert re.fullmatch(r"[A-Z].+[:,] .+\.", refusal.message)


def test_the_messages_name_the_limits_that_hold() -> None:
    assert str(MOST_CHARACTERS) in Refusal.TOO_LONG.message
    assert "0 to 9" in Refusal.FOREIGN_DIGITS.message
    assert "from $0.01 to $99,999.99" in Refusal.OUT_OF_RANGE.message


def test_the_spellings_that_a_message_recommends_are_read() -> None:
    for recommended, cents in (("9.99", 999), ("1299", 129_900), ("1,299", 129_900)):
        assert any(recommended in refusal.message for refusal in Refusal)
        assert parse(recommended) == Cents(cents)
