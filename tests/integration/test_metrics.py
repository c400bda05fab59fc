"""`/metrics`: what the tables say and what the process counted, for this machine alone."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from prometheus_client.parser import text_string_to_metric_families

from answers import operations, publisher
from answers.edge import middleware
from answers.edge.cache import Edge
from answers.edge.store import Store
from answers.models import JobLease
from costcodle import counters
from costcodle.days import PuzzleNumber
from costcodle.models import SiteState
from costcodle.web import limits, metrics
from tests.conftest import EDGE_CACHE
from tests.factories import make_puzzles, make_result
from tests.sites import Site, point_at

NOWHERE = "postgresql://postgres@127.0.0.1:1/nowhere"
DUE = "2026-10-16T00:10:00Z"


def scraped(**meta: str) -> dict[str, float]:
    """Every sample by its name and labels, as a scraper on this machine reads them."""
    response = Client().get("/metrics", **meta)  # type: ignore[arg-type]
    assert response.status_code == 200
    families = text_string_to_metric_families(response.content.decode())
    return {
        sample.name + "".join(f" {name}={value}" for name, value in sorted(sample.labels.items())):
        sample.value
        for family in families
        for sample in family.samples
    }  # fmt: skip


def reported(number: int, times: int) -> None:
    for slot in range(1, times + 1):
        make_result(number=number, slot=slot)


def test_the_tables_are_read_when_they_are_asked_for(site: Site) -> None:
    site.at(DUE)
    make_puzzles(1119, 1124)
    reported(1120, 3)
    publisher.publish_due()
    operations.withdraw(PuzzleNumber(1119), "a test")
    reported(1122, 2)
    now = site.at("2026-10-16T12:00:00Z")
    JobLease.objects.filter(key="publication:1121").update(expires_at=now + timedelta(minutes=1))
    samples = scraped()
    expected = {
        "costcodle_up": 1,
        "costcodle_items state=published": 2,
        "costcodle_items state=withdrawn": 1,
        "costcodle_items state=failed": 0,
        "costcodle_items_last_outcome outcome=published": 2,
        "costcodle_items_last_outcome outcome=withdrawn": 1,
        "costcodle_publication_log_total kind=create": 3,
        "costcodle_publication_log_total kind=withdraw": 1,
        "costcodle_publication_log_total kind=update": 0,
        "costcodle_publication_revision": 4,
        "costcodle_overdue_answers": 0,
        "costcodle_bank_days_left": 2,
        "costcodle_leases_held": 1,
        "costcodle_results_recorded_total": 5,
    }
    assert {name: samples.get(name) for name in expected} == expected


def test_how_late_pages_came_is_a_histogram_of_the_log(site: Site) -> None:
    make_puzzles(1119, 1121)
    site.at("2026-10-15T00:10:30Z")
    publisher.publish_due()
    site.at("2026-10-16T00:25:00Z")
    publisher.publish_due()
    samples = scraped()
    buckets = {
        bound: samples[f"costcodle_due_to_published_seconds_bucket le={bound}"]
        for bound in ("5.0", "30.0", "900.0", "3600.0", "86400.0", "+Inf")
    }
    late = {"5.0": 0, "30.0": 1, "900.0": 2, "3600.0": 2, "86400.0": 2, "+Inf": 3}
    assert buckets == late
    assert samples["costcodle_due_to_published_seconds_count"] == 3
    assert samples["costcodle_due_to_published_seconds_sum"] == 30 + 900 + 24 * 3600 + 30


def test_overdue_answers_are_counted(site: Site) -> None:
    site.at("2026-10-16T12:00:00Z")
    make_puzzles(1119, 1121)
    assert scraped()["costcodle_overdue_answers"] == 3


@pytest.mark.parametrize("fault", ["away", "row missing"])
def test_without_the_database_the_process_tells_what_it_knows(site: Site, fault: str) -> None:
    site.at(DUE)
    if fault == "away":
        point_at(NOWHERE)
    else:
        SiteState.objects.all().delete()
    samples = scraped()
    assert samples["costcodle_up"] == 0
    assert "costcodle_edge_renders_total" in samples
    assert "costcodle_publication_revision" not in samples


def test_the_number_of_queries_does_not_grow(site: Site) -> None:
    site.at(DUE)
    make_puzzles(1120, 1122)
    with CaptureQueriesContext(connection) as few:
        scraped()
    make_puzzles(900, 1119)
    publisher.publish_due()
    with CaptureQueriesContext(connection) as many:
        scraped()
    assert len(many) == len(few)


def test_what_the_cache_did_is_counted(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.settings.MIDDLEWARE = [EDGE_CACHE, *site.settings.MIDDLEWARE]
    monkeypatch.setattr(middleware, "EDGE", Edge(Store()))
    site.at(DUE)
    make_puzzles(1119, 1122)
    before = scraped()
    for path in ("/about", "/about", "/answers/7"):
        Client().get(path)
    Client().post("/about")
    Client().get("/healthz")
    after = scraped()
    names = ["costcodle_edge_renders_total"]
    names += [f"costcodle_edge_responses_total how={how}" for how in ("hit", "stored", "miss")]
    names += ["costcodle_edge_responses_total how=bypass"]
    assert [after[name] - before.get(name, 0) for name in names] == [2, 1, 1, 1, 1]


def test_refused_requests_are_counted_by_their_limit(site: Site) -> None:
    site.settings.RATE_LIMITS = True
    site.at(DUE)
    name = "costcodle_limited_requests_total limit=results-of-an-address"
    before = scraped().get(name, 0)
    limits._limiter.cache_clear()
    for _ in range(22):
        Client().post("/api/results", {"token": "x"}, content_type="application/json")
    limits._limiter.cache_clear()
    assert scraped()[name] - before == 2


def test_a_count_that_cannot_be_kept_fails_nobody(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(counters.RENDERS, "inc", full)
    site.at(DUE)
    counters.count(counters.RENDERS)


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_it_is_never_stored_and_never_written_to(site: Site) -> None:
    site.at(DUE)
    client = Client()
    head, get = client.head("/metrics"), client.get("/metrics")
    assert head.status_code == 200
    assert (head.content, get["Cache-Control"]) == (b"", "private, no-store")
    assert get["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert "Cache-Status" not in get
    refused = client.post("/metrics")
    assert (refused.status_code, refused["Allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
@pytest.mark.parametrize(("is_open", "status"), [(False, 404), (True, 200)])
def test_who_asks_from_elsewhere_meets_nothing_unless_it_is_open(
    site: Site, *, is_open: bool, status: int
) -> None:
    site.at(DUE)
    site.settings.METRICS_OPEN = is_open
    response: Any = Client().get("/metrics", REMOTE_ADDR="192.0.2.1")
    assert (response.status_code, response["Cache-Control"]) == (status, "private, no-store")
    assert (b"costcodle_up" in response.content) is is_open


@pytest.mark.parametrize(
    ("hops", "meta", "expected"),
    [
        (0, {"REMOTE_ADDR": "127.0.0.1"}, True),
        (0, {"REMOTE_ADDR": "127.9.9.9"}, True),
        (0, {"REMOTE_ADDR": "::1"}, True),
        (0, {"REMOTE_ADDR": "::ffff:127.0.0.1"}, True),
        (0, {"REMOTE_ADDR": "192.0.2.1"}, False),
        (0, {"REMOTE_ADDR": "::ffff:192.0.2.1"}, False),
        (0, {"REMOTE_ADDR": ""}, False),
        (0, {}, False),
        (0, {"REMOTE_ADDR": "127.0.0.1", "HTTP_X_FORWARDED_FOR": "127.0.0.1"}, False),
        (0, {"REMOTE_ADDR": "127.0.0.1", "HTTP_X_FORWARDED_FOR": ""}, False),
        (0, {"REMOTE_ADDR": "127.0.0.1", "HTTP_FORWARDED": "for=127.0.0.1"}, False),
        (0, {"REMOTE_ADDR": "127.0.0.1", "HTTP_X_REAL_IP": "127.0.0.1"}, False),
        (0, {"REMOTE_ADDR": "127.0.0.1", "HTTP_X_FORWARDED_PROTO": "https"}, False),
        (0, {"REMOTE_ADDR": "127.0.0.1", "HTTP_VIA": "1.1 proxy"}, False),
        (1, {"REMOTE_ADDR": "127.0.0.1"}, True),
        (1, {"REMOTE_ADDR": "127.0.0.1", "HTTP_X_FORWARDED_FOR": "127.0.0.1"}, True),
        (1, {"REMOTE_ADDR": "127.0.0.1", "HTTP_X_FORWARDED_FOR": "192.0.2.1"}, False),
        (1, {"REMOTE_ADDR": "127.0.0.1", "HTTP_X_FORWARDED_FOR": "127.0.0.1, 192.0.2.1"}, False),
        (2, {"REMOTE_ADDR": "127.0.0.1", "HTTP_X_FORWARDED_FOR": "127.0.0.1, 192.0.2.1"}, False),
        (1, {"REMOTE_ADDR": "127.0.0.1", "HTTP_X_FORWARDED_FOR": "unknown"}, False),
        (1, {"REMOTE_ADDR": "192.0.2.1", "HTTP_X_FORWARDED_FOR": "127.0.0.1"}, False),
    ],
)
def test_a_request_that_a_proxy_passed_on_is_not_from_here(
    hops: int, meta: dict[str, str], *, expected: bool
) -> None:
    assert metrics.is_local(meta, hops) is expected
