"""A refused request: one vocabulary for the API's errors and for the form's."""

from dataclasses import dataclass

from django.http import HttpResponse

from costcodle import http


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a request was not done; nothing was changed. `message` is for the player."""

    status: int
    code: str
    message: str
    retry_after: int | None = None
    """Seconds, where waiting helps."""


NOT_PLAYABLE = Refusal(status=404, code="not_playable", message="This puzzle cannot be played now.")
WITHDRAWN = Refusal(status=410, code="withdrawn", message="This puzzle has been withdrawn.")
CLOSED = Refusal(
    status=410,
    code="closed",
    message=(
        "This puzzle closed at 00:10 UTC. Your board stays as it is; the puzzle can be played"
        " again, for practice, once its answer is public."
    ),
)
NOT_PUBLIC = Refusal(status=404, code="not_public", message="This puzzle has no public answer.")
TOO_LARGE = Refusal(status=413, code="too_large", message="A request may have 4,096 bytes.")


def bad_request(code: str, message: str) -> Refusal:
    """A refusal of what was sent: 400."""
    return Refusal(status=400, code=code, message=message)


def as_json(refusal: Refusal) -> HttpResponse:
    """A refusal in the API's error shape."""
    return _timed(http.json_error(refusal.status, refusal.code, refusal.message), refusal)


def as_page(refusal: Refusal) -> HttpResponse:
    """A refusal as the error page of its status."""
    return _timed(http.error(refusal.status), refusal)


def _timed(response: HttpResponse, refusal: Refusal) -> HttpResponse:
    if refusal.retry_after is not None:
        response["Retry-After"] = str(refusal.retry_after)
    return response
