import logging
import uuid
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from django.test import Client

from costcodle import clock
from costcodle.web import limits
from tests.conftest import missing_service
from tests.factories import make_puzzle
from tests.games import Form, error_code, post, sealed
from tests.sites import Site

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Response

LOCMEM = f"{LocMemCache.__module__}.LocMemCache"
REDIS = f"{RedisCache.__module__}.RedisCache"


@pytest.fixture(params=["in process", "redis"])
def limited(site: Site, request: pytest.FixtureRequest) -> Iterator[Site]:
    """A site with limits, whose counters nobody else uses."""
    make_puzzle(number=1121, price_cents=949)
    site.at("2026-10-15T12:00:00Z")
    site.settings.RATE_LIMITS = True
    cache = {"BACKEND": LOCMEM}
    if request.param == "redis":
        url = request.getfixturevalue("redis_url")
        if url is None:
            missing_service("Redis")
        cache = {"BACKEND": REDIS, "LOCATION": url, "KEY_PREFIX": f"test:{uuid.uuid4()}"}
    site.settings.CACHES = {"default": cache}
    limits._limiter.cache_clear()
    yield site
    limits._limiter.cache_clear()


def guess(*, session: str, address: str = "192.0.2.1", forwarded: str = "") -> "Response":
    body = {"guess": "8", "token": None, "session": session}
    extra = {"REMOTE_ADDR": address}
    if forwarded:
        extra["HTTP_X_FORWARDED_FOR"] = forwarded
    return Client().post(
        "/api/play/1121/guess",
        data=body,
        content_type="application/json",
        **extra,  # type: ignore[arg-type]
    )


def statuses(times: int, *, address: str = "192.0.2.1", forwarded: str = "") -> list[int]:
    """What so many guesses of as many sessions are answered."""
    return [
        guess(session=str(uuid.uuid4()), address=address, forwarded=forwarded).status_code
        for _ in range(times)
    ]


@pytest.mark.usefixtures("limited")
def test_a_session_may_guess_thirty_times_a_minute_from_wherever() -> None:
    session = str(uuid.uuid4())
    allowed = [guess(session=session, address=f"192.0.2.{n}").status_code for n in range(30)]
    assert allowed == [200] * 30
    refused = guess(session=session, address="192.0.2.99")
    assert (refused.status_code, error_code(refused)) == (429, "too_many_requests")
    assert 1 <= int(refused["Retry-After"]) <= 60
    assert refused["Cache-Control"] == "private, no-store"
    assert guess(session=str(uuid.uuid4()), address="192.0.2.99").status_code == 200


@pytest.mark.usefixtures("limited")
def test_an_address_may_guess_a_hundred_and_twenty_times_a_minute() -> None:
    assert statuses(121) == [200] * 120 + [429]
    assert statuses(1, address="192.0.2.2") == [200]


@pytest.mark.usefixtures("limited")
def test_an_address_may_report_twenty_times_a_minute() -> None:
    answers = [post("/api/results", {"token": sealed(949)}) for _ in range(21)]
    assert [answer.status_code for answer in answers] == [201] * 20 + [429]
    assert error_code(answers[-1]) == "too_many_requests"
    assert set(answers[-1].json()) == {"error"}
    assert "Retry-After" in answers[-1]


@pytest.mark.usefixtures("limited")
def test_the_plain_form_is_counted_with_the_api(monkeypatch: pytest.MonkeyPatch) -> None:
    form = Form()
    form.guess("1")
    for _ in range(29):
        assert form.send("2").status_code == 200
    refused = form.send("2")
    assert (refused.status_code, refused["Cache-Control"]) == (429, "private, no-store")
    assert 1 <= int(refused["Retry-After"]) <= 60
    assert "One cart at a time" in refused.content.decode()
    monkeypatch.setattr(limits, "refusal_of_session", lambda _session: None)
    while (refused := form.send("2")).status_code == 200:
        pass
    assert refused.status_code == 429


