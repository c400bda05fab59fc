"""A site of its own for a test: its database, its clock, its commands."""

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from django.core.management import call_command
from django.db import connections
from pytest_django import Settings

from costcodle.settings import BASE_DIR, database

T = TypeVar("T")
P = ParamSpec("P")

LEASE_SECONDS = 60


def point_at(url: str, lease_seconds: int = LEASE_SECONDS) -> None:
    """Make the default connection, of this thread and of later ones, a connection to `url`."""
    connections.close_all()
    with contextlib.suppress(AttributeError):  # this thread has none yet
        del connections["default"]
    configured = connections.configure_settings({"default": database(url, lease_seconds)})
    connections.settings["default"] = configured["default"]


@dataclass(kw_only=True)
class Site:
    """A migrated site without puzzles, on one engine."""

    engine: str
    url: str
    settings: Settings
    folder: Path
    environment: dict[str, str] = field(default_factory=dict)

    def at(self, instant: str) -> datetime:
        """Set the clock of this process and of later commands to an ISO instant."""
        self.settings.CLOCK_FIXED = datetime.fromisoformat(instant)
        self.environment["CLOCK_FIXED"] = instant
        return self.settings.CLOCK_FIXED  # type: ignore[no-any-return]

    def start(
        self,
        *command: str,
        stderr: int = subprocess.PIPE,
        environment: Mapping[str, str] | None = None,
    ) -> "subprocess.Popen[str]":
        """Start a command as its own process, with pipes for its input and output."""
        return subprocess.Popen(
            [sys.executable, *command],
            cwd=BASE_DIR,
            env=self._environment(environment or {}),
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
        )

    def run(self, *command: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        """Run `manage.py` with this site's database and clock."""
        process = self.start("manage.py", *command, environment=environment)
        output, errors = process.communicate(timeout=120)
        return subprocess.CompletedProcess(command, process.returncode, output, errors)

    def call(self, *command: str) -> "subprocess.CompletedProcess[str]":
        """Call a command in this process, on this connection; as quick as a function."""
        output, errors, status = io.StringIO(), io.StringIO(), 0
        try:
            call_command(*command, stdout=output, stderr=errors)
        except SystemExit as exit_:
            status = int(exit_.code or 0)
        return subprocess.CompletedProcess(command, status, output.getvalue(), errors.getvalue())

    def run_at_once(self, commands: Sequence[Sequence[str]]) -> list[dict[str, Any]]:
        """Run commands as real processes that leave one barrier together; their documents."""
        processes = [self.start("-m", "tests.puppet", *command, "--json") for command in commands]
        for process in processes:
            assert process.stdout
            assert process.stdout.readline() == "ready\n"
        for process in processes:
            assert process.stdin
            process.stdin.write("go\n")
            process.stdin.flush()
        outputs = [process.communicate(timeout=300) for process in processes]
        problems = [errors for _, errors in outputs if errors]
        assert not problems, problems
        return [json.loads(output) for output, _ in outputs]

    def document(self, *command: str, **environment: str) -> dict[str, Any]:
        """The JSON document that a command prints."""
        document: dict[str, Any] = json.loads(self.run(*command, "--json", **environment).stdout)
        return document

    def _environment(self, extra: Mapping[str, str]) -> dict[str, str]:
        ours = {
            "ENVIRONMENT": "test",
            "DATABASE_URL": self.url,
            "MEDIA_ROOT": str(self.folder / "media"),
        }
        return {**os.environ, **ours, **self.environment, **extra}


def elsewhere(action: Callable[[], T]) -> T:
    """Do something on a second connection, as another process would, and wait for it."""
    return begin_elsewhere(action).result(timeout=60)


def with_own_connection(action: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
    """Do something in a thread of its own, and close what connection it opened there."""
    try:
        return action(*args, **options)
    finally:
        connections.close_all()


def begin_elsewhere(action: Callable[[], T]) -> "Future[T]":
    """Begin something on a second connection; the future tells what it came to."""
    pool = ThreadPoolExecutor(max_workers=1)
    future = pool.submit(with_own_connection, action)
    pool.shutdown(wait=False)
    return future
