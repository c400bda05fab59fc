"""Named points between the steps of a publication, and things that happen at them.

A point is `before NAME` or `after NAME`, where NAME is a statement of a `.sql` file, or `commit of
NAME` for the COMMIT that follows it. `pin_lease` runs twice in a publication; its second run, in
the batch, is called `pin_lease 2`. `begin N` is the BEGIN of the N-th transaction: listing the
items, taking the lease, the claim, the batch, the release. So `before begin 4` lies between the
read and the batch. An action at `after commit of …` must not use the default connection: Django has
not yet told it that the transaction is over.
"""

import contextlib
import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from typing import Any, NoReturn

from django.db import connection, connections
from django.db.models import Model

from answers.models import AnswerPost, JobLease, PublicationItem, PublicationLog
from costcodle.models import Puzzle, SiteState
from results.models import DailyResult
from tests.sites import begin_elsewhere

FIRST_PUBLICATION = (
    "begin 1",
    "commit of list_items",
    "begin 2",
    "take_lease",
    "commit of take_lease",
    "begin 3",
    "pin_lease",
    "claim_open_item",
    "commit of claim_open_item",
    "begin 4",
    "pin_lease 2",
    "pin_item",
    "pin_puzzle",
    "write_page",
    "move_item",
    "raise_revision",
    "append_log",
    "read_page",
    "commit of read_page",
    "begin 5",
    "release_lease",
    "commit of release_lease",
)
"""Every step of one item's first publication, in the order they run."""

BOUNDARIES = tuple(f"{side} {step}" for step in FIRST_PUBLICATION for side in ("before", "after"))

IN_THE_BATCH = FIRST_PUBLICATION[10:19]

Rows = dict[str, list[dict[str, Any]]]


@contextlib.contextmanager
def watching(happen: Callable[[str], None]) -> Iterator[None]:
    """Call `happen(point)` at every point that the default connection passes."""
    runs: Counter[str] = Counter()
    last = "list_items"  # the ORM's, which has no name of its own

    def around(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:  # noqa: FBT001 - Django's signature
        nonlocal last
        if not sql.startswith("-- name: "):
            return execute(sql, params, many, context)
        name = sql.split("\n", 1)[0].removeprefix("-- name: ")
        runs[name] += 1
        last = name if runs[name] == 1 else f"{name} {runs[name]}"
        step = last
        happen(f"before {step}")
        result = execute(sql, params, many, context)
        happen(f"after {step}")
        return result

    set_autocommit, commit = connection.set_autocommit, connection.commit

    def around_begin(autocommit: bool, *args: Any, **options: Any) -> None:  # noqa: FBT001 - Django's signature
        if autocommit:
            set_autocommit(autocommit, *args, **options)
            return
        runs["begin"] += 1
        step = f"begin {runs['begin']}"
        happen(f"before {step}")
        set_autocommit(autocommit, *args, **options)
        happen(f"after {step}")

    def around_commit() -> None:
        step = f"commit of {last}"
        happen(f"before {step}")
        commit()
        happen(f"after {step}")

    with connection.execute_wrapper(around):
        connection.set_autocommit = around_begin  # type: ignore[method-assign]
        connection.commit = around_commit  # type: ignore[method-assign]
        try:
            yield
        finally:
            connection.set_autocommit = set_autocommit  # type: ignore[method-assign]
            connection.commit = commit  # type: ignore[method-assign]


@contextlib.contextmanager
def at(point: str, action: Callable[[], object]) -> Iterator[list[str]]:
    """Do something once, at a named point; the list tells which points were passed.

    Fails when the point was never reached, so that a renamed step cannot empty a test.
    """
    passed: list[str] = []

    def happen(here: str) -> None:
        passed.append(here)
        if here == point and passed.count(here) == 1:
            action()

    with watching(happen):
        yield passed
    assert point in passed, f"{point!r} was not among {passed}"


@contextlib.contextmanager
def before_statement(text: str, *actions: Callable[[], object]) -> Iterator[None]:
    """Do one thing before each of the first statements that hold `text`."""
    waiting = list(actions)

    def around(execute: Any, sql: str, *rest: Any) -> Any:
        if text in sql and waiting:
            waiting.pop(0)()
        return execute(sql, *rest)

    with connection.execute_wrapper(around):
        yield
    assert not waiting, f"no statement held {text!r}"


@contextlib.contextmanager
def in_a_fork(work: Callable[[], object], happen: Callable[[str], None]) -> Iterator[int]:
    """Run `work` in a child process that calls `happen` at each point; its process id.

    Whatever became of the child, and of the test, it is gone afterwards.
    """
    connections.close_all()
    child = os.fork()
    if not child:
        _work_and_exit(work, happen)
    try:
        yield child
    finally:
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def _work_and_exit(work: Callable[[], object], happen: Callable[[str], None]) -> NoReturn:
    status = 1
    try:
        with watching(happen):
            work()
        status = 0
    finally:
        os._exit(status)


def die() -> None:
    """End this process as the kernel would."""
    os.kill(os.getpid(), signal.SIGKILL)


def stop() -> None:
    """Stop this process until somebody continues it."""
    os.kill(os.getpid(), signal.SIGSTOP)


def begin_and_let_block(
    action: Callable[[], Any], is_waiting: Callable[[], bool] | None = None
) -> "Future[Any]":
    """Begin something on a second connection; return once it is done or waits (for a lock)."""
    future = begin_elsewhere(action)
    for _ in range(1000):
        wait([future], timeout=0.01)
        if future.done() or _somebody_waits() or (is_waiting and is_waiting()):
            return future
    raise AssertionError("it neither ended nor waited for a lock")


def _somebody_waits() -> bool:
    if connection.vendor == "sqlite":
        # One writer at a time: whoever else writes, waits.
        return connection.connection is not None and connection.connection.in_transaction
    asking = connections.create_connection("default")
    try:
        with asking.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity"
                " WHERE datname = current_database() AND wait_event_type = 'Lock'"
            )
            return bool(cursor.fetchone()[0])
    finally:
        asking.close()


_TABLES: tuple[type[Model], ...] = (
    JobLease,
    PublicationItem,
    Puzzle,
    AnswerPost,
    SiteState,
    PublicationLog,
    DailyResult,
)


def snapshot() -> Rows:
    """Every row of every table of the protocol."""
    return {
        model._meta.db_table: [dict(row) for row in model._default_manager.order_by("pk").values()]
        for model in _TABLES
    }


def public(rows: Rows) -> Rows:
    """The rows of a snapshot that a visitor could tell apart."""
    return {table: rows[table] for table in ("answer_posts", "site_state", "publication_log")}


def wait_until(happened: Callable[[], bool], seconds: float = 20) -> None:
    """Wait for something another process does; fails when it does not."""
    deadline = time.monotonic() + seconds  # noqa: TID251 - the test's own patience
    while not happened():
        if time.monotonic() > deadline:  # noqa: TID251 - the same
            raise AssertionError("waited in vain")
