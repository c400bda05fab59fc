"""What the site is and what it keeps."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from costcodle import days, http
from costcodle.days import PuzzleNumber


@http.cached
def about(request: HttpRequest) -> HttpResponse:
    """The rules, when the day turns, privacy; not affiliated with any retailer."""
    tomorrow = PuzzleNumber(days.today(http.instant(request)) + 1)
    context = {
        "canonical": http.absolute(reverse("about")),
        "section": "about",
        "next_at": days.starts_at(tomorrow),
        "closes_at": days.due_at(PuzzleNumber(tomorrow - 1)),
    }
    return http.html("about.html", context)
