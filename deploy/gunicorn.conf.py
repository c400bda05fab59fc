"""gunicorn's settings: `gunicorn --config deploy/gunicorn.conf.py costcodle.wsgi`.

WEB_CONCURRENCY says how many processes there are; gunicorn reads it itself, as this file reads
LOG_FORMAT, from the environment alone: the settings, and with them .env, are read by the
processes. What is imported here stays in the master, so it is little.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from gunicorn.arbiter import Arbiter
from gunicorn.workers.base import Worker

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from costcodle import logs  # noqa: E402 - only now it can be found

chdir = str(ROOT)
bind = ["127.0.0.1:8000"]
threads = 4  # with more than one the worker is gthread: slow readers cost a thread, not a process
timeout = 30
graceful_timeout = 30
keepalive = 75  # seconds; longer than nginx keeps a connection, so that nginx is who closes it
max_requests = 20_000
max_requests_jitter = 2_000
control_socket_disable = True
# What a proxy says about scheme and address is judged in Django, by TRUSTED_PROXY_HOPS alone.
forwarded_allow_ips = ""
forwarder_headers = ""
access_log_format = "%(m)s %(U)s %(s)s"  # costcodle/logs.py makes fields of it
logconfig_dict = logs.configured(os.environ.get("LOG_FORMAT") or "line", "warning")


def on_starting(server: Arbiter) -> None:
    """Make the counters' folder; exit with 2 under settings that would break a guarantee."""
    checked = subprocess.run(
        [sys.executable, "manage.py", "check", "--database", "default"],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        check=False,
    )
    if checked.returncode:
        sys.exit(2)
    runtime = os.environ.get("RUNTIME_DIRECTORY")
    folder = tempfile.mkdtemp(prefix=f"metrics-{server.pid}-", dir=runtime)
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder


def pre_fork(server: Arbiter, worker: Worker) -> None:
    """Give a process the lowest place that is free: its counters go on where another's ended."""
    taken = {other.place for other in server.WORKERS.values()}
    worker.place = next(place for place in range(len(taken) + 1) if place not in taken)


def post_fork(server: Arbiter, worker: Worker) -> None:  # noqa: ARG001 - gunicorn's signature
    """Count into the file of the place, so that there are as many files as places."""
    from prometheus_client import values  # noqa: PLC0415 - it looks for the folder when imported

    values.ValueClass = values.MultiProcessValue(lambda: worker.place)  # type: ignore[no-untyped-call]


def on_exit(server: Arbiter) -> None:  # noqa: ARG001 - gunicorn's signature
    """Leave no counters behind."""
    folder = os.environ.get("PROMETHEUS_MULTIPROC_DIR")
    if folder:
        shutil.rmtree(folder, ignore_errors=True)
