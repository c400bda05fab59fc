"""What every page shares: its instant, its caching, its methods, its numbers, its errors."""

import logging
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import wraps
from typing import Concatenate, Final, ParamSpec

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.template.loader import render_to_string
from django.urls import register_converter
from django.urls.converters import IntConverter
from django.views.decorators.csrf import csrf_exempt

from costcodle import clock

logger = logging.getLogger(__name__)

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]

REVALIDATE: Final = "public, max-age=0, must-revalidate"
"""`Cache-Control` of every cached route: 200, 404 and 410 alike."""
IMMUTABLE: Final = "public, max-age=31536000, immutable"
"""`Cache-Control` of what never changes under its name."""
NO_STORE: Final = "private, no-store"
"""`Cache-Control` of everything else: redirects, errors, whatever is personal."""

RETRY_AFTER_SECONDS: Final = 30

SAFE_METHODS: Final = ("GET", "HEAD")
_REVALIDATED_STATUSES: Final = frozenset({200, 404, 410})

API: Final = "/api/"
"""Below this path errors are JSON."""
_API_ERRORS: Final = {
    400: ("bad_request", "The request cannot be read."),
    403: ("forbidden", "This is not allowed."),
    404: ("not_found", "There is nothing at this address."),
    405: ("method_not_allowed", "This address does not take this method."),
    500: ("server_error", "Something broke on our side: try again."),
    503: ("unavailable", "The site cannot be used now: try again in half a minute."),
}


class CanonicalNumber(IntConverter):
    """The `<number:…>` of a route: ASCII digits without leading zeros, so one spelling each."""

    regex = "[1-9][0-9]*"


register_converter(CanonicalNumber, "number")


def instant(request: HttpRequest) -> datetime:
    """The one instant of a request, in UTC: read when first asked for, the same ever after."""
    known = vars(request)
    if "instant" not in known:
        fix_instant(request, clock.now())
    now: datetime = known["instant"]
    return now


def fix_instant(request: HttpRequest, now: datetime) -> None:
    """Let a request happen at `now`, whatever the clock says later."""
    vars(request)["instant"] = now


def absolute(path: str) -> str:
    """The address of a path at the canonical origin, never at the host that was asked for."""
    return f"{settings.SITE_ORIGIN}{path}"


def html(template: str, context: Mapping[str, object], *, status: int = 200) -> HttpResponse:
    """A page made of its context alone: no request is at hand, so none can leak into it."""
    return HttpResponse(render_to_string(template, dict(context)), status=status)


def error(status: int) -> HttpResponse:
    """The error page of a status in the site's look, made without the database, never stored."""
    response = html(f"errors/{status}.html", {}, status=status)
    response["Cache-Control"] = NO_STORE
    return response


def json_error(status: int, code: str, message: str) -> JsonResponse:
    """The API's one error shape, never stored; `message` is for people."""
    body = {"error": {"code": code, "message": message}}
    return JsonResponse(body, status=status, headers={"Cache-Control": NO_STORE})


def error_for(request: HttpRequest, status: int) -> HttpResponse:
    """The error of a status as whoever asked can read it: JSON below `/api/`, else a page."""
    if not request.path_info.startswith(API):
        return error(status)
    code, message = _API_ERRORS[status]
    return json_error(status, code, message)


def refuse_method(request: HttpRequest, allowed: tuple[str, ...]) -> HttpResponse:
    """The 405 of a route, with the methods that it knows."""
    response = error_for(request, 405)
    response["Allow"] = ", ".join(allowed)
    return response


def unavailable(request: HttpRequest, reason: str) -> HttpResponse:
    """The answer to a database fault, whatever was asked: 503, try again in half a minute."""
    logger.error("database fault at %r: %s", request.path, reason.splitlines()[0])
    response = error_for(request, 503)
    response["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return response


def read_only(view: View[P]) -> View[P]:
    """Answer GET and HEAD alone; every other method is a 405 that names them."""
    return _allowing(SAFE_METHODS, view)


def post_only(view: View[P]) -> View[P]:
    """Answer POST alone, without a CSRF token, since no cookie gives anybody any right here."""
    return _allowing(("POST",), view)


def get_or_post(read: View[P], post: View[P]) -> View[P]:
    """One route of two views: POST by `post`, GET and HEAD by `read`, any other method a 405."""

    def chosen(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        view = post if request.method == "POST" else read
        return view(request, *args, **kwargs)

    return _allowing((*SAFE_METHODS, "POST"), wraps(read)(chosen))


def _allowing(methods: tuple[str, ...], view: View[P]) -> View[P]:
    @csrf_exempt  # no cookie gives a right here, and a wrong method deserves its 405, not a 403
    @wraps(view)
    def answered(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if request.method in methods:
            return view(request, *args, **kwargs)
        return refuse_method(request, methods)

    return answered


def cached(view: View[P]) -> View[P]:
    """Make a view a cached route: read only, and its 200, 404 and 410 to be revalidated."""

    @read_only
    @wraps(view)
    def revalidated(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        response = view(request, *args, **kwargs)
        if response.status_code in _REVALIDATED_STATUSES:
            response["Cache-Control"] = REVALIDATE
        return response

    return revalidated
