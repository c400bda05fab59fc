"""The API against its own description, by a property-based tester of APIs, in this process."""

from typing import Any, TypeAlias

import hypothesis
import pytest
import schemathesis
from django.core.handlers.wsgi import WSGIHandler
from django.test import Client
from django.urls import get_resolver
from hypothesis import HealthCheck, given
from schemathesis import GenerationMode
from schemathesis.schemas import APIOperation

from answers import publisher
from answers.models import AnswerPost
from costcodle import clock
from costcodle.game.board import Mode
from costcodle.web.openapi import DESCRIPTION
from tests.factories import make_puzzle
from tests.games import SESSION, sealed
from tests.sites import Site

Case: TypeAlias = "schemathesis.Case[Any]"

OPERATIONS = [
    ("/api/play/{number}/guess", "POST"),
    ("/api/results", "POST"),
    ("/api/puzzles/{number}/stats", "GET"),
]
GUESS = {"guess": "8", "token": None, "session": SESSION}
CLOSE = "2026-10-16T00:10:00Z"


@pytest.fixture
def noon(site: Site) -> Site:
    """Puzzle 1121 of $9.49 is today's, 1120 of $20.00 is published, 1119 is withdrawn."""
    for number in (1119, 1120):
        make_puzzle(number=number, price_cents=2000)
    make_puzzle(number=1121, price_cents=949)
    site.at("2026-10-15T12:00:00Z")
    publisher.publish_due()
    AnswerPost.objects.filter(puzzle_id=1119).update(withdrawn_at=clock.now())
    return site


@pytest.fixture
def schema(noon: Site) -> Any:
    noon.at("2026-10-15T12:00:00Z")
    schema = schemathesis.openapi.from_wsgi("/api/openapi.json", WSGIHandler())
    checks = schema.config.checks
    # No schema can say that a text is a price, or was signed here: 400 is then an answer too.
    accepted = checks.positive_data_acceptance
    accepted.expected_statuses = [*accepted.expected_statuses, "400", "410"]
    # What is too long may be refused by its size alone.
    rejected = checks.negative_data_rejection
    rejected.expected_statuses = [*rejected.expected_statuses, "413"]
    return schema


def test_every_route_of_the_api_is_described() -> None:
    routes = {
        f"/{pattern.pattern}".replace("<number:number>", "{number}")
        for pattern in get_resolver().url_patterns
        if str(pattern.pattern).startswith("api/")
    }
    assert routes - {"/api/openapi.json"} == set(DESCRIPTION["paths"])
    assert {(path, method) for path, method in OPERATIONS} == {
        (path, method.upper())
        for path, item in DESCRIPTION["paths"].items()
        for method in item.keys() - {"parameters"}
    }


def test_the_description_is_a_cached_route(site: Site) -> None:
    site.at("2026-10-15T12:00:00Z")
    response = Client().get("/api/openapi.json")
    assert response["Cache-Control"] == "public, max-age=0, must-revalidate"
    assert response.json() == DESCRIPTION


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize("number", [None, 1121], ids=["any number", "today"])
@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_whatever_is_sent_the_api_answers_as_described(
    schema: Any,
    path: str,
    method: str,
    number: int | None,
    mode: GenerationMode,
) -> None:
    operation: APIOperation[Any, Any, Any, Any] = schema[path][method]
    known = {"number": number} if number and method == "POST" and "{number}" in path else None

    @hypothesis.settings(
        max_examples=20, deadline=None, suppress_health_check=list(HealthCheck), database=None
    )
    @given(case=operation.as_strategy(generation_mode=mode, path_parameters=known))
    def answers_as_described(case: Case) -> None:
        case.call_and_validate()

    answers_as_described()


@pytest.mark.parametrize(
    ("number", "body", "status"),
    [
        (1121, GUESS, 200),
        (1121, GUESS | {"guess": "9.49"}, 200),
        (1120, GUESS, 200),
        (1121, GUESS | {"token": sealed(1, 2, 3, 4, 5, session=SESSION)}, 200),
        (1121, GUESS | {"token": sealed(949, session=SESSION)}, 400),
        (1121, GUESS | {"guess": "x"}, 400),
        (1122, GUESS, 404),
        (1119, GUESS, 410),
        (1120, GUESS | {"token": sealed(1, number=1120, session=SESSION)}, 410),
        (1121, GUESS | {"guess": "9" * 5000}, 413),
    ],
)
def test_a_guess_is_answered_as_described(
    schema: Any,
    number: int,
    body: dict[str, object],
    status: int,
) -> None:
    operation = schema["/api/play/{number}/guess"]["POST"]
    case = operation.Case(
        path_parameters={"number": number}, body=body, media_type="application/json"
    )
    response = case.call()
    assert response.status_code == status
    operation.validate_response(response)


@pytest.mark.parametrize(
    ("reported", "statuses"),
    [
        (sealed(949, session=SESSION), (201, 200)),
        (sealed(1, 2, 3, 4, 5, 6, session=SESSION), (201, 200)),
        (sealed(1, session=SESSION), (400,)),
        (sealed(2000, number=1120, mode=Mode.PRACTICE, session=SESSION), (400,)),
        (sealed(2000, number=1120, session=SESSION), (410,)),
        ("x", (400,)),
    ],
)
def test_a_report_is_answered_as_described(
    schema: Any,
    reported: str,
    statuses: tuple[int, ...],
) -> None:
    operation = schema["/api/results"]["POST"]
    for status in statuses:
        case = operation.Case(body={"token": reported}, media_type="application/json")
        response = case.call()
        assert response.status_code == status
        operation.validate_response(response)


@pytest.mark.parametrize(("number", "status"), [(1120, 200), (1121, 404), (1119, 410)])
def test_a_distribution_is_answered_as_described(
    schema: Any,
    number: int,
    status: int,
) -> None:
    operation = schema["/api/puzzles/{number}/stats"]["GET"]
    response = operation.Case(path_parameters={"number": number}).call()
    assert response.status_code == status
    operation.validate_response(response)
