"""What an error of the database means for the attempt that met it."""

from enum import StrEnum
from typing import Final

from django.db import Error, InterfaceError, OperationalError

from costcodle.contention import is_contention

_AWAY_CLASSES: Final = frozenset(
    {
        "08",  # connection exception
        "25",  # invalid transaction state: a read-only standby, an idle transaction that was ended
        "53",  # insufficient resources: disk full, too many connections
        "57",  # operator intervention: shutdown, crash, still starting
        "58",  # system error: input and output
    }
)
_SQLITE_AWAY: Final = (
    "SQLITE_CANTOPEN",
    "SQLITE_CORRUPT",
    "SQLITE_FULL",
    "SQLITE_IOERR",
    "SQLITE_NOTADB",
    "SQLITE_READONLY",
)


class Fault(StrEnum):
    """Whose fault an error is."""

    CONTENTION = "contention"
    """Two writers met: nothing was written, the same again may work at once."""

    AWAY = "away"
    """The database cannot work now, or this connection to it is lost."""

    ITEM = "item"
    """This item's own: the same again would fail again."""


def classify(error: Exception) -> Fault:
    """Whose fault an error is, by its SQLSTATE or its SQLite code."""
    if not isinstance(error, Error):
        return Fault.ITEM
    if is_contention(error):
        return Fault.CONTENTION
    cause = error.__cause__
    sqlstate = getattr(cause, "sqlstate", None)
    sqlite_name = getattr(cause, "sqlite_errorname", None)
    if str(sqlstate)[:2] in _AWAY_CLASSES or str(sqlite_name).startswith(_SQLITE_AWAY):
        return Fault.AWAY
    has_no_code = sqlstate is None and sqlite_name is None
    if has_no_code and isinstance(error, OperationalError | InterfaceError):
        return Fault.AWAY
    return Fault.ITEM


def describe(error: Exception) -> str:
    """An error as one printable line, which any database can store."""
    lines = str(error).strip().splitlines()
    line = f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
    return "".join(sign if sign.isprintable() else "?" for sign in line)
