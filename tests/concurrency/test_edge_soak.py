"""The cache for a long time: readers who watch for anything stale, and a flood of queries.

`make test` runs short forms; `make soak` long ones (SOAK_CHANGES, SOAK_QUERIES) that print counts.
"""

import gc
import io
import os
import re
import sys
import tracemalloc
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest
from django.core.handlers.wsgi import WSGIHandler

from answers import operations, publisher
from answers.edge import middleware
from answers.edge.cache import Edge, How
from answers.edge.store import Store
from answers.operations import Correction
from costcodle.days import PuzzleNumber
from costcodle.game.rules import Cents
from tests.conftest import EDGE_CACHE
from tests.factories import make_puzzles
from tests.invariants import assert_consistent
from tests.servers import HTTP, served
from tests.sites import Site

NUMBER = PuzzleNumber(1121)
CHANGES = int(os.environ.get("SOAK_CHANGES", "24"))
QUERIES = int(os.environ.get("SOAK_QUERIES", "3000"))
PATHS = ("/", "/answers/", "/answers/1121", "/answers/feed.xml", "/play/1121", "/sitemap.xml")
PRICE = re.compile(rb"\$([0-9]+)\.([0-9]{2})")
GONE = -1


class Acknowledged:
    """The least that a reader may see from now on: the last change that was acknowledged.

    Prices count the corrections, so a page tells its own age.
    """

    price = 0


def seen(address: str) -> tuple[int, str]:
    """The price on the page, or that it is gone; and what the cache says it did."""
    response = HTTP.request("GET", f"{address}/answers/{NUMBER}")
    how = response.headers["Cache-Status"]
    if response.status == 410:
        return GONE, how
    assert response.status == 200, (response.status, response.data[:200])
    found = PRICE.search(response.data)
    assert found, response.data
    return int(found[1]) * 100 + int(found[2]), how


def read_on(address: str, told: Acknowledged, stop: Event) -> Counter[str]:
    """Read until told to stop; count what was seen, and every stale answer."""
    counts: Counter[str] = Counter()
    last = 0
    while not stop.is_set():
        least = told.price
        price, how = seen(address)
        counts["requests"] += 1
        counts[how] += 1
        if price != GONE:
            counts["stale"] += price < least or price < last
            last = max(last, price)
    return counts


@pytest.mark.guarantee("E1", "E5", "E13")
def test_no_reader_on_either_process_sees_less_than_was_acknowledged(site: Site) -> None:
    site.at("2026-10-16T00:10:00Z")
    make_puzzles(1120, 1122)
    publisher.publish_due()
    told, stop = Acknowledged(), Event()
    with (
        served(site) as one,
        served(site, SITE_ORIGIN="http://127.0.0.1:8000") as two,
        ThreadPoolExecutor(4) as pool,
    ):
        readers = [pool.submit(read_on, address, told, stop) for address in (one, two) * 2]
        try:
            public_changes = write_and_look(told, (one, two))
        finally:
            stop.set()
        counts: Counter[str] = sum((reader.result(timeout=60) for reader in readers), Counter())
    sys.stdout.write(f"soak: {dict(counts)} public changes: {public_changes}\n")
    assert counts["stale"] == 0
    assert counts["costcodle; hit"] > 0
    assert counts["requests"] > public_changes
    assert_consistent()


def write_and_look(told: Acknowledged, addresses: tuple[str, str]) -> int:
    """Change the page again and again; the next request on each process shows each change."""
    for turn in range(CHANGES):
        price = 2000 + turn
        operations.correct(NUMBER, Correction(price=Cents(price)))
        told.price = price
        assert [seen(address)[0] for address in addresses] == [price, price]
        operations.withdraw(NUMBER, "soak")
        assert [seen(address)[0] for address in addresses] == [GONE, GONE]
        operations.reinstate(NUMBER)
        assert [seen(address)[0] for address in addresses] == [price, price]
    return 3 * CHANGES


@pytest.mark.guarantee("E10")
def test_a_flood_of_distinct_queries_and_cookies_leaves_memory_flat(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Through the whole site; not one of them adds an entry, or renders a page again."""
    site.settings.MIDDLEWARE = [EDGE_CACHE, *site.settings.MIDDLEWARE]
    store = Store()
    monkeypatch.setattr(middleware, "EDGE", Edge(store))
    site.at("2026-10-16T00:10:00Z")
    make_puzzles(1120, 1122)
    publisher.publish_due()
    application = WSGIHandler()
    counts: Counter[str] = Counter()
    tracemalloc.start()
    try:
        counts.update(ask(application, turn) for turn in range(QUERIES // 10))
        before, (entries, _) = memory(), store.figures()
        counts.update(ask(application, turn) for turn in range(QUERIES // 10, QUERIES))
        grown = memory() - before
    finally:
        tracemalloc.stop()
    sys.stdout.write(f"flood: {dict(counts)} grown: {grown} bytes\n")
    assert (store.figures()[0], entries) == (len(PATHS), len(PATHS))
    assert counts == {How.STORED: len(PATHS), How.HIT: QUERIES - len(PATHS)}
    assert grown < 500_000


def memory() -> int:
    """Bytes that Python holds now."""
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


def ask(application: WSGIHandler, turn: int) -> str:
    """One GET with a query and a cookie that nobody sent before; what the cache says it did."""
    told: dict[str, str] = {}

    def start(_status: str, headers: list[tuple[str, str]], *_: Any) -> Any:
        told.update(headers)

    environ = {
        "REQUEST_METHOD": "GET", "QUERY_STRING": f"cb={turn}",
        "PATH_INFO": PATHS[turn % len(PATHS)],
        "SERVER_NAME": "127.0.0.1", "SERVER_PORT": "8000", "HTTP_HOST": "127.0.0.1:8000",
        "HTTP_COOKIE": f"visitor={turn}", "SERVER_PROTOCOL": "HTTP/1.1",
        "wsgi.url_scheme": "http", "wsgi.input": io.BytesIO(),
    }  # fmt: skip
    response = application(environ, start)
    b"".join(response)
    response.close()
    return told["Cache-Status"]
