"""`/metrics`: what this server counted and what the tables say, in the form of Prometheus."""

from collections.abc import Iterable
from ipaddress import ip_address
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from prometheus_client import generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import CollectorRegistry

from costcodle import counters, http
from costcodle.web.figures import Tables

_OF_A_PROXY: Final = frozenset(
    {
        "HTTP_FORWARDED",
        "HTTP_VIA",
        "HTTP_X_FORWARDED_FOR",
        "HTTP_X_FORWARDED_HOST",
        "HTTP_X_FORWARDED_PROTO",
        "HTTP_X_REAL_IP",
    }
)
"""Headers that say that somebody passed the request on."""


@http.read_only
def metrics(request: HttpRequest) -> HttpResponse:
    """The figures, for whoever asks from this machine; a 404 for everybody else.

    `METRICS_OPEN` shows them to all. A database that is away leaves what the processes counted.
    """
    if not (settings.METRICS_OPEN or is_local(request.META, settings.TRUSTED_PROXY_HOPS)):
        return http.error(404)
    tables = CollectorRegistry()
    tables.register(Tables())
    text = generate_latest(tables) + generate_latest(counters.registry())
    return HttpResponse(text, content_type=CONTENT_TYPE_PLAIN_0_0_4)


def is_local(meta: dict[str, str], hops: int) -> bool:
    """Whether a request began on this machine, as far as `hops` trusted proxies can tell.

    Every address that it is said to have come through has to be a loopback one, the last of them
    included. Without a trusted proxy one that was passed on at all is nobody's from here.
    """
    if not hops and _OF_A_PROXY & meta.keys():
        return False
    forwarded = meta.get("HTTP_X_FORWARDED_FOR")
    passed_through = forwarded.split(",") if forwarded is not None else []
    return _are_loopback([*passed_through, meta.get("REMOTE_ADDR", "")])


def _are_loopback(addresses: Iterable[str]) -> bool:
    try:
        known = [ip_address(text.strip()) for text in addresses]
    except ValueError:
        return False
    return all((getattr(each, "ipv4_mapped", None) or each).is_loopback for each in known)
