"""Bank files: three shapes read whole and checked row by row. Touches no database.

docs/bank.md documents the shapes. A file is taken whole or not at all: every bad row is found, each
with its key and one reason, and one of them is enough for no item to come back.
"""

import csv
import io
import json
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from costcodle.bank_rows import (
    OWN_FIELDS,
    REQUIRED,
    BankItem,
    JsonObject,
    RefusedError,
    check_fields,
    original_item,
    own_item,
    own_json_item,
    refuse,
    shown_key,
)
from costcodle.days import LAST_NUMBER, PuzzleNumber

MOST_BYTES: Final = 20 * 1024 * 1024
WHOLE_FILE: Final = "file"
"""The key of a complaint about no single row."""

_UTF_16_OR_32 = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")


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
                refuse(f"number {item.number} stands twice, first as {keys[item.number]}")
        except RefusedError as refusal:
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
        case JsonObject() as games:
            return ((shown_key(key), partial(original_item, key, row)) for key, row in games)
        case list() as rows:
            return (
                (f"item {place}", partial(own_json_item, row))
                for place, row in enumerate(rows, start=1)
            )
        case _:
            raise _bad_file("is neither an object keyed game-1, game-2, … nor a list of objects")


def _json(text: str) -> object:
    try:
        # Twenty digits are out of every range here, and Python refuses to read thousands of them.
        return json.loads(text, object_pairs_hook=JsonObject, parse_int=lambda raw: int(raw[:20]))
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
            yield f"row {place}", partial(refuse, f"cannot be read: {error}")
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
        check_fields(columns, OWN_FIELDS)
        missing = [column for column in REQUIRED if column not in columns]
        if missing or not {"number", "date"} & set(columns):
            refuse(f"has no column {(missing or ['number or date'])[0]} (commas separate columns)")
    except RefusedError as refusal:
        raise BadBankError([BadRow(key="row 1", reason=str(refusal))]) from None
    return columns


def _csv_item(columns: list[str], row: list[str]) -> BankItem:
    if len(row) != len(columns):
        refuse(f"has {len(row)} fields instead of {len(columns)}")
    return own_item(dict(zip(columns, row, strict=True)))


def _bad_file(reason: str) -> BadBankError:
    return BadBankError([BadRow(key=WHOLE_FILE, reason=reason)])
