"""The second tier: finished pages shared by processes and nodes, in Redis or Valkey.

Entries are immutable under their key, so the tiers need no coherence. What is stored is plain
bytes, never a pickled object, and what does not read as an entry is no entry. A store that fails,
or is slow, changes no response.
"""

import base64
import json
import logging
from collections.abc import Callable
from datetime import datetime
from typing import Final

from django.core.cache import caches

from answers.edge.policy import Encoding
from answers.edge.store import Entry
from costcodle import clock, counters

logger = logging.getLogger(__name__)

ALIAS: Final = "edge"
_SECONDS_OFF_AFTER_A_FAILURE: Final = 5.0


class PlainBytes:
    """The serializer of the `edge` cache: bytes go in and come out as they are."""

    def dumps(self, value: bytes) -> bytes:
        """The value itself."""
        return value

    def loads(self, data: bytes) -> bytes:
        """The data itself."""
        return data


class SecondTier:
    """Entries by key in Django's cache `edge`; silent for a while after a failure."""

    def __init__(self) -> None:
        self._since_failure: Callable[[], float] = lambda: _SECONDS_OFF_AFTER_A_FAILURE

    def get(self, key: str, now: datetime) -> Entry | None:
        """The entry of a key, unless `now` is at or after its deadline."""
        if self._is_off():
            return None
        try:
            found = caches[ALIAS].get(key)
            entry = None if found is None else decoded(found)
        except Exception as error:  # noqa: BLE001 - whatever the store or its client raises
            self._failed(error)
            return None
        return entry if entry is not None and now < entry.deadline else None

    def put(self, key: str, entry: Entry, now: datetime) -> None:
        """Keep an entry until its deadline, if the store can."""
        if self._is_off():
            return
        try:
            seconds = max(1, int((entry.deadline - now).total_seconds()))
            caches[ALIAS].set(key, encoded(entry), timeout=seconds)
        except Exception as error:  # noqa: BLE001 - the same
            self._failed(error)

    def _is_off(self) -> bool:
        return self._since_failure() < _SECONDS_OFF_AFTER_A_FAILURE

    def _failed(self, error: Exception) -> None:
        self._since_failure = clock.stopwatch()
        counters.count(counters.TIER_FAILURES)
        logger.warning("the second tier is left alone for a while: %s", type(error).__name__)


def encoded(entry: Entry) -> bytes:
    """An entry as plain bytes."""
    bodies = {name: base64.b85encode(body).decode() for name, body in entry.bodies.items()}
    facts = {
        "status": entry.status,
        "headers": entry.headers,
        "bodies": bodies,
        "tags": dict(entry.tags),
        "deadline": entry.deadline.isoformat(),
    }
    return json.dumps(facts).encode()


def decoded(data: bytes) -> Entry:
    """The entry of such bytes. Raises whatever a reader raises over anything else."""
    facts = json.loads(data)
    bodies = {Encoding(name): base64.b85decode(body) for name, body in facts["bodies"].items()}
    return Entry(
        status=int(facts["status"]),
        headers=tuple((str(name), str(value)) for name, value in facts["headers"]),
        bodies={Encoding.IDENTITY: bodies[Encoding.IDENTITY], **bodies},
        tags={name: str(facts["tags"][name]) for name in bodies},
        deadline=datetime.fromisoformat(facts["deadline"]),
    )
