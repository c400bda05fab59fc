"""The rules that every response follows."""

from collections.abc import Callable
from typing import Final

from csp.middleware import CSPMiddleware, PolicyParts
from django.conf import settings
from django.db import Error as DatabaseFault
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseNotFound,
    HttpResponsePermanentRedirect,
)
from django.urls import is_valid_path
from django.utils.encoding import escape_uri_path
from django.utils.http import escape_leading_slashes

from costcodle import http
from costcodle.web import errors

GetResponse = Callable[[HttpRequest], HttpResponseBase]

_PROBES: Final = frozenset({"/healthz", "/readyz", "/metrics"})


class ExplicitCacheControl:
    """Every response says how it may be cached; a view that says nothing is never stored.

    A database fault in a view ends here as well: as a 503, never as a page.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer, and add `private, no-store` where nothing is said."""
        response = self.get_response(request)
        response.headers.setdefault("Cache-Control", http.NO_STORE)
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """The page of a database fault; anything else goes on to the 500."""
        if isinstance(exception, DatabaseFault):
            return errors.unavailable(request, exception)
        return None


class OrderedPolicy(CSPMiddleware):
    """Every response has the Content-Security-Policy of the settings, without a nonce.

    Its directives stand in the order of the settings: django-csp 4.0 orders them differently in
    every process, and a page has to be the same bytes wherever it was made.
    """

    def get_policy_parts(
        self,
        request: HttpRequest,
        response: HttpResponseBase,
        report_only: bool = False,  # noqa: FBT001, FBT002 - django-csp's signature
    ) -> PolicyParts:
        """The directives as an update of an empty policy, whose order django-csp keeps."""
        if report_only:
            return super().get_policy_parts(request, response, report_only)
        return PolicyParts(config={}, update=settings.CONTENT_SECURITY_POLICY["DIRECTIVES"])


class ListedSpelling:
    """One spelling per page: a wrong trailing slash, there or missing, redirects for good.

    Only where the spelling asked for is no route and the other one is, so it can neither loop
    nor lead to another site. Refuses a host that is not allowed, except to probes.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer, or redirect what would be a 404; raises `DisallowedHost`."""
        if request.path_info not in _PROBES:
            request.get_host()  # CommonMiddleware, which would check it, is not in use
        response = self.get_response(request)
        if _met_no_route(request, response) and is_valid_path(_other_spelling(request.path_info)):
            return _redirect(request)
        return response


def _met_no_route(request: HttpRequest, response: HttpResponseBase) -> bool:
    is_read = request.method in http.SAFE_METHODS
    is_missing = response.status_code == HttpResponseNotFound.status_code
    return is_read and is_missing and request.resolver_match is None


def _other_spelling(path: str) -> str:
    return path.removesuffix("/") if path.endswith("/") else f"{path}/"


def _redirect(request: HttpRequest) -> HttpResponse:
    path = escape_leading_slashes(escape_uri_path(_other_spelling(request.path)))
    query = request.META.get("QUERY_STRING", "")
    return HttpResponsePermanentRedirect(f"{path}?{query}" if query else path)
