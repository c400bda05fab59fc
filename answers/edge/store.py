"""The first tier: ready bytes in this process, bounded, of the current generation alone."""

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from answers.edge.policy import Encoding

MOST_BYTES: Final = 32 * 1024 * 1024
MOST_ENTRIES: Final = 2048


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A finished response: plain values, immutable under its key, dead at its deadline."""

    status: int
    headers: tuple[tuple[str, str], ...]
    bodies: Mapping[Encoding, bytes]
    tags: Mapping[Encoding, str]
    deadline: datetime

    @property
    def size(self) -> int:
        """About how many bytes it holds."""
        return sum(map(len, self.bodies.values())) + sum(
            len(name) + len(value) for name, value in self.headers
        )


class Store:
    """Entries by key, least recently used first out; a new generation drops what is older."""

    def __init__(self, most_bytes: int = MOST_BYTES, most_entries: int = MOST_ENTRIES) -> None:
        self._most_bytes = most_bytes
        self._most_entries = most_entries
        self._lock = threading.Lock()
        self._entries: OrderedDict[str, Entry] = OrderedDict()
        self._generation = ""
        self._bytes = 0

    def get(self, generation: str, key: str, now: datetime) -> Entry | None:
        """The entry of a key, unless `now` is at or after its deadline."""
        with self._lock:
            if generation != self._generation:
                return None
            entry = self._entries.get(key)
            if entry is None:
                return None
            if now >= entry.deadline:
                self._drop(key)
                return None
            self._entries.move_to_end(key)
            return entry

    def put(self, generation: str, key: str, entry: Entry) -> None:
        """Keep an entry, as far as the bounds allow."""
        with self._lock:
            if generation != self._generation:
                self._entries.clear()
                self._generation, self._bytes = generation, 0
            self._drop(key)
            if entry.size > self._most_bytes:
                return
            self._entries[key] = entry
            self._bytes += entry.size
            while self._bytes > self._most_bytes or len(self._entries) > self._most_entries:
                self._drop(next(iter(self._entries)))

    def clear(self) -> None:
        """Forget everything; for tests, since nothing else ever needs it."""
        with self._lock:
            self._entries.clear()
            self._generation, self._bytes = "", 0

    def figures(self) -> tuple[int, int]:
        """How many entries there are, and their bytes."""
        with self._lock:
            return len(self._entries), self._bytes

    def _drop(self, key: str) -> None:
        entry = self._entries.pop(key, None)
        self._bytes -= entry.size if entry else 0
