"""What search engines are told: the answers they may index, and what to leave alone.

Django's sitemap views are not used: they page by query string, which no cached route has, and
take their addresses from the host that was asked for.
"""

from collections.abc import Iterable
from datetime import datetime
from itertools import groupby
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse

from answers import metadata, pages
from costcodle import days, http
from costcodle.days import PuzzleNumber

PART: Final = 1_000
"""How many numbers one sitemap covers. A number never moves to another part."""
_MOST_PARTS: Final = -(-days.LAST_NUMBER // PART)

_Row = tuple[PuzzleNumber, datetime]


@http.cached
def sitemap(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - Django's signature
    """All indexable answers; more than fit into one part are an index of the parts."""
    rows = pages.indexable()
    return _of_answers(rows) if len(rows) <= PART else _of_parts(rows)


@http.cached
def part(request: HttpRequest, part: int) -> HttpResponse:  # noqa: ARG001 - Django's signature
    """The indexable answers of one part, counted from 1; 404 for a part without any."""
    rows = pages.indexable((part - 1) * PART + 1, part * PART) if part <= _MOST_PARTS else []
    return _of_answers(rows) if rows else http.error(404)


@http.cached
def robots(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - Django's signature
    """What crawlers leave alone, and where the sitemap is (RFC 9309).

    A page that must not be indexed says so itself. An admin at an address of its own is not told
    to the world.
    """
    admin = ["/admin/"] if settings.ADMIN_URL == "admin/" else []
    lines = [
        "User-agent: *",
        *(f"Disallow: {path}" for path in [http.API, *admin]),
        "",
        f"Sitemap: {http.absolute(reverse('sitemap'))}",
    ]
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")


def _part_of(row: _Row) -> int:
    return (row[0] - 1) // PART + 1


def _of_answers(rows: Iterable[_Row]) -> HttpResponse:
    found = [(metadata.address(number), updated_at) for number, updated_at in rows]
    return _xml("sitemap.xml", found)


def _of_parts(rows: Iterable[_Row]) -> HttpResponse:
    found = [
        (
            http.absolute(reverse("sitemap_part", args=[number])),
            max(updated_at for _, updated_at in inside),
        )
        for number, inside in groupby(rows, key=_part_of)
    ]
    return _xml("sitemap_index.xml", found)


def _xml(template: str, places: list[tuple[str, datetime]]) -> HttpResponse:
    text = render_to_string(template, {"places": places})
    return HttpResponse(text, content_type="application/xml; charset=utf-8")
