"""A database server that is stopped, or stands still, under a site that serves pages."""

import contextlib
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.db import connection
from django.test import Client
from pytest_django import Settings

from answers import publisher
from answers.edge import middleware
from answers.edge.cache import Edge, How
from answers.edge.store import Store
from costcodle import patience
from tests.conftest import EDGE_CACHE
from tests.servers import HTTP, served
from tests.services import Cluster
from tests.sites import Site, point_at

pytestmark = pytest.mark.guarantee("E4")
PAGE = "/answers/1"


@pytest.fixture(params=["postgresql"])
def engine(request: pytest.FixtureRequest) -> str:
    """On SQLite the database is a file: nothing stands still without this process."""
    return str(request.param)


@pytest.fixture
def shop(
    own_site: Cluster, settings: Settings, monkeypatch: pytest.MonkeyPatch, site: Site
) -> Cluster:
    """The cluster under a published page and an empty cache, with little patience."""
    settings.MIDDLEWARE = [EDGE_CACHE, *site.settings.MIDDLEWARE]
    monkeypatch.setattr(middleware, "EDGE", Edge(Store()))
    monkeypatch.setattr(patience, "ANSWER_SECONDS", 0.5)
    point_at(own_site.url)
    publisher.publish_due()
    return own_site


@contextlib.contextmanager
def standing_still(cluster: Cluster) -> Iterator[None]:
    cluster.pause()
    try:
        yield
    finally:
        cluster.resume()


def assert_unavailable(response: Any) -> None:
    status = getattr(response, "status_code", None) or response.status
    assert (status, response.headers["Cache-Control"]) == (503, "private, no-store")
    assert response.headers["Retry-After"] == "30"


def test_a_server_that_is_stopped_is_a_503_and_never_a_page_from_the_cache(shop: Cluster) -> None:
    """Kept, stopped, started again: 200, 503, and the page at once."""
    client = Client()
    assert [client.get(PAGE)["Cache-Status"] for _ in range(2)] == [How.STORED, How.HIT]
    shop.stop()
    away = client.get(PAGE)
    shop.start()
    assert_unavailable(away)
    assert client.get(PAGE).status_code == 200


@pytest.mark.parametrize("number_of_statement", [1, 2, 3, 4])
def test_a_server_that_stands_still_at_any_statement_is_a_503_in_bounded_time(
    shop: Cluster, number_of_statement: int
) -> None:
    """The server's own limits sleep with it: this side ends the wait, and the connection."""
    connection.ensure_connection()
    patience.limit_connection(connection)
    patience.begin()
    seen: list[str] = []

    def pause(execute: Any, sql: str, *rest: Any) -> Any:
        seen.append(sql)
        if len(seen) == number_of_statement:
            shop.pause()
        return execute(sql, *rest)

    try:
        with connection.execute_wrapper(pause):
            response = Client().get(PAGE)
    finally:
        shop.resume()
    assert len(seen) == number_of_statement
    if "read_generation" in seen[-1] and number_of_statement > 1:
        # Rendered by then: it is as old as its first reading, so it is served, and not kept.
        assert (response.status_code, response["Cache-Status"]) == (200, How.MISS)
    else:
        assert_unavailable(response)
    assert Client().get(PAGE)["Cache-Status"] == How.STORED


def test_statements_that_are_slow_together_are_a_503_at_the_requests_limit(
    shop: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience, "REQUEST_SECONDS", 0.5)
    connection.ensure_connection()
    patience.limit_connection(connection)
    patience.begin()

    def slowly(execute: Any, sql: str, *rest: Any) -> Any:
        execute("SELECT pg_sleep(0.3)", *rest[:0], None, *rest[1:])
        return execute(sql, *rest)

    with connection.execute_wrapper(slowly):
        assert_unavailable(Client().get(PAGE))
    patience.begin()
    assert Client().get(PAGE).status_code == 200
    assert shop


def test_a_request_after_another_has_all_its_patience_again(shop: Cluster) -> None:
    connection.ensure_connection()
    patience.limit_connection(connection)
    patience._request.left = 0.0
    with pytest.raises(psycopg.errors.QueryCanceled):
        connection.connection.execute("SELECT pg_sleep(0.3)")
    connection.close()
    patience.begin()
    connection.ensure_connection()
    patience.limit_connection(connection)
    assert connection.cursor().execute("SELECT 1").fetchone() == (1,)
    assert shop


def test_a_server_process_outlives_a_database_that_stands_still(shop: Cluster, site: Site) -> None:
    """Under an open connection, then without one, then awake again; every page was kept before."""
    ours = Site(engine=site.engine, url=shop.url, settings=site.settings, folder=site.folder)
    with served(ours) as address:
        assert HTTP.request("GET", address + PAGE).headers["Cache-Status"] == How.STORED
        with standing_still(shop):
            for _ in range(2):
                assert_unavailable(HTTP.request("GET", address + PAGE))
            assert HTTP.request("GET", f"{address}/healthz").status == 200
            assert HTTP.request("GET", f"{address}/readyz").status == 503
        awake = HTTP.request("GET", address + PAGE)
        assert (awake.status, awake.headers["Cache-Status"]) == (200, How.HIT)
