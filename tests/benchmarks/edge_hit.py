"""What a hit of the edge cache costs, as ratios: by a constant response, and by Django's own cache.

Run by `make bench`. All sides take turns in one run; medians of blocks, with the quartiles' spread.
"""

import io
import os
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import django
from django.core.management import call_command

from tests.benchmarks.catch_up import ratio

BLOCKS = 40
REQUESTS_A_BLOCK = 50

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ENVIRONMENT"] = "test"
        os.environ["CLOCK_FIXED"] = "2026-10-16T00:10:00Z"
        os.environ["DATABASE_URL"] = f"sqlite:///{Path(folder) / 'bench.sqlite3'}"
        os.environ["DJANGO_SETTINGS_MODULE"] = "costcodle.settings"
        django.setup()
        call_command("migrate", verbosity=0)
        measure()


def measure() -> None:
    from answers import publisher  # noqa: PLC0415 - Django must be set up first
    from costcodle import clock  # noqa: PLC0415 - the same
    from tests.factories import make_puzzles  # noqa: PLC0415 - the same

    make_puzzles(1112, 1121)
    publisher.publish_due()
    sides = {"ours": ours(), "constant": constant(), "django": djangos()}
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    for name, application in sides.items():
        assert ask(application) == 200, name
    for _ in range(BLOCKS):
        for name, application in sides.items():
            elapsed = clock.stopwatch()
            for _ in range(REQUESTS_A_BLOCK):
                ask(application)
            seconds[name].append(elapsed())
    sys.stdout.write(ratio("a hit by a constant response", seconds["ours"], seconds["constant"]))
    sys.stdout.write(ratio("a hit by a hit of Django's", seconds["ours"], seconds["django"]))


def built(**settings: object) -> Application:
    """A WSGI application under other settings."""
    from django.core.handlers.wsgi import WSGIHandler  # noqa: PLC0415 - Django must be set up first
    from django.test import override_settings  # noqa: PLC0415 - the same

    with override_settings(**settings):
        return WSGIHandler()


def ours() -> Application:
    return built()


def constant() -> Application:
    """A view that answers a constant, behind no middleware at all."""
    return built(MIDDLEWARE=["tests.benchmarks.edge_hit.Constant"])


def djangos() -> Application:
    """The same pages under Django's cache middleware, in their documented places.

    It would store nothing that says `max-age=0`, as every page of ours does; here none says it.
    """
    from django.conf import settings  # noqa: PLC0415 - Django must be set up first

    rest = [each for each in settings.MIDDLEWARE if not each.endswith("EdgeCache")]
    first, last = "UpdateCacheMiddleware", "FetchFromCacheMiddleware"
    path = "django.middleware.cache."
    silent = "tests.benchmarks.edge_hit.WithoutCacheControl"
    return built(MIDDLEWARE=[path + first, silent, *rest, path + last])


class WithoutCacheControl:
    """Takes the header off a response on its way out."""

    def __init__(self, get_response: Callable[[object], Any]) -> None:
        self.get_response = get_response

    def __call__(self, request: object) -> Any:
        response = self.get_response(request)
        del response["Cache-Control"]
        return response


class Constant:
    """Answers everything with the same bytes."""

    def __init__(self, _get_response: object) -> None:
        from django.http import HttpResponse  # noqa: PLC0415 - Django must be set up first

        self.response = HttpResponse

    def __call__(self, _request: object) -> object:
        return self.response(b"x" * 3000)


def ask(application: Application) -> int:
    """One GET, read to its end; its status."""
    statuses: list[str] = []
    environ = {
        "REQUEST_METHOD": "GET", "PATH_INFO": "/answers/1120", "QUERY_STRING": "",
        "SERVER_NAME": "127.0.0.1", "SERVER_PORT": "8000", "HTTP_HOST": "127.0.0.1:8000",
        "SERVER_PROTOCOL": "HTTP/1.1", "wsgi.url_scheme": "http", "wsgi.input": io.BytesIO(),
    }  # fmt: skip
    response = application(environ, lambda status, *_: statuses.append(status))
    b"".join(response)
    response.close()  # type: ignore[attr-defined] # a WSGI server's part
    return int(statuses[0].split()[0])


if __name__ == "__main__":
    main()
