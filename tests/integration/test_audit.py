"""Each guarded fact damaged once, and seen named."""

import json
import uuid
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import F

from answers import audit, operations, publisher
from answers.models import AnswerPost, JobLease, PublicationItem, PublicationLog
from costcodle.days import PuzzleNumber
from costcodle.models import Puzzle, SiteState
from results.models import DailyResult
from tests.factories import make_puzzles, make_result
from tests.invariants import assert_consistent
from tests.sites import Site

DUE = "2026-10-16T00:10:00Z"
EARLY = timedelta(days=1)


def published(site: Site) -> None:
    """Four pages: one withdrawn and put back, one withdrawn, one with results and its photo."""
    site.at(DUE)
    make_puzzles(1118, 1121)
    Puzzle.objects.filter(number=1121).update(photo="a.webp", photo_ready=True)
    make_result(slot=1)
    make_result(slot=2, outcome="lost", guesses_used=6)
    publisher.publish_due()
    operations.withdraw(PuzzleNumber(1118), "a test")
    operations.reinstate(PuzzleNumber(1118))
    operations.withdraw(PuzzleNumber(1119), "a test")
    AnswerPost.objects.filter(puzzle_id=1121).update(bank_version=F("bank_version"))


def log_row(revision: int, **facts: object) -> None:
    """One more row of the log, for puzzle 1120 unless said otherwise."""
    row = PublicationLog.objects.get(puzzle_id=1120)
    row.revision, row.commit_token = revision, uuid.uuid4()
    row.kind, row.content_version, row.fence = "update", 2, 9
    for name, value in facts.items():
        setattr(row, name, value)
    row.save(force_insert=True)


def created_again() -> None:
    drop(PublicationLog, "publication_log_starts_with_create")
    log_row(8, kind="create")


def drop(model: type[PublicationLog | DailyResult], constraint: str) -> None:
    """Do without a constraint that would refuse the damage (on SQLite: without any)."""
    if connection.vendor == "sqlite":
        table = model._meta.db_table
        with connection.cursor() as cursor:
            cursor.execute(f"CREATE TABLE bare AS SELECT * FROM {table}")  # noqa: S608 - our table
            cursor.execute(f"DROP TABLE {table}")
            cursor.execute(f"ALTER TABLE bare RENAME TO {table}")
        return
    found = next(each for each in model._meta.constraints if each.name == constraint)
    with connection.schema_editor() as editor:
        editor.remove_constraint(model, found)


def same_session_twice() -> None:
    drop(DailyResult, "daily_result_once_a_session")
    DailyResult.objects.update(session_id=uuid.uuid4())


def rows(number: int) -> dict[str, int]:
    return {"puzzle_id": number}


DAMAGES: dict[str, Callable[[], object]] = {
    "g1_created_once": created_again,
    "g2_revision_counts_the_log": lambda: SiteState.objects.update(publication_revision=6),
    "g2_revisions_are_consecutive": lambda: PublicationLog.objects.filter(revision=2).update(
        revision=99
    ),
    "g2_site_state_is_one_row": lambda: SiteState.objects.all().delete(),
    "g3_page_was_created": lambda: PublicationLog.objects.filter(puzzle_id=1120).delete(),
    "g3_created_page_is_there": lambda: AnswerPost.objects.filter(puzzle_id=1120).delete(),
    "g3_item_knows_its_page": lambda: PublicationItem.objects.filter(puzzle_id=1120).update(
        state="processing"
    ),
    "g3_item_has_its_page": lambda: AnswerPost.objects.filter(puzzle_id=1120).delete(),
    "g3_page_carries_its_last_token": lambda: AnswerPost.objects.filter(puzzle_id=1120).update(
        commit_token=uuid.uuid4()
    ),
    "g4_no_fence_fell": lambda: JobLease.objects.filter(key="publication:1120").delete(),
    "g5_fences_rise_along_the_log": lambda: PublicationLog.objects.filter(kind="reinstate").update(
        fence=1
    ),
    "g9_page_knows_no_later_bank": lambda: AnswerPost.objects.filter(puzzle_id=1120).update(
        bank_version=5
    ),
    "g10_indexable_is_one_way": lambda: AnswerPost.objects.filter(puzzle_id=1121).update(
        indexable=False
    ),
    "g11_photo_is_one_way": lambda: AnswerPost.objects.filter(puzzle_id=1121).update(
        photo="", indexable=False
    ),
    "g12_withdrawn_until_reinstated": lambda: PublicationLog.objects.filter(
        kind="reinstate"
    ).update(kind="update"),
    "g12_page_is_withdrawn_as_logged": lambda: AnswerPost.objects.filter(puzzle_id=1119).update(
        withdrawn_at=None
    ),
    "g13_created_when_due": lambda: PublicationLog.objects.filter(puzzle_id=1121).update(
        created_at=F("created_at") - timedelta(seconds=1)
    ),
    "g17_versions_count_the_log": lambda: AnswerPost.objects.filter(puzzle_id=1120).update(
        content_version=2
    ),
    "g18_no_lease_is_too_long": lambda: JobLease.objects.update(
        expires_at=F("expires_at") + timedelta(seconds=61)
    ),
    "g21_slots_are_dense": lambda: DailyResult.objects.filter(slot=2).update(slot=3),
    "g21_once_a_session": same_session_twice,
    "g21_accepted_in_time": lambda: DailyResult.objects.update(created_at=F("created_at") + EARLY),
    "g21_page_counts_every_result": lambda: make_result(slot=3),
}


@pytest.fixture
def whole(site: Site) -> Site:
    """A published site, and whatever constraint a test drops is there again afterwards."""
    published(site)
    return site


@pytest.fixture(autouse=True)
def constraints_come_back(site: Site) -> object:
    """PostgreSQL's database serves later tests too."""
    yield
    if site.engine != "postgresql":
        return
    for model in (PublicationLog, DailyResult):
        with connection.cursor() as cursor:
            present = connection.introspection.get_constraints(cursor, model._meta.db_table)
        missing = [each for each in model._meta.constraints if each.name not in present]
        if missing:
            model._default_manager.all().delete()
        with connection.schema_editor() as editor:
            for constraint in missing:
                editor.add_constraint(model, constraint)


def test_an_undamaged_site_has_no_breach(whole: Site) -> None:
    result = whole.call("audit_publication")
    assert result.returncode == 0
    assert result.stdout.splitlines()[-1].endswith("breaches=0")
    assert "G6 not shown: " in result.stdout
    assert_consistent()


@pytest.mark.parametrize("check", DAMAGES)
def test_a_damaged_fact_is_named(whole: Site, check: str) -> None:
    DAMAGES[check]()
    result = whole.call("audit_publication", "--json")
    assert result.returncode == 1
    document = json.loads(result.stdout)
    named = {breach["check"]: breach["found"] for breach in document["breaches"]}
    assert named.get(check), named


def test_every_check_has_its_damage_and_every_guarantee_its_place() -> None:
    assert set(DAMAGES) == set(audit._SQL)
    placed = set(audit.shown()) | set(audit.NOT_SHOWN)
    assert placed == {f"G{number}" for number in range(1, 23)}
    assert not set(audit.shown()) & set(audit.NOT_SHOWN)


@pytest.mark.parametrize("body", [{}, {"won": 3, "lost": 0}, {"won": [1, 2]}])
def test_a_body_that_cannot_be_read_is_named(whole: Site, body: object) -> None:
    AnswerPost.objects.filter(puzzle_id=1120).update(body=body)
    assert [breach.check for breach in audit.breaches()] == ["g21_page_counts_every_result"]
    assert whole.call("audit_publication").returncode == 1
