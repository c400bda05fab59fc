"""The edge cache through the whole site, on both engines."""

import gzip
import re
import threading
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import combinations_with_replacement
from typing import Any

import psycopg
import pytest
from django.contrib.auth import get_user_model
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.cache.backends.redis import RedisCache
from django.db import OperationalError, connection, connections
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.middleware.csrf import get_token
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext

from answers import operations, publisher
from answers.edge import cache, middleware, revision, tier
from answers.edge.cache import Edge, How
from answers.edge.store import Store
from answers.edge.tier import SecondTier
from answers.operations import Correction
from costcodle import bank, http, patience
from costcodle.days import PuzzleNumber
from costcodle.game.rules import Cents
from costcodle.models import SiteState
from tests.conftest import EDGE_CACHE, missing_service
from tests.dumps import dumped, restored
from tests.factories import make_puzzles
from tests.sites import Site, begin_elsewhere, elsewhere

NUMBER = PuzzleNumber(1121)
DUE = "2026-10-16T00:10:00Z"
CACHED = ["/", "/answers/", "/answers/1120", "/answers/1121", "/play/1120", "/about",
          "/api/puzzles/1120/stats", "/api/openapi.json"]  # fmt: skip


@pytest.fixture
def noon(site: Site, monkeypatch: pytest.MonkeyPatch) -> Site:
    """A site with its cache, empty; 1119 and 1120 are published, 1121 is due, 1122 is played."""
    site.settings.MIDDLEWARE = [EDGE_CACHE, *site.settings.MIDDLEWARE]
    monkeypatch.setattr(middleware, "EDGE", Edge(Store()))
    site.at("2026-10-15T12:00:00Z")
    make_puzzles(1119, 1122)
    publisher.publish_due()
    site.at(DUE)
    return site


def get(path: str, **headers: str) -> Any:
    return Client(headers=headers or None).get(path)


def status(response: Any) -> str:
    return str(response["Cache-Status"])


@pytest.mark.guarantee("E9")
@pytest.mark.parametrize("path", CACHED)
def test_a_second_request_is_a_hit_that_differs_in_nothing_but_its_cache_status(
    noon: Site, path: str
) -> None:
    first, second = get(path), get(path)
    assert second.content == first.content
    if first.status_code == 200:
        assert (status(first), status(second)) == (How.STORED, How.HIT)
    assert {**first.headers, "Cache-Status": ""} == {**second.headers, "Cache-Status": ""}
    assert not second.cookies
    assert noon.engine == connection.vendor


@pytest.mark.guarantee("E2")
def test_a_hit_asks_the_database_one_question_and_a_miss_one_more_after_rendering(
    noon: Site,
) -> None:
    client = Client()
    with CaptureQueriesContext(connection) as miss:
        client.get("/answers/1120")
    with CaptureQueriesContext(connection) as hit:
        client.get("/answers/1120")
    reads = ["-- name: read_generation" in query["sql"] for query in miss]
    assert reads[0]
    assert reads[-1]
    assert reads.count(True) == 2
    assert ["-- name: read_generation" in query["sql"] for query in hit] == [True]
    assert noon.engine == connection.vendor


@pytest.mark.guarantee("E1")
def test_every_public_change_shows_on_the_next_request(noon: Site) -> None:
    client = Client()
    seen = [client.get("/answers/1121").status_code]
    client.get("/answers/")
    publisher.publish_due()
    assert b"Item 1121" in client.get("/answers/").content
    seen.append(client.get("/answers/1121").status_code)
    operations.correct(NUMBER, Correction(price=Cents(777)))
    assert b"$7.77" in client.get("/answers/1121").content
    operations.withdraw(NUMBER, "a test")
    seen.append(client.get("/answers/1121").status_code)
    assert b"Item 1121" not in client.get("/answers/").content
    operations.reinstate(NUMBER)
    seen.append(client.get("/answers/1121").status_code)
    assert seen == [404, 200, 410, 200]
    assert noon.engine == connection.vendor


@pytest.mark.guarantee("E1")
def test_a_photo_that_arrives_shows_on_the_board_without_a_publication(noon: Site) -> None:
    client = Client()
    client.get("/")
    assert status(client.get("/")) == How.HIT
    bank.attach_photo(PuzzleNumber(1122), "photos/" + "a" * 32 + ".webp")
    assert b"photos/" + b"a" * 32 in client.get("/").content
    assert noon.engine == connection.vendor


