"""What a page should say, from what was read."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answers import drafts, ledger
from answers.domain import (
    BankRow,
    ContentVersion,
    ItemState,
    Page,
    Reading,
)
from answers.models import AnswerPost, PublicationItem
from costcodle.bank_rows import BankVersion
from costcodle.days import PuzzleNumber
from costcodle.game.rules import Cents
from costcodle.models import Puzzle
from results.domain import Distribution
from tests.factories import make_puzzle
from tests.sites import Site

BANK = BankRow(
    number=PuzzleNumber(1121),
    name="Dark Chocolate Almonds, 20 oz",
    size="20 oz",
    price=Cents(349),
    photo="",
    photo_ready=False,
    correction_note="",
    bank_version=BankVersion(5),
)
PAGE = Page(
    content_version=ContentVersion(3),
    bank_version=BankVersion(5),
    indexable=False,
    photo="",
    games=0,
)
GAMES = Distribution(won=(0, 1, 2, 0, 0, 0), lost=1)


def reading(
    bank: BankRow = BANK, page: Page | None = None, results: Distribution = GAMES
) -> Reading:
    return Reading(state=ItemState.PROCESSING, bank=bank, page=page, results=results)


def test_a_first_draft_builds_on_no_page_and_holds_facts_alone() -> None:
    draft = drafts.build(reading(), least_games=0)
    assert (draft.builds_on, draft.title, draft.price, draft.games) == (0, BANK.name, 349, 4)
    assert draft.body == {
        "date": "2026-10-15",
        "size": "20 oz",
        "low_cents": 332,
        "high_cents": 366,
        "won": [0, 1, 2, 0, 0, 0],
        "lost": 1,
        "correction_note": "",
    }
    assert not draft.indexable
    assert not draft.needs_ready_photo


@pytest.mark.parametrize(("least", "is_indexable"), [(0, True), (4, True), (5, False)])
def test_a_page_becomes_indexable_with_its_photo_and_enough_games(
    least: int, *, is_indexable: bool
) -> None:
    bank = replace(BANK, photo="a.webp", photo_ready=True)
    draft = drafts.build(reading(bank), least_games=least)
    assert draft.needs_ready_photo
    assert draft.indexable is is_indexable


@pytest.mark.parametrize("photo_ready", [False, True])
def test_a_draft_never_asks_for_less_than_the_page_has(*, photo_ready: bool) -> None:
    page = replace(PAGE, photo="old.webp", indexable=True)
    bank = replace(BANK, photo="new.webp", photo_ready=photo_ready)
    draft = drafts.build(reading(bank, page, Distribution()), least_games=9)
    assert draft.indexable
    assert draft.photo == ("new.webp" if photo_ready else "old.webp")
    assert draft.builds_on == 3


@given(
    price=st.integers(1, 9_999_999),
    page_photo=st.sampled_from(["", "a.webp"]),
    bank_photo=st.sampled_from(["", "a.webp", "b.webp"]),
    is_ready=st.booleans(),
    was_indexable=st.booleans(),
)
def test_a_draft_is_one_way_whatever_was_read(
    *, price: int, page_photo: str, bank_photo: str, is_ready: bool, was_indexable: bool
) -> None:
    page = replace(PAGE, photo=page_photo, indexable=was_indexable and page_photo != "")
    bank = replace(
        BANK, price=Cents(price), photo=bank_photo, photo_ready=is_ready and bank_photo != ""
    )
    draft = drafts.build(reading(bank, page), least_games=0)
    assert draft.indexable >= page.indexable
    assert not page.photo or draft.photo
    assert draft.needs_ready_photo == (draft.photo != page.photo)


@pytest.mark.parametrize("is_ready", [False, True])
@pytest.mark.parametrize("page_photo", ["", "a.webp"])
@pytest.mark.parametrize("version", [5, 6])
@pytest.mark.parametrize("games", [2, 3])
@pytest.mark.parametrize("is_indexable", [False, True])
def test_one_query_for_the_whole_site_agrees_with_the_pure_question(
    site: Site,
    *,
    is_ready: bool,
    page_photo: str,
    version: int,
    games: int,
    is_indexable: bool,
) -> None:
    now = site.at("2026-10-16T00:10:00Z")
    site.settings.INDEXABLE_MIN_GAMES = 3
    indexable = is_indexable and page_photo != ""
    puzzle = make_puzzle(photo="a.webp" if is_ready else "", photo_ready=is_ready, bank_version=5)
    puzzle.publicationitem = PublicationItem.objects.create(
        puzzle=puzzle, state="published", fence=1, due_at=now, updated_at=now
    )
    AnswerPost.objects.create(
        puzzle=puzzle, content_version=1, commit_token="0" * 32, bank_version=version,
        title="x", body={}, price_cents=1, games=games, indexable=indexable, photo=page_photo,
        published_at=now, updated_at=now,
    )  # fmt: skip
    read = ledger.read(PuzzleNumber(puzzle.number))
    assert read.page is not None
    is_out_of_date = drafts.is_out_of_date(read.page, read.bank, least_games=3)
    assert bool(ledger.out_of_date()) is is_out_of_date
    assert bool(ledger.out_of_date(PuzzleNumber(puzzle.number))) is is_out_of_date
    AnswerPost.objects.update(withdrawn_at=now)
    assert ledger.out_of_date() == []
    assert Puzzle.objects.count() == 1
