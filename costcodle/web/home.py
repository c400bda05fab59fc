"""The front page: the item of the UTC day."""

from dataclasses import dataclass
from datetime import date, datetime

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from answers import pages
from costcodle import days, http
from costcodle.days import PuzzleNumber
from costcodle.models import Puzzle


@dataclass(frozen=True, slots=True, kw_only=True)
class TodaysItem:
    """What may be seen of a puzzle while it is played. Its price is not even read."""

    number: PuzzleNumber
    day: date
    name: str
    size: str
    photo: str
    answer_at: datetime


@http.cached
def home(request: HttpRequest) -> HttpResponse:
    """Today's puzzle without its price, or that there is none; and the latest answer."""
    number = days.today(http.instant(request))
    return http.html(
        "home.html",
        {
            "canonical": http.absolute(reverse("home")),
            "section": "home",
            "item": todays_item(number),
            "latest": pages.latest_answer(),
            "next_at": days.starts_at(PuzzleNumber(number + 1)),
        },
    )


def todays_item(number: PuzzleNumber) -> TodaysItem | None:
    """The item of puzzle `number`; none where the bank has no such puzzle."""
    row = (
        Puzzle.objects.filter(number=number)
        .values_list("name", "size", "photo", "photo_ready")
        .first()
    )
    if row is None:
        return None
    name, size, photo, photo_ready = row
    return TodaysItem(
        number=number,
        day=days.day_of(number),
        name=name,
        size=size,
        photo=photo if photo_ready else "",
        answer_at=days.due_at(number),
    )
