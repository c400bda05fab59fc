"""A wrong or missing value stops the program with one line that names the variable."""

import os
import subprocess
import sys

import pytest

from costcodle.settings import BASE_DIR, database, media_store

PRODUCTION = {
    "ENVIRONMENT": "production",
    "SECRET_KEY": "0123456789abcdefghijklmnopqrstuvwxyz" * 2,
    "BUILD_VERSION": "r1",
    "SITE_ORIGIN": "https://costcodle.example",
}


def start(*command: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    ours = {"PATH": os.environ["PATH"], "ENVIRONMENT": "test"}
    return subprocess.run(
        [sys.executable, *command],
        cwd=BASE_DIR,
        env={**ours, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("environment", "line"),
    [
        ({"ENVIRONMENT": "prod"}, "ENVIRONMENT='prod' cannot be used: say one of"),
        ({"DEBUG": "perhaps"}, "DEBUG='perhaps' cannot be used: say on or off."),
        ({"LEASE_SECONDS": "0"}, "LEASE_SECONDS='0' cannot be used: say a whole number"),
        ({"LEASE_SECONDS": "soon"}, "LEASE_SECONDS='soon' cannot be used"),
        ({"DATABASE_URL": "mysql://root@localhost/x"}, "DATABASE_URL='mysql://root@localhost/x'"),
        ({"DATABASE_URL": "sqlite://:memory:"}, "DATABASE_URL='sqlite://:memory:'"),
        ({"DATABASE_URL": "nonsense"}, "DATABASE_URL='nonsense' cannot be used"),
        ({"CACHE_URL": "memcached://x"}, "CACHE_URL='memcached://x' cannot be used"),
        ({"SITE_ORIGIN": "costcodle.com"}, "SITE_ORIGIN='costcodle.com' cannot be used"),
        ({"SITE_ORIGIN": "https://a.example/x"}, "SITE_ORIGIN='https://a.example/x' cannot be"),
        ({"SITE_ORIGIN": "https://me@a.example"}, "SITE_ORIGIN='https://me@a.example' cannot"),
        ({"CLOCK_FIXED": "2026-10-16T00:10:00"}, "CLOCK_FIXED='2026-10-16T00:10:00' cannot"),
        ({"CLOCK_FIXED": "noon"}, "CLOCK_FIXED='noon' cannot be used: say an instant"),
        ({"CLOCK_OFFSET": "inf"}, "CLOCK_OFFSET='inf' cannot be used"),
        ({"CLOCK_OFFSET": "nan"}, "CLOCK_OFFSET='nan' cannot be used"),
        ({"TRUSTED_PROXY_HOPS": "-1"}, "TRUSTED_PROXY_HOPS='-1' cannot be used"),
        ({"PING_URL": "ftp://x"}, "PING_URL='ftp://x' cannot be used"),
        ({"PUBLISH_WITHOUT_PHOTO": "never"}, "PUBLISH_WITHOUT_PHOTO='never' cannot be used"),
        ({"FETCH_PRIVATE_ADDRESSES": "home"}, "FETCH_PRIVATE_ADDRESSES='home' cannot be used"),
        ({**PRODUCTION, "FETCH_PRIVATE_ADDRESSES": "on"}, "FETCH_PRIVATE_ADDRESSES=on is refused"),
        ({**PRODUCTION, "SECRET_KEY": ""}, "SECRET_KEY is needed when ENVIRONMENT=production"),
        ({**PRODUCTION, "BUILD_VERSION": ""}, "BUILD_VERSION is needed when"),
        ({**PRODUCTION, "RATE_LIMITS": "off"}, "RATE_LIMITS=off is refused when"),
        ({**PRODUCTION, "CLOCK_FIXED": "2026-10-16T00:10:00Z"}, "CLOCK_FIXED is refused when"),
        ({**PRODUCTION, "CLOCK_OFFSET": "1"}, "CLOCK_OFFSET is refused when"),
    ],
)
def test_a_wrong_value_is_one_line_that_names_its_variable(
    environment: dict[str, str], line: str
) -> None:
    result = start("manage.py", "check", **environment)
    assert result.returncode == 2
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith(line)


@pytest.mark.parametrize(
    "address",
    [
        "https://key:hidden@s3.example/photos",
        "s3://s3.example/photos",
        "s3://key@s3.example/photos",
        "s3://key:hidden@/photos",
        "s3://key:hidden@s3.example",
        "s3://key:hidden@s3.example/photos/of/items",
        "s3://key:hidden@s3.example/UPPER",
        "s3://key:hidden@s3.example:port/photos",
        "s3://key:hid/den@s3.example/photos",
        "s3://key:hidden@s3.example/photos?regoin=eu",
        "s3://key:hidden@s3.example/photos?region",
        "s3://key:hidden@s3.example/photos?tls=perhaps",
        "s3://key:hidden@s3.example/photos?addressing=other",
    ],
)
def test_a_wrong_store_is_one_line_that_keeps_its_secret(address: str) -> None:
    result = start("manage.py", "check", MEDIA_STORE=address)
    assert (result.returncode, result.stdout) == (2, "")
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith("MEDIA_STORE cannot be used: say s3://KEY:SECRET@HOST/BUCKET")
    assert "hid" not in result.stderr


def test_a_store_is_taken_apart() -> None:
    store = media_store("s3://k%2F:s%40%2B@s3.example:9000/photos?region=eu-1&addressing=virtual")
    assert store["OPTIONS"] == {
        "access_key": "k/",
        "secret_key": "s@+",
        "security_token": None,
        "bucket_name": "photos",
        "endpoint_url": "https://s3.example:9000",
        "region_name": "eu-1",
        "addressing_style": "virtual",
    }


def test_the_server_stops_with_the_same_line() -> None:
    result = start("-c", "import costcodle.wsgi", LEASE_SECONDS="x")
    assert result.returncode == 1
    assert result.stderr.startswith("LEASE_SECONDS='x' cannot be used")
    assert len(result.stderr.splitlines()) == 1


def test_a_server_process_limits_each_new_connection_and_each_request() -> None:
    result = start(
        "-c",
        "import costcodle.wsgi\n"
        "from django.core.signals import request_started\n"
        "from django.db.backends.signals import connection_created\n"
        "from costcodle import patience\n"
        "print(patience.limit_connection in connection_created._live_receivers(None)[0])\n"
        "print(patience.begin in request_started._live_receivers(None)[0])",
    )
    assert (result.stdout, result.stderr) == ("True\nTrue\n", "")


def test_the_development_key_is_refused_in_production() -> None:
    key = "development-only-key-that-production-refuses-to-start-with"
    result = start("manage.py", "check", **{**PRODUCTION, "SECRET_KEY": key})
    assert result.returncode == 2
    assert result.stderr.startswith("SECRET_KEY is needed when")


def test_a_production_shape_starts_and_its_checks_are_clean() -> None:
    result = start(
        "manage.py", "check", "--deploy", "--fail-level", "WARNING",
        **{**PRODUCTION, "CACHE_URL": "redis://127.0.0.1:6379/0"},
    )  # fmt: skip
    assert (result.returncode, result.stderr) == (0, "")


def test_time_limits_on_postgresql_stay_below_the_lease() -> None:
    options = database("postgresql://u:p@h:5432/n?sslmode=require", 60)["OPTIONS"]
    assert options["options"] == (
        "-c lock_timeout=15000 -c statement_timeout=30000"
        " -c idle_in_transaction_session_timeout=30000"
    )
    assert options["sslmode"] == "require"
    assert options["keepalives"] == 1


def test_sqlite_begins_immediate_and_waits_less_than_a_lease() -> None:
    config = database("sqlite:///here.sqlite3", 60)
    assert config["NAME"] == str(BASE_DIR / "here.sqlite3")
    assert config["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
    assert config["OPTIONS"]["timeout"] == 15
    assert "synchronous = FULL" in config["OPTIONS"]["init_command"]
    assert database("sqlite:////tmp/there.sqlite3", 60)["NAME"] == "/tmp/there.sqlite3"  # noqa: S108 - a name alone