@pytest.mark.guarantee("E3")
def test_a_not_yet_page_of_0009_is_gone_at_0010(site: Site, noon: Site) -> None:
    noon.at("2026-10-16T00:09:59.999Z")
    client = Client()
    assert status(client.get("/answers/1121")) == How.STORED
    assert status(client.get("/answers/1121")) == How.HIT
    noon.at(DUE)
    late = client.get("/answers/1121")
    assert (late.status_code, status(late)) == (404, How.MISS)
    publisher.publish_due()
    page = client.get("/answers/1121")
    assert (page.status_code, status(page)) == (200, How.STORED)
    assert site is noon


@pytest.mark.guarantee("E3")
@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("/", "2026-10-15T23:59:59.999Z", "2026-10-16T00:00:00Z"),
        ("/play/1121", "2026-10-16T00:09:59.999Z", "2026-10-16T00:10:00Z"),
        ("/answers/", "2026-10-16T00:09:59.999Z", "2026-10-16T00:10:00Z"),
        ("/answers/feed.xml", "2026-10-16T00:09:59.999Z", "2026-10-16T00:10:00Z"),
        ("/answers/feed.json", "2026-10-16T00:09:59.999Z", "2026-10-16T00:10:00Z"),
        ("/sitemap.xml", "2026-10-16T00:09:59.999Z", "2026-10-16T00:10:00Z"),
        ("/robots.txt", "2026-10-15T23:59:59.999Z", "2026-10-16T00:00:00Z"),
        ("/about", "2026-10-15T23:59:59.999Z", "2026-10-16T00:00:00Z"),
    ],
)
def test_no_entry_is_served_across_the_moment_that_changes_it(
    noon: Site, path: str, before: str, after: str
) -> None:
    noon.at(before)
    client = Client()
    client.get(path)
    assert status(client.get(path)) == How.HIT
    noon.at(after)
    assert status(client.get(path)) != How.HIT


