"""The only reader of time.

One clock decides: the database server's (on SQLite that is the host's). Everything else is handed
`now`. `CLOCK_FIXED` and `CLOCK_OFFSET` replace it in tests and staging.
"""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper


def now() -> datetime:
    """The present instant in UTC, to the microsecond, by the database's clock.

    On PostgreSQL it is `clock_timestamp()`, which moves inside a transaction and a statement.
    Raises `django.db.Error` when the database cannot be asked.
    """
    if settings.CLOCK_FIXED is not None:
        return settings.CLOCK_FIXED
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        return believed(cursor.fetchone()[0])


def believed(told: datetime | str) -> datetime:
    """The instant that the program believes in when the database's clock told `told`.

    For a statement that asks the clock itself, so that one round trip is enough.
    """
    if settings.CLOCK_FIXED is not None:
        return settings.CLOCK_FIXED
    instant = datetime.fromisoformat(told) if isinstance(told, str) else told
    return instant.astimezone(UTC) + timedelta(seconds=settings.CLOCK_OFFSET)


def lend_to_sqlite(connection: BaseDatabaseWrapper, **_: object) -> None:
    """Give a new SQLite connection the host's clock under PostgreSQL's name for it."""
    if connection.vendor == "sqlite":
        connection.connection.create_function(
            "clock_timestamp", 0, lambda: datetime.now(UTC).isoformat()
        )


def stopwatch() -> Callable[[], float]:
    """Start a stopwatch; the result tells the seconds since then, whatever the clock does."""
    started = time.perf_counter()
    return lambda: time.perf_counter() - started


def seconds_until(unix_seconds: float) -> float:
    """The seconds until an instant by this host's own clock, which decides nothing in the game.

    For what a library counts by that clock; negative once it has passed.
    """
    return unix_seconds - time.time()


def pause(seconds: float) -> None:
    """Let `seconds` pass."""
    time.sleep(seconds)
