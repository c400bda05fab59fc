"""What a run leaves in the log: one event an item, one at the end, each with the run's id."""

import json
import logging
from typing import Any

import pytest
import structlog
from structlog.testing import capture_logs

from answers import drafts, events, ledger, operations, publisher
from answers.domain import Outcome, Owner, Reading, Report
from costcodle.days import PuzzleNumber
from tests.factories import make_puzzles
from tests.sites import Site

NUMBER = PuzzleNumber(1121)
DUE = "2026-10-16T00:10:00Z"


@pytest.fixture
def due(site: Site) -> Site:
    """A site on which 1120 and 1121 are due."""
    site.at(DUE)
    make_puzzles(1120, 1121)
    return site


def logged(site: Site, *command: str, **environment: str) -> list[dict[str, Any]]:
    """The events that a command leaves on standard error."""
    ran = site.run(*command, LOG_FORMAT="json", LOG_LEVEL="info", **environment)
    return [json.loads(line) for line in ran.stderr.splitlines()]


def test_a_run_leaves_one_event_an_item_and_one_at_its_end(due: Site) -> None:
    first, second, end = logged(due, "publish_answers", "--owner", "tower")
    assert {event["run"] for event in (first, second, end)} == {first["run"]}
    assert first["owner"] == f"tower/{first['run']}"
    assert [event["event"] for event in (first, second, end)] == ["item", "item", "run"]
    known = {"puzzle": 1120, "outcome": "published", "revision": 1, "fence": 1, "level": "info"}
    assert known.items() <= first.items()
    assert isinstance(first["seconds"], float)
    assert {"items": 2, "remaining": 0, "revision": 2, "stopped_by": ""}.items() <= end.items()


def test_a_run_that_succeeds_is_silent_for_cron_whatever_the_level(due: Site) -> None:
    ran = due.run("publish_answers", "-v", "0", LOG_LEVEL="debug")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def test_an_operators_command_leaves_its_event(due: Site) -> None:
    due.run("publish_answers")
    (event,) = logged(due, "withdraw_answer", "1121", "--reason", "a test")
    assert (event["event"], event["outcome"], event["puzzle"]) == ("item", "withdrawn", 1121)
    assert event["owner"] == f"operator/{event['run']}"


def test_what_the_standard_library_says_during_a_run_names_the_run(
    due: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[dict[str, Any]] = []

    def noting(number: PuzzleNumber) -> Reading:
        seen.append(structlog.contextvars.get_contextvars())
        return read(number)

    read = ledger.read
    monkeypatch.setattr(ledger, "read", noting)
    report = publisher.publish_due(label="tower")
    assert seen == [{"run": str(report.run), "owner": f"tower/{report.run}"}] * 2
    assert structlog.contextvars.get_contextvars() == {}
    assert due.at(DUE) == report.now


def test_an_item_that_fails_is_one_error_that_names_its_reason(
    due: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ValueError("bad\ndata")

    monkeypatch.setattr(drafts, "build", broken)
    with capture_logs() as captured:
        publisher.publish_due(only=NUMBER)
    errors = [event for event in captured if event["log_level"] == "error"]
    assert [(event["puzzle"], event["outcome"]) for event in errors] == [(1121, "failed")]
    assert "bad" in errors[0]["detail"]
    assert due.run("publish_answers", "-v", "0").stderr == ""


@pytest.mark.parametrize("outcome", list(Outcome))
@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_only_what_wants_somebody_is_a_complaint(site: Site, outcome: Outcome) -> None:
    with capture_logs() as captured:
        events.item(Report(number=NUMBER, outcome=outcome, owner=Owner("a")))
    complains = outcome in (Outcome.FAILED, Outcome.CONFLICT, Outcome.UNKNOWN)
    level = logging.getLevelNamesMapping()[captured[0]["log_level"].upper()]
    assert (level >= logging.WARNING) is complains
    assert site.engine == "sqlite"


def test_a_withdrawal_that_is_refused_leaves_no_event(due: Site) -> None:
    due.at(DUE)
    with capture_logs() as captured, pytest.raises(operations.RefusedError):
        operations.withdraw(NUMBER, "a test")
    assert captured == []
