"""Dangerous combinations are refused by their check."""

import pytest
from django.core.checks import run_checks
from django.db import connection

from costcodle import checks
from tests.sites import Site, point_at


def test_the_site_as_it_stands_has_no_complaint(site: Site) -> None:
    del site
    assert run_checks(databases=["default"]) == []


@pytest.mark.guarantee("E14")
@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("TIME_ZONE", "Europe/Berlin", "costcodle.E003"),
        ("USE_TZ", False, "costcodle.E003"),
        ("DATABASE_ROUTERS", ["builtins.object"], "costcodle.E004"),
    ],
)
def test_a_dangerous_setting_is_named(site: Site, name: str, value: object, found: str) -> None:
    setattr(site.settings, name, value)
    complaints = checks.check_settings(None) + checks.check_database(None)
    assert [message.id for message in complaints] == [found]


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("OPTIONS", {}, "costcodle.E001"),
        ("ATOMIC_REQUESTS", True, "costcodle.E002"),
    ],
)
def test_a_dangerous_database_is_named(
    site: Site, monkeypatch: pytest.MonkeyPatch, name: str, value: object, found: str
) -> None:
    configured = site.settings.DATABASES["default"]
    monkeypatch.setitem(configured, "ENGINE", "django.db.backends.sqlite3")
    monkeypatch.setitem(configured, "OPTIONS", {"transaction_mode": "IMMEDIATE"})
    monkeypatch.setitem(configured, name, value)
    assert [message.id for message in checks.check_database(None)] == [found]


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("BUILD_VERSION", "", "costcodle.E005"),
        ("CLOCK_OFFSET", 1.0, "costcodle.E006"),
        ("WEB_CONCURRENCY", 2, "costcodle.E007"),
    ],
)
def test_production_refuses_what_development_allows(
    site: Site, name: str, value: object, found: str
) -> None:
    setattr(site.settings, name, value)
    assert checks.check_settings(None) == []
    site.settings.ENVIRONMENT = "production"
    assert [message.id for message in checks.check_settings(None)] == [found]


def test_a_database_that_is_too_old_is_named(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    del site
    monkeypatch.setattr(connection, "get_database_version", lambda: (3, 34))
    assert [message.id for message in checks.check_versions(databases=["default"])] == [
        "costcodle.E008"
    ]
    assert checks.check_versions() == []


def test_a_database_that_is_away_is_no_reason_not_to_serve(site: Site) -> None:
    point_at("postgresql://postgres@127.0.0.1:1/nowhere")
    found = run_checks(databases=["default"])
    assert [message.id for message in found] == ["costcodle.W001"]
    assert not found[0].is_serious()
    assert site.settings.ENVIRONMENT == "test"
