"""The whole bank: every page once, with four publishers started at once on the empty site."""

import os
from collections import Counter
from pathlib import Path

import pytest

from answers.models import AnswerPost
from costcodle.models import Puzzle
from costcodle.settings import BASE_DIR
from tests.factories import make_puzzles
from tests.interleaving import snapshot
from tests.invariants import assert_consistent
from tests.sites import Site

DUE = "2026-10-16T00:10:00Z"


def publish_with_four(site: Site) -> Counter[int]:
    """Which puzzle was reported as published how often, in all four reports together."""
    documents = site.run_at_once([["publish_answers"]] * 4)
    assert not any(document["failed"] or document["stopped_by"] for document in documents)
    return Counter(
        item["puzzle"]
        for document in documents
        for item in document["items"]
        if item["outcome"] == "published"
    )


def original_bank() -> Path:
    named = os.environ.get("ORIGINAL_BANK")
    path = Path(named) if named else BASE_DIR.parent / "shared" / "data" / "original-bank.json"
    if not path.is_file():
        pytest.skip("the original's bank is not here (ORIGINAL_BANK names it)")
    return path


@pytest.mark.guarantee("G1", "G2", "G13", "G15", "G16")
def test_a_bank_of_3399_items_is_published_up_to_the_day_by_four_at_once(site: Site) -> None:
    make_puzzles(1, 3399)
    site.at("2026-10-16T00:09:59.999Z")
    assert publish_with_four(site) == Counter(range(1, 1121))
    site.at(DUE)
    assert publish_with_four(site) == Counter([1121])
    before = assert_consistent()
    assert len(before["answer_posts"]) == 1121
    assert publish_with_four(site) == Counter()
    assert snapshot() == before


@pytest.mark.guarantee("G1", "G2", "G13", "G16")
def test_the_originals_bank_is_published_exactly_once_by_four_at_once(site: Site) -> None:
    path = original_bank()
    site.at(DUE)
    assert site.call("import_bank", str(path)).returncode == 0
    assert Puzzle.objects.count() == 3399
    assert publish_with_four(site) == Counter(range(1, 1122))
    rows = assert_consistent()
    assert rows["site_state"][0]["publication_revision"] == AnswerPost.objects.count() == 1121
