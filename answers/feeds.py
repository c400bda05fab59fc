"""The newest answers as an Atom feed (RFC 4287) and as a JSON Feed (version 1.1).

Django's feed generator writes the Atom; its syndication views are not used, since they take their
addresses from the host that was asked for.
"""

import re
from datetime import datetime
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import escape
from django.utils.xmlutils import SimplerXMLGenerator

from answers import metadata, pages
from answers.pages import Answer
from costcodle import days, http
from costcodle.days import PuzzleNumber
from costcodle.templatetags.costcodle import iso
from results.domain import hardness

MOST_ENTRIES: Final = 30
TITLE: Final = "Costcodle: what it cost"
SUBTITLE: Final = "What the item of each day cost, once its day is over."

_NAMESPACE: Final = "tag:costcodle.com,2023-09-21:"
"""Of all ids (RFC 4151): fixed here, so that no move of the site and no update changes one."""
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no XML 1.0 document can hold (section 2.2)."""


class _Atom(Atom1Feed):
    """An Atom feed with content, whose date follows from its entries alone."""

    def latest_post_date(self) -> datetime:
        """When its newest change was; the site's first day while there is none."""
        first = days.starts_at(PuzzleNumber(1))
        return max((item["updateddate"] for item in self.items), default=first)

    def add_item_elements(self, handler: SimplerXMLGenerator, item: dict[str, Any]) -> None:
        """The elements of an entry, with its content last."""
        super().add_item_elements(handler, item)
        handler.addQuickElement("content", item["content"], {"type": "html"})


@http.cached
def atom(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - Django's signature
    """The newest answers as Atom."""
    feed = _Atom(
        title=TITLE,
        link=_home(),
        description="",
        subtitle=SUBTITLE,
        language="en",
        author_name=metadata.SITE_NAME,
        author_link=f"{settings.SITE_ORIGIN}/",
        feed_url=http.absolute(reverse("feed_atom")),
        feed_guid=f"{_NAMESPACE}answers",
    )
    for answer in pages.latest_answers(MOST_ENTRIES):
        feed.add_item(
            title=_xml_safe(metadata.title(answer)),
            link=metadata.address(answer.number),
            description=_xml_safe(escape(metadata.description(answer))),
            unique_id=_id(answer.number),
            pubdate=answer.published_at,
            updateddate=answer.updated_at,
            content=_xml_safe(_content(answer)),
        )
    return HttpResponse(feed.writeString("utf-8"), content_type=Atom1Feed.content_type)


@http.cached
def json_feed(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - Django's signature
    """The newest answers as a JSON Feed."""
    feed = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": TITLE,
        "description": SUBTITLE,
        "home_page_url": _home(),
        "feed_url": http.absolute(reverse("feed_json")),
        "language": "en",
        "authors": [{"name": metadata.SITE_NAME, "url": f"{settings.SITE_ORIGIN}/"}],
        "items": [_item(answer) for answer in pages.latest_answers(MOST_ENTRIES)],
    }
    return JsonResponse(feed, content_type="application/feed+json; charset=utf-8")


def _item(answer: Answer) -> dict[str, object]:
    item: dict[str, object] = {
        "id": _id(answer.number),
        "url": metadata.address(answer.number),
        "title": metadata.title(answer),
        "summary": metadata.description(answer),
        "content_html": _content(answer),
        "date_published": iso(answer.published_at),
        "date_modified": iso(answer.updated_at),
    }
    if answer.photo:
        item["image"] = metadata.image(answer)
    return item


def _home() -> str:
    return http.absolute(reverse("answers"))


def _id(number: PuzzleNumber) -> str:
    return f"{_NAMESPACE}answer:{number}"


def _content(answer: Answer) -> str:
    context = {
        "answer": answer,
        "hardness": hardness(answer.results),
        "address": metadata.address(answer.number),
        "image": metadata.image(answer),
    }
    return " ".join(render_to_string("answers/feed_entry.html", context).split())


def _xml_safe(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
