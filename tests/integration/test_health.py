import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from answers.models import AnswerPost
from costcodle import days
from costcodle.days import PuzzleNumber
from costcodle.models import SiteState
from tests.factories import make_puzzle, make_puzzles
from tests.sites import Site, point_at

NOWHERE = "postgresql://postgres@127.0.0.1:1/nowhere"


def page_of(number: int, *, withdrawn: bool = False) -> None:
    due_at = days.due_at(PuzzleNumber(number))
    AnswerPost.objects.create(
        puzzle_id=number,
        content_version=1,
        commit_token=uuid.uuid4(),
        bank_version=0,
        title="Almonds",
        body={},
        price_cents=949,
        published_at=due_at,
        updated_at=due_at,
        withdrawn_at=due_at if withdrawn else None,
    )


def ready() -> dict[str, Any]:
    response = Client().get("/readyz")
    assert response.status_code == 200
    figures: dict[str, Any] = response.json()
    return figures


def test_the_process_lives_without_its_database(site: Site) -> None:
    site.at("2026-10-16T12:00:00Z")
    with CaptureQueriesContext(connection) as captured:
        response = Client().get("/healthz")
    assert (response.status_code, response.content, len(captured)) == (200, b"ok", 0)
    point_at(NOWHERE)
    assert Client().get("/healthz").status_code == 200


def test_a_node_is_ready_when_it_can_read_the_revision(site: Site) -> None:
    site.at("2026-10-16T12:00:00Z")
    SiteState.objects.update(publication_revision=57)
    assert ready() == {
        "status": "ready",
        "revision": 57,
        "overdue_answers": 0,
        "bank_days_left": 0,
    }


@pytest.mark.parametrize("fault", ["away", "row missing"])
def test_a_node_that_cannot_read_the_revision_is_not_ready(site: Site, fault: str) -> None:
    site.at("2026-10-16T12:00:00Z")
    if fault == "away":
        point_at(NOWHERE)
    else:
        SiteState.objects.all().delete()
    response = Client().get("/readyz")
    assert response.status_code == 503
    assert response["Retry-After"] == "30"
    assert response["Cache-Control"] == "private, no-store"
    assert response.json() == {"status": "unavailable", "revision": None}


@pytest.mark.parametrize(
    ("instant", "overdue"),
    [
        ("2026-10-16T00:10:00Z", 1),
        ("2026-10-16T00:25:00Z", 1),
        ("2026-10-16T00:25:00.000001Z", 2),
        ("2026-10-16T23:59:59Z", 2),
        ("2026-10-17T00:25:01Z", 3),
    ],
)
def test_an_answer_is_overdue_when_it_is_due_for_more_than_fifteen_minutes(
    site: Site, instant: str, overdue: int
) -> None:
    make_puzzles(1118, 1130)
    page_of(1118)
    page_of(1119, withdrawn=True)
    site.at(instant)
    assert ready()["overdue_answers"] == overdue


@pytest.mark.parametrize(
    ("instant", "left"),
    [
        ("2026-10-15T12:00:00Z", 4),
        ("2026-10-19T23:59:59Z", 0),
        ("2026-10-20T00:00:00Z", 0),
        ("2026-10-21T00:00:00Z", 1),
        ("2026-10-23T00:00:00Z", 0),
    ],
)
def test_the_bank_lasts_until_its_first_gap(site: Site, instant: str, left: int) -> None:
    make_puzzles(1118, 1125)
    make_puzzles(1127, 1128)
    site.at(instant)
    assert ready()["bank_days_left"] == left


def test_overdue_answers_and_an_empty_bank_leave_a_node_ready(site: Site) -> None:
    make_puzzles(1, 40)
    site.at("2026-10-16T12:00:00Z")
    figures = ready()
    assert (figures["overdue_answers"], figures["bank_days_left"]) == (40, 0)


def test_figures_that_cannot_be_read_are_null_and_leave_a_node_ready(site: Site) -> None:
    site.at("2026-10-16T12:00:00Z")

    def without_bank(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        if "puzzles" in sql:
            raise OperationalError
        return execute(sql, *rest)

    with connection.execute_wrapper(without_bank):
        figures = ready()
    assert figures["revision"] == 0
    assert figures["overdue_answers"] is figures["bank_days_left"] is None


def test_the_number_of_queries_of_a_probe_does_not_grow(site: Site) -> None:
    site.at("2026-10-16T12:00:00Z")
    make_puzzle(number=1122)
    with CaptureQueriesContext(connection) as few:
        ready()
    make_puzzles(1, 1121)
    make_puzzles(1123, 1500)
    with CaptureQueriesContext(connection) as many:
        ready()
    assert len(many) == len(few) == 3


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_probes_are_read_only_and_never_stored(site: Site, path: str) -> None:
    site.at("2026-10-16T12:00:00Z")
    client = Client(enforce_csrf_checks=True)
    assert client.head(path).status_code == 200
    assert client.get(path)["Cache-Control"] == "private, no-store"
    refused = client.post(path)
    assert (refused.status_code, refused["Allow"]) == (405, "GET, HEAD")
