"""What browser tests share: the site as a process of its own, a visit, and playing."""

import contextlib
import os
import re
import sqlite3
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Request

from costcodle import clock
from costcodle.settings import BASE_DIR

NOON = "2026-10-15T12:00:00Z"
ARTIFACTS = BASE_DIR / "test-artifacts"
TODAY, YESTERDAY, TOMORROW = 1121, 1120, 1122


@dataclass(kw_only=True)
class Served:
    """The site as a process of its own. `TODAY` costs $9.49, `YESTERDAY` $20.00, published."""

    folder: Path
    port: int
    now: str = ""
    _process: "subprocess.Popen[bytes] | None" = field(default=None, repr=False)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def database(self) -> Path:
        return self.folder / "site.sqlite3"

    def at(self, instant: str) -> None:
        """Let the server believe that it is `instant`; restarts it if it believes another."""
        if self.now != instant:
            self.stop()
            self._start(instant)

    def results(self) -> list[tuple[int, str, int]]:
        """What was recorded of finished games: puzzle, outcome, guesses."""
        return self._do("SELECT puzzle_id, outcome, guesses_used FROM daily_results ORDER BY slot")

    def forget_results(self) -> None:
        self._do("DELETE FROM daily_results")

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(timeout=20)
        self._process, self.now = None, ""

    def _do(self, statement: str) -> list[Any]:
        with contextlib.closing(sqlite3.connect(self.database, timeout=20)) as connection:
            rows = connection.execute(statement).fetchall()
            connection.commit()
            return rows

    def _start(self, instant: str) -> None:
        environment = {
            "ENVIRONMENT": "test",
            "DATABASE_URL": f"sqlite:///{self.database}",
            "MEDIA_ROOT": str(self.folder / "media"),
            "SITE_ORIGIN": self.origin,
            "CLOCK_FIXED": instant,
            "RATE_LIMITS": "off",  # every page comes from the same address
        }
        command = ["gunicorn", "costcodle.wsgi", "--bind", f"127.0.0.1:{self.port}"]
        options = ["--workers", "1", "--threads", "4", "--no-control-socket"]
        with (self.folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", *command, *options],
                cwd=BASE_DIR,
                env={**os.environ, **environment},
                stdout=log,
                stderr=log,
            )
        self._wait()
        self.now = instant

    def _wait(self) -> None:
        for _ in range(300):
            with contextlib.suppress(OSError), urllib.request.urlopen(f"{self.origin}/healthz"):  # noqa: S310 - our own
                return
            clock.pause(0.05)
        pytest.fail((self.folder / "server.log").read_text())


@dataclass(kw_only=True)
class Visit:
    """A visitor's browser profile, and everything that it should not have done."""

    context: BrowserContext
    origin: str
    requests: list[Request] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def open(self, path: str = "/") -> Page:
        page = self.context.new_page()
        page.goto(f"{self.origin}{path}")
        return page


Visitor = Callable[..., Visit]


def keep_screenshot(page: Page, name: str) -> None:
    """Keep the whole page for whoever looks at the tests' artefacts."""
    ARTIFACTS.mkdir(exist_ok=True)
    file_name = re.sub(r"[^\w-]+", "-", name).strip("-")
    page.screenshot(path=ARTIFACTS / f"{file_name}.png", full_page=True)


def play(page: Page, *guesses: str) -> None:
    """Guess by keyboard, each once the one before was judged."""
    for text in guesses:
        turn = page.locator(".row[data-verdict]").count()
        page.locator("#guess").fill(text)
        page.keyboard.press("Enter")
        page.locator(f"#board .row[data-turn='{turn + 1}'][data-verdict]").wait_for()


def rows(page: Page) -> list[str]:
    """The judged rows as they read."""
    judged = page.locator("#board .row[data-verdict]")
    return [" ".join(text.split()) for text in judged.all_inner_texts()]
