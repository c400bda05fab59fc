"""The front page: the item of the UTC day."""

from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from answers import pages
from costcodle import days, http
from costcodle.days import Phase, PuzzleNumber
from costcodle.web import boards, form, play
from costcodle.web.play import Item


@http.cached
def front_page(request: HttpRequest) -> HttpResponse:
    """Today's board, empty and without its price, or that there is none; the latest answer.

    Until 00:10 UTC yesterday's board is linked too.
    """
    now = http.instant(request)
    today = days.today(now)
    item = play.find_item(today, now)
    return http.html(
        "home.html",
        {
            "canonical": http.absolute(reverse("home")),
            "section": "home",
            "board": boards.empty(item) if item else None,
            "yesterday": _yesterday(now),
            "latest": pages.latest_answer(),
            "next_at": days.starts_at(PuzzleNumber(today + 1)),
        },
    )


def _yesterday(now: datetime) -> Item | None:
    if days.phase(now) is not Phase.GRACE:
        return None
    return play.find_item(days.today(now) - 1, now)


home = http.get_or_post(front_page, form.submit)
