"""The dead-man's switch: tells a monitor that the night job began and how it ended."""

import logging

import urllib3
from django.conf import settings

logger = logging.getLogger(__name__)

_TIMEOUT = urllib3.Timeout(total=3.0)


def started() -> None:
    """Tell the monitor that a run has begun."""
    _send("/start", "")


def ended(status: int, summary: str) -> None:
    """Tell the monitor the exit status of a run and its summary line."""
    _send(f"/{status}", summary)


def _send(path: str, text: str) -> None:
    """One request, no retry, three seconds at most; its failure never fails the run."""
    if not settings.PING_URL:
        return
    try:
        urllib3.request(
            "POST",
            settings.PING_URL.rstrip("/") + path,
            body=text.encode(),
            headers={"Content-Type": "text/plain; charset=utf-8"},
            timeout=_TIMEOUT,
            retries=False,
            redirect=False,
        )
    except (urllib3.exceptions.HTTPError, ValueError, OSError) as error:
        logger.warning("PING_URL could not be reached: %s", type(error).__name__)
