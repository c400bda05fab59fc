"""The whole site as a visitor's browser finds it: every address that can be reached."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from urllib.parse import urldefrag, urljoin, urlsplit

from django.conf import settings
from django.test import Client

_IN_TEXT = re.compile(r"<loc>([^<]+)</loc>|\burl\(\"?([^)\"]+)|^Sitemap: (\S+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What one address answers; `links` are as they are written there."""

    path: str
    status: int
    headers: dict[str, str]
    body: bytes
    links: tuple[str, ...]
    anchors: frozenset[str]

    @property
    def is_html(self) -> bool:
        return self.headers.get("Content-Type", "").startswith("text/html")

    @property
    def text(self) -> str:
        return self.body.decode()


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and tag != "base":
                self.links.append(value or "")
            if name == "srcset":
                self.links += [each.split()[0] for each in (value or "").split(",")]
            if name == "id":
                self.anchors.add(value or "")


def fetch(path: str) -> Page:
    """One address, followed nowhere."""
    response = Client(raise_request_exception=False).get(path)
    body = b"".join(response) if response.streaming else response.content
    headers = dict(response.headers)
    response.close()
    return page_of(path, response.status_code, headers, body)


def page_of(path: str, status: int, headers: dict[str, str], body: bytes) -> Page:
    reader = _Reader()
    kind = headers.get("Content-Type", "")
    if "html" in kind or "atom" in kind:
        reader.feed(body.decode())
    if kind.startswith(("text/css", "application/xml", "text/plain")):
        reader.links += [next(filter(None, found)) for found in _IN_TEXT.findall(body.decode())]
    return Page(
        path=path,
        status=status,
        headers=headers,
        body=body,
        links=tuple(reader.links),
        anchors=frozenset(reader.anchors),
    )


def address_of(link: str, page: Page) -> tuple[str, str] | None:
    """The path and the fragment that a link leads to; None where it leads off the site."""
    there, fragment = urldefrag(urljoin(settings.SITE_ORIGIN + page.path, link))
    if not f"{there}/".startswith(f"{settings.SITE_ORIGIN}/"):
        return None
    parts = urlsplit(there)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path, fragment


def crawl(start: Iterable[str]) -> dict[str, Page]:
    """Every page that can be reached from these addresses, these included, by its path."""
    pages: dict[str, Page] = {}
    ahead = list(start)
    while ahead:
        path = ahead.pop()
        if path in pages:
            continue
        pages[path] = fetch(path)
        ahead += [found[0] for found in _leading(pages[path])]
    return pages


def broken(pages: dict[str, Page]) -> Iterator[str]:
    """The links between these pages that lead to no page, or to no place on it."""
    for page in pages.values():
        for path, fragment in _leading(page):
            target = pages[path]
            if target.status != 200 or (fragment and fragment not in target.anchors):
                yield f"{page.path} → {path}#{fragment}: {target.status}"


def _leading(page: Page) -> Iterator[tuple[str, str]]:
    for link in page.links:
        found = address_of(link, page)
        if found is not None:
            yield found
