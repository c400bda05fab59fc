"""What a run says while it works: one event an item and one at its end, for the log.

The log is for whoever looks later; what a command prints is in `answers/reports.py`.
"""

import contextlib
import logging
import uuid
from typing import Final

import structlog

from answers.domain import Outcome, Owner, Report

logger = structlog.get_logger(__name__)

_LEVELS: Final = {
    Outcome.FAILED: logging.ERROR,
    Outcome.CONFLICT: logging.WARNING,
    Outcome.UNKNOWN: logging.WARNING,
}


def of_run(run: uuid.UUID, owner: Owner) -> contextlib.AbstractContextManager[None]:
    """While this holds, every line of the log names the run and its owner."""
    return structlog.contextvars.bound_contextvars(run=str(run), owner=owner)


def item(report: Report) -> None:
    """What became of one puzzle; seconds as a number. Only what wants somebody is a complaint."""
    logger.log(
        _LEVELS.get(report.outcome, logging.INFO),
        "item",
        puzzle=report.number,
        outcome=str(report.outcome),
        revision=report.revision,
        fence=report.fence,
        seconds=round(report.seconds, 3),
        detail=report.detail,
    )


def ended(*, revision: int, remaining: int, items: int, stopped_by: str, seconds: float) -> None:
    """How a run ended; a complaint where the database stopped it."""
    logger.log(
        logging.WARNING if stopped_by else logging.INFO,
        "run",
        revision=revision,
        items=items,
        remaining=remaining,
        stopped_by=stopped_by,
        seconds=round(seconds, 3),
    )
