"""A running clock that crosses midnight and 00:10 while pages are asked for without pause."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from answers import publisher
from costcodle import clock
from tests.factories import make_puzzles
from tests.servers import HTTP, served
from tests.sites import Site, with_own_connection

MIDNIGHT = datetime(2026, 10, 16, tzinfo=UTC)
TEN_PAST = MIDNIGHT + timedelta(minutes=10)
LEAD = timedelta(seconds=4)
READERS = 4


def read_across(
    address: str, path: str, moment: datetime, before: bytes, after: bytes
) -> Counter[str]:
    """Ask until well behind the moment; count what a page said that it should not have said."""
    counts: Counter[str] = Counter()
    asked = clock.now()
    while asked < moment + LEAD / 4:
        page = HTTP.request("GET", address + path)
        answered = clock.now()
        counts["requests"] += 1
        counts[page.headers["Cache-Status"]] += 1
        is_new = after in page.data
        assert is_new or before in page.data, page.data
        counts["old page at or after the moment"] += asked >= moment and not is_new
        counts["new page before the moment"] += answered < moment and is_new
        asked = clock.now()
    return counts


@pytest.mark.guarantee("E1", "E3")
@pytest.mark.parametrize(
    ("path", "moment", "before", "after"),
    [
        ("/", MIDNIGHT, b"No. 1121", b"No. 1122"),
        ("/answers/1121", TEN_PAST, b"not", b"on its way"),
    ],
)
def test_no_page_is_early_or_late_when_the_clock_crosses_its_moment_under_load(
    site: Site, path: str, moment: datetime, before: bytes, after: bytes
) -> None:
    """The database of this machine keeps this machine's time, so one offset serves both sides."""
    site.at("2026-10-15T12:00:00Z")
    make_puzzles(1119, 1122)
    publisher.publish_due()
    site.settings.CLOCK_FIXED = None
    del site.environment["CLOCK_FIXED"]
    with served(site, CLOCK_OFFSET="0"):
        pass  # the code is compiled now, so that the next start is quick
    site.settings.CLOCK_OFFSET = (moment - LEAD - clock.now()).total_seconds()
    with (
        served(site, CLOCK_OFFSET=str(site.settings.CLOCK_OFFSET)) as address,
        ThreadPoolExecutor(READERS) as pool,
    ):
        readers = [
            pool.submit(with_own_connection, read_across, address, path, moment, before, after)
            for _ in range(READERS)
        ]
        counts: Counter[str] = sum((reader.result(timeout=60) for reader in readers), Counter())
    assert counts["old page at or after the moment"] == 0
    assert counts["new page before the moment"] == 0
    assert counts["costcodle; hit"] > 0
    assert counts["costcodle; fwd=miss; stored"] > 0
