"""Finds, or starts, the servers that the suite needs; never stops one it only found."""

import contextlib
import glob
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import redis
from redis.backoff import ConstantBackoff, NoBackoff
from redis.retry import Retry

LOCAL_POSTGRES = "postgresql://postgres@127.0.0.1:5432/postgres"
LOCAL_REDIS = "redis://127.0.0.1:6379/0"
IN_CI = os.environ.get("CI") == "true"


def _answers(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=3).close()
    except psycopg.Error:
        return False
    return True


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _server_binaries() -> Path | None:
    candidates = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"), reverse=True)  # noqa: PTH207
    found = shutil.which("initdb") or (candidates[0] if candidates else None)
    return Path(found).parent if found else None


@contextlib.contextmanager
def postgres_server() -> Iterator[str | None]:
    """The address of a maintenance database: named, local, or a throw-away cluster's; else None."""
    named = os.environ.get("TEST_POSTGRES_URL")
    if named or _answers(LOCAL_POSTGRES):
        yield named or LOCAL_POSTGRES
        return
    with throwaway_cluster() as cluster:
        yield cluster.url if cluster else None


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """A PostgreSQL server of the suite's own, which a test may stop and start."""

    url: str
    folder: str
    control: list[str]
    options: str

    def start(self) -> None:
        _do([*self.control, "-l", f"{self.folder}/log", "-o", self.options, "start"], self.folder)

    def pause(self) -> None:
        """Stop every process where it stands, as a frozen machine would."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let every process go on."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        postmaster = Path(self.folder, "data", "postmaster.pid").read_text().split()[0]
        os.kill(int(postmaster), number)  # first, so that it starts no other meanwhile
        children = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
        for process in children:
            with contextlib.suppress(ProcessLookupError):  # its work was done
                os.kill(int(process), number)

    def stop(self) -> None:
        """Stop without any ceremony, as a crash would."""
        _do([*self.control, "-m", "immediate", "stop"], self.folder)


@contextlib.contextmanager
def throwaway_cluster() -> Iterator[Cluster | None]:
    """A running cluster from the installed binaries, gone afterwards; else None."""
    binaries = _server_binaries()
    if binaries is None:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="costcodle-pg-") as folder:
        # The server refuses to run as root; Debian's package made this account for it.
        as_owner = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        if as_owner:
            shutil.chown(folder, "postgres")
        data, port = f"{folder}/data", free_port()
        initdb = [str(binaries / "initdb"), "-D", data, "-A", "trust", "-U", "postgres", "-N"]
        _do([*as_owner, *initdb, "-E", "UTF8", "--locale=C"], folder)
        cluster = Cluster(
            url=f"postgresql://postgres@127.0.0.1:{port}/postgres",
            folder=folder,
            control=[*as_owner, str(binaries / "pg_ctl"), "-D", data, "-w", "-s"],
            options=f"-c listen_addresses=127.0.0.1 -p {port} -k {folder}",
        )
        cluster.start()
        try:
            yield cluster
        finally:
            cluster.stop()


@contextlib.contextmanager
def redis_server() -> Iterator[str | None]:
    """The address of a Redis: named, local, or a throw-away one of our own; else None."""
    named = os.environ.get("TEST_REDIS_URL")
    if named or _pings(LOCAL_REDIS):
        yield named or LOCAL_REDIS
        return
    program = shutil.which("redis-server")
    if program is None:
        yield None
        return
    port = free_port()
    options = ["--bind", "127.0.0.1", "--port", str(port), "--save", "", "--appendonly", "no"]
    with subprocess.Popen([program, *options], stdout=subprocess.DEVNULL) as process:
        try:
            url = f"redis://127.0.0.1:{port}/0"
            patient = redis.Redis.from_url(url, retry=Retry(ConstantBackoff(0.1), 100))
            patient.ping()
            patient.close()
            yield url
        finally:
            process.terminate()


def _pings(url: str) -> bool:
    client = redis.Redis.from_url(url, retry=Retry(NoBackoff(), 0), socket_connect_timeout=3)
    try:
        return bool(client.ping())
    except redis.RedisError:
        return False
    finally:
        client.close()


def _do(command: list[str], folder: str) -> None:
    subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL)


def database_named(server: str, name: str) -> str:
    """The address of a database on the same server."""
    return urlsplit(server)._replace(path=f"/{name}").geturl()
