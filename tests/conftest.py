"""Fixtures of the whole suite: one body, both engines.

`site` is an empty, migrated site of its own on the engine under test; the default connection of
this process points at it, and so do the commands that it starts.
"""

import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import psycopg
import pytest
from django.conf import settings as django_settings
from django.core.management import call_command
from django.db import connection, connections
from pytest_django import DjangoDbBlocker, Settings
from xdist.remote import Producer
from xdist.scheduler import LoadGroupScheduling

from tests import services
from tests.sites import LEASE_SECONDS, Site, point_at

assert django_settings.ENVIRONMENT == "test", "run the suite with: make test ARGS='…'"
hypothesis.settings.register_profile("suite", deadline=None)  # a timing is never asserted
hypothesis.settings.load_profile("suite")

EDGE_CACHE = "answers.edge.middleware.EdgeCache"
ENGINES = ("sqlite", "postgresql")


ON_ONE_WORKER = ("tests/browser/", "tests/concurrency/test_production.py")


class GroupedByPath(LoadGroupScheduling):  # type: ignore[misc] # xdist's schedulers have no types
    """`--dist loadgroup` by path: from pytest 9.2 on, xdist 3.8 cannot see `xdist_group` marks."""

    def _split_scope(self, nodeid: str) -> str:
        return next((path for path in ON_ONE_WORKER if nodeid.startswith(path)), nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> GroupedByPath | None:
    return GroupedByPath(config, log) if config.getvalue("dist") == "loadgroup" else None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    missing = {
        str(report.longrepr[2]).removeprefix("Skipped: ")
        for report in terminalreporter.stats.get("skipped", [])
        if isinstance(report.longrepr, tuple)
    }
    for reason in sorted(missing):
        terminalreporter.write_line(f"NOT TESTED: {reason}", red=True, bold=True)


def missing_service(what: str) -> None:
    """Skip loudly; in CI a missing service is a failure."""
    if services.IN_CI:
        pytest.fail(f"CI must have {what}")
    pytest.skip(f"there is no {what} here")


@pytest.fixture(scope="session")
def sqlite_template(
    tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker
) -> Path:
    path = tmp_path_factory.mktemp("template") / "site.sqlite3"
    with django_db_blocker.unblock():
        point_at(f"sqlite:///{path}")
        call_command("migrate", verbosity=0)
        connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connections.close_all()
    return path


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str | None]:
    with services.postgres_server() as url:
        yield url


@pytest.fixture(scope="session")
def postgres_url(
    postgres_server: str | None, django_db_blocker: DjangoDbBlocker
) -> Iterator[str | None]:
    if postgres_server is None:
        yield None
        return
    name = f"costcodle_test_{uuid.uuid4().hex}"
    url = services.database_named(postgres_server, name)
    with psycopg.connect(postgres_server, autocommit=True) as admin:
        admin.execute(f'CREATE DATABASE "{name}"')
        try:
            with django_db_blocker.unblock():
                point_at(url)
                call_command("migrate", verbosity=0)
                connections.close_all()
            yield url
        finally:
            connections.close_all()
            admin.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def _emptied(url: str) -> None:
    """Make the suite's own PostgreSQL database an empty, migrated site again."""
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        admin.execute(
            "TRUNCATE publication_log, answer_posts, publication_items, daily_results,"
            " job_leases, puzzles, site_state, django_admin_log, django_session, auth_user,"
            " auth_group, axes_accessattempt CASCADE"
        )
        admin.execute(
            "INSERT INTO site_state (id, publication_revision, revision_token, bank_version,"
            " updated_at) VALUES (1, 0, %s, 0, now())",
            [uuid.uuid4()],
        )


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str | None]:
    with services.redis_server() as url:
        yield url


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def site(
    engine: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    settings: Settings,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[Site]:
    if engine == "sqlite":
        path = tmp_path / "site.sqlite3"
        shutil.copy(request.getfixturevalue("sqlite_template"), path)
        url = f"sqlite:///{path}"
    else:
        url = request.getfixturevalue("postgres_url")
        if url is None:
            missing_service("PostgreSQL")
        _emptied(url)
    settings.LEASE_SECONDS = LEASE_SECONDS
    # Most tests write rows as no part of the site does, without a step of the revision.
    settings.MIDDLEWARE = [each for each in settings.MIDDLEWARE if each != EDGE_CACHE]
    settings.RATE_LIMITS = False  # every test comes from the same address
    settings.MEDIA_ROOT = str(tmp_path / "media")
    with django_db_blocker.unblock():
        point_at(url)
        yield Site(engine=engine, url=url, settings=settings, folder=tmp_path)
        connections.close_all()
