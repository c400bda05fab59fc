"""Who guesses at the admin's door is locked out: for a while, by name and address."""

import logging
from datetime import timedelta
from typing import Any

import pytest
from axes.models import AccessAttempt
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import connection
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext

from costcodle.web import limits, logins
from tests.sites import Site

PASSWORD = "correct-horse-battery-staple"  # noqa: S105 - of a test


@pytest.fixture
def staffed(site: Site) -> Site:
    """A site with an administrator."""
    get_user_model().objects.create_superuser("keeper", "", PASSWORD)
    return site


def try_with(password: str, *, name: str = "keeper", address: str = "192.0.2.1") -> Any:
    return Client().post(
        "/admin/login/", {"username": name, "password": password}, REMOTE_ADDR=address
    )


def statuses(times: int, **options: str) -> list[int]:
    return [try_with("guess", **options).status_code for _ in range(times)]


@pytest.mark.usefixtures("staffed")
def test_the_fifth_failure_locks_a_name_out_from_its_address() -> None:
    assert statuses(5) == [200] * 4 + [429]
    refused = try_with(PASSWORD)
    assert (refused.status_code, refused["Retry-After"]) == (429, "900")
    assert refused["Cache-Control"] == "private, no-store"
    assert "Wait for 15 minutes" in refused.content.decode()
    assert try_with(PASSWORD, address="192.0.2.2").status_code == 302
    assert try_with("guess", name="other").status_code == 200


@pytest.mark.usefixtures("staffed")
def test_the_lock_ends_with_the_cool_off_and_tries_do_not_prolong_it() -> None:
    statuses(5)
    AccessAttempt.objects.update(attempt_time=F("attempt_time") - timedelta(minutes=14))
    assert try_with(PASSWORD).status_code == 429
    AccessAttempt.objects.update(attempt_time=F("attempt_time") - timedelta(minutes=2))
    assert try_with(PASSWORD).status_code == 302
    assert not AccessAttempt.objects.exists()


@pytest.mark.usefixtures("staffed")
def test_the_operator_can_open_the_door_again() -> None:
    statuses(5)
    call_command("axes_reset", verbosity=0)
    assert try_with(PASSWORD).status_code == 302


def test_behind_a_proxy_the_address_is_the_one_that_it_saw(staffed: Site) -> None:
    staffed.settings.TRUSTED_PROXY_HOPS = 1

    def status(password: str, forwarded: str) -> int:
        fields = {"username": "keeper", "password": password}
        client = Client(headers={"x-forwarded-for": forwarded})
        return client.post("/admin/login/", fields, REMOTE_ADDR="10.0.0.1").status_code

    for lie in range(5):
        status("guess", f"203.0.113.{lie}, 198.51.100.7")
    assert status(PASSWORD, "203.0.113.9, 198.51.100.7") == 429
    assert status(PASSWORD, "198.51.100.8") == 302


@pytest.mark.usefixtures("staffed")
def test_an_ipv6_network_counts_as_one() -> None:
    for host in range(5):
        try_with("guess", address=f"2001:db8:1:2::{host + 1}")
    assert try_with(PASSWORD, address="2001:db8:1:2:ffff::9").status_code == 429
    assert try_with(PASSWORD, address="2001:db8:1:3::9").status_code == 302


def test_an_address_may_try_ten_times_a_minute_whatever_the_names(staffed: Site) -> None:
    staffed.settings.RATE_LIMITS = True
    limits._limiter.cache_clear()
    tried = [try_with("guess", name=f"name{n}") for n in range(11)]
    limits._limiter.cache_clear()
    assert [response.status_code for response in tried] == [200] * 10 + [429]
    assert 1 <= int(tried[-1]["Retry-After"]) <= 60
    assert "Wait for 1 minute," in tried[-1].content.decode()


def test_nothing_of_a_failure_is_kept_or_logged_that_need_not_be(
    staffed: Site, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        statuses(5)
    attempt = AccessAttempt.objects.get()
    kept = attempt.post_data + attempt.get_data
    assert "guess" not in kept
    assert "keeper" not in kept
    assert "192.0.2.1" not in caplog.text
    assert "keeper" not in caplog.text
    assert staffed.settings.AXES_DISABLE_ACCESS_LOG


def test_public_pages_know_nothing_of_it(staffed: Site) -> None:
    staffed.at("2026-10-15T12:00:00Z")
    for path in ("/", "/about", "/answers/", "/nowhere"):
        with CaptureQueriesContext(connection) as captured:
            response = Client().get(path)
        assert not response.cookies
        assert not [query for query in captured if "axes" in query["sql"]]


def test_an_address_that_is_not_known_locks_its_name_alone(staffed: Site) -> None:
    assert statuses(5, address="") == [200] * 4 + [429]
    request = Client().get("/about", REMOTE_ADDR="unix:").wsgi_request
    assert logins.address(request) is None
    assert staffed.settings.AXES_FAILURE_LIMIT == 5
