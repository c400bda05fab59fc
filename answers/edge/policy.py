"""The policy of the edge cache: what a page is stored under, for how long, and whether at all.

What is authoritative: the one row of `site_state` in the primary database, read before the cache
is looked at, and the instant of that reading. Every decision here is a function of plain values;
nothing here knows a request, a response, a clock or a database.

What holds (docs/edge-cache.md):

* E3, E5: the key holds the revision, its random token, the bank's version, the UTC day and the
  phase. After a publication, a change of the bank, midnight, 00:10 or a restore every request
  builds a key that was never stored, and old entries are never asked for again.
* E3: a deadline is an absolute instant, fixed when the revision is read; none lies behind the next
  00:10 UTC, and none of home behind the next 00:00 UTC.
* E6: the path is the only thing of a request that reaches the key, and what is stored is rendered
  from nothing else.
* E7: only a 200, or the 404 of a scheduled puzzle, that is public, complete and says nothing about
  one visitor is stored. Header values are parsed as tokens, in any letter case.
* E9: an entity tag is a hash of the bytes, one per encoding, never of the key: a page that changed
  without a write must not be told that it is still good.

What a `None` means: no kind, a path that is not cached and passes untouched.

Why running twice is safe: the same reading and path give the same key, and the same bytes the same
tag. "New content under an old key" is harmless: nobody asks for the old key after the commit.
"""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final
from urllib.parse import quote
from uuid import UUID

from costcodle import days
from costcodle.days import PuzzleNumber

CONTRACT_VERSION: Final = 1
"""Rises when the stored form of an entry changes."""

_NOT_FOUND: Final = 404
_OK: Final = 200
_NUMBER: Final = r"[1-9][0-9]{0,8}"
_CONTENT: Final = re.compile(
    rf"/answers/(?:page/{_NUMBER}|{_NUMBER}|feed\.xml|feed\.json)?"
    rf"|/sitemap(?:-{_NUMBER})?\.xml|/robots\.txt|/about|/play/{_NUMBER}"
    rf"|/api/puzzles/{_NUMBER}/stats|/api/openapi\.json"
)
_FORBIDDEN_DIRECTIVES: Final = frozenset({"private", "no-store", "no-cache"})


class Kind(StrEnum):
    """What kind of page a path is, which decides how long it may live."""

    CONTENT = "content"
    HOME = "home"


_LONGEST: Final = {Kind.CONTENT: timedelta(seconds=300), Kind.HOME: timedelta(seconds=60)}


class Encoding(StrEnum):
    """A content coding that entries are kept in (RFC 9110, section 8.4.1)."""

    IDENTITY = "identity"
    GZIP = "gzip"


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Which program at which address: what separates two sites that share a store."""

    environment: str
    canonical: str
    build: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """One state of the site: everything that a write can change."""

    revision: int
    token: UUID
    bank_version: int

    def __str__(self) -> str:
        return f"r{self.revision}-{self.token.hex}-b{self.bank_version}"


def kind_of(path: str) -> Kind | None:
    """The kind of a cached path; `None` for any other."""
    if path == "/":
        return Kind.HOME
    return Kind.CONTENT if _CONTENT.fullmatch(path) else None


def key(origin: Origin, generation: Generation, kind: Kind, path: str, now: datetime) -> str:
    """What an entry is stored under; each part is encoded, so no two lists of parts are one key."""
    parts = (
        origin.environment,
        origin.canonical,
        origin.build,
        str(CONTRACT_VERSION),
        days.day_of(days.today(now)).isoformat(),
        days.phase(now),
        kind,
        str(generation),
        path,
    )
    return "/".join(quote(part, safe="") for part in parts)


def deadline(kind: Kind, now: datetime) -> datetime:
    """The instant from which an entry made at `now` is served no more."""
    today = days.today(now)
    midnight = days.starts_at(PuzzleNumber(today + 1))
    ends = [now + _LONGEST[kind], days.due_at(days.PuzzleNumber(days.last_due(now) + 1))]
    if kind is Kind.HOME:
        ends.append(midnight)
    return min(ends)


def is_storable(status: int, headers: Iterable[tuple[str, str]], *, is_not_yet: bool) -> bool:
    """Whether a complete response may be stored and shared (E7).

    `is_not_yet` says that a 404 is the friendly one of a scheduled puzzle. What the headers
    cannot tell (streaming, a used session, a CSRF token) is the caller's to say.
    """
    if not (status == _OK or (status == _NOT_FOUND and is_not_yet)):
        return False
    values: dict[str, list[str]] = {}
    for name, value in headers:
        values.setdefault(name.lower(), []).append(value)
    directives = {token.split("=", 1)[0] for token in _tokens(values.get("cache-control", []))}
    return (
        "set-cookie" not in values
        and "public" in directives
        and not directives & _FORBIDDEN_DIRECTIVES
        and set(_tokens(values.get("vary", []))) <= {"accept-encoding"}
        and not any("nonce-" in policy.lower() for policy in _policies(values))
        and "content-encoding" not in values
    )


def negotiate(accept_encoding: str | None) -> Encoding:
    """The coding to answer with (RFC 9110, section 12.5.3); identity where gzip is not wanted."""
    weights: dict[str, float] = {}
    for item in (accept_encoding or "").lower().split(","):
        name, _, parameter = item.partition(";")
        weights[name.strip()] = _weight(parameter)
    gzip = weights.get("gzip", weights.get("x-gzip", weights.get("*", 0.0)))
    identity = weights.get("identity", weights.get("*", 1.0) if weights.get("*") == 0 else 0.0001)
    return Encoding.GZIP if gzip > 0 and gzip >= identity else Encoding.IDENTITY


def etag(body: bytes, encoding: Encoding) -> str:
    """The entity tag of a body as it is before the coding, told apart by the coding."""
    digest = hashlib.sha256(body).hexdigest()[:32]
    return f'"{digest}"' if encoding is Encoding.IDENTITY else f'"{digest}-{encoding}"'


def is_match(if_none_match: str | None, tag: str) -> bool:
    """Whether a conditional request has `tag` already (RFC 9110, section 13.1.2, weakly)."""
    if if_none_match is None:
        return False
    if if_none_match.strip() == "*":
        return True
    return tag in re.findall(r'"[^"]*"', if_none_match)


def _tokens(values: Iterable[str]) -> list[str]:
    joined = ",".join(values).lower()
    return [token.strip() for token in joined.split(",") if token.strip()]


def _policies(values: dict[str, list[str]]) -> list[str]:
    names = ("content-security-policy", "content-security-policy-report-only")
    return [policy for name in names for policy in values.get(name, [])]


def _weight(parameter: str) -> float:
    name, _, value = parameter.strip().partition("=")
    if name.strip() != "q":
        return 1.0
    try:
        weight = float(value)
    except ValueError:
        return 0.0
    return weight if 0 <= weight <= 1 else 0.0
