"""One row of a bank file: which fields it may have, what each may hold, what it becomes. Pure.

docs/bank.md documents the shapes.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import NewType, NoReturn

from costcodle import days
from costcodle.days import LAST_NUMBER, PuzzleNumber
from costcodle.game.rules import LEAST_CENTS, MOST_CENTS, Cents

BankVersion = NewType("BankVersion", int)
"""Counts the changes of the bank; each row carries the one at which it last changed."""

_NAME_LENGTH, _SIZE_LENGTH, _SOURCE_LENGTH = 200, 80, 1000
_SHOWN_LENGTH = 40
REQUIRED = ("name", "size", "price")
OWN_FIELDS = frozenset({"number", "date", "photo_source", *REQUIRED})
_ORIGINAL_FIELDS = frozenset({"name", "price", "image"})
_NUMBER = re.compile(r"[1-9][0-9]{0,3}")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_PRICE = re.compile(r"\$?(0|[1-9][0-9]{0,11})\.([0-9]{2})")
_WEB_ADDRESS = re.compile(r"https?://[^\s/]\S*", re.IGNORECASE)
_UNSEEN = {"Cc", "Cs", "Zl", "Zp"}
_NOT_IN_XML = "\ufffe\uffff"
_DIRECTIONS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}

_UNIT = (
    r"(?:(?:fl\.?|fluid)\s*)?(?:oz|ounces?)|lbs?|pounds?|kg|g|grams?|ml|l|lt?rs?|lit(?:er|re)s?"
    r"|(?:half\s+)?gal(?:lon)?s?|qts?|quarts?|pts?|pints?|ct|count|pks?|packs?|pcs?|pieces?"
    r"|servings?|sticks?|stick\s+packs|k-cup\s+pods|sheets?|rolls?|loads|skewers|ears?|dozen|boxes|bags|in|ft"
)
_PACKING = (
    r"each|ea|bags?|box(?:es)?|bottles?|bowls?|cans?|case|count|loaves|pack(?:age)?|pieces?|tub"
    r"|steamable|total|net|wt|[lw]|in"
)
_AMOUNT = r"(?:[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?|\.[0-9]+)"
_MEASURE = rf"(?:{_AMOUNT}\s*[x×/+–-]\s*)*{_AMOUNT}[\s,–-]*(?:{_UNIT})\b\.?"  # noqa: RUF001 - as banks write it
_SIZE_AT_END = re.compile(
    rf"(?:^|(?<=[\s,(]))(?:{_MEASURE})(?:{_MEASURE}|\b(?:{_PACKING})\b\.?|[\s,()/x-])*+$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BankItem:
    """One day's item; `photo` is the stored name of a photo that is ready, or nothing."""

    number: PuzzleNumber
    name: str
    size: str
    price: Cents
    photo_source: str = ""
    photo: str = ""


class RefusedError(Exception):
    """Why one row cannot be taken."""


class JsonObject(list[tuple[str, object]]):
    """A JSON object as it stands in the file, with the keys that stand twice."""


def size_in(name: str) -> str:
    """The size that a name ends in (`Cola, 24 x 12 oz` gives `24 x 12 oz`), or nothing."""
    found = _SIZE_AT_END.search(name)
    size = found[0].rstrip(" ,.(") if found else ""
    if size.count("(") < size.count(")"):
        size = size.rstrip(" )")
    return size if len(size) <= _SIZE_LENGTH else ""


def own_json_item(row: object) -> BankItem:
    """The item of a JSON object of our own shape. Raises `RefusedError`."""
    return own_item(_fields(row, OWN_FIELDS))


def own_item(fields: Mapping[str, object]) -> BankItem:
    """The item of fields of our own shape. Raises `RefusedError`."""
    return BankItem(
        number=number_in(fields),
        name=_name(fields),
        size=_text(fields, "size", _SIZE_LENGTH),
        price=_price(fields),
        photo_source=_source(fields, "photo_source"),
    )


