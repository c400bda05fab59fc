"""The API of the game. What it takes and answers is described in costcodle/web/openapi.py."""

from typing import Final

from django.http import HttpRequest, HttpResponse, JsonResponse

from answers import pages
from answers.pages import Absence
from costcodle import http
from costcodle.web import documents, limits, play
from costcodle.web.bodies import json_object
from costcodle.web.openapi import DESCRIPTION
from costcodle.web.play import Game
from costcodle.web.refusals import NOT_PUBLIC, WITHDRAWN, Refusal, as_json, bad_request
from results.domain import Distribution, Recording, RecordOutcome
from results.recorder import record
from results.stats import distribution

_STATUSES: Final = {
    RecordOutcome.RECORDED: 201,
    RecordOutcome.ALREADY_RECORDED: 200,
    RecordOutcome.FULL: 200,
    RecordOutcome.CLOSED: 410,
    RecordOutcome.REFUSED: 400,
}
_UNFINISHED: Final = bad_request(
    "not_finished", "Only a finished game of the day counts for the day's statistics."
)
_TOO_LATE: Final = Refusal(
    status=410, code="closed", message="The day's statistics closed at 00:10 UTC."
)
_ERRORS: Final = {RecordOutcome.CLOSED: _TOO_LATE, RecordOutcome.REFUSED: _UNFINISHED}
_REFUSED: Final = Recording(outcome=RecordOutcome.REFUSED)


@http.post_only
def guess(request: HttpRequest, number: int) -> HttpResponse:
    """Judge one guess. The same request has the same answer, the first of a game included."""
    found = limits.refusal_of_address(request, limits.GUESSES_AN_ADDRESS) or _guess(request, number)
    return as_json(found) if isinstance(found, Refusal) else JsonResponse(documents.turn(found))


@http.post_only
def results(request: HttpRequest) -> HttpResponse:
    """Record a finished game of the day; the same report again changes nothing."""
    found = limits.refusal_of_address(request, limits.RESULTS_AN_ADDRESS) or _reported(request)
    if isinstance(found, Game):
        return _recorded(found)
    if found.status == _STATUSES[RecordOutcome.REFUSED]:
        return JsonResponse(documents.report(_REFUSED, None, found), status=found.status)
    return as_json(found)


@http.cached
def stats(request: HttpRequest, number: int) -> HttpResponse:  # noqa: ARG001 - Django's signature
    """The final distribution of a published puzzle."""
    found = pages.final_results(number)
    if isinstance(found, Distribution):
        return JsonResponse({"puzzle": number, **documents.distribution(found)})
    return as_json(WITHDRAWN if found is Absence.WITHDRAWN else NOT_PUBLIC)


@http.cached
def openapi(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - Django's signature
    """The description of this API."""
    return JsonResponse(DESCRIPTION)


def _guess(request: HttpRequest, number: int) -> Game | Refusal:
    body = json_object(request)
    if isinstance(body, Refusal):
        return body
    item = play.find_item(number, http.instant(request))
    game = play.open_game(item, sealed=body.get("token"), session=body.get("session"))
    if isinstance(game, Refusal):
        return game
    return limits.refusal_of_session(game.play.session) or play.guessed(game, body.get("guess"))


def _reported(request: HttpRequest) -> Game | Refusal:
    body = json_object(request)
    return body if isinstance(body, Refusal) else play.reported_game(body.get("token"))


def _recorded(game: Game) -> HttpResponse:
    recording = record(game.play, game.price)
    outcome = recording.outcome
    counted = None if outcome is RecordOutcome.REFUSED else distribution(game.play.number)
    body = documents.report(recording, counted, _ERRORS.get(outcome))
    return JsonResponse(body, status=_STATUSES[outcome])
