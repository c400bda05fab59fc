"""A real Chromium against the real site, served by gunicorn.

On SQLite alone, to save time: what a browser meets lies above the database. The site is made once
a session and its clock stands still; a test that needs another time restarts the server.
"""

import shutil
import socket
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.db import connections
from django.test import override_settings
from playwright.sync_api import Browser, sync_playwright
from pytest_django import DjangoDbBlocker

from answers import publisher
from tests.browsing import NOON, TODAY, TOMORROW, YESTERDAY, Served, Visit, Visitor, keep_screenshot
from tests.conftest import missing_service
from tests.factories import make_puzzle
from tests.sites import point_at

_SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def _seed() -> None:
    make_puzzle(number=YESTERDAY, price_cents=2000, name="Paper Towels, 12 rolls", size="12 rolls")
    make_puzzle(number=TODAY, price_cents=949)
    make_puzzle(number=TOMORROW, price_cents=129999, name="Kayak with Paddle", size="1 boat")
    publisher.publish_due()


@pytest.fixture(scope="session")
def everyday(
    tmp_path_factory: pytest.TempPathFactory,
    sqlite_template: Path,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        served = Served(folder=folder, port=probe.getsockname()[1])
    shutil.copy(sqlite_template, served.database)
    noon = datetime.fromisoformat(NOON)
    with django_db_blocker.unblock(), override_settings(CLOCK_FIXED=noon):
        point_at(f"sqlite:///{served.database}")
        _seed()
        connections.close_all()
    yield served
    served.stop()


@pytest.fixture
def served(everyday: Served) -> Served:
    """The site at noon, without a finished game."""
    everyday.at(NOON)
    everyday.forget_results()
    return everyday


# One browser a module, not a session: Playwright keeps an event loop running in this thread, and
# under one Django refuses the ORM that this worker's other tests use. `everyday` is seeded first.
@pytest.fixture(scope="module")
def browser(everyday: Served) -> Iterator[Browser]:  # noqa: ARG001 - seeded before the loop runs
    names = ("chromium", "chromium-browser", "google-chrome")
    program = next(filter(None, map(shutil.which, names)), None)
    if program is None:
        missing_service("Chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=_SWITCHES)
        yield browser
        browser.close()


@pytest.fixture
def visitor(browser: Browser, served: Served, request: pytest.FixtureRequest) -> Iterator[Visitor]:
    """Start a visit with options of a Playwright context. At the end no page has complained.

    A test that makes requests fail says so by `allowed`: Chromium itself logs those.
    """
    visits: list[tuple[Visit, tuple[str, ...]]] = []

    def start(*, allowed: tuple[str, ...] = (), **options: Any) -> Visit:
        context = browser.new_context(**options)
        context.set_default_timeout(10_000)
        visit = Visit(context=context, origin=served.origin)
        context.on("console", lambda message: visit.complaints.append(message.text))
        context.on("weberror", lambda error: visit.complaints.append(str(error.error)))
        context.on("request", lambda request: visit.requests.append(request))  # noqa: PLW0108 - Playwright marks it
        visits.append((visit, allowed))
        return visit

    yield start
    for visit, allowed in visits:
        cookies = visit.context.cookies()
        for index, page in enumerate(visit.context.pages):
            keep_screenshot(page, f"{request.node.name}-{index}")
        visit.context.close()
        assert cookies == []
        said = [text for text in visit.complaints if not any(part in text for part in allowed)]
        assert said == []
        elsewhere = [r.url for r in visit.requests if not r.url.startswith(visit.origin)]
        assert [url for url in elsewhere if not url.startswith(("blob:", "data:"))] == []
