"""What a player may type as a guess. Pure. Source: the design's `game.md`.

`1,299.99`, `1.299,99` and `1 299,99` are one price, each as some locale writes it.
"""

import re
from enum import StrEnum
from typing import Final

from costcodle.game.money import dollars
from costcodle.game.rules import LEAST_CENTS, MOST_CENTS, Cents

MOST_CHARACTERS: Final = 20

_ANY_SPACE: Final = str.maketrans(dict.fromkeys("\u00a0\u202f", " "))
_MINUS_SIGN: Final = "\u2212"
_PLAIN: Final = re.compile(r"(?=.)(?P<whole>[0-9]*)(?:[.,](?P<cents>[0-9]{1,2}))?")
_GROUPED: Final = re.compile(
    r"(?P<whole>[1-9][0-9]{0,2}(?P<by>[., ])[0-9]{3}(?:(?P=by)[0-9]{3})*)"
    r"(?:(?!(?P=by))[.,](?P<cents>[0-9]{1,2}))?"
)
_AMBIGUOUS: Final = re.compile(r"[0-9]*\.[0-9]{3}")
_FIGURES: Final = re.compile(r"[0-9., ]*[0-9]")
_LONG_TAIL: Final = re.compile(r"[^.]*\.[0-9]{3,}|[^,]*,[0-9]{4,}|[^,]*\.[^,]*,[0-9]{3,}")


class Refusal(StrEnum):
    """Why a text is no guess."""

    EMPTY = "empty"
    TOO_LONG = "too_long"
    FOREIGN_DIGITS = "foreign_digits"
    SIGN = "sign"
    NOT_A_PRICE = "not_a_price"
    AMBIGUOUS = "ambiguous"
    TOO_MANY_DECIMALS = "too_many_decimals"
    BAD_GROUPING = "bad_grouping"
    OUT_OF_RANGE = "out_of_range"

    @property
    def message(self) -> str:
        """What is wrong and how to mend it, in words for the player."""
        return _MESSAGES[self]


_MESSAGES: Final = {
    Refusal.EMPTY: "Type a price first, for example 9.99.",
    Refusal.TOO_LONG: f"That is too long: use at most {MOST_CHARACTERS} characters.",
    Refusal.FOREIGN_DIGITS: "Only the digits 0 to 9 can be read: type the price with those.",
    Refusal.SIGN: "A price has no plus or minus: leave the sign out.",
    Refusal.NOT_A_PRICE: "That is not a price: type dollars and cents in digits, like 9.99.",
    Refusal.AMBIGUOUS: (
        "A point before three digits can be read in two ways: type 1299 or 1,299 for thousands,"
        " or 1.29 for dollars and cents."
    ),
    Refusal.TOO_MANY_DECIMALS: "A price has at most two decimals: type it like 9.99.",
    Refusal.BAD_GROUPING: (
        "The separators do not fit: group the digits in threes, like 1,299.99, or leave"
        " the grouping out, like 1299.99."
    ),
    Refusal.OUT_OF_RANGE: (
        f"That is out of range: guess from {dollars(LEAST_CENTS)} to {dollars(MOST_CENTS)}."
    ),
}


def parse(text: str) -> Cents | Refusal:
    """The price that a player typed, in cents from $0.01 to $99,999.99, or why it is none.

    A `$` may stand in front or, as in French, German and Swedish, behind. Spaces may surround
    the number and group it, no-break ones too. Never raises, whatever the text.
    """
    if len(text) > MOST_CHARACTERS:
        return Refusal.TOO_LONG
    body = _without_dollar(text.translate(_ANY_SPACE).strip(" \t\r\n"))
    if _AMBIGUOUS.fullmatch(body):
        return Refusal.AMBIGUOUS
    written = _PLAIN.fullmatch(body) or _GROUPED.fullmatch(body)
    return _amount(written["whole"], written["cents"]) if written else _why_not(body)


def _without_dollar(body: str) -> str:
    if body.startswith("$"):
        return body[1:].lstrip(" ")
    return body.removesuffix("$").rstrip(" ")


def _amount(whole: str, cents: str | None) -> Cents | Refusal:
    digits = re.sub(r"[., ]", "", whole)
    amount = int(digits + (cents or "").ljust(2, "0"))
    return Cents(amount) if LEAST_CENTS <= amount <= MOST_CENTS else Refusal.OUT_OF_RANGE


def _why_not(body: str) -> Refusal:
    if not body:
        return Refusal.EMPTY
    if any(char.isdigit() and not char.isascii() for char in body):
        return Refusal.FOREIGN_DIGITS
    if body.startswith(("+", "-", _MINUS_SIGN)):
        return Refusal.SIGN
    if not _FIGURES.fullmatch(body):
        return Refusal.NOT_A_PRICE
    return Refusal.TOO_MANY_DECIMALS if _LONG_TAIL.fullmatch(body) else Refusal.BAD_GROUPING
