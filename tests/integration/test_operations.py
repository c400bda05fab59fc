"""Withdraw, reinstate, correct; updates; the status: as the operator sees them."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from answers import drafts, leases, publisher
from answers.domain import Owner
from answers.models import AnswerPost, JobLease, PublicationItem, PublicationLog
from costcodle import bank
from costcodle.bank_rows import BankItem
from costcodle.days import PuzzleNumber
from costcodle.game.rules import Cents
from costcodle.models import Puzzle, SiteState
from tests.factories import make_puzzle, make_puzzles
from tests.interleaving import public, snapshot
from tests.invariants import assert_consistent
from tests.sites import Site

DUE = "2026-10-16T00:10:00Z"
NUMBER = PuzzleNumber(1121)


@pytest.fixture
def shop(site: Site) -> Site:
    """A site whose puzzle 1121 is published, and 1122 is being played."""
    site.at(DUE)
    make_puzzles(1121, 1122)
    publisher.publish_due()
    return site


def run(site: Site, *command: str) -> dict[str, Any]:
    result = site.call(*command, "--json")
    assert result.returncode == 0, result
    document: dict[str, Any] = json.loads(result.stdout)
    return document


def outcomes(site: Site) -> dict[int, str]:
    return {item["puzzle"]: item["outcome"] for item in run(site, "publish_answers")["items"]}


@pytest.mark.guarantee("G2", "G12", "G17")
def test_a_withdrawn_page_is_gone_and_stays_gone_until_it_is_reinstated(shop: Site) -> None:
    item = run(shop, "withdraw_answer", "1121", "--reason", "wrong item")
    assert (item["outcome"], item["revision"]) == ("withdrawn", 2)
    assert Client().get("/answers/1121").status_code == 410
    assert PublicationLog.objects.get(revision=2).reason == "wrong item"
    bank.attach_photo(NUMBER, "photos/" + "a" * 32 + ".webp")
    for _ in range(10):
        assert outcomes(shop) == {}
    assert AnswerPost.objects.get().content_version == 2
    item = run(shop, "reinstate_answer", "1121")
    assert (item["outcome"], item["revision"]) == ("reinstated", 3)
    assert Client().get("/answers/1121").status_code == 200
    assert outcomes(shop) == {1121: "updated"}
    assert_consistent()


@pytest.mark.guarantee("G15")
def test_what_is_so_already_is_unchanged(shop: Site) -> None:
    before = snapshot()
    assert run(shop, "reinstate_answer", "1121")["outcome"] == "unchanged"
    assert snapshot() == before
    run(shop, "withdraw_answer", "1121", "--reason", "x")
    before = snapshot()
    assert run(shop, "withdraw_answer", "1121", "--reason", "y")["outcome"] == "unchanged"
    assert snapshot() == before


@pytest.mark.guarantee("G2", "G17")
def test_a_correction_changes_bank_and_page_together_and_leaves_nothing_to_do(shop: Site) -> None:
    bank_version = SiteState.objects.get().bank_version
    command = ["correct_answer", "1121", "--price", "$11.99", "--name", "Right name"]
    item = run(shop, *command, "--note", "It was another size.")
    assert (item["outcome"], item["revision"]) == ("updated", 2)
    puzzle, page = Puzzle.objects.get(number=1121), AnswerPost.objects.get()
    assert (puzzle.name, puzzle.price_cents, puzzle.correction_note) == (
        "Right name", 1199, "It was another size.",
    )  # fmt: skip
    assert (page.title, page.price_cents, page.content_version) == ("Right name", 1199, 2)
    assert page.body["correction_note"] == "It was another size."
    assert (page.body["low_cents"], page.body["high_cents"]) == (1140, 1258)
    versions = {puzzle.bank_version, page.bank_version, SiteState.objects.get().bank_version}
    assert versions == {bank_version + 1}
    assert "It was another size." in Client().get("/answers/1121").content.decode()
    before = snapshot()
    assert outcomes(shop) == {}
    assert run(shop, *command, "--note", "It was another size.")["outcome"] == "unchanged"
    assert public(snapshot()) == public(before)
    assert_consistent()


def test_a_correction_without_a_note_says_what_it_changed(shop: Site) -> None:
    run(shop, "correct_answer", "1121", "--price", "9,99", "--name", "Right name")
    assert AnswerPost.objects.get().body["correction_note"] == (
        "The name was corrected. The price was corrected from $12.21 to $9.99."
    )
    run(shop, "correct_answer", "1121", "--note", "Only this.")
    assert AnswerPost.objects.get().body["correction_note"] == "Only this."
    assert AnswerPost.objects.get().price_cents == 999


@pytest.mark.parametrize(
    ("command", "status", "complaint"),
    [
        (["withdraw_answer", "1122", "--reason", "x"], 1, "puzzle 1122 is not published"),
        (["withdraw_answer", "77", "--reason", "x"], 1, "puzzle 77 is not in the bank"),
        (["reinstate_answer", "1122"], 1, "puzzle 1122 is not published"),
        (["correct_answer", "1122", "--price", "1"], 1, "puzzle 1122 is not published"),
        (["withdraw_answer", "1121"], 2, "the following arguments are required: --reason"),
        (["withdraw_answer", "1121", "--reason", " "], 2, "takes one line of 1 to 200"),
        (["withdraw_answer", "1121", "--reason", "a\nb"], 2, "takes one line of 1 to 200"),
        (["withdraw_answer", "x", "--reason", "x"], 2, "'x' is no puzzle number"),
        (["correct_answer", "1121"], 2, "say --price, --name or --note"),
        (["correct_answer", "1121", "--price", "cheap"], 2, "argument --price: "),
        (["correct_answer", "1121", "--name", "x" * 201], 2, "takes one line of 1 to 200"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_changes_nothing(
    shop: Site, command: list[str], status: int, complaint: str
) -> None:
    before = snapshot()
    result = shop.run(*command)
    assert (result.returncode, result.stdout) == (status, "")
    assert len(result.stderr.splitlines()) == 1
    assert complaint in result.stderr
    assert snapshot() == before


def test_a_withdrawn_page_is_not_corrected(shop: Site) -> None:
    run(shop, "withdraw_answer", "1121", "--reason", "x")
    before = snapshot()
    result = shop.call("correct_answer", "1121", "--price", "1")
    assert result.returncode == 1
    assert "puzzle 1121 is withdrawn: reinstate it first" in result.stderr
    assert snapshot() == before


def test_the_text_output_is_the_night_jobs(shop: Site) -> None:
    result = shop.call("withdraw_answer", "1121", "--reason", "x")
    assert result.stdout == "puzzle=1121 outcome=withdrawn revision=2 fence=2\n"
    assert shop.call("reinstate_answer", "1121", "-v", "0").stdout == ""


def test_a_held_lease_is_waited_for_no_longer_than_a_lease_lives(shop: Site) -> None:
    leases.take(NUMBER, Owner("other"))
    shop.settings.LEASE_SECONDS = 1
    result = shop.call("withdraw_answer", "1121", "--reason", "x")
    assert result.returncode == 75
    assert "outcome=lease_held" in result.stdout
    JobLease.objects.update(expires_at=shop.at("2026-10-16T00:12:00Z"))
    assert run(shop, "withdraw_answer", "1121", "--reason", "x")["outcome"] == "withdrawn"


@pytest.mark.guarantee("G10", "G11", "G17")
def test_a_photo_that_arrives_updates_the_page_once_and_for_good(shop: Site) -> None:
    assert not AnswerPost.objects.get().indexable
    bank.attach_photo(NUMBER, "photos/first.webp")
    assert outcomes(shop) == {1121: "updated"}
    page = AnswerPost.objects.get()
    assert (page.photo, page.indexable, page.content_version) == ("photos/first.webp", True, 2)
    assert outcomes(shop) == {}
    Puzzle.objects.filter(number=1121).update(photo_ready=False, photo="", bank_version=9)
    SiteState.objects.update(bank_version=9)
    shop.settings.INDEXABLE_MIN_GAMES = 50
    assert outcomes(shop) == {1121: "updated"}
    page = AnswerPost.objects.get()
    assert (page.photo, page.indexable) == ("photos/first.webp", True)
    bank.attach_photo(NUMBER, "photos/better.webp")
    assert outcomes(shop) == {1121: "updated"}
    assert AnswerPost.objects.get().photo == "photos/better.webp"
    assert_consistent()


@pytest.mark.guarantee("G10")
def test_indexability_that_is_earned_later_is_an_update(site: Site) -> None:
    site.settings.INDEXABLE_MIN_GAMES = 1
    site.at(DUE)
    make_puzzle(photo="a.webp", photo_ready=True)
    publisher.publish_due()
    assert not AnswerPost.objects.get().indexable
    assert outcomes(site) == {}
    site.settings.INDEXABLE_MIN_GAMES = 0
    assert outcomes(site) == {1121: "updated"}
    assert AnswerPost.objects.get().indexable


@pytest.mark.guarantee("G15")
def test_a_change_of_a_puzzle_that_is_not_published_updates_no_page(shop: Site) -> None:
    before = public(snapshot())
    item = BankItem(number=PuzzleNumber(1130), name="New", size="1 lb", price=Cents(100))
    bank.load_items([item], replace_future=False)
    assert outcomes(shop) == {}
    after = public(snapshot())
    assert after["answer_posts"] == before["answer_posts"]
    assert after["publication_log"] == before["publication_log"]
    state, was = after["site_state"][0], before["site_state"][0]
    assert state["publication_revision"] == was["publication_revision"]
    assert state["revision_token"] != was["revision_token"]


def test_the_status_names_what_is_due_overdue_and_leased(shop: Site) -> None:
    make_puzzles(1100, 1101)
    leases.take(PuzzleNumber(1100), Owner("other"))
    result = shop.call("publication_status", "--json")
    assert result.returncode == 3
    document = json.loads(result.stdout)
    assert document["due"] == document["overdue"] == [1100, 1101]
    assert document["leases"] == [
        {"key": "publication:1100", "owner": "other", "fence": 1, "expires_in": 60.0}
    ]
    assert [(row["revision"], row["kind"]) for row in document["log"]] == [(1, "create")]
    lines = shop.call("publication_status").stdout.splitlines()
    assert lines[:2] == ["overdue=1100", "overdue=1101"]
    assert lines[-1] == "revision=1 due=2 overdue=2 leases=1"
    JobLease.objects.update(expires_at=shop.at(DUE))
    publisher.publish_due()
    assert shop.call("publication_status").returncode == 0


def test_an_item_becomes_overdue_after_fifteen_minutes(site: Site) -> None:
    make_puzzle()
    for instant, status in (
        ("2026-10-16T00:09:59.999Z", 0),
        ("2026-10-16T00:25:00Z", 0),
        ("2026-10-16T00:25:00.001Z", 3),
    ):
        site.at(instant)
        assert site.call("publication_status").returncode == status


def test_an_update_that_fails_leaves_the_page_published_and_says_so(
    shop: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    Puzzle.objects.filter(number=1121).update(bank_version=3)
    before = public(snapshot())

    def broken(*_args: object, **_options: object) -> None:
        raise ValueError("no \udcff draft\x00")

    monkeypatch.setattr(drafts, "build", broken)
    assert shop.call("publish_answers").returncode == 1
    item = PublicationItem.objects.get()
    assert (item.state, item.last_outcome) == ("published", "failed")
    assert item.last_error == "ValueError: no ? draft?"
    assert public(snapshot()) == before
    monkeypatch.undo()
    shop.at("2026-10-16T00:15:00Z")
    assert outcomes(shop) == {1121: "updated"}
    assert PublicationItem.objects.get().last_error == ""


def test_the_log_shows_who_did_what(shop: Site) -> None:
    run(shop, "withdraw_answer", "1121", "--reason", "x")
    row = PublicationLog.objects.get(revision=2)
    assert row.owner_id.startswith("operator/")
    assert row.created_at - shop.at(DUE) == timedelta(0)
