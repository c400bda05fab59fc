"""The admin's log-in: how often it may be tried, and what whoever tried too often sees.

django-axes counts failures, by name and address together, in the database (`AXES_*` in the
settings). Before it an address may only try so often a minute, whatever names it tries.
"""

from datetime import timedelta
from typing import Final

from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from limits import RateLimitItemPerMinute

from costcodle import http
from costcodle.web import limits

LOGINS_AN_ADDRESS: Final = RateLimitItemPerMinute(10, namespace="log-ins-of-an-address")


def login(request: HttpRequest) -> HttpResponseBase:
    """The admin's own log-in page; a 429 where its address tried too often within a minute."""
    if request.method == "POST":
        refusal = limits.refusal_of_address(request, LOGINS_AN_ADDRESS)
        if refusal is not None and refusal.retry_after is not None:
            return _refused(refusal.retry_after)
    return admin.site.login(request)


def locked_out(
    request: HttpRequest,  # noqa: ARG001 - django-axes' signature
    response: HttpResponseBase | None,  # noqa: ARG001 - the same
    credentials: dict[str, object] | None,  # noqa: ARG001 - the same
) -> HttpResponse:
    """The answer to a name that is locked out from this address: wait for the whole cool-off.

    Tries meanwhile do not prolong it, so that wait is always enough.
    """
    cool_off: timedelta = settings.AXES_COOLOFF_TIME
    return _refused(int(cool_off.total_seconds()))


def address(request: HttpRequest) -> str | None:
    """The client's address as the limits know it, an IPv6 one as the first of its /64."""
    network = limits.client_address(request.META, settings.TRUSTED_PROXY_HOPS)
    return None if network is None else network.partition("/")[0]


def _refused(wait: int) -> HttpResponse:
    response = http.html("errors/login.html", {"minutes": -(-wait // 60)}, status=429)
    response["Retry-After"] = str(wait)
    response["Cache-Control"] = http.NO_STORE
    return response