def test_the_wait_is_at_least_a_second(limited: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    limited.at("2026-10-15T12:00:00Z")
    monkeypatch.setattr(clock, "seconds_until", lambda _unix_seconds: -5.0)
    session = str(uuid.uuid4())
    for _ in range(30):
        guess(session=session)
    assert guess(session=session)["Retry-After"] == "1"


def test_limits_can_be_switched_off(limited: Site) -> None:
    limited.settings.RATE_LIMITS = False
    session = str(uuid.uuid4())
    assert {guess(session=session).status_code for _ in range(130)} == {200}


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_a_store_that_is_away_limits_nobody_and_is_logged(
    site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    make_puzzle(number=1121, price_cents=949)
    site.at("2026-10-15T12:00:00Z")
    site.settings.RATE_LIMITS = True
    nowhere = {"BACKEND": REDIS, "LOCATION": "redis://127.0.0.1:1/0", "KEY_PREFIX": "test"}
    site.settings.CACHES = {"default": nowhere}
    with caplog.at_level(logging.WARNING, logger="costcodle.web.limits"):
        assert statuses(1) == [200]
    assert "requests are not counted now" in caplog.text
    assert "192.0.2.1" not in caplog.text


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_no_counter_holds_an_address_in_clear(site: Site) -> None:
    make_puzzle(number=1121, price_cents=949)
    site.at("2026-10-15T12:00:00Z")
    site.settings.RATE_LIMITS = True
    limits._limiter.cache_clear()
    session = uuid.uuid4()
    guess(session=str(session))
    counted = limits._limiter("memory://").storage.storage  # type: ignore[attr-defined]
    assert len(counted) == 2
    for key in counted:
        assert "192.0.2" not in key
        assert session.hex not in key.replace("-", "")
    limits._limiter.cache_clear()


@pytest.mark.usefixtures("limited")
def test_what_a_client_writes_about_its_address_is_not_believed(limited: Site) -> None:
    limited.settings.TRUSTED_PROXY_HOPS = 1
    lies = [
        statuses(1, address="10.0.0.1", forwarded=f"203.0.113.{n}, 198.51.100.7")[0]
        for n in range(121)
    ]
    assert lies == [200] * 120 + [429]
    assert statuses(1, address="10.0.0.1", forwarded="198.51.100.7, 198.51.100.8") == [200]


@pytest.mark.parametrize(
    ("hops", "forwarded", "remote", "expected"),
    [
        (0, "", "192.0.2.1", "192.0.2.1"),
        (0, "203.0.113.1", "192.0.2.1", "192.0.2.1"),
        (1, "203.0.113.1", "10.0.0.1", "203.0.113.1"),
        (1, "1.1.1.1,203.0.113.1", "10.0.0.1", "203.0.113.1"),
        (2, "1.1.1.1, 203.0.113.1 , 10.0.0.2", "10.0.0.1", "203.0.113.1"),
        (2, "203.0.113.1", "10.0.0.1", "203.0.113.1"),
        (1, "", "10.0.0.1", "10.0.0.1"),
        (1, "unknown", "10.0.0.1", "10.0.0.1"),
        (0, "", "", None),
        (0, "", "unix:", None),
        (0, "", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        (0, "", "2001:db8:1:2::9", "2001:db8:1:2::/64"),
        (0, "", "::ffff:192.0.2.1", "192.0.2.1"),
        (0, "", "fe80::1%eth0", "fe80::/64"),
    ],
)
def test_the_address_is_the_one_that_the_outermost_trusted_proxy_saw(
    hops: int, forwarded: str, remote: str, expected: str | None
) -> None:
    meta = {"HTTP_X_FORWARDED_FOR": forwarded, "REMOTE_ADDR": remote}
    assert limits.client_address(meta, hops) == expected


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_an_address_that_is_not_known_has_no_limit_of_its_own(site: Site) -> None:
    make_puzzle(number=1121, price_cents=949)
    site.at("2026-10-15T12:00:00Z")
    site.settings.RATE_LIMITS = True
    assert set(statuses(125, address="")) == {200}
