"""Published answers as pages."""

from typing import assert_never

from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.urls import reverse

from answers import metadata, pages
from answers.jumps import Jumps
from answers.pages import Absence, Answer
from costcodle import days, http
from costcodle.days import PuzzleNumber
from results.domain import bars, hardness


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
        return http.html("answers/answer.html", _facts(found))
    match found:
        case Absence.WITHDRAWN:
            return http.error(410)
        case Absence.NOT_YET:
            due_at = days.due_at(PuzzleNumber(number))
            context = {"number": number, "due_at": due_at}
            response = http.html("answers/not_yet.html", context, status=404)
            vars(response)["is_not_yet"] = True  # what the edge cache may keep of all 404s
            return response
        case Absence.ON_ITS_WAY:
            return http.html("answers/on_its_way.html", {"number": number}, status=404)
        case Absence.UNKNOWN:
            return http.error(404)
        case _:
            assert_never(found)


def _facts(answer: Answer) -> dict[str, object]:
    counted = bars(answer.results)
    return {
        "answer": answer,
        "bars": counted,
        "most": max(bar.games for bar in counted),
        "hardness": hardness(answer.results),
        "title": metadata.title(answer),
        "description": metadata.description(answer),
        "image": metadata.image(answer),
        "article": metadata.article(answer),
        "canonical": metadata.address(answer.number),
    }


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
    return http.html("answers/list.html", context | _ways(found.jumps))


def _ways(jumps: Jumps) -> dict[str, object]:
    return {
        "years": [
            (
                year.year,
                [(month.first, _entry_url(month.page, month.number)) for month in year.months],
            )
            for year in jumps.years
        ],
        "ranges": [(found, _list_url(found.page)) for found in jumps.ranges],
    }


def _entry_url(page: int, number: int) -> str:
    return f"{_list_url(page)}#answer-{number}"


def _list_url(page: int) -> str:
    return reverse("answers") if page == 1 else reverse("answers_page", args=[page])
