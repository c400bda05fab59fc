"""Published answers as pages."""

from typing import assert_never

from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.urls import reverse

from answers import pages
from answers.pages import Absence, Answer
from costcodle import days, http
from costcodle.days import PuzzleNumber
from results.domain import bars


@http.cached
def newest(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - Django's signature
    """The first page of all published answers."""
    return _list(1)


@http.cached
def older(request: HttpRequest, page: int) -> HttpResponse:  # noqa: ARG001 - Django's signature
    """A later page of them; page 1 has its own address, and 404 follows the last."""
    if page == 1:
        return HttpResponsePermanentRedirect(reverse("answers"))
    return _list(page)


@http.cached
def answer(request: HttpRequest, number: int) -> HttpResponse:
    """The answer of a puzzle; 404 while it is not public, 410 once it is withdrawn."""
    found = pages.find_answer(number, http.instant(request))
    if isinstance(found, Answer):
        context = {
            "answer": found,
            "bars": bars(found.results),
            "canonical": http.absolute(reverse("answer", args=[number])),
        }
        return http.html("answers/answer.html", context)
    match found:
        case Absence.WITHDRAWN:
            return http.error(410)
        case Absence.NOT_YET:
            due_at = days.due_at(PuzzleNumber(number))
            context = {"number": number, "due_at": due_at}
            return http.html("answers/not_yet.html", context, status=404)
        case Absence.ON_ITS_WAY:
            return http.html("answers/on_its_way.html", {"number": number}, status=404)
        case Absence.UNKNOWN:
            return http.error(404)
        case _:
            assert_never(found)


def _list(page: int) -> HttpResponse:
    found = pages.list_page(page)
    if found is None:
        return http.error(404)
    context = {
        "list": found,
        "canonical": http.absolute(_list_url(page)),
        "section": "answers",
        "newer_url": _list_url(page - 1) if page > 1 else "",
        "older_url": _list_url(page + 1) if page < found.pages else "",
    }
    return http.html("answers/list.html", context)


def _list_url(page: int) -> str:
    return reverse("answers") if page == 1 else reverse("answers_page", args=[page])
