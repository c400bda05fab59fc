"""Errors: pages in the site's look, JSON below `/api/`; without the database, never stored."""

import sys

from django.db import Error as DatabaseFault
from django.http import HttpRequest, HttpResponse

from costcodle import http


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001 - Django's signature
    """The handler of 400."""
    return http.error_for(request, 400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001 - Django's signature
    """The handler of 403."""
    return http.error_for(request, 403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001 - Django's signature
    """The handler of 404 where no route is."""
    return http.error_for(request, 404)


def server_error(request: HttpRequest) -> HttpResponse:
    """The handler of every other exception, raised by a view or by a middleware."""
    exception = sys.exception()
    if isinstance(exception, DatabaseFault):
        return unavailable(request, exception)
    try:
        return http.error_for(request, 500)
    except Exception:  # noqa: BLE001 - what failed may be the templates themselves
        return HttpResponse(
            "Something broke on our side. Please try again.",
            status=500,
            content_type="text/plain; charset=utf-8",
            headers={"Cache-Control": http.NO_STORE},
        )


def unavailable(request: HttpRequest, fault: DatabaseFault) -> HttpResponse:
    """The answer to a database fault, whatever was asked: 503, try again in half a minute."""
    return http.unavailable(request, str(fault).strip() or type(fault).__name__)
