"""One event, one line: how everything that is logged is written, on standard error.

structlog over the standard library: what `logging.getLogger(__name__)` says, here, in Django or in
gunicorn, comes out in the same shape as an event with fields. No value, whoever wrote it, makes a
second line. The time on a line is the host's: it is for people and decides nothing.
"""

import contextlib
import logging
from collections.abc import Iterator, Mapping
from typing import Any, Final

import structlog
from structlog import processors, stdlib
from structlog.typing import EventDict, Processor, WrappedLogger

_FIRST: Final = ("time", "level", "event", "logger")
_KNOWN_TO_ALL: Final[tuple[Processor, ...]] = (
    structlog.contextvars.merge_contextvars,
    stdlib.add_log_level,
    stdlib.add_logger_name,
    processors.TimeStamper(fmt="iso", utc=True, key="time"),
)


def configured(form: str, level: str) -> dict[str, Any]:
    """Set structlog up, and return what `LOGGING` is: `line` (logfmt) or `json`, from `level` on.

    gunicorn's own two loggers say what they have to say at any level: when it starts and stops,
    and one line a request.
    """
    structlog.configure(
        processors=[
            stdlib.filter_by_level,
            stdlib.PositionalArgumentsFormatter(),
            *_KNOWN_TO_ALL,
            stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=stdlib.LoggerFactory(),
        wrapper_class=stdlib.BoundLogger,
    )
    event = {
        "()": stdlib.ProcessorFormatter,
        "foreign_pre_chain": [*_KNOWN_TO_ALL, _request],
        "pass_foreign_args": True,
        "processors": [
            stdlib.ProcessorFormatter.remove_processors_meta,
            processors.format_exc_info,
            *_renderers(form),
        ],
    }
    server = {"handlers": ["server"], "level": "INFO", "propagate": False}
    elsewhere = {"handlers": [], "level": "NOTSET", "propagate": True}
    handler = {"class": "logging.StreamHandler", "formatter": "event"}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"event": event},
        "handlers": {"stderr": handler | {"level": level.upper()}, "server": handler},
        "root": {"handlers": ["stderr"], "level": level.upper()},
        "loggers": {
            "django": elsewhere,  # without its handlers, which write in another shape
            "django.server": elsewhere,
            "django.request": elsewhere | {"level": "ERROR"},  # gunicorn tells every 404 as it is
            "gunicorn.access": server,
            "gunicorn.error": server,
        },
    }


@contextlib.contextmanager
def complaints_alone() -> Iterator[None]:
    """Let nothing below a warning be written, whatever `LOG_LEVEL` says."""
    before = logging.root.manager.disable
    logging.disable(logging.INFO)
    try:
        yield
    finally:
        logging.disable(before)


def _renderers(form: str) -> list[Processor]:
    if form == "json":
        return [processors.JSONRenderer()]  # it escapes whatever is not ASCII
    return [_escaped, processors.LogfmtRenderer(key_order=_FIRST, drop_missing=True)]


def _escaped(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Every text with what cannot be printed written as an escape; line ends are the renderer's."""
    return {name: _printable(value) for name, value in event.items()}


def _printable(value: object) -> object:
    if not isinstance(value, str) or value.isprintable():
        return value
    return "".join(
        sign if sign.isprintable() or sign == "\n" else sign.encode("unicode_escape").decode()
        for sign in value
    )


def _request(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """A request as gunicorn tells it, in fields: no address, no query, nothing of the visitor's."""
    atoms = event.pop("positional_args", None)
    if event["logger"] != "gunicorn.access" or not isinstance(atoms, Mapping):
        return event
    event.update(
        event="request",
        method=atoms["m"],
        path=atoms["U"],
        status=int(atoms["s"]),
        bytes=atoms["B"],
        seconds=float(atoms["L"]),
    )
    return event
