"""One event, one line, in either form, whoever wrote the values."""

import json
import logging
import sys
from datetime import UTC, datetime

import pytest
from structlog import stdlib

from costcodle import logs

HOSTILE = "a\nlevel=error event=forged\r\x0b\x1b[31m\x85\u2028\u2029\x00\ud800b"


def written(form: str, record: logging.LogRecord) -> str:
    """What a handler of the settings would write of a record."""
    options = dict(logs.configured(form, "info")["formatters"]["event"])
    options.pop("()")
    return stdlib.ProcessorFormatter(**options).format(record)


def record(message: str, *arguments: object, name: str = "somewhere") -> logging.LogRecord:
    return logging.LogRecord(name, logging.WARNING, "file.py", 1, message, arguments, None)


@pytest.mark.parametrize("form", ["line", "json"])
def test_no_value_makes_a_second_line(form: str) -> None:
    line = written(form, record("from %s", HOSTILE))
    assert len(line.splitlines()) == 1
    assert line.isprintable()
    assert "forged" in line


def test_a_traceback_is_part_of_its_line() -> None:
    failed = record("it broke")
    try:
        int(HOSTILE)
    except ValueError:
        failed.exc_info = sys.exc_info()
    for form in ("line", "json"):
        line = written(form, failed)
        assert len(line.splitlines()) == 1
        assert "Traceback" in line
    assert json.loads(line)["exception"].startswith("Traceback")


def test_a_line_is_logfmt_and_begins_with_when_how_bad_and_what() -> None:
    time, rest = written("line", record("it is %s", "late")).split(" ", 1)
    assert rest == 'level=warning event="it is late" logger=somewhere'
    instant = datetime.fromisoformat(time.removeprefix("time="))
    assert instant.tzinfo is not None
    assert instant.utcoffset() == UTC.utcoffset(None)


def test_a_json_line_is_one_document_with_the_same_fields() -> None:
    event = json.loads(written("json", record("it is %s", "late")))
    assert event.pop("time").endswith("Z")
    assert event == {"level": "warning", "event": "it is late", "logger": "somewhere"}


def test_a_request_is_told_in_fields_without_anything_of_the_visitors() -> None:
    atoms = {"m": "GET", "U": "/a\nb", "s": "200", "B": 17, "L": "0.25", "h": "192.0.2.1"}
    atoms |= {"q": "secret=1", "a": "Browser", "r": "GET /a?secret=1 HTTP/1.1"}
    event = json.loads(written("json", record("%(m)s", atoms, name="gunicorn.access")))
    assert set(event) == {
        "time", "level", "event", "logger", "method", "path", "status", "bytes", "seconds",
    }  # fmt: skip
    assert (event["event"], event["path"], event["seconds"]) == ("request", "/a\nb", 0.25)


def test_complaints_alone_are_heard_and_the_rest_again_afterwards() -> None:
    logger = logging.getLogger("somewhere")
    logger.setLevel(logging.DEBUG)
    with logs.complaints_alone():
        assert not logger.isEnabledFor(logging.INFO)
        assert logger.isEnabledFor(logging.WARNING)
    assert logger.isEnabledFor(logging.INFO)
