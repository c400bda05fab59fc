"""Bank files: three shapes read whole and checked row by row. Touches no database.

docs/bank.md documents the shapes. A file is taken whole or not at all: every bad row is found, each
with its key and one reason, and one of them is enough for no item to come back.
"""

import csv
import io
import json
import re
import stat
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from typing import Final, NewType, NoReturn

from costcodle import days
from costcodle.days import LAST_NUMBER, PuzzleNumber
from costcodle.game.rules import LEAST_CENTS, MOST_CENTS, Cents

BankVersion = NewType("BankVersion", int)
"""Counts the changes of the bank; each row carries the one at which it last changed."""

MOST_BYTES: Final = 20 * 1024 * 1024
WHOLE_FILE: Final = "file"
"""The key of a complaint about no single row."""

_NAME_LENGTH, _SIZE_LENGTH, _SOURCE_LENGTH = 200, 80, 1000
_SHOWN_LENGTH = 40
_REQUIRED = ("name", "size", "price")
_OWN_FIELDS = frozenset({"number", "date", "photo_source", *_REQUIRED})
_ORIGINAL_FIELDS = frozenset({"name", "price", "image"})
_NUMBER = re.compile(r"[1-9][0-9]{0,3}")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_PRICE = re.compile(r"\$?(0|[1-9][0-9]{0,11})\.([0-9]{2})")
_WEB_ADDRESS = re.compile(r"https?://[^\s/]\S*", re.IGNORECASE)
_UTF_16_OR_32 = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
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


@dataclass(frozen=True, slots=True, kw_only=True)
class BadRow:
    """A row that cannot be taken: its key in the file, and why."""

    key: str
    reason: str


class UnusableFileError(Exception):
    """There is no file that could be read."""


class BadBankError(Exception):
    """The file was read, and these rows (or the file as a whole) cannot be taken."""

    def __init__(self, rows: list[BadRow]) -> None:
        """Keep the rows, which are never none."""
        super().__init__(f"{len(rows)} bad rows")
        self.rows = rows


class _RefusedError(Exception):
    """Why one row cannot be taken."""


class _Object(list[tuple[str, object]]):
    """A JSON object as it stands in the file, with the keys that stand twice."""


_Row = tuple[str, Callable[[], BankItem]]


def read_bank(path: Path) -> list[BankItem]:
    """The items of a file, in its order, each number once.

    Raises `UnusableFileError` where no regular file of at most `MOST_BYTES` can be read, and
    `BadBankError` where its content cannot be taken whole.
    """
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise UnusableFileError("is no regular file")
        if found.st_size > MOST_BYTES:
            raise UnusableFileError(f"is larger than {MOST_BYTES // 2**20} MB")
        content = path.read_bytes()
    except OSError as error:
        raise UnusableFileError(f"cannot be read: {error.strerror}") from None
    except ValueError as error:  # a NUL in the name
        raise UnusableFileError(f"cannot be read: {error}") from None
    return parse_bank(content, suffix=path.suffix)


def parse_bank(content: bytes, *, suffix: str = "") -> list[BankItem]:
    """The items in a file's bytes; without a telling suffix the first character tells the shape.

    Raises `BadBankError`.
    """
    text = _decoded(content)
    if not text.strip():
        raise _bad_file("is empty")
    kind = suffix.lower()
    if kind == ".json" or (kind != ".csv" and text.lstrip().startswith(("{", "["))):
        return _taken(_json_rows(text))
    return _taken(_csv_rows(text))


def size_in(name: str) -> str:
    """The size that a name ends in (`Cola, 24 x 12 oz` gives `24 x 12 oz`), or nothing."""
    found = _SIZE_AT_END.search(name)
    size = found[0].rstrip(" ,.(") if found else ""
    if size.count("(") < size.count(")"):
        size = size.rstrip(" )")
    return size if len(size) <= _SIZE_LENGTH else ""


def _decoded(content: bytes) -> str:
    if content.startswith(_UTF_16_OR_32) or b"\0" in content[:4]:
        raise _bad_file("is UTF-16 or UTF-32: save it as UTF-8")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        where = f"byte {content[error.start]:#04x} at offset {error.start}"
        raise _bad_file(f"is not UTF-8: {where}") from None


def _taken(rows: Iterable[_Row]) -> list[BankItem]:
    items: dict[PuzzleNumber, BankItem] = {}
    keys: dict[PuzzleNumber, str] = {}
    bad: list[BadRow] = []
    for count, (key, build) in enumerate(rows):
        if count == LAST_NUMBER:
            bad.append(BadRow(key=WHOLE_FILE, reason=f"holds more than {LAST_NUMBER} items"))
            break
        try:
            item = build()
            if item.number in items:
                _refuse(f"number {item.number} stands twice, first as {keys[item.number]}")
        except _RefusedError as refusal:
            bad.append(BadRow(key=key, reason=str(refusal)))
        else:
            items[item.number], keys[item.number] = item, key
    if bad:
        raise BadBankError(bad)
    if not items:
        raise _bad_file("holds no item")
    return list(items.values())


def _json_rows(text: str) -> Iterator[_Row]:
    match _json(text):
        case _Object() as games:
            return ((_shown_key(key), partial(_original_item, key, row)) for key, row in games)
        case list() as rows:
            return (
                (f"item {place}", partial(_own_json_item, row))
                for place, row in enumerate(rows, start=1)
            )
        case _:
            raise _bad_file("is neither an object keyed game-1, game-2, … nor a list of objects")


