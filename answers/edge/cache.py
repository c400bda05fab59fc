"""The cache itself: look up, render once however many ask, store only what is still true.

It knows no request and no Django response, so it can stand behind a middleware or in front of the
WSGI application. It has no path that writes to the database.
"""

import gzip
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from answers.edge import policy, revision
from answers.edge.policy import Encoding, Kind, Origin
from answers.edge.revision import Reading, UnreadableError
from answers.edge.store import Entry, Store
from answers.edge.tier import SecondTier

logger = logging.getLogger(__name__)

LONGEST_WAIT_SECONDS: Final = 10.0
"""How long a request waits for another's rendering of the same page before it renders itself."""

_LEAST_BYTES_WORTH_A_CODING: Final = 200


class How(StrEnum):
    """What the cache did, as `Cache-Status` says it (RFC 9211)."""

    HIT = "costcodle; hit"
    STORED = "costcodle; fwd=miss; stored"
    MISS = "costcodle; fwd=miss"
    BYPASS = "costcodle; fwd=bypass"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """A complete response as the application made it.

    `may_be_shared` is what its headers cannot tell: that it is complete, and that no session, CSRF
    token or message was used. `is_not_yet` marks the friendly 404 of a scheduled puzzle.
    """

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    may_be_shared: bool
    is_not_yet: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """What to answer: an entry, and how it came about."""

    entry: Entry
    how: How


@dataclass(slots=True)
class _Flight:
    """One rendering under way; `entry` is there once it turned out to be storable."""

    ended: threading.Event = field(default_factory=threading.Event)
    entry: Entry | None = None


class Edge:
    """The cache of one process, before the tier that processes share, if there is one."""

    def __init__(self, store: Store, second: SecondTier | None = None) -> None:
        self._store = store
        self._second = second
        self._flights: dict[str, _Flight] = {}
        self._lock = threading.Lock()

    def serve(
        self,
        origin: Origin,
        reading: Reading,
        kind: Kind,
        path: str,
        render: Callable[[], Rendered],
    ) -> Served:
        """The page at `path` in the state that `reading` saw, or a later one.

        Raises whatever `render` raises; then nothing was stored, and another may render.
        """
        key = policy.key(origin, reading.generation, kind, path, reading.now)
        entry = self._find(key, reading)
        if entry is not None:
            return Served(entry=entry, how=How.HIT)
        flight, is_leader = self._join(key)
        if not is_leader:
            shared = self._wait(flight, reading)
            if shared is not None:
                return Served(entry=shared, how=How.HIT)
            return self._rendered(key, kind, reading, render)
        try:
            served = self._rendered(key, kind, reading, render)
            flight.entry = served.entry if served.how is How.STORED else None
        finally:
            self._leave(key, flight)
        return served

    def _find(self, key: str, reading: Reading) -> Entry | None:
        entry = self._store.get(str(reading.generation), key, reading.now)
        if entry is None and self._second is not None:
            entry = self._second.get(key, reading.now)
            if entry is not None:
                self._store.put(str(reading.generation), key, entry)
        return entry

    def _join(self, key: str) -> tuple[_Flight, bool]:
        with self._lock:
            flight = self._flights.get(key)
            if flight is not None:
                return flight, False
            flight = self._flights[key] = _Flight()
            return flight, True

    def _leave(self, key: str, flight: _Flight) -> None:
        with self._lock:
            self._flights.pop(key, None)
        flight.ended.set()

    def _wait(self, flight: _Flight, reading: Reading) -> Entry | None:
        """What the leader stored, if it did so in bounded time and it still lives."""
        flight.ended.wait(LONGEST_WAIT_SECONDS)
        entry = flight.entry
        return entry if entry is not None and reading.now < entry.deadline else None

    def _rendered(
        self, key: str, kind: Kind, reading: Reading, render: Callable[[], Rendered]
    ) -> Served:
        """Render, and store under the state that was read before, if it is still the state."""
        rendered = render()
        deadline = policy.deadline(kind, reading.now)
        entry = _entry(rendered, deadline)
        if not (
            rendered.may_be_shared
            and policy.is_storable(
                rendered.status, rendered.headers, is_not_yet=rendered.is_not_yet
            )
            and _is_still(reading, deadline)
        ):
            return Served(entry=entry, how=How.MISS)
        self._store.put(str(reading.generation), key, entry)
        if self._second is not None:
            self._second.put(key, entry, reading.now)
        return Served(entry=entry, how=How.STORED)


def _is_still(reading: Reading, deadline: datetime) -> bool:
    """Whether the site is still in the state that was read, and the deadline lies ahead.

    Read only to decide whether to store, never to build a key.
    """
    try:
        present = revision.read()
    except UnreadableError as error:
        logger.warning("a page is not stored: %s", error)
        return False
    return present.generation == reading.generation and present.now < deadline


def _entry(rendered: Rendered, deadline: datetime) -> Entry:
    """Ready bytes: compressed once, tagged once."""
    bodies = {Encoding.IDENTITY: rendered.body}
    if len(rendered.body) >= _LEAST_BYTES_WORTH_A_CODING:
        bodies[Encoding.GZIP] = gzip.compress(rendered.body, mtime=0)
    return Entry(
        status=rendered.status,
        headers=rendered.headers,
        bodies=bodies,
        tags={encoding: policy.etag(rendered.body, encoding) for encoding in bodies},
        deadline=deadline,
    )