@pytest.mark.guarantee("E3")
@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("/", "2026-10-15T23:59:59.999Z", "2026-10-16T00:00:00Z"),
        ("/answers/1121", "2026-10-16T00:09:59.999Z", "2026-10-16T00:10:00Z"),
        ("/play/1121", "2026-10-16T00:09:59.999Z", "2026-10-16T00:10:00Z"),
    ],
)
def test_a_render_that_straddles_the_moment_is_served_once_and_not_stored(
    noon: Site, path: str, before: str, after: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    noon.at(before)
    expected = get(path).content
    middleware.EDGE._store.clear()
    render = middleware.EdgeCache._render

    def render_for_long(self: Any, path: str, reading: Any) -> Any:
        rendered = render(self, path, reading)
        noon.at(after)
        return rendered

    with monkeypatch.context() as patched:
        patched.setattr(middleware.EdgeCache, "_render", render_for_long)
        response = get(path)
    assert (status(response), response.content) == (How.MISS, expected)
    assert status(get(path)) != How.HIT


@pytest.mark.guarantee("E6", "E7", "E8")
def test_staff_see_the_public_pages_and_their_own_are_never_stored(noon: Site) -> None:
    public = get("/answers/1120")
    staff = Client()
    staff.force_login(get_user_model().objects.create_superuser("staff"))
    seen = staff.get("/answers/1120")
    assert (seen.content, status(seen)) == (public.content, How.HIT)
    before = middleware.EDGE._store.figures()
    inside = staff.get("/admin/")
    assert inside.status_code == 200
    assert {"private", "no-store"} <= set(inside["Cache-Control"].split(", "))
    assert "Cache-Status" not in inside.headers
    assert middleware.EDGE._store.figures() == before
    assert get("/admin/").status_code == 302
    assert noon.engine == connection.vendor


@pytest.mark.guarantee("E3")
def test_a_deadline_that_passes_ends_an_entry_though_nothing_else_changed(noon: Site) -> None:
    client = Client()
    client.get("/answers/1120")
    noon.at((noon.at(DUE) + timedelta(seconds=299)).isoformat())
    assert status(client.get("/answers/1120")) == How.HIT
    noon.at("2026-10-16T00:15:00Z")
    assert status(client.get("/answers/1120")) == How.STORED


@pytest.mark.guarantee("E13")
def test_a_publication_while_a_page_renders_is_served_and_not_stored(
    noon: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    render = middleware.EdgeCache._render

    def publish_meanwhile(self: Any, path: str, reading: Any) -> Any:
        rendered = render(self, path, reading)
        elsewhere(publisher.publish_due)
        return rendered

    client = Client()
    with monkeypatch.context() as patched:
        patched.setattr(middleware.EdgeCache, "_render", publish_meanwhile)
        assert status(client.get("/answers/")) == How.MISS
    assert b"Item 1121" in client.get("/answers/").content
    assert noon.engine == connection.vendor


POISON = {
    "cookie": "sessionid=canary; csrftoken=canary",
    "authorization": "Bearer canary",
    "x-forwarded-host": "canary.example",
    "x-forwarded-proto": "canary",
    "x-forwarded-for": "203.0.113.9, canary",
    "forwarded": "host=canary.example",
    "x-original-url": "/canary",
    "x-rewrite-url": "/canary",
    "x-http-method-override": "POST",
    "accept-language": "canary",
    "user-agent": "canary",
    "referer": "https://canary.example/",
    "origin": "https://canary.example",
    "x-host": "canary.example",
    "range": "bytes=0-10",
    "if-modified-since": "Thu, 01 Jan 2099 00:00:00 GMT",
    "cache-control": "no-cache",
}


@pytest.mark.guarantee("E6")
@pytest.mark.parametrize("name", POISON)
def test_no_header_reaches_what_is_stored(noon: Site, name: str) -> None:
    clean = get("/answers/1120")
    middleware.EDGE._store.clear()
    poisoned = get("/answers/1120?canary=1", **{name: POISON[name]})
    assert status(poisoned) == How.STORED
    assert poisoned.content == clean.content
    assert b"canary" not in poisoned.content + str(poisoned.headers).encode()
    assert dict(get("/answers/1120").headers) | {"Cache-Status": ""} == dict(clean.headers) | {
        "Cache-Status": ""
    }
    assert noon.engine == connection.vendor


@pytest.mark.guarantee("E8")
def test_a_host_that_is_not_ours_is_passed_on_before_any_look(noon: Site) -> None:
    get("/answers/1120")
    response = get("/answers/1120", host="evil.example")
    assert (response.status_code, status(response)) == (400, How.BYPASS)
    assert noon.engine == connection.vendor


@pytest.mark.guarantee("E10")
def test_queries_hosts_and_odd_paths_add_no_entries(noon: Site) -> None:
    client = Client()
    client.get("/answers/1120")
    before = middleware.EDGE._store.figures()
    for turn in range(200):
        client.get(f"/answers/1120?cb={turn}")
        client.get(f"/answers/{9000 + turn}")
        client.get(f"/nowhere/{turn}")
    assert middleware.EDGE._store.figures() == before
    assert noon.engine == connection.vendor


def row_is_lost(_monkeypatch: pytest.MonkeyPatch) -> None:
    SiteState.objects.all().delete()


def database_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(revision, "_rows", away)


@pytest.mark.guarantee("E4")
@pytest.mark.parametrize("wrong", [row_is_lost, database_is_away])
def test_a_state_that_cannot_be_read_is_a_503_and_never_a_stale_page(
    noon: Site, wrong: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    client = Client()
    client.get("/answers/1120")
    wrong(monkeypatch)
    response = client.get("/answers/1120")
    assert response.status_code == 503
    assert response["Retry-After"] == "30"
    assert response["Cache-Control"] == "private, no-store"
    assert status(response) == How.BYPASS
    assert noon.engine == connection.vendor


@pytest.mark.guarantee("E4")
@pytest.mark.parametrize(
    "row",
    [
        ("x", "0" * 32, 0),
        (-1, "0" * 32, 0),
        (1, "no token", 0),
        (1, None, 0),
        (True, "0" * 32, 0),
    ],
)
def test_a_damaged_value_makes_the_cache_step_aside(
    noon: Site, row: tuple[object, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(revision, "_rows", lambda: [(*row, noon.at(DUE))])
    assert get("/answers/1120").status_code == 503


@pytest.mark.guarantee("E4")
def test_a_dead_connection_is_replaced_once(noon: Site) -> None:
    client = Client()
    client.get("/answers/1120")
    failures = [OperationalError("server closed the connection")]

    def fail_once(execute: Any, *args: Any) -> Any:
        if failures:
            raise failures.pop()
        return execute(*args)

    with connection.execute_wrapper(fail_once):
        assert status(client.get("/answers/1120")) == How.HIT
    assert noon.engine == connection.vendor


@pytest.mark.guarantee("E4")
def test_a_database_that_is_too_slow_is_a_503_at_the_first_limit_it_meets(noon: Site) -> None:
    """On PostgreSQL the statement's own limit; on SQLite a reader waits for nobody."""
    client = Client()
    client.get("/answers/1120")
    patience.limit_connection(connection)
    patience.begin()
    if noon.engine == "sqlite":
        assert client.get("/answers/1120").status_code == 200
        return
    with connection.cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        assert cursor.fetchone() == (f"{patience.STATEMENT_SECONDS:g}s",)
    reads: list[str] = []

    def watch(execute: Any, sql: str, *rest: Any) -> Any:
        reads.append(sql)
        return execute(sql, *rest)

    with psycopg.connect(noon.url) as other, connection.execute_wrapper(watch):
        other.execute("LOCK TABLE site_state IN ACCESS EXCLUSIVE MODE")
        response = client.get("/answers/1120")
    assert (response.status_code, response["Cache-Control"]) == (503, "private, no-store")
    assert len(reads) == 1


@pytest.mark.guarantee("E5")
def test_a_restored_dump_brings_no_old_entry_back(noon: Site) -> None:
    client = Client()
    dump = dumped()
    publisher.publish_due()
    assert b"Item 1121" in client.get("/answers/").content
    restored(dump)
    operations.withdraw(PuzzleNumber(1119), "another history")
    assert SiteState.objects.get().publication_revision == 3
    listed = client.get("/answers/")
    assert status(listed) == How.STORED
    assert b"Item 1121" not in listed.content
    assert b"Item 1119" not in listed.content
    assert noon.engine == connection.vendor


@pytest.mark.guarantee("E9")
def test_head_has_gets_headers_and_no_body(noon: Site) -> None:
    got = get("/answers/1120")
    head = Client().head("/answers/1120")
    assert head.content == b""
    assert {**got.headers, "Cache-Status": ""} == {**head.headers, "Cache-Status": ""}
    assert noon.engine == connection.vendor


@pytest.mark.guarantee("E9")
@pytest.mark.parametrize("form", ["{tag}", "W/{tag}", '"x", {tag}', '"x",W/{tag}', "*"])
def test_a_conditional_request_is_answered_with_a_304(noon: Site, form: str) -> None:
    got = get("/answers/1120")
    response = get("/answers/1120", if_none_match=form.format(tag=got["ETag"]))
    assert (response.status_code, response.content) == (304, b"")
    for name in ("ETag", "Vary", "Cache-Control"):
        assert response[name] == got[name]
    assert get("/answers/1120", if_none_match='"other"').status_code == 200
    assert noon.engine == connection.vendor


@pytest.mark.guarantee("E9")
def test_gzip_is_sent_where_it_is_wanted_and_is_the_same_page(noon: Site) -> None:
    plain = get("/answers/1120")
    coded = get("/answers/1120", accept_encoding="br, gzip;q=0.8")
    assert coded["Content-Encoding"] == "gzip"
    assert gzip.decompress(coded.content) == plain.content
    assert coded["ETag"] != plain["ETag"]
    assert coded["Vary"] == plain["Vary"] == "Accept-Encoding"
    assert int(coded["Content-Length"]) == len(coded.content)
    assert noon.engine == connection.vendor


def test_never_a_date_that_would_let_a_browser_guess(noon: Site) -> None:
    for path in CACHED:
        response = get(path)
        assert not {"Expires", "Last-Modified"} & set(response.headers)
        if response.status_code in (200, 404, 410):
            assert response["Cache-Control"] == "public, max-age=0, must-revalidate"
    assert noon.engine == connection.vendor


@pytest.mark.guarantee("E8")
def test_what_is_not_a_cached_route_passes_untouched(noon: Site) -> None:
    for path in ("/healthz", "/readyz", "/admin/login/", "/nowhere"):
        assert "Cache-Status" not in get(path).headers
    posted = Client().post("/", {"guess": "1"})
    assert status(posted) == How.BYPASS
    assert posted["Cache-Control"] == "private, no-store"
    assert noon.engine == connection.vendor


@pytest.mark.guarantee("E11")
def test_fifty_at_once_on_a_cold_page_render_it_once(
    noon: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    renders: list[str] = []
    render = middleware.EdgeCache._render
    everybody = threading.Barrier(51)

    def counted(self: Any, path: str, reading: Any) -> Any:
        renders.append(path)
        return render(self, path, reading)

    monkeypatch.setattr(middleware.EdgeCache, "_render", counted)

    def ask() -> tuple[int, bytes]:
        everybody.wait(timeout=30)
        try:
            response = get("/answers/1120")
            return response.status_code, response.content
        finally:
            connections.close_all()

    with ThreadPoolExecutor(50) as pool:
        answers = [pool.submit(ask) for _ in range(50)]
        everybody.wait(timeout=30)
        pages = {answer.result(timeout=60) for answer in answers}
    assert len(pages) == 1
    assert len(renders) == 1
    assert noon.engine == connection.vendor


@pytest.mark.guarantee("E11")
def test_a_leader_that_fails_hands_over(noon: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ValueError("broken")

    with monkeypatch.context() as patched:
        patched.setattr(middleware.EdgeCache, "_render", broken)
        with pytest.raises(ValueError, match="broken"):
            get("/answers/1120")
    assert get("/answers/1120").status_code == 200
    assert noon.engine == connection.vendor


def plain(_request: HttpRequest) -> HttpResponse:
    return HttpResponse("plain", headers={"Cache-Control": http.REVALIDATE})


def reads_its_session(request: HttpRequest) -> HttpResponse:
    request.session.get("anything")
    return plain(request)


def needs_a_token(request: HttpRequest) -> HttpResponse:
    get_token(request)
    return plain(request)


def sets_a_cookie(request: HttpRequest) -> HttpResponse:
    response = plain(request)
    response.set_cookie("who", "me")
    return response


def streams(_request: HttpRequest) -> StreamingHttpResponse:
    return StreamingHttpResponse([b"pl", b"ain"], headers={"Cache-Control": http.REVALIDATE})


@pytest.mark.guarantee("E7")
@pytest.mark.parametrize(
    ("view", "how"),
    [
        (plain, How.STORED),
        (reads_its_session, How.MISS),
        (needs_a_token, How.MISS),
        (sets_a_cookie, How.MISS),
        (streams, How.MISS),
    ],
)
def test_a_page_that_was_made_for_one_visitor_is_served_and_not_stored(
    noon: Site, view: Callable[[HttpRequest], HttpResponse], how: How
) -> None:
    """No page of ours is; should one become so, it is at least nobody else's."""
    with_sessions: Any = SessionMiddleware(view)
    cache = middleware.EdgeCache(with_sessions)
    response = cache(RequestFactory().get("/about"))
    assert (status(response), response.getvalue()) == (how, b"plain")
    assert noon.engine == connection.vendor


@pytest.mark.guarantee("E14")
def test_a_miss_reads_from_the_connection_that_told_the_revision(noon: Site) -> None:
    with CaptureQueriesContext(connection) as queries:
        get("/answers/1120")
    assert len(queries) > 2
    assert list(connections) == ["default"]
    assert noon.settings.DATABASE_ROUTERS == []


class Broken:
    """A second tier that is down, slow to say so, or full of rubbish."""

    def __init__(self, found: object) -> None:
        self.found = found
        self.asked = 0

    def get(self, _key: str) -> object:
        self.asked += 1
        if isinstance(self.found, Exception):
            raise self.found
        return self.found

    def set(self, *_args: object, **_options: object) -> None:
        if isinstance(self.found, Exception):
            raise self.found


@pytest.mark.guarantee("E12")
@pytest.mark.parametrize(
    "found",
    [
        ConnectionError("down"),
        TimeoutError("slow"),
        b"rubbish",
        b"{}",
        b'{"status": 200, "headers": [], "bodies": {}, "tags": {}, "deadline": "x"}',
        "text",
        7,
    ],
)
def test_a_broken_second_tier_changes_no_response(
    noon: Site, found: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = get("/answers/1120")
    broken = Broken(found)
    monkeypatch.setattr(tier, "caches", {"edge": broken})
    monkeypatch.setattr(middleware, "EDGE", Edge(Store(), SecondTier()))
    for how in (How.STORED, How.HIT):
        response = get("/answers/1120")
        assert status(response) == how
        assert response.content == expected.content
    get("/answers/1119")
    assert broken.asked == 1
    assert noon.engine == connection.vendor


@pytest.mark.guarantee("E12")
def test_two_processes_share_a_page_through_the_second_tier(
    noon: Site, monkeypatch: pytest.MonkeyPatch, redis_url: str | None
) -> None:
    if redis_url is None:
        missing_service("Redis")
    assert redis_url is not None
    prefix = f"costcodle-test-{uuid.uuid4().hex}"
    shared = RedisCache(
        redis_url, {"KEY_PREFIX": prefix, "OPTIONS": {"serializer": "answers.edge.tier.PlainBytes"}}
    )
    monkeypatch.setattr(tier, "caches", {"edge": shared})
    one, two = (Edge(Store(), SecondTier()) for _ in range(2))
    try:
        monkeypatch.setattr(middleware, "EDGE", one)
        first = get("/answers/1120")
        monkeypatch.setattr(middleware, "EDGE", two)
        second = get("/answers/1120")
        assert (status(first), status(second)) == (How.STORED, How.HIT)
        assert second.content == first.content
        publisher.publish_due()
        assert status(get("/answers/1120")) == How.STORED
    finally:
        client = shared._cache.get_client(write=True)
        for key in client.scan_iter(f"{prefix}*"):
            client.delete(key)
        client.close()
    assert noon.engine == connection.vendor


GAPS = (
    "before the read",
    "between read and render",
    "between render and store",
    "after the store",
)


@pytest.mark.guarantee("E1", "E13")
@pytest.mark.parametrize(
    "commits",
    [*combinations_with_replacement(GAPS, 1), *combinations_with_replacement(GAPS, 2)],
    ids=" and ".join,
)
def test_every_order_of_a_request_and_one_or_two_publishers(
    noon: Site, commits: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Write, step and COMMIT are one transaction, so all that a reader can meet is its COMMIT."""
    prices = iter((101, 102))
    committed: list[int] = [1220]

    def correct() -> None:
        operations.correct(PuzzleNumber(1120), Correction(price=Cents(committed[-1])))

    def come_to(gap: str) -> None:
        for _ in range(commits.count(gap)):
            committed.append(next(prices))
            elsewhere(correct)

    read, render = revision.read, middleware.EdgeCache._render

    def read_first() -> Any:
        reading = read()
        patched.setattr(revision, "read", read)
        come_to(GAPS[1])
        return reading

    def render_then(self: Any, path: str, reading: Any) -> Any:
        rendered = render(self, path, reading)
        come_to(GAPS[2])
        return rendered

    come_to(GAPS[0])
    least = committed[-1]
    client = Client()
    with monkeypatch.context() as patched:
        patched.setattr(revision, "read", read_first)
        patched.setattr(middleware.EdgeCache, "_render", render_then)
        shown = client.get("/answers/1120")
    assert price_on(shown) in committed[committed.index(least) :]
    moved = {GAPS[1], GAPS[2]} & set(commits)
    assert status(shown) == (How.MISS if moved else How.STORED)
    come_to(GAPS[3])
    assert [price_on(client.get("/answers/1120")) for _ in range(2)] == [committed[-1]] * 2
    assert noon.engine == connection.vendor


def price_on(response: Any) -> int:
    found = re.search(rb'class="price"[^$]*\$([0-9]+)\.([0-9]{2})', response.content)
    assert found, response.content
    return int(found[1]) * 100 + int(found[2])


@pytest.mark.guarantee("E11")
def test_a_leader_that_hangs_is_waited_for_no_longer_than_bounded(
    noon: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "LONGEST_WAIT_SECONDS", 0.05)
    is_hanging, go_on = threading.Event(), threading.Event()
    render = middleware.EdgeCache._render

    def hang(self: Any, path: str, reading: Any) -> Any:
        monkeypatch.setattr(middleware.EdgeCache, "_render", render)
        is_hanging.set()
        go_on.wait(timeout=30)
        return render(self, path, reading)

    monkeypatch.setattr(middleware.EdgeCache, "_render", hang)
    leader = begin_elsewhere(lambda: get("/answers/1120").status_code)
    assert is_hanging.wait(timeout=30)
    assert get("/answers/1120").status_code == 200
    go_on.set()
    assert leader.result(timeout=30) == 200
    assert noon.engine == connection.vendor


@pytest.mark.guarantee("E11")
def test_a_leader_whose_worker_is_ended_hands_over(
    noon: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ended(*_: object) -> None:
        raise SystemExit(1)

    with monkeypatch.context() as patched:
        patched.setattr(middleware.EdgeCache, "_render", ended)
        with pytest.raises(SystemExit):
            get("/answers/1120")
    assert get("/answers/1120").status_code == 200
    assert noon.engine == connection.vendor
