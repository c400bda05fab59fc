"""The cache as the first Django middleware: thin glue between requests and `cache.Edge`."""

import io
from collections.abc import Callable
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from answers.edge import policy, revision
from answers.edge.cache import Edge, How, Rendered, Served
from answers.edge.policy import Encoding, Origin
from answers.edge.revision import Reading, UnreadableError
from answers.edge.store import Store
from answers.edge.tier import SecondTier
from costcodle import counters, http

GetResponse = Callable[[HttpRequest], HttpResponseBase]

EDGE: Final = Edge(Store(), SecondTier() if settings.CACHE_URL else None)
"""The cache of this process."""

_NOT_MODIFIED: Final = 304
_OK: Final = 200
_NOT_KEPT: Final = frozenset({"content-length", "date", "expires", "last-modified", "etag"})
_IN_A_304: Final = ("Cache-Control", "Vary", "Content-Location")


class EdgeCache:
    """Answers the cached routes from ready bytes; passes everything else untouched."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Read the state of the site, then look, then render if need be.

        Where the state cannot be read nothing is looked up: the answer is a 503.
        """
        kind = policy.kind_of(request.path_info)
        if kind is None:
            return self.get_response(request)
        if request.method not in http.SAFE_METHODS or not _is_at_home(request):
            return _passed(self.get_response(request))
        try:
            reading = revision.read()
        except UnreadableError as error:
            return _passed(http.unavailable(request, str(error)))
        path = request.path_info
        served = EDGE.serve(_origin(), reading, kind, path, lambda: self._render(path, reading))
        return _answer(request, served)

    def _render(self, path: str, reading: Reading) -> Rendered:
        """Render a path from a request that holds nothing of the visitor's (E6)."""
        counters.count(counters.RENDERS)
        request = synthetic_request(path, reading)
        response = self.get_response(request)
        is_complete = isinstance(response, HttpResponse) and not response.streaming
        body = response.content if isinstance(response, HttpResponse) else b"".join(response)
        return Rendered(
            status=response.status_code,
            headers=tuple(_kept(response)),
            body=body,
            may_be_shared=is_complete and not response.cookies and _is_untouched(request),
            is_not_yet=getattr(response, "is_not_yet", False),
        )


def synthetic_request(path: str, reading: Reading) -> WSGIRequest:
    """GET of a path at the canonical origin, at the instant of the reading, and nothing else."""
    origin = urlsplit(settings.SITE_ORIGIN)
    default_port = "443" if origin.scheme == "https" else "80"
    request = WSGIRequest(
        {
            "REQUEST_METHOD": "GET",
            "PATH_INFO": path,
            "QUERY_STRING": "",
            "SCRIPT_NAME": "",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "SERVER_NAME": origin.hostname or "",
            "SERVER_PORT": str(origin.port or default_port),
            "HTTP_HOST": origin.netloc,
            "wsgi.url_scheme": origin.scheme,
            "wsgi.input": io.BytesIO(),
        }
    )
    http.fix_instant(request, reading.now)
    return request


def _origin() -> Origin:
    return Origin(
        environment=settings.ENVIRONMENT,
        canonical=settings.SITE_ORIGIN,
        build=settings.BUILD_VERSION,
    )


def _is_at_home(request: HttpRequest) -> bool:
    """Whether host and scheme are ones that pages are served under without a redirect."""
    try:
        request.get_host()
    except DisallowedHost:
        return False
    return request.is_secure() or not settings.SITE_ORIGIN.startswith("https://")


def _is_untouched(request: HttpRequest) -> bool:
    """Whether no session, CSRF token or message was used while rendering."""
    session = getattr(request, "session", None)
    messages = getattr(request, "_messages", None)
    return not (
        (session is not None and (session.accessed or session.modified))
        or request.META.get("CSRF_COOKIE_NEEDS_UPDATE")
        or (messages is not None and (messages.used or messages.added_new))
    )


def _kept(response: HttpResponseBase) -> list[tuple[str, str]]:
    return [(name, value) for name, value in response.items() if name.lower() not in _NOT_KEPT]


def _passed(response: HttpResponseBase) -> HttpResponseBase:
    response["Cache-Status"] = How.BYPASS
    counters.count(counters.PAGES, How.BYPASS.name.lower())
    return response


def _answer(request: HttpRequest, served: Served) -> HttpResponse:
    """A response from an entry: coded as asked, 304 where the visitor has it already."""
    entry = served.entry
    wanted = policy.negotiate(request.headers.get("Accept-Encoding"))
    encoding = wanted if wanted in entry.bodies else Encoding.IDENTITY
    tag = entry.tags[encoding]
    if entry.status == _OK and policy.is_match(request.headers.get("If-None-Match"), tag):
        response = HttpResponse(status=_NOT_MODIFIED)
        del response["Content-Type"]
        for name, value in entry.headers:
            if name in _IN_A_304:
                response[name] = value
    else:
        body = entry.bodies[encoding]
        response = HttpResponse(b"" if request.method == "HEAD" else body, status=entry.status)
        for name, value in entry.headers:
            response[name] = value
        response["Content-Length"] = str(len(body))
        if encoding is not Encoding.IDENTITY:
            response["Content-Encoding"] = encoding
    if "public" in response.get("Cache-Control", ""):
        response["ETag"] = tag
    response["Vary"] = "Accept-Encoding"
    response["Cache-Status"] = served.how
    counters.count(counters.PAGES, served.how.name.lower())
    return response
