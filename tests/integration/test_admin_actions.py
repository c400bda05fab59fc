"""What an operator does from the admin: through the commands' functions, told in words, logged."""

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db import InterfaceError, OperationalError, connection
from django.test import Client

from answers import leases, operations, publisher
from answers.attempts import AwayError
from answers.domain import Outcome, Owner, Report
from answers.models import AnswerPost, JobLease, PublicationItem, PublicationLog
from answers.office import actions
from costcodle import clock
from costcodle.days import PuzzleNumber
from costcodle.models import Puzzle, SiteState
from tests.admins import (
    FAILED,
    HELD,
    PUBLIC,
    SCRIPT,
    TODAY,
    UNLISTED,
    WITHDRAWN,
    open_the_office,
    staff,
    superuser,
)
from tests.factories import make_puzzles
from tests.interleaving import snapshot
from tests.invariants import assert_consistent
from tests.sites import Site

PAGES = "/admin/answers/answerpost"
ITEMS = "/admin/answers/publicationitem"
LEASE = f"/admin/answers/joblease/publication_3A{HELD}/break/"
ACTIONS = (
    f"{PAGES}/{PUBLIC}/withdraw/",
    f"{PAGES}/{WITHDRAWN}/reinstate/",
    f"{PAGES}/{PUBLIC}/correct/",
    f"{ITEMS}/{UNLISTED}/publish/",
    f"{ITEMS}/publish-due/",
    LEASE,
)


