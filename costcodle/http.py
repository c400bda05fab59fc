"""What every page shares: its instant, its caching, its methods, its numbers, its errors."""

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import wraps
from typing import Concatenate, Final, ParamSpec

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.template.loader import render_to_string
from django.urls import register_converter
from django.urls.converters import IntConverter
from django.views.decorators.csrf import csrf_exempt

from costcodle import clock

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]

REVALIDATE: Final = "public, max-age=0, must-revalidate"
"""`Cache-Control` of every cached route: 200, 404 and 410 alike."""
IMMUTABLE: Final = "public, max-age=31536000, immutable"
"""`Cache-Control` of what never changes under its name."""
NO_STORE: Final = "private, no-store"
"""`Cache-Control` of everything else: redirects, errors, whatever is personal."""

SAFE_METHODS: Final = ("GET", "HEAD")
_REVALIDATED_STATUSES: Final = frozenset({200, 404, 410})


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


def read_only(view: View[P]) -> View[P]:
    """Answer GET and HEAD alone; every other method is a 405 that names them."""

    @csrf_exempt  # nothing is written here: a POST deserves its 405, not a 403 about a token
    @wraps(view)
    def answered(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if request.method in SAFE_METHODS:
            return view(request, *args, **kwargs)
        response = error(405)
        response["Allow"] = ", ".join(SAFE_METHODS)
        return response

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
