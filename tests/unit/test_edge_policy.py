"""The policy of the edge cache: pure, so asked by itself."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answers.edge.policy import (
    Encoding,
    Generation,
    Kind,
    Origin,
    deadline,
    etag,
    is_match,
    is_storable,
    key,
    kind_of,
    negotiate,
)

ORIGIN = Origin(environment="test", canonical="https://a.example", build="r1")
STATE = Generation(revision=3, token=UUID(int=7), bank_version=2)
NOON = datetime(2026, 10, 15, 12, tzinfo=UTC)
PUBLIC = ("Cache-Control", "public, max-age=0, must-revalidate")


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", Kind.HOME),
        ("/answers/", Kind.CONTENT),
        ("/answers/1121", Kind.CONTENT),
        ("/answers/page/2", Kind.CONTENT),
        ("/answers/feed.xml", Kind.CONTENT),
        ("/answers/feed.json", Kind.CONTENT),
        ("/sitemap.xml", Kind.CONTENT),
        ("/robots.txt", Kind.CONTENT),
        ("/about", Kind.CONTENT),
        ("/play/1121", Kind.CONTENT),
        ("/api/puzzles/1121/stats", Kind.CONTENT),
        ("/api/openapi.json", Kind.CONTENT),
        ("/answers", None),
        ("/answers/01121", None),
        ("/answers/1121/", None),
        ("/answers/1121\n", None),
        ("/answers/١١٢١", None),
        ("/answers/page/0", None),
        ("/answers/12345678901234567890", None),
        ("//answers/1121", None),
        ("/admin/", None),
        ("/healthz", None),
        ("/readyz", None),
        ("/api/results", None),
        ("/api/play/1121/guess", None),
        ("/media/photos/x.webp", None),
        ("", None),
    ],
)
def test_cached_routes_are_an_allow_list(path: str, kind: Kind | None) -> None:
    assert kind_of(path) is kind


instants = st.datetimes(
    datetime(2023, 9, 21),  # noqa: DTZ001 - Hypothesis adds the zone
    datetime(2040, 1, 1),  # noqa: DTZ001 - the same
    timezones=st.just(UTC),
)
texts = st.text(max_size=12)
states = st.builds(
    Generation,
    revision=st.integers(0, 20),
    token=st.uuids(),
    bank_version=st.integers(0, 20),
)


@given(
    *(st.tuples(texts, texts, texts, texts, states) for _ in range(2)),
)
def test_no_two_lists_of_parts_give_one_key(
    one: tuple[str, str, str, str, Generation], two: tuple[str, str, str, str, Generation]
) -> None:
    keys = [
        key(Origin(environment=a, canonical=b, build=c), state, Kind.CONTENT, path, NOON)
        for a, b, c, path, state in (one, two)
    ]
    assert (keys[0] == keys[1]) == (one == two)


@pytest.mark.parametrize(
    "other",
    [
        key(ORIGIN, STATE, Kind.HOME, "/x", NOON),
        key(ORIGIN, STATE, Kind.CONTENT, "/y", NOON),
        key(ORIGIN, STATE, Kind.CONTENT, "/x", NOON + timedelta(days=1)),
        key(ORIGIN, STATE, Kind.CONTENT, "/x", NOON.replace(hour=0, minute=9)),
    ],
)
def test_day_phase_kind_and_path_are_in_the_key(other: str) -> None:
    assert other != key(ORIGIN, STATE, Kind.CONTENT, "/x", NOON)


@given(now=instants, kind=st.sampled_from(Kind))
def test_no_deadline_lies_behind_a_moment_that_changes_a_page(now: datetime, kind: Kind) -> None:
    until = deadline(kind, now)
    longest = timedelta(seconds=300 if kind is Kind.CONTENT else 60)
    assert now < until <= now + longest
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    moments = [midnight + timedelta(minutes=10), midnight + timedelta(days=1, minutes=10)]
    if kind is Kind.HOME:
        moments.append(midnight + timedelta(days=1))
    assert not any(now < moment < until for moment in moments)


@pytest.mark.parametrize(
    ("kind", "now", "until"),
    [
        (Kind.CONTENT, "2026-10-15T12:00:00", "2026-10-15T12:05:00"),
        (Kind.CONTENT, "2026-10-16T00:09:59.999", "2026-10-16T00:10:00"),
        (Kind.CONTENT, "2026-10-15T23:58:00", "2026-10-16T00:03:00"),
        (Kind.CONTENT, "2026-10-16T00:07:00", "2026-10-16T00:10:00"),
        (Kind.CONTENT, "2026-10-16T00:10:00", "2026-10-16T00:15:00"),
        (Kind.HOME, "2026-10-15T12:00:00", "2026-10-15T12:01:00"),
        (Kind.HOME, "2026-10-15T23:59:59.999", "2026-10-16T00:00:00"),
        (Kind.HOME, "2026-10-16T00:09:30", "2026-10-16T00:10:00"),
    ],
)
def test_deadlines_to_the_millisecond(kind: Kind, now: str, until: str) -> None:
    at, end = (datetime.fromisoformat(text).replace(tzinfo=UTC) for text in (now, until))
    assert deadline(kind, at) == end


@pytest.mark.parametrize(
    ("status", "headers", "is_not_yet", "stored"),
    [
        (200, [PUBLIC], False, True),
        (200, [PUBLIC, ("Vary", "accept-encoding")], False, True),
        (404, [PUBLIC], True, True),
        (404, [PUBLIC], False, False),
        (410, [PUBLIC], False, False),
        (301, [PUBLIC], False, False),
        (500, [PUBLIC], False, False),
        (503, [PUBLIC], True, False),
        (200, [], False, False),
        (200, [PUBLIC, ("sEt-CoOkIe", "a=b")], False, False),
        (200, [PUBLIC, ("Vary", "Accept-Encoding, Cookie")], False, False),
        (200, [PUBLIC, ("vary", "*")], False, False),
        (200, [PUBLIC, ("VARY", "Accept-Language")], False, False),
        (200, [("Cache-Control", "Private, max-age=60")], False, False),
        (200, [PUBLIC, ("cache-control", "NO-STORE")], False, False),
        (200, [("Cache-Control", 'public, No-Cache="Set-Cookie"')], False, False),
        (200, [PUBLIC, ("Content-Security-Policy", "script-src 'Nonce-abc'")], False, False),
        (
            200,
            [PUBLIC, ("Content-Security-Policy-Report-Only", "script-src 'nonce-abc'")],
            False,
            False,
        ),
        (200, [PUBLIC, ("Content-Security-Policy", "default-src 'self'")], False, True),
        (200, [PUBLIC, ("Content-Encoding", "gzip")], False, False),
    ],
)
def test_what_is_never_stored(
    *, status: int, headers: list[tuple[str, str]], is_not_yet: bool, stored: bool
) -> None:
    assert is_storable(status, headers, is_not_yet=is_not_yet) is stored


@pytest.mark.parametrize(
    ("asked", "encoding"),
    [
        (None, Encoding.IDENTITY),
        ("", Encoding.IDENTITY),
        ("gzip", Encoding.GZIP),
        ("GZIP", Encoding.GZIP),
        ("x-gzip", Encoding.GZIP),
        ("br, gzip;q=0.5", Encoding.GZIP),
        ("*", Encoding.GZIP),
        ("*;q=0", Encoding.IDENTITY),
        ("gzip;q=0", Encoding.IDENTITY),
        ("gzip;q=0, *", Encoding.IDENTITY),
        ("gzip;q=0.000", Encoding.IDENTITY),
        ("gzip;q=0.2, identity;q=0.8", Encoding.IDENTITY),
        ("gzip;q=0.8, identity;q=0.2", Encoding.GZIP),
        ("identity, gzip", Encoding.GZIP),
        ("gzip;q=nonsense", Encoding.IDENTITY),
        ("gzip;q=7", Encoding.IDENTITY),
        ("gzip;level=9", Encoding.GZIP),
        ("br", Encoding.IDENTITY),
    ],
)
def test_the_coding_is_what_was_asked_for(asked: str | None, encoding: Encoding) -> None:
    assert negotiate(asked) is encoding


@given(asked=st.text(max_size=60))
def test_no_wish_is_too_odd(asked: str) -> None:
    assert negotiate(asked) in Encoding
    assert is_match(asked, '"a"') in (True, False)


def test_a_tag_tells_bytes_and_codings_apart() -> None:
    tags = {etag(body, encoding) for body in (b"a", b"b") for encoding in Encoding}
    assert len(tags) == 4
    assert is_match(f"W/{etag(b'a', Encoding.GZIP)}", etag(b"a", Encoding.GZIP))
    assert not is_match(etag(b"a", Encoding.GZIP), etag(b"a", Encoding.IDENTITY))
    assert not is_match(None, '"a"')