@pytest.fixture
def office(site: Site, monkeypatch: pytest.MonkeyPatch) -> Site:
    open_the_office(site)
    monkeypatch.setattr(actions, "PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr(clock, "pause", lambda _: None)
    return site


def post(client: Client, path: str, **said: object) -> tuple[int, list[str]]:
    """Post a form and follow; the status and what was told."""
    response = client.post(path, said, follow=True)
    told = [str(message) for message in (response.context or {}).get("messages", [])]
    told += [each.text for each in (response.context or {}).get("all_told", [])]
    return response.status_code, told


def told(client: Client, path: str, **said: object) -> str:
    status, lines = post(client, path, **said)
    assert status == 200
    assert len(lines) == 1
    return lines[0]


@pytest.mark.guarantee("G2", "G17")
def test_a_page_is_withdrawn_reinstated_and_corrected_in_words(office: Site) -> None:
    client = superuser("Olga Ö.")
    withdraw, reinstate, correct = (
        f"{PAGES}/{PUBLIC}/{name}/" for name in ("withdraw", "reinstate", "correct")
    )
    assert told(client, withdraw, reason="wrong item").startswith(
        f"Puzzle {PUBLIC}: withdrawn (revision 4): the page was taken back"
    )
    row = PublicationLog.objects.get(revision=4)
    assert (row.kind, row.reason) == ("withdraw", "wrong item")
    label, _, _ = row.owner_id.rpartition("/")
    assert label.startswith("admin:")
    assert label.endswith(":Olga__.")
    assert Client().get(f"/answers/{PUBLIC}").status_code == 410
    assert told(client, correct, price="9,99").startswith("Refused: puzzle 1115 is withdrawn")
    assert told(client, reinstate).startswith("Puzzle 1115: reinstated (revision 5)")
    assert told(client, correct, price="$9.99", note="Misread.").startswith(
        "Puzzle 1115: updated (revision 6)"
    )
    page = AnswerPost.objects.get(puzzle_id=PUBLIC)
    assert (page.price_cents, page.body["correction_note"]) == (999, "Misread.")
    notes = LogEntry.objects.order_by("id").values_list("change_message", flat=True)
    assert [note.split(" (")[0] for note in notes] == [
        "withdraw: Puzzle 1115: withdrawn",
        "correct: Refused: puzzle 1115 is withdrawn: reinstate it first. Nothing was changed.",
        "reinstate: Puzzle 1115: reinstated",
        "correct: Puzzle 1115: updated",
    ]
    assert_consistent()
    assert office.engine == connection.vendor


def test_a_label_says_which_person_it_was(office: Site) -> None:
    told(superuser("olga"), f"{ITEMS}/{UNLISTED}/publish/")
    row = PublicationLog.objects.get(puzzle_id=UNLISTED)
    assert row.owner_id.startswith("admin:olga/")
    assert len(row.owner_id) <= len("admin:olga/") + 36
    told(superuser("o" * 140), f"{ITEMS}/{FAILED}/publish/")
    owner = PublicationLog.objects.get(puzzle_id=FAILED).owner_id
    assert len(owner) == 40 + 1 + 36
    assert office.engine == connection.vendor


@pytest.mark.guarantee("G15")
def test_a_form_that_is_posted_twice_changes_nothing_twice(office: Site) -> None:
    client = superuser()
    for path, said in (
        (f"{PAGES}/{PUBLIC}/correct/", {"price": "7.77"}),
        (f"{PAGES}/{PUBLIC}/withdraw/", {"reason": "x"}),
        (f"{PAGES}/{PUBLIC}/reinstate/", {}),
        (f"{ITEMS}/{UNLISTED}/publish/", {}),
        (LEASE, {"owner": "other/run", "fence": 1}),
    ):
        assert ": unchanged: " not in told(client, path, **said)
        before = snapshot()
        assert ": unchanged: " in told(client, path, **said)
        after = snapshot()
        attempts = ("job_leases", "publication_items")
        assert {table: after[table] for table in after if table not in attempts} == {
            table: before[table] for table in before if table not in attempts
        }
    assert_consistent()
    assert office.engine == connection.vendor


@pytest.mark.parametrize(
    ("path", "said", "error"),
    [
        (ACTIONS[0], {"reason": " "}, "This field is required."),
        (ACTIONS[0], {"reason": "a\tb"}, "one line of 1 to 200 printable characters"),
        (ACTIONS[0], {"reason": "x" * 201}, "one line of 1 to 200 printable characters"),
        (ACTIONS[0], {"reason": "a\0b"}, "Null characters are not allowed."),
        (ACTIONS[2], {}, "Say a price, a name or a note."),
        (ACTIONS[2], {"price": "eleven"}, "errorlist"),
        (ACTIONS[2], {"price": "1.299"}, "errorlist"),
        (ACTIONS[2], {"name": "x" * 201}, "one line of 1 to 200 printable characters"),
        (LEASE, {"owner": "other/run", "fence": str(2**63)}, "submit"),
        (LEASE, {"owner": "", "fence": "x"}, "submit"),
    ],
)
def test_what_cannot_be_read_is_asked_for_again_and_nothing_is_done(
    office: Site, path: str, said: dict[str, str], error: str
) -> None:
    client = superuser()
    before = snapshot()
    response = client.post(path, said)
    assert response.status_code == 200
    assert error in response.content.decode()
    assert snapshot() == before
    assert not LogEntry.objects.exists()
    assert office.engine == connection.vendor


def test_every_outcome_that_a_page_can_reach_is_told_in_words(
    office: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = superuser()
    publish = f"{ITEMS}/{{}}/publish/"
    assert told(client, publish.format(UNLISTED)).startswith(
        "Puzzle 1121: published (revision 4): the"
    )
    assert told(client, publish.format(UNLISTED)).startswith("Puzzle 1121: unchanged: ")
    assert told(client, publish.format(TODAY)).startswith("Puzzle 1122: not_due: it can still")
    held = told(client, publish.format(HELD))
    assert held.startswith("Puzzle 1119: lease_held: another publisher")
    assert "held by other/run until 2026-10-16T12:01:00" in held
    assert told(client, f"{PAGES}/{TODAY}/withdraw/", reason="x") == (
        "Refused: puzzle 1122 is not published. Nothing was changed."
    )
    office.settings.PUBLISH_WITHOUT_PHOTO = False
    assert told(client, publish.format(FAILED)).startswith("Puzzle 1117: not_ready: ")
    office.settings.PUBLISH_WITHOUT_PHOTO = True
    for outcome in (Outcome.CONFLICT, Outcome.LEASE_LOST, Outcome.FAILED, Outcome.UNKNOWN):

        def ends(*_args: object, outcome: Outcome = outcome, **_options: object) -> Any:
            return Report(
                number=PuzzleNumber(FAILED), outcome=outcome, owner=Owner("x"), detail=SCRIPT
            )

        monkeypatch.setattr(operations, "withdraw", ends)
        response = client.post(f"{PAGES}/{PUBLIC}/withdraw/", {"reason": "x"}, follow=True)
        assert f"Puzzle {FAILED}: {outcome}: " in response.content.decode()
        assert SCRIPT not in response.content.decode()


def test_what_is_due_is_published_a_few_at_a_time_and_what_remains_is_said(
    office: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_puzzles(1090, 1114)
    monkeypatch.setattr(actions, "MOST_AT_ONCE", 20)
    client = superuser()
    page = client.get(f"{ITEMS}/publish-due/").content.decode()
    assert "at most 20" in page
    status, lines = post(client, f"{ITEMS}/publish-due/")
    assert status == 200
    assert sum(": published (" in line for line in lines) == 20
    assert lines[-1].startswith("Public changes: 20; 10 remain: do it again")
    monkeypatch.setattr(actions, "MOST_SECONDS", -1.0)
    assert post(client, f"{ITEMS}/publish-due/")[1] == [
        "Public changes: 0; 10 remain: do it again, or leave it to the next run."
    ]
    monkeypatch.undo()
    monkeypatch.setattr(clock, "pause", lambda _: None)
    lines = post(client, f"{ITEMS}/publish-due/")[1]
    assert lines[-1].startswith("Public changes: 9; nothing remains")
    assert any(line.startswith("Puzzle 1119: lease_held") for line in lines)
    assert_consistent()
    assert office.engine == connection.vendor


def test_selected_items_are_tried_again(office: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = {"action": "retry", "index": 0, "_selected_action": [FAILED, PUBLIC]}
    status, lines = post(superuser(), f"{ITEMS}/", **chosen)
    assert status == 200
    assert [line.split(" (")[0] for line in lines] == [
        "Puzzle 1115: unchanged: nothing public had to change, and nothing did",
        "Puzzle 1117: published",
    ]
    monkeypatch.setattr(actions, "MOST_AT_ONCE", 1)
    _, lines = post(superuser("b"), f"{ITEMS}/", **chosen, select_across=1)
    assert lines[-1] == "5 of these remain: do it again, or leave them to the next run."
    assert_consistent()
    assert office.engine == connection.vendor


def gone(*_args: object, **_options: object) -> Any:
    raise OperationalError("the server closed the connection unexpectedly")


@pytest.mark.parametrize(
    ("path", "said", "where", "name", "error"),
    [
        (ACTIONS[0], {"reason": "x"}, operations, "withdraw", AwayError("gone")),
        (ACTIONS[1], {}, operations, "reinstate", InterfaceError("connection already closed")),
        (ACTIONS[3], {}, publisher, "publish_due", OperationalError("no route to host")),
        (ACTIONS[4], {}, publisher, "publish_due", OperationalError("no route to host")),
        (LEASE, {"owner": "o", "fence": 1}, leases, "expire", OperationalError("no route")),
    ],
)
def test_a_database_that_is_away_is_said_and_it_is_safe_to_do_it_again(
    office: Site,
    monkeypatch: pytest.MonkeyPatch,
    path: str,
    said: dict[str, object],
    where: object,
    name: str,
    error: Exception,
) -> None:
    def fail(*_args: object, **_options: object) -> Any:
        raise error

    client = superuser()
    monkeypatch.setattr(where, name, fail)
    response = client.post(path, said)
    assert response.status_code == 503
    page = response.content.decode()
    assert "it is safe to do this again" in page
    assert '<form method="post"' in page
    assert office.engine == connection.vendor


def test_a_run_that_loses_its_database_tells_what_it_did_before(
    office: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = superuser()
    run = publisher.publish_due

    def stopped(**options: Any) -> publisher.RunReport:
        report = run(**options | {"most": 1})
        report.stopped_by = "gone"
        return report

    monkeypatch.setattr(publisher, "publish_due", stopped)
    status, lines = post(client, f"{ITEMS}/publish-due/")
    assert status == 503
    assert ": published (" in lines[0]
    assert "it is safe to do this again" in lines[-1]
    chosen = {"action": "retry", "index": 0, "_selected_action": [FAILED, UNLISTED]}
    _, lines = post(client, f"{ITEMS}/", **chosen)
    assert "it is safe to do this again" in lines[0]
    assert office.engine == connection.vendor


def test_an_action_that_cannot_be_noted_is_done_all_the_same(
    office: Site, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(LogEntry.objects, "create", gone)
    assert ": published (" in told(superuser(), f"{ITEMS}/{UNLISTED}/publish/")
    assert "was not noted" in caplog.text
    assert office.engine == connection.vendor


def test_a_site_that_lost_its_row_is_told_so(office: Site) -> None:
    client = superuser()
    SiteState.objects.all().delete()
    assert "site_state has lost its row" in told(client, f"{ITEMS}/{UNLISTED}/publish/")
    assert "site_state has lost its row" in told(client, f"{ITEMS}/publish-due/")
    assert office.engine == connection.vendor


def test_contention_on_a_lease_is_a_conflict_that_can_be_asked_again(
    office: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*_args: object) -> bool:
        error = OperationalError("canceling statement due to statement timeout")
        error.__cause__ = type("Cause", (Exception,), {"sqlstate": "57014"})()
        raise error

    monkeypatch.setattr(leases, "expire", busy)
    line = told(superuser(), LEASE, owner="other/run", fence=1)
    assert line.startswith("A conflict: somebody else is writing")
    assert office.engine == connection.vendor


def test_breaking_a_lease_lets_it_expire_and_leaves_its_fence(office: Site) -> None:
    client = superuser()
    page = client.get(LEASE).content.decode()
    assert 'value="other/run"' in page
    assert told(client, LEASE, owner="other/run", fence=1).startswith(
        "Lease publication:1119: broken"
    )
    row = JobLease.objects.get(key="publication:1119")
    assert (row.owner_id, row.fence, row.expires_at) == ("other/run", 1, clock.now())
    assert "free; its last fence was 1" in client.get(LEASE).content.decode()
    assert told(client, f"{ITEMS}/{HELD}/publish/").startswith("Puzzle 1119: published")
    assert PublicationLog.objects.get(puzzle_id=HELD).fence == 2
    assert office.engine == connection.vendor


@pytest.mark.parametrize("path", ACTIONS)
def test_looking_at_an_action_does_nothing(office: Site, path: str) -> None:
    client = superuser()
    before = snapshot()
    for method in ("get", "head", "put", "delete"):
        response = getattr(client, method)(path)
        assert response.status_code == (200 if method in ("get", "head") else 405)
    assert snapshot() == before
    assert office.engine == connection.vendor


@pytest.mark.parametrize(
    "path",
    [
        f"{PAGES}/9998/withdraw/",
        f"{PAGES}/99999999999999999999/correct/",
        "/admin/answers/joblease/publication_3A7/break/",
        "/admin/answers/joblease/a%00b/break/",
    ],
)
def test_what_is_not_there_is_a_404(office: Site, path: str) -> None:
    client = superuser()
    assert client.get(path, follow=True).status_code in (200, 404)
    assert client.post(path).status_code == 404
    assert office.engine == connection.vendor


@pytest.mark.parametrize("path", ACTIONS)
def test_whoever_may_only_look_cannot_act(office: Site, path: str) -> None:
    views = [f"view_{name}" for name in ("answerpost", "publicationitem", "joblease")]
    watcher = staff("watcher", *views)
    before = snapshot()
    assert watcher.get(path).status_code == watcher.post(path, {"reason": "x"}).status_code == 403
    chosen = {"action": "retry", "index": 0, "_selected_action": [FAILED]}
    watcher.post(f"{ITEMS}/", chosen)
    for client in (Client(), staff("nobody")):
        client.post(path, {"reason": "x"})
    visitor = staff("visitor")
    visitor.logout()
    for method in ("get", "post"):
        response = getattr(visitor, method)(path, {"reason": "x"})
        assert response.status_code == 302
        assert response["Location"].startswith("/admin/login/?next=")
    assert snapshot() == before
    assert office.engine == connection.vendor


def test_whoever_may_act_but_not_look_is_told_on_the_page_itself(office: Site) -> None:
    client = staff("doer", "change_answerpost")
    assert client.get(f"{ITEMS}/").status_code == 403
    assert ": published (" in told(client, f"{ITEMS}/{UNLISTED}/publish/")
    assert office.engine == connection.vendor


def test_a_form_without_its_token_is_refused(office: Site) -> None:
    inside = superuser()
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = inside.cookies
    before = snapshot()
    for path in ACTIONS:
        assert strict.post(path, {"reason": "x"}).status_code == 403
    assert snapshot() == before
    assert PublicationItem.objects.filter(puzzle_id=UNLISTED).count() == 0
    assert Puzzle.objects.filter(number=UNLISTED).exists()
    assert office.engine == connection.vendor


def test_a_run_that_another_one_overtook_has_nothing_to_report(
    office: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = publisher.publish_due

    def overtaken(**options: Any) -> publisher.RunReport:
        report = run(**options)
        report.items.clear()
        return report

    monkeypatch.setattr(publisher, "publish_due", overtaken)
    line = told(superuser(), f"{ITEMS}/{UNLISTED}/publish/")
    assert line.startswith("Puzzle 1121: unchanged: ")
    assert line.endswith("(another run was faster).")
    assert "another run was faster" in superuser("b").get("/admin/admin/logentry/").content.decode()
    assert office.engine == connection.vendor
