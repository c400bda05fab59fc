"""Named SQL from `.sql` files: bound through model fields, and honest about how many rows it met.

Each statement opens with `-- name:`; the comment stays in the text that the database sees, so a
waiting statement can be recognised on the server and a test can act at a named point.
"""

import contextlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import connection, transaction
from django.db.models import Field

Row = tuple[Any, ...]

_HEADER = re.compile(r"^-- name: (?P<name>\w+)\n", re.MULTILINE)
_PARAMETER = re.compile(r"%\((\w+)\)s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one statement did: the rows it changed (or found), and those it returned."""

    count: int
    rows: list[Row]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One statement of a `.sql` file, with the model field that each parameter is bound through."""

    name: str
    sql: str
    fields: Mapping[str, "Field[Any, Any]"]

    def run(self, **values: object) -> Outcome:
        """Execute with exactly the parameters that the text names.

        The cursor is read to its end: an unread one pins an SQLite connection's snapshot.
        Raises `TypeError` for a missing or surplus parameter, `django.db.Error` from the database.
        """
        if values.keys() != self.fields.keys():
            odd = ", ".join(sorted(values.keys() ^ self.fields.keys()))
            raise TypeError(f"{self.name}: parameters missing or too many: {odd}")
        bound = {
            name: field.get_db_prep_value(values[name], connection)
            for name, field in self.fields.items()
        }
        with connection.cursor() as cursor:
            cursor.execute(self.sql, bound)
            if cursor.description is None:
                return Outcome(count=cursor.rowcount, rows=[])
            rows = [tuple(row) for row in cursor.fetchall()]
            return Outcome(count=len(rows), rows=rows)


def load(path: Path, binds: Mapping[str, "Field[Any, Any]"]) -> dict[str, Statement]:
    """The statements of a file by name; `binds` gives the model field of every parameter.

    Raises `KeyError` where a parameter has no field, `ValueError` where a name stands twice.
    """
    parts = _HEADER.split(path.read_text(encoding="utf-8"))[1:]
    statements: dict[str, Statement] = {}
    for name, body in zip(parts[::2], parts[1::2], strict=True):
        if name in statements:
            raise ValueError(f"{path}: {name} stands twice")
        fields = {parameter: binds[parameter] for parameter in _PARAMETER.findall(body)}
        sql = f"-- name: {name}\n{body.strip()}"
        statements[name] = Statement(name=name, sql=sql, fields=fields)
    return statements


@contextlib.contextmanager
def durable_transaction() -> Iterator[None]:
    """One outermost transaction whose COMMIT returns only when it would survive a crash.

    IMMEDIATE on SQLite (by the settings), READ COMMITTED with synchronous commit on PostgreSQL.
    Raises `RuntimeError` inside another transaction.
    """
    with transaction.atomic(durable=True):
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL synchronous_commit = on")
        yield


@contextlib.contextmanager
def snapshot() -> Iterator[None]:
    """One outermost transaction in which every statement reads the same committed state."""
    with transaction.atomic(durable=True):
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield
