"""`/play/<n>`: a published puzzle for practice; yesterday's until 00:10 UTC."""

from typing import assert_never

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from costcodle import http
from costcodle.web import boards, form, play
from costcodle.web.play import Access, Item


@http.cached
def read(request: HttpRequest, number: int) -> HttpResponse:
    """The empty board, the same bytes for everyone; today's puzzle is on the front page."""
    item = play.find_item(number, http.instant(request))
    if item is None:
        return http.error(404)
    return HttpResponseRedirect(reverse("home")) if item.is_today else _page(item)


practice = http.get_or_post(read, form.submit)


def _page(item: Item) -> HttpResponse:
    match item.access:
        case Access.WITHDRAWN:
            return http.error(410)
        case Access.CLOSED:
            return form.between(item)
        case Access.DAILY | Access.PRACTICE:
            return form.page(item, boards.empty(item))
        case _:
            assert_never(item.access)