def _json(text: str) -> object:
    try:
        # Twenty digits are out of every range here, and Python refuses to read thousands of them.
        return json.loads(text, object_pairs_hook=_Object, parse_int=lambda raw: int(raw[:20]))
    except RecursionError:
        raise _bad_file("is nested too deeply") from None
    except ValueError as error:
        raise _bad_file(f"is no JSON: {error}") from None


def _csv_rows(text: str) -> Iterator[_Row]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    columns: list[str] = []
    place = 0
    while True:
        place += 1
        try:
            row = next(reader, None)
        except csv.Error as error:
            yield f"row {place}", partial(_refuse, f"cannot be read: {error}")
            return
        if row is None:
            return
        if not columns:
            columns = _columns(row)
        elif row:
            yield f"row {place}", partial(_csv_item, columns, row)


def _columns(header: list[str]) -> list[str]:
    columns = [column.strip().lower() for column in header]
    try:
        _check_fields(columns, _OWN_FIELDS)
        missing = [column for column in _REQUIRED if column not in columns]
        if missing or not {"number", "date"} & set(columns):
            _refuse(f"has no column {(missing or ['number or date'])[0]} (commas separate columns)")
    except _RefusedError as refusal:
        raise BadBankError([BadRow(key="row 1", reason=str(refusal))]) from None
    return columns


def _csv_item(columns: list[str], row: list[str]) -> BankItem:
    if len(row) != len(columns):
        _refuse(f"has {len(row)} fields instead of {len(columns)}")
    return _own_item(dict(zip(columns, row, strict=True)))


def _own_json_item(row: object) -> BankItem:
    return _own_item(_fields(row, _OWN_FIELDS))


def _own_item(fields: Mapping[str, object]) -> BankItem:
    return BankItem(
        number=_number(fields),
        name=_name(fields),
        size=_text(fields, "size", _SIZE_LENGTH),
        price=_price(fields),
        photo_source=_source(fields, "photo_source"),
    )


def _original_item(key: str, row: object) -> BankItem:
    number = key.removeprefix("game-")
    if number == key or not _NUMBER.fullmatch(number):
        _refuse(f"is not keyed game-1 to game-{LAST_NUMBER}")
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
    if not isinstance(row, _Object):
        _refuse("is no object")
    _check_fields([field for field, _ in row], known)
    return dict(row)


def _check_fields(fields: list[str], known: frozenset[str]) -> None:
    for field in fields:
        if field not in known:
            _refuse(f"has an unknown field {_shown(field)}")
        if fields.count(field) > 1:
            _refuse(f"has {field} twice")
    if {"number", "date"} <= set(fields):
        _refuse("has both number and date")


def _number(fields: Mapping[str, object]) -> PuzzleNumber:
    if "date" in fields:
        return _number_on(_text(fields, "date", len("2026-10-15")))
    value = fields.get("number")
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        value = int(value)
    if type(value) is not int or not days.is_number(value):
        _refuse(f"number is not a whole number from 1 to {LAST_NUMBER}")
    return PuzzleNumber(value)


def _number_on(written: str) -> PuzzleNumber:
    try:
        day = date.fromisoformat(written if _DATE.fullmatch(written) else "")
    except ValueError:
        _refuse(f"date {_shown(written)} is no date like 2026-10-15")
    number = days.number_on(day)
    if not days.is_number(number):
        _refuse(f"date is not from {days.FIRST_DAY} to {days.day_of(LAST_NUMBER)}")
    return number


def _name(fields: Mapping[str, object]) -> str:
    name = _text(fields, "name", _NAME_LENGTH)
    if not any(character.isalnum() for character in name):
        _refuse("name is blank")
    return name


def _price(fields: Mapping[str, object]) -> Cents:
    written = _text(fields, "price", _SOURCE_LENGTH)
    found = _PRICE.fullmatch(written)
    if found is None:
        _refuse(f"price {_shown(written)} is not dollars with two decimals, like 11.99")
    cents = int(found[1] + found[2])
    if not LEAST_CENTS <= cents <= MOST_CENTS:
        _refuse(f"price {_shown(written)} is not from $0.01 to $99,999.99")
    return Cents(cents)


def _source(fields: Mapping[str, object], column: str) -> str:
    source = _text({column: "", **fields}, column, _SOURCE_LENGTH)
    if source and not _WEB_ADDRESS.fullmatch(source):
        _refuse(f"{column} is no http or https address")
    return source


def _text(fields: Mapping[str, object], column: str, most: int) -> str:
    if column not in fields:
        _refuse(f"has no {column}")
    value = fields[column]
    if not isinstance(value, str):
        _refuse(f"{column} is no text")
    text = value.strip()
    if len(text) > most:
        _refuse(f"{column} is longer than {most} characters")
    for character in text:
        if not _is_printable(character):
            _refuse(f"{column} holds the character U+{ord(character):04X}")
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


def _shown_key(key: str) -> str:
    return key if re.fullmatch(r"[\w.-]{1,40}", key, re.ASCII) else _shown(key)


def _refuse(reason: str) -> NoReturn:
    raise _RefusedError(reason)


def _bad_file(reason: str) -> BadBankError:
    return BadBankError([BadRow(key=WHOLE_FILE, reason=reason)])
