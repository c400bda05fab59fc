"""Whose fault an error of the database is."""

import sqlite3

import psycopg
import pytest
from django.db import (
    DatabaseError,
    DataError,
    Error,
    IntegrityError,
    InterfaceError,
    OperationalError,
)

from answers.faults import Fault, classify, describe


def of_postgresql(error: Error, sqlstate: str) -> Error:
    error.__cause__ = psycopg.errors.lookup(sqlstate)("said the server")
    return error


def of_sqlite(error: Error, name: str) -> Error:
    cause = sqlite3.OperationalError("said the library")
    cause.sqlite_errorname = name
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (of_postgresql(OperationalError(), "40001"), Fault.CONTENTION),
        (of_postgresql(OperationalError(), "40P01"), Fault.CONTENTION),
        (of_postgresql(OperationalError(), "55P03"), Fault.CONTENTION),
        (of_postgresql(OperationalError(), "57014"), Fault.CONTENTION),
        (of_postgresql(OperationalError(), "57P01"), Fault.AWAY),
        (of_postgresql(OperationalError(), "53100"), Fault.AWAY),
        (of_postgresql(OperationalError(), "08006"), Fault.AWAY),
        (of_postgresql(DatabaseError(), "25006"), Fault.AWAY),
        (of_postgresql(DataError(), "22P05"), Fault.ITEM),
        (of_postgresql(IntegrityError(), "23514"), Fault.ITEM),
        (of_sqlite(OperationalError(), "SQLITE_BUSY"), Fault.CONTENTION),
        (of_sqlite(OperationalError(), "SQLITE_BUSY_SNAPSHOT"), Fault.CONTENTION),
        (of_sqlite(OperationalError(), "SQLITE_FULL"), Fault.AWAY),
        (of_sqlite(OperationalError(), "SQLITE_IOERR_WRITE"), Fault.AWAY),
        (of_sqlite(OperationalError(), "SQLITE_READONLY"), Fault.AWAY),
        (of_sqlite(IntegrityError(), "SQLITE_CONSTRAINT_CHECK"), Fault.ITEM),
        (OperationalError("server closed the connection unexpectedly"), Fault.AWAY),
        (InterfaceError("connection already closed"), Fault.AWAY),
        (DatabaseError("something else"), Fault.ITEM),
        (ValueError("not the database's"), Fault.ITEM),
    ],
)
def test_every_kind_of_error_has_one_meaning(error: Exception, fault: Fault) -> None:
    assert classify(error) is fault


def test_an_error_is_described_in_one_line() -> None:
    assert describe(ValueError("first\nsecond")) == "ValueError: first"
    assert describe(ValueError()) == "ValueError"
