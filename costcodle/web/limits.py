"""How much one session and one address may ask of the game in a minute.

Counted by the `limits` library in the shared cache, or in this process where there is none.
Whoever asks is counted under a keyed hash that is forgotten within the minute; no address is
stored. A store that fails limits nobody: the game goes on, and the log says so.
"""

import functools
import logging
import math
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Final
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest
from django.utils.crypto import salted_hmac
from limits import RateLimitItem, RateLimitItemPerMinute
from limits.errors import StorageError
from limits.storage import MemoryStorage, RedisStorage, Storage
from limits.strategies import FixedWindowRateLimiter
from redis import ConnectionPool
from redis.backoff import NoBackoff
from redis.retry import Retry

from costcodle import clock, counters
from costcodle.web.refusals import Refusal

logger = logging.getLogger(__name__)

GUESSES_A_SESSION: Final = RateLimitItemPerMinute(30, namespace="guesses-of-a-session")
GUESSES_AN_ADDRESS: Final = RateLimitItemPerMinute(120, namespace="guesses-of-an-address")
RESULTS_AN_ADDRESS: Final = RateLimitItemPerMinute(20, namespace="results-of-an-address")

_IPV6_PREFIX: Final = 64  # what one customer of a network has at least
_STORE_TIMEOUT_SECONDS: Final = 0.25
_IN_PROCESS: Final = "memory://"
_SALT: Final = "costcodle.web.limits"


def refusal_of_address(request: HttpRequest, limit: RateLimitItem) -> Refusal | None:
    """Count a request for the address it comes from; a 429 where that is one too many.

    An address that is not known, as behind a Unix socket without a trusted proxy, has no limit.
    """
    address = client_address(request.META, settings.TRUSTED_PROXY_HOPS)
    return None if address is None else _refusal(limit, address)


def refusal_of_session(session: UUID) -> Refusal | None:
    """Count a guess for its session; a 429 where that is one too many."""
    return _refusal(GUESSES_A_SESSION, session.hex)


def client_address(meta: dict[str, str], hops: int) -> str | None:
    """The address that asked, an IPv6 one as its /64; None where there is none.

    Each of `hops` trusted proxies has appended to X-Forwarded-For the address that it saw; what
    stands further left was written by the client and is never believed.
    """
    forwarded = meta.get("HTTP_X_FORWARDED_FOR", "").split(",")[-hops:] if hops else []
    candidates = [*forwarded, meta.get("REMOTE_ADDR", "")]
    known = (_network(text.strip()) for text in candidates)
    return next((network for network in known if network is not None), None)


def _network(text: str) -> str | None:
    try:
        address = ip_address(text)
    except ValueError:
        return None
    if isinstance(address, IPv4Address):
        return str(address)
    return _of_ipv6(address)


def _of_ipv6(address: IPv6Address) -> str:
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(IPv6Network((int(address), _IPV6_PREFIX), strict=False))


def _refusal(limit: RateLimitItem, who: str) -> Refusal | None:
    if not settings.RATE_LIMITS:
        return None
    key = salted_hmac(_SALT, who, algorithm="sha256").hexdigest()
    try:
        limiter = _limiter(settings.CACHES["default"].get("LOCATION", _IN_PROCESS))
        if limiter.hit(limit, key):
            return None
        resets_at = limiter.get_window_stats(limit, key).reset_time
    except StorageError as error:
        counters.count(counters.UNCOUNTED)
        logger.warning("requests are not counted now: %s", error.storage_error)
        return None
    counters.count(counters.LIMITED, limit.namespace)
    wait = max(1, math.ceil(clock.seconds_until(resets_at)))
    return Refusal(
        status=429,
        code="too_many_requests",
        message=f"That was too much for one minute: try again in {wait} seconds.",
        retry_after=wait,
    )


@functools.cache
def _limiter(location: str) -> FixedWindowRateLimiter:
    return FixedWindowRateLimiter(_storage(location))


def _storage(location: str) -> Storage:
    if location == _IN_PROCESS:
        return MemoryStorage(wrap_exceptions=True)
    pool = ConnectionPool.from_url(
        location,
        socket_connect_timeout=_STORE_TIMEOUT_SECONDS,
        socket_timeout=_STORE_TIMEOUT_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )
    prefix = f"{settings.CACHES['default']['KEY_PREFIX']}:limits"
    return RedisStorage(location, connection_pool=pool, key_prefix=prefix, wrap_exceptions=True)
