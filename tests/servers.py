"""The real site, served by gunicorn on a free loopback port, ended by its own process id."""

import contextlib
import socket
from collections.abc import Iterator

import urllib3

from tests.interleaving import wait_until
from tests.sites import Site

HTTP = urllib3.PoolManager(retries=False, timeout=30, maxsize=16)


@contextlib.contextmanager
def served(site: Site, *options: str, **environment: str) -> Iterator[str]:
    """The address of a server process of its own over a site's database."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    log = site.folder / f"server-{port}.log"
    # Into a file: a pipe that nobody reads would in the end stop a server that logs its 404s.
    with log.open("w") as errors:
        process = site.start(
            "-m", "gunicorn", "costcodle.wsgi", "--bind", f"127.0.0.1:{port}",
            "--threads", "4", "--no-control-socket", "--log-level", "error", *options,
            stderr=errors.fileno(),
            environment={"SITE_ORIGIN": address, **environment},
        )  # fmt: skip
    try:
        wait_until(lambda: process.poll() is not None or _lives(address))
        assert process.poll() is None, log.read_text()
        yield address
    finally:
        process.terminate()
        process.communicate(timeout=30)


def _lives(address: str) -> bool:
    with contextlib.suppress(urllib3.exceptions.HTTPError):
        return HTTP.request("GET", f"{address}/healthz").status == 200
    return False