def original_item(key: str, row: object) -> BankItem:
    """The item of an entry of the original's bank. Raises `RefusedError`."""
    number = key.removeprefix("game-")
    if number == key or not _NUMBER.fullmatch(number):
        refuse(f"is not keyed game-1 to game-{LAST_NUMBER}")
    fields = _fields(row, _ORIGINAL_FIELDS)
    name = _name(fields)
    return BankItem(
        number=PuzzleNumber(int(number)),
        name=name,
        size=size_in(name),
        price=_price(fields),
        photo_source=_source(fields, "image"),
    )


def _fields(row: object, known: frozenset[str]) -> dict[str, object]:
    if not isinstance(row, JsonObject):
        refuse("is no object")
    check_fields([field for field, _ in row], known)
    return dict(row)


def check_fields(fields: list[str], known: frozenset[str]) -> None:
    """Refuse fields that are unknown, stand twice or exclude each other."""
    for field in fields:
        if field not in known:
            refuse(f"has an unknown field {_shown(field)}")
        if fields.count(field) > 1:
            refuse(f"has {field} twice")
    if {"number", "date"} <= set(fields):
        refuse("has both number and date")


def number_in(fields: Mapping[str, object]) -> PuzzleNumber:
    """The puzzle number that `number` or `date` among the fields tells. Raises `RefusedError`."""
    if "date" in fields:
        return _number_on(_text(fields, "date", len("2026-10-15")))
    value = fields.get("number")
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        value = int(value)
    if type(value) is not int or not days.is_number(value):
        refuse(f"number is not a whole number from 1 to {LAST_NUMBER}")
    return PuzzleNumber(value)


def _number_on(written: str) -> PuzzleNumber:
    try:
        day = date.fromisoformat(written if _DATE.fullmatch(written) else "")
    except ValueError:
        refuse(f"date {_shown(written)} is no date like 2026-10-15")
    number = days.number_on(day)
    if not days.is_number(number):
        refuse(f"date is not from {days.FIRST_DAY} to {days.day_of(LAST_NUMBER)}")
    return number


def _name(fields: Mapping[str, object]) -> str:
    name = _text(fields, "name", _NAME_LENGTH)
    if not any(character.isalnum() for character in name):
        refuse("name is blank")
    return name


def _price(fields: Mapping[str, object]) -> Cents:
    written = _text(fields, "price", _SOURCE_LENGTH)
    found = _PRICE.fullmatch(written)
    if found is None:
        refuse(f"price {_shown(written)} is not dollars with two decimals, like 11.99")
    cents = int(found[1] + found[2])
    if not LEAST_CENTS <= cents <= MOST_CENTS:
        refuse(f"price {_shown(written)} is not from $0.01 to $99,999.99")
    return Cents(cents)


def _source(fields: Mapping[str, object], column: str) -> str:
    source = _text({column: "", **fields}, column, _SOURCE_LENGTH)
    if source and not _WEB_ADDRESS.fullmatch(source):
        refuse(f"{column} is no http or https address")
    return source


def _text(fields: Mapping[str, object], column: str, most: int) -> str:
    if column not in fields:
        refuse(f"has no {column}")
    value = fields[column]
    if not isinstance(value, str):
        refuse(f"{column} is no text")
    text = value.strip()
    if len(text) > most:
        refuse(f"{column} is longer than {most} characters")
    for character in text:
        if not _is_printable(character):
            refuse(f"{column} holds the character U+{ord(character):04X}")
    return text


def _is_printable(character: str) -> bool:
    """Whether page, feed and log can hold it: no control, no override, nothing XML forbids."""
    return not (
        unicodedata.category(character) in _UNSEEN
        or unicodedata.bidirectional(character) in _DIRECTIONS
        or character in _NOT_IN_XML
    )


def _shown(text: str) -> str:
    return repr(text if len(text) <= _SHOWN_LENGTH else text[:_SHOWN_LENGTH] + "…")


def shown_key(key: str) -> str:
    """A row's key, fit to be printed."""
    return key if re.fullmatch(r"[\w.-]{1,40}", key, re.ASCII) else _shown(key)


def refuse(reason: str) -> NoReturn:
    """Raise `RefusedError`."""
    raise RefusedError(reason)
