"""The one read: which state the site is in, and when, by the primary database."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from uuid import UUID

from django.db import DatabaseError, InterfaceError, connection

from answers import faults
from answers.edge.policy import Generation
from answers.faults import Fault
from costcodle import clock, statements
from costcodle.statements import Row

_READ = statements.load(Path(__file__).parents[1] / "sql" / "revision.sql", {})["read_generation"]


class UnreadableError(Exception):
    """The state of the site cannot be learned: the cache must step aside."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The state of the site at one instant; both come from one row of the primary."""

    generation: Generation
    now: datetime


def read() -> Reading:
    """Read once; once more, at once, where a connection of before turns out to be dead.

    Raises `UnreadableError` where the database is away, slow or read-only, the row is missing or
    its values are damaged.
    """
    try:
        return _reading(_rows())
    except (DatabaseError, InterfaceError) as error:
        raise UnreadableError(str(error)) from error


def _rows() -> list[Row]:
    was_connected = connection.connection is not None
    try:
        return _READ.run().rows
    except (DatabaseError, InterfaceError) as error:
        if not was_connected or faults.classify(error) is not Fault.AWAY:
            raise
        connection.close()
        return _READ.run().rows


def _reading(rows: list[Row]) -> Reading:
    try:
        ((revision, token, bank_version, instant),) = rows
        generation = Generation(
            revision=_count(revision),
            token=token if isinstance(token, UUID) else UUID(token),
            bank_version=_count(bank_version),
        )
        return Reading(generation=generation, now=clock.believed(instant))
    except (ValueError, TypeError, AttributeError) as error:
        raise UnreadableError(f"site_state is damaged: {error}") from error


def _count(value: object) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"{value!r} is no count")
    return value
