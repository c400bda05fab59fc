"""Real processes: at once, killed, stopped and continued."""

import os
import signal
from collections import Counter

import pytest

from answers import publisher
from answers.domain import Outcome
from answers.models import PublicationItem, PublicationLog
from tests.factories import make_puzzle, make_puzzles
from tests.interleaving import BOUNDARIES, die, in_a_fork, snapshot, stop, wait_until
from tests.invariants import assert_consistent
from tests.sites import LEASE_SECONDS, Site, point_at

DUE = "2026-10-16T00:10:00Z"
AFTER_THE_LEASE = "2026-10-16T00:11:01Z"


def publish() -> list[Outcome]:
    return [item.outcome for item in publisher.publish_due().items]


def published(document: dict[str, object]) -> list[int]:
    items = document["items"]
    assert isinstance(items, list)
    return [item["puzzle"] for item in items if item["outcome"] == "published"]


@pytest.mark.guarantee("G1", "G2", "G16")
@pytest.mark.parametrize("count", [2, 4, 8])
def test_publishers_started_at_once_on_an_empty_site_publish_each_page_once(
    site: Site, count: int
) -> None:
    site.at(DUE)
    make_puzzles(1092, 1121)
    documents = site.run_at_once([["publish_answers"]] * count)
    reported = Counter(number for document in documents for number in published(document))
    assert reported == Counter(range(1092, 1122))
    assert sum(document["failed"] for document in documents) == 0
    revisions = [
        item["revision"] for document in documents for item in document["items"] if item["revision"]
    ]
    assert sorted(revisions) == list(range(1, 31))
    assert_consistent()


@pytest.mark.guarantee("G1")
def test_two_firings_for_the_same_puzzle_publish_it_once_round_after_round(site: Site) -> None:
    site.at(DUE)
    for number in range(1117, 1122):
        make_puzzle(number=number)
        documents = site.run_at_once([["publish_answers"]] * 2)
        assert [number for document in documents for number in published(document)] == [number]
    assert_consistent()


@pytest.mark.guarantee("G3", "G8", "G16", "G19")
@pytest.mark.parametrize("point", BOUNDARIES)
def test_a_publisher_killed_at_any_boundary_leaves_the_page_to_the_next_run(
    site: Site, point: str
) -> None:
    site.at(DUE)
    make_puzzles(1120, 1121)

    def happen(here: str) -> None:
        if here == point:
            die()

    with in_a_fork(publish, happen) as child:
        assert os.WIFSIGNALED(os.waitpid(child, 0)[1])
    died_with = {row["puzzle_id"] for row in assert_consistent()["publication_log"]}
    site.at(AFTER_THE_LEASE)
    assert publish() == [Outcome.PUBLISHED] * (2 - len(died_with))
    assert PublicationLog.objects.count() == 2
    assert_consistent()


STOPPED_OUTSIDE = [f"before begin {number}" for number in range(2, 6)]


@pytest.mark.guarantee("G1", "G5", "G8")
@pytest.mark.parametrize("point", STOPPED_OUTSIDE)
def test_a_publisher_stopped_for_longer_than_its_lease_writes_nothing_stale(
    site: Site, point: str
) -> None:
    """Its own clock stands still meanwhile, so that only the fence can stop it."""
    site.at(DUE)
    make_puzzle()
    with in_a_fork(publish, lambda here: stop() if here == point else None) as child:
        assert os.WIFSTOPPED(os.waitpid(child, os.WUNTRACED)[1])
        site.at(AFTER_THE_LEASE)
        assert publish() == ([] if point == "before begin 5" else [Outcome.PUBLISHED])
        before = snapshot()
        os.kill(child, signal.SIGCONT)
        assert os.waitpid(child, 0)[1] == 0
    after = assert_consistent()
    if point != "before begin 5":
        assert after == before
    assert after["publication_log"] == before["publication_log"]


@pytest.mark.guarantee("G5", "G19")
@pytest.mark.parametrize("point", ["after pin_lease 2", "after write_page", "after append_log"])
def test_a_publisher_stopped_inside_its_batch_gives_way_and_comes_back_to_nothing(
    site: Site, point: str
) -> None:
    """PostgreSQL ends its idle transaction below the lease; SQLite lets nobody else in so long."""
    site.at(DUE)
    make_puzzle()
    site.settings.LEASE_SECONDS = 2
    point_at(site.url, lease_seconds=2)
    with in_a_fork(publish, lambda here: stop() if here == point else None) as child:
        assert os.WIFSTOPPED(os.waitpid(child, os.WUNTRACED)[1])
        site.at(AFTER_THE_LEASE)
        if site.engine == "postgresql":
            wait_until(lambda: publish() == [Outcome.PUBLISHED])
        else:
            assert publish() == [Outcome.CONFLICT]
        os.kill(child, signal.SIGCONT)
        assert os.waitpid(child, 0)[1] == 0
    publish()
    point_at(site.url, lease_seconds=LEASE_SECONDS)
    assert PublicationLog.objects.count() == 1
    assert PublicationItem.objects.get().state == "published"
    assert_consistent()
