"""The site behind a stock nginx and a stock Varnish, both allowed to cache what they are told."""

import contextlib
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.db import connection

from answers import operations, publisher
from costcodle.days import PuzzleNumber
from costcodle.models import SiteState
from tests.conftest import missing_service
from tests.factories import make_puzzles
from tests.interleaving import wait_until
from tests.servers import HTTP, served
from tests.sites import Site

NUMBER = PuzzleNumber(1121)

NGINX = """
daemon off; master_process off; error_log {folder}/error.log; pid {folder}/nginx.pid;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  proxy_cache_path {folder}/cache keys_zone=site:1m;
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass {origin}; proxy_set_header Host $http_host;
      proxy_cache site; proxy_cache_revalidate on; proxy_cache_lock on;
    }}
  }}
}}
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def nginx(program: str, origin: str, port: int, folder: Path) -> list[str]:
    config = folder / "nginx.conf"
    config.write_text(NGINX.format(folder=folder, origin=origin, port=port))
    return [program, "-c", str(config), "-p", str(folder), "-e", str(folder / "error.log")]


def varnishd(program: str, origin: str, port: int, folder: Path) -> list[str]:
    backend = urlsplit(origin).netloc
    return [program, "-F", "-a", f"127.0.0.1:{port}", "-b", backend, "-n", str(folder / "v")]


PROXIES = {"nginx": nginx, "varnishd": varnishd}


@contextlib.contextmanager
def in_front_of(name: str, origin: str, folder: Path) -> Iterator[str]:
    """The address of a proxy process of our own in front of `origin`."""
    program = shutil.which(name) or shutil.which(name, path="/usr/sbin")
    if program is None:
        missing_service(name)
    assert program is not None
    port = free_port()
    folder.chmod(0o755)
    command = PROXIES[name](program, origin, port, folder)
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            wait_until(lambda: process.poll() is not None or is_open(port))
            assert process.poll() is None, f"{name} did not start"
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def is_open(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


@pytest.fixture
def engine() -> str:
    """The proxies do not know the engine; what they are told is the same on both."""
    return "sqlite"


@pytest.mark.parametrize("name", PROXIES)
def test_a_publication_shows_on_the_next_request_and_a_fault_is_not_masked(
    site: Site, name: str
) -> None:
    site.at("2026-10-16T00:10:00Z")
    make_puzzles(1120, 1122)

    def statuses(path: str = f"/answers/{NUMBER}") -> int:
        return int(HTTP.request("GET", f"{proxy}{path}", headers={"Host": host}).status)

    with served(site) as origin, in_front_of(name, origin, site.folder) as proxy:
        host = urlsplit(origin).netloc
        assert [statuses(), statuses()] == [404, 404]
        publisher.publish_due()
        assert [statuses(), statuses()] == [200, 200]
        operations.withdraw(NUMBER, "a test")
        assert [statuses(), statuses()] == [410, 410]
        operations.reinstate(NUMBER)
        assert [statuses(), statuses()] == [200, 200]
        listed = HTTP.request("GET", f"{proxy}/answers/", headers={"Host": host})
        assert b"Item 1121" in listed.data
        SiteState.objects.all().delete()
        assert [statuses(), statuses("/answers/"), statuses("/")] == [503, 503, 503]
    assert site.engine == connection.vendor
