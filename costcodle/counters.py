"""What a server process counts while it serves; `/metrics` shows it.

With `PROMETHEUS_MULTIPROC_DIR` (deploy/gunicorn.conf.py sets it) the processes of a server count
into files of that folder, and each of them can tell the sum. Without it a process counts alone.
"""

import contextlib
import os
from typing import Final

from prometheus_client import CollectorRegistry, Counter, disable_created_metrics
from prometheus_client.multiprocess import MultiProcessCollector

disable_created_metrics()  # type: ignore[no-untyped-call]
_REGISTRY: Final = CollectorRegistry()

PAGES: Final = Counter(
    "costcodle_edge_responses",
    "Responses on cached routes by what the edge cache did.",
    ["how"],
    registry=_REGISTRY,
)
RENDERS: Final = Counter(
    "costcodle_edge_renders", "Pages rendered for the edge cache.", registry=_REGISTRY
)
TIER_FAILURES: Final = Counter(
    "costcodle_edge_tier_failures",
    "Failures of the cache's second tier; each leaves it alone for a while.",
    registry=_REGISTRY,
)
LIMITED: Final = Counter(
    "costcodle_limited_requests",
    "Requests refused because of their number, by the limit that they met.",
    ["limit"],
    registry=_REGISTRY,
)
UNCOUNTED: Final = Counter(
    "costcodle_uncounted_requests",
    "Requests that no limit counted because the store was away.",
    registry=_REGISTRY,
)


def count(counter: Counter, *labels: str) -> None:
    """Add one. Never fails whoever counts: a lost count is better than a lost page."""
    with contextlib.suppress(OSError, ValueError):
        (counter.labels(*labels) if labels else counter).inc()


def registry() -> CollectorRegistry:
    """What was counted: by all processes of this server where they share a folder."""
    folder = os.environ.get("PROMETHEUS_MULTIPROC_DIR")
    if not folder:
        return _REGISTRY
    shared = CollectorRegistry()
    MultiProcessCollector(shared, folder)  # type: ignore[no-untyped-call]
    return shared
