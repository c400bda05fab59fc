"""How long a visitor's request may wait for the database, all of its statements together.

PostgreSQL ends a statement that takes too long, but only while it runs itself. A server that was
stopped (a frozen machine, a paused container) with our connection open answers nothing while its
kernel acknowledges everything, so that neither a statement's nor a connection's time limit ends
the wait. So the wait has an end on this side too. For server processes alone: the night job may
be patient. SQLite has no such limit, but its readers wait for nobody.
"""

import threading
from typing import Any, Final

import psycopg
from django.core.signals import request_started
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from psycopg import errors

from costcodle import clock

STATEMENT_SECONDS: Final = 3.0
"""The longest that the server may work on one statement of a visitor's."""
ANSWER_SECONDS: Final = 4.0
"""The longest wait for one answer: above the server's own limit, which spares the connection."""
REQUEST_SECONDS: Final = 6.0
"""The longest that one request waits for answers, all of them together; connecting has its own
limit (`connect_timeout` in the settings)."""


class _Request(threading.local):
    """What is left of the patience of the request that this thread is answering."""

    left = REQUEST_SECONDS


_request = _Request()


def limit() -> None:
    """Limit every request and every new connection of this process, which serves visitors."""
    request_started.connect(begin)
    connection_created.connect(limit_connection)


def begin(**_: object) -> None:
    """A request begins: nothing of its patience is spent."""
    _request.left = REQUEST_SECONDS


def limit_connection(connection: BaseDatabaseWrapper, **_: object) -> None:
    """Limit the statements of a new connection, on the server and on this side."""
    if connection.vendor != "postgresql":
        return
    _limit_waiting(connection.connection)
    with connection.cursor() as cursor:
        cursor.execute(f"SET statement_timeout = '{STATEMENT_SECONDS:g}s'")


def _limit_waiting(driver: "psycopg.Connection[Any]") -> None:
    """Let every wait of a connection end; one that did ends the connection, as it is in pieces.

    `psycopg.Connection.wait` is what every statement, COMMIT included, waits in. Raises from there
    on what the server itself would raise, `QueryCanceled`, so that nobody tries again at once.
    """
    plainly = driver.wait

    def wait(gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:  # noqa: ANN401 - psycopg's signature
        elapsed = clock.stopwatch()
        least = min(_request.left, ANSWER_SECONDS)
        try:
            return plainly(gen, interval, least if timeout is None else min(timeout, least))
        except errors._WaitTimeout:
            driver.close()
            raise errors.QueryCanceled("the database did not answer in time") from None
        finally:
            _request.left = max(0.0, _request.left - elapsed())

    driver.wait = wait  # type: ignore[method-assign] # the one place all waiting goes through
