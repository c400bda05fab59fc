"""The table of legal moves, held against the code and the tables."""

import itertools
import re
from pathlib import Path

import pytest

from answers.domain import PUBLIC_CHANGE, ItemState, Kind
from answers.models import AnswerPost, JobLease, PublicationItem, PublicationLog
from answers.states import MOVES, OPEN, is_legal, move_of
from costcodle.models import Puzzle, SiteState

SQL = Path(__file__).parents[2] / "answers" / "sql"


@pytest.mark.parametrize("kind", Kind)
def test_every_public_change_is_exactly_one_legal_move(kind: Kind) -> None:
    assert [move.name for move in MOVES].count(kind) == 1
    move = move_of(kind)
    assert is_legal(move.before, move.after)
    assert kind in PUBLIC_CHANGE


def test_what_is_open_is_what_a_claim_may_start_from() -> None:
    assert {ItemState.PENDING, ItemState.FAILED, ItemState.PROCESSING} == OPEN
    text = (SQL / "ledger.sql").read_text()
    in_statement = re.search(r"claim_open_item.*?state IN \((.*?)\)", text, re.DOTALL)
    assert in_statement
    assert set(re.findall(r"'(\w+)'", in_statement[1])) == set(OPEN)


def test_nothing_leads_back_before_publication_and_every_state_can_be_reached() -> None:
    settled = {ItemState.PUBLISHED, ItemState.WITHDRAWN}
    illegal = itertools.product(settled, set(ItemState) - settled)
    assert not any(is_legal(before, after) for before, after in illegal)
    assert {move.after for move in MOVES} | {ItemState.PENDING} == set(ItemState)


def test_each_row_of_the_protocol_says_in_words_what_it_is() -> None:
    shown = [
        str(JobLease(key="publication:7", fence=3)),
        str(PublicationItem(puzzle_id=7, state="pending")),
        str(AnswerPost(puzzle_id=7, content_version=2)),
        str(PublicationLog(puzzle_id=7, revision=9, kind="create")),
        str(Puzzle(number=7, name="Almonds")),
        str(SiteState(publication_revision=9, bank_version=2)),
    ]
    assert shown == [
        "publication:7 fence 3", "#7 pending", "#7 version 2", "9 create #7", "#7 Almonds",
        "revision 9, bank 2",
    ]  # fmt: skip
