"""Reading what a client sent, safely: at most 4,096 bytes, one JSON object, no surprise."""

import json
from typing import Final, NoReturn

from django.http import HttpRequest, UnreadablePostError

from costcodle.web.refusals import TOO_LARGE, Refusal, bad_request

MOST_BYTES: Final = 4096

_NOT_JSON: Final = bad_request("not_json", "The body is not a JSON text in UTF-8.")


def is_too_large(request: HttpRequest) -> bool:
    """Whether the body is announced as longer than 4,096 bytes; it is not read."""
    declared = request.META.get("CONTENT_LENGTH") or "0"
    return declared.isdecimal() and int(declared[:20]) > MOST_BYTES


def json_object(request: HttpRequest) -> dict[str, object] | Refusal:
    """The JSON object in the body, or why there is none: 400, 413 or 415. Never raises."""
    if request.content_type != "application/json":
        return Refusal(status=415, code="not_json", message="Send the body as application/json.")
    if is_too_large(request):
        return TOO_LARGE
    try:
        raw = request.read(MOST_BYTES + 1)
    except UnreadablePostError:
        return bad_request("incomplete", "The body was cut off.")
    return TOO_LARGE if len(raw) > MOST_BYTES else _parsed(raw)


def _parsed(raw: bytes) -> dict[str, object] | Refusal:
    try:
        value = json.loads(raw.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):  # the latter for what is nested too deeply
        return _NOT_JSON
    return value if isinstance(value, dict) else bad_request("no_object", "Send a JSON object.")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)
