"""The admin's lists: in words, linked, searchable, escaped, and as cheap however long they are."""

import html
import re

import pytest
from django.contrib import admin
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from answers import operations, publisher
from answers.models import AnswerPost, JobLease, PublicationItem, PublicationLog
from costcodle import days, inspection
from costcodle.days import PuzzleNumber
from costcodle.models import Puzzle
from results.models import DailyResult
from tests.admins import (
    ABANDONED,
    FAILED,
    HELD,
    PUBLIC,
    SCRIPT,
    WITHDRAWN,
    open_the_office,
    staff,
    superuser,
)
from tests.factories import make_puzzle, make_puzzles, make_result
from tests.sites import Site

LISTS = {
    "item": "/admin/answers/publicationitem/",
    "page": "/admin/answers/answerpost/",
    "lease": "/admin/answers/joblease/",
    "log": "/admin/answers/publicationlog/",
    "results": "/admin/results/dailyresult/",
}


@pytest.fixture
def office(site: Site) -> Site:
    open_the_office(site)
    return site


def text_of(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200, path
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", response.content.decode())).split())


def rows_of(client: Client, path: str) -> int:
    """How many rows a list shows; `no_results` is none."""
    page = client.get(path).content.decode()
    table = re.search(r'(?s)<table id="result_list">.*?<tbody>(.*?)</tbody>', page)
    return table[1].count("<tr>") if table else 0


def test_every_list_says_in_words_how_things_stand(office: Site) -> None:
    client = superuser()
    items = text_of(client, LISTS["item"])
    assert "failed: an error; every run tries it again" in items
    assert f"nothing was changed, and every run tries it again {SCRIPT}" in items
    assert "processing: somebody works on it, or died at it" in items
    assert "none has ended yet" in items
    leases = text_of(client, LISTS["lease"])
    assert "publication:1119 other run 1 held, 60 s left" in leases
    assert f"publication:1118 {SCRIPT} run 1 free" in leases
    log = text_of(client, LISTS["log"])
    assert "3 1116 withdrawn 2026-10-15 00:09:00 UTC operator 2 -" in log
    pages = text_of(client, LISTS["page"])
    assert "withdrawn since 2026-10-15 00:09:00 UTC" in pages
    assert "1115 Item 1115, 2 lbs public since 2026-10-15 00:09:00 UTC $12.15 1" in pages
    assert "1115 3 won with 3" in text_of(client, LISTS["results"])
    assert "3 0" in text_of(client, "/admin/costcodle/sitestate/")
    assert office.engine == connection.vendor


@pytest.mark.parametrize("path", LISTS.values())
def test_nothing_that_was_stored_is_taken_for_markup(office: Site, path: str) -> None:
    Puzzle.objects.filter(number__in=(PUBLIC, FAILED)).update(name=SCRIPT)
    AnswerPost.objects.update(title=SCRIPT)
    client = superuser(SCRIPT)
    operations.reinstate(PuzzleNumber(WITHDRAWN))
    for address in (path, f"{path}?q={PUBLIC}", f"{path}?q={SCRIPT}", "/admin/"):
        assert SCRIPT not in client.get(address).content.decode()
    assert office.engine == connection.vendor


def test_a_puzzles_number_finds_it_in_every_list_and_every_list_leads_to_the_others(
    office: Site,
) -> None:
    client = superuser()
    for name, path in LISTS.items():
        page = client.get(f"{path}?q=%23{PUBLIC}").content.decode()
        found = {"results": 3}.get(name, 1)
        assert rows_of(client, f"{path}?q={PUBLIC}") == found
        for other in LISTS.values():
            if other != path:
                assert f'href="{other}?q={PUBLIC}"' in page
        for nothing in ("111", "0", "99999999999999999999", "9998"):
            assert rows_of(client, f"{path}?q={nothing}") == 0
    assert office.engine == connection.vendor


@pytest.mark.parametrize(
    ("path", "rows"),
    [
        (f"{LISTS['item']}?state=failed", 1),
        (f"{LISTS['item']}?state=nonsense", 6),
        (f"{LISTS['item']}?last_outcome=withdrawn", 1),
        (f"{LISTS['item']}?q=Item+1118", 1),
        (f"{LISTS['item']}?q=alert", 1),
        (f"{LISTS['page']}?public=yes", 1),
        (f"{LISTS['page']}?public=no", 1),
        (f"{LISTS['page']}?q=nothing+like+it", 0),
        (f"{LISTS['lease']}?held=yes", 1),
        (f"{LISTS['lease']}?held=no", 4),
        (f"{LISTS['lease']}?q=other/run", 1),
        (f"{LISTS['log']}?kind=withdraw", 1),
        (f"{LISTS['log']}?q=night", 2),
        (f"{LISTS['log']}?created_at__year=2026&created_at__month=10", 3),
        (f"{LISTS['results']}?outcome=won&guesses_used=3", 3),
        (f"{LISTS['results']}?outcome=lost", 0),
        (f"{LISTS['results']}?q=words", 0),
    ],
)
def test_a_list_is_narrowed_by_what_it_offers(office: Site, path: str, rows: int) -> None:
    assert rows_of(superuser(), path) == rows
    assert office.engine == connection.vendor


@pytest.mark.parametrize("path", LISTS.values())
@pytest.mark.parametrize("query", ["puzzle__name=%00", "owner_id=x", "id__gt=1", "pk__in=a"])
def test_no_other_condition_is_taken(office: Site, path: str, query: str) -> None:
    assert superuser().get(f"{path}?{query}").status_code in (302, 400)
    assert office.engine == connection.vendor


def test_a_lease_of_another_job_is_shown_without_a_puzzle(office: Site) -> None:
    now = office.at("2026-10-16T12:00:00Z")
    JobLease.objects.create(key="photos", owner_id="x", fence=1, expires_at=now, updated_at=now)
    client = superuser()
    assert "photos no label x 1 free" in text_of(client, LISTS["lease"])
    assert "photos" in text_of(client, f"{LISTS['lease']}photos/change/")


@pytest.mark.parametrize("name", LISTS)
def test_a_list_costs_the_same_however_long_it_is(site: Site, name: str) -> None:
    site.at("2026-10-16T12:00:00Z")
    make_puzzles(1110, 1111)
    make_result(number=1110)
    publisher.publish_due()
    client = superuser()
    client.get(LISTS[name])
    costs = []
    for first in (1104, 1080):
        make_puzzles(first, first + 5 if first == 1104 else 1103)
        for number in range(first, first + 5):
            make_result(number=number)
        publisher.publish_due()
        with CaptureQueriesContext(connection) as queries:
            assert client.get(LISTS[name]).status_code == 200
        costs.append(len(queries))
    assert costs[0] == costs[1] <= 10
    assert PublicationItem.objects.count() == AnswerPost.objects.count() == 32


def test_a_long_list_counts_no_further_than_it_can_be_paged(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.at("2026-10-16T12:00:00Z")
    make_puzzle()
    day = days.starts_at(PuzzleNumber(1121))
    DailyResult.objects.bulk_create(
        DailyResult(
            puzzle_id=1121,
            session_id=f"00000000-0000-4000-8000-{slot:012}",
            slot=slot,
            outcome="won",
            guesses_used=2,
            created_at=day,
        )
        for slot in range(1, 131)
    )
    monkeypatch.setattr(inspection, "MOST_COUNTED", 100)
    client = superuser()
    assert rows_of(client, LISTS["results"]) == 50
    assert "100 daily results" in text_of(client, LISTS["results"])
    assert rows_of(client, f"{LISTS['results']}?p=2") == 50
    assert client.get(f"{LISTS['results']}?p=3").status_code == 302
    assert inspection.BoundedPaginator(list(DailyResult.objects.all()), 2).count == 130


@pytest.mark.parametrize(
    "path",
    [
        f"{LISTS['item']}{HELD}/change/",
        f"{LISTS['page']}{PUBLIC}/change/",
        f"{LISTS['lease']}publication_3A{ABANDONED}/change/",
        f"{LISTS['log']}1/change/",
        f"{LISTS['log']}3/change/",
        "/admin/costcodle/sitestate/1/change/",
    ],
)
def test_one_row_is_read_and_has_no_button_that_saves(office: Site, path: str) -> None:
    client = superuser()
    page = client.get(path).content.decode()
    assert 'name="_save"' not in page
    assert "deletelink" not in page
    assert client.post(path, {"_save": "Save"}).status_code == 403
    assert client.post(path.replace("change", "delete"), {"post": "yes"}).status_code == 403
    assert client.post(re.sub(r"[^/]+/change/$", "add/", path), {}).status_code == 403
    assert office.engine == connection.vendor


def test_buttons_are_what_can_be_done_to_the_row_and_shown_to_whoever_may(office: Site) -> None:
    client, watcher = superuser(), staff("watcher", "view_answerpost", "view_publicationitem")
    public, withdrawn = (f"{LISTS['page']}{number}/" for number in (PUBLIC, WITHDRAWN))
    page = client.get(f"{public}change/").content.decode()
    assert f'href="{public}withdraw/"' in page
    assert f'href="{public}correct/"' in page
    assert f'href="{public}reinstate/"' not in page
    assert f'href="{withdrawn}reinstate/"' in client.get(f"{withdrawn}change/").content.decode()
    lease = f"{LISTS['lease']}publication_3A"
    assert f"{lease}{HELD}/break/" in client.get(f"{lease}{HELD}/change/").content.decode()
    assert "/break/" not in client.get(f"{lease}{ABANDONED}/change/").content.decode()
    assert "withdraw/" not in watcher.get(f"{public}change/").content.decode()
    items = watcher.get(LISTS["item"]).content.decode()
    assert "publish-due" not in items
    assert 'name="action"' not in items
    assert 'value="retry"' in client.get(LISTS["item"]).content.decode()
    assert office.engine == connection.vendor


def test_the_front_page_leads_with_the_last_night(office: Site) -> None:
    page = superuser().get("/admin/").content.decode()
    assert page.index("Last night") < page.index('id="content-related"')
    assert '"/admin/answers/publicationlog/last-night/"' in page
    assert '"/admin/answers/publicationitem/publish-due/"' in page
    nobody = staff("nobody").get("/admin/").content.decode()
    assert "last-night" not in nobody
    assert "publish-due" not in nobody
    assert office.engine == connection.vendor


@pytest.mark.parametrize("path", [*LISTS.values(), "/admin/", "/admin/admin/logentry/"])
def test_no_page_of_the_admin_is_kept_by_anybody_or_needs_what_the_policy_refuses(
    office: Site, path: str
) -> None:
    office.settings.MIDDLEWARE = ["answers.edge.middleware.EdgeCache", *office.settings.MIDDLEWARE]
    client = superuser()
    for _ in range(2):
        response = client.get(path)
        page = response.content.decode()
        assert {"private", "no-store"} <= set(response["Cache-Control"].split(", "))
        assert not response.headers.get("Cache-Status", "").startswith("costcodle; hit")
        assert "<style" not in page
        assert ' style="' not in page
        assert page.count("<script") == page.count("<script src=") + page.count(
            '<script id="django-admin'
        )


def test_the_lists_of_the_admin_are_of_every_model_that_the_site_has() -> None:
    models = {model for model in admin.site._registry if model.__module__.startswith("answers")}
    assert models == {AnswerPost, JobLease, PublicationItem, PublicationLog}
