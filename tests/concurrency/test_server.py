"""gunicorn with the settings of deploy/: what it refuses to serve, and what it leaves behind."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import urllib3

from costcodle.settings import BASE_DIR
from tests.interleaving import wait_until
from tests.services import free_port
from tests.sites import Site

HTTP = urllib3.PoolManager(retries=False, timeout=30)
PRODUCTION = {
    "ENVIRONMENT": "production",
    "SECRET_KEY": "0123456789abcdefghijklmnopqrstuvwxyz" * 2,
    "BUILD_VERSION": "r1",
    "SITE_ORIGIN": "https://costcodle.example",
}
NOWHERE = "postgresql://postgres@127.0.0.1:1/nowhere"


@pytest.fixture
def engine() -> str:
    """What is asked here is asked before any database, or of one that is away."""
    return "sqlite"


def command(port: int) -> list[str]:
    config = str(BASE_DIR / "deploy" / "gunicorn.conf.py")
    options = ["--config", config, "--bind", f"127.0.0.1:{port}", "costcodle.wsgi"]
    return [sys.executable, "-m", "gunicorn", *options]


@contextlib.contextmanager
def served(folder: Path, **environment: str) -> "Iterator[tuple[str, subprocess.Popen[bytes]]]":
    """The address of a server, and its process; ended afterwards if it still runs."""
    port, runtime = free_port(), folder / "run"
    runtime.mkdir()
    ours = {**os.environ, "RUNTIME_DIRECTORY": str(runtime), **environment}
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(command(port), env=ours, stderr=log.fileno())
    address = f"http://127.0.0.1:{port}"
    try:
        wait_until(lambda: lives(address) or process.poll() is not None, seconds=60)
        assert process.poll() is None, (folder / "log").read_text()
        yield address, process
    finally:
        process.terminate()
        process.wait(timeout=60)


def lives(address: str) -> bool:
    try:
        return HTTP.request("GET", f"{address}/healthz").status == 200
    except urllib3.exceptions.HTTPError:
        return False


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({**PRODUCTION, "WEB_CONCURRENCY": "2"}, r"costcodle\.E007"),
        ({**PRODUCTION, "LEASE_SECONDS": "soon"}, r"^LEASE_SECONDS='soon' cannot be used"),
        ({**PRODUCTION, "BUILD_VERSION": ""}, r"^BUILD_VERSION is needed"),
    ],
)
def test_it_refuses_to_serve_under_settings_that_would_break_a_guarantee(
    environment: dict[str, str], said: str
) -> None:
    port = free_port()
    ours = {"PATH": os.environ["PATH"], "DATABASE_URL": NOWHERE, **environment}
    ended = subprocess.run(
        command(port), env=ours, capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 2
    assert re.search(said, ended.stderr, re.MULTILINE)
    assert "Booting worker" not in ended.stderr
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0


def test_it_serves_while_the_database_is_away_and_says_so(site: Site) -> None:
    with served(site.folder, DATABASE_URL=NOWHERE) as (address, _):
        assert HTTP.request("GET", f"{address}/readyz").status == 503
        metrics = HTTP.request("GET", f"{address}/metrics")
        assert metrics.status == 200
        assert b"costcodle_up 0.0" in metrics.data
        assert b"costcodle_edge_renders_total" in metrics.data


def test_a_scheme_is_believed_of_no_neighbour_without_a_trusted_proxy(site: Site) -> None:
    https = {"SITE_ORIGIN": "https://127.0.0.1", "DATABASE_URL": site.url}
    told = {"X-Forwarded-Proto": "https"}
    with served(site.folder, **https) as (address, _):
        answer = HTTP.request("GET", f"{address}/about", headers=told, redirect=False)
    assert answer.status == 301


def test_it_goes_on_after_a_hangup_and_leaves_no_counters_behind(site: Site) -> None:
    log, runtime = site.folder / "log", site.folder / "run"
    with served(site.folder, DATABASE_URL=site.url, WEB_CONCURRENCY="2") as (address, process):
        HTTP.request("GET", f"{address}/about")
        assert len(list(runtime.iterdir())) == 1
        process.send_signal(signal.SIGHUP)
        wait_until(lambda: log.read_text().count("Booting worker") == 4)
        wait_until(lambda: lives(address))
        assert b"costcodle_edge_renders_total 1.0" in (
            HTTP.request("GET", f"{address}/metrics").data
        )
    assert process.returncode == 0
    assert list(runtime.iterdir()) == []
