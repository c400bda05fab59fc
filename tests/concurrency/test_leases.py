"""The lease by itself."""

from datetime import timedelta

import pytest

from answers import leases, ledger
from answers.domain import Held, ItemState, Lease, Owner
from answers.models import JobLease, PublicationItem
from costcodle import clock
from costcodle.days import PuzzleNumber
from tests.factories import make_puzzle
from tests.sites import Site

NUMBER = PuzzleNumber(1121)
START = "2026-10-16T00:10:00Z"


def take(owner: str) -> Lease:
    lease = leases.take(NUMBER, Owner(owner))
    assert isinstance(lease, Lease)
    return lease


@pytest.mark.guarantee("G4")
def test_a_fence_rises_over_release_expiry_and_a_row_that_was_lost(site: Site) -> None:
    site.at(START)
    make_puzzle()
    first = take("a")
    leases.release(first)
    second = take("a")
    site.at("2026-10-16T00:11:00Z")
    third = take("b")
    assert [first.fence, second.fence, third.fence] == [1, 2, 3]
    ledger.list_items([NUMBER], clock.now())
    assert ledger.claim(third, ItemState.PENDING) is None
    JobLease.objects.all().delete()
    assert take("c").fence == 4


@pytest.mark.guarantee("G4")
def test_a_fence_starts_above_what_the_ledger_has_seen_when_the_row_was_set_back(
    site: Site,
) -> None:
    now = site.at(START)
    make_puzzle()
    take("a")
    PublicationItem.objects.create(
        puzzle_id=NUMBER, state="processing", fence=41, due_at=now, updated_at=now
    )
    JobLease.objects.update(expires_at=now)
    assert take("b").fence == 42


@pytest.mark.guarantee("G6")
def test_a_lease_changes_hands_at_the_instant_of_its_expiry_and_not_before(site: Site) -> None:
    site.at(START)
    first = take("a")
    site.at("2026-10-16T00:10:59.999999Z")
    held = leases.take(NUMBER, Owner("b"))
    assert held == Held(owner=Owner("a"), fence=first.fence, expires_at=first.expires_at)
    site.at("2026-10-16T00:11:00Z")
    assert take("b").fence == 2


@pytest.mark.guarantee("G6")
def test_its_own_owner_cannot_take_a_lease_that_is_held(site: Site) -> None:
    site.at(START)
    take("a")
    assert isinstance(leases.take(NUMBER, Owner("a")), Held)


@pytest.mark.guarantee("G7")
def test_a_stale_release_leaves_the_next_term_alone(site: Site) -> None:
    site.at(START)
    old = take("a")
    site.at("2026-10-16T00:11:00Z")
    new = take("b")
    leases.release(old)
    row = JobLease.objects.get()
    assert (row.owner_id, row.fence, row.expires_at) == ("b", 2, new.expires_at)


@pytest.mark.guarantee("G7")
def test_a_release_after_expiry_does_not_move_the_expiry(site: Site) -> None:
    site.at(START)
    old = take("a")
    site.at("2026-10-16T00:12:00Z")
    leases.release(old)
    assert JobLease.objects.get().expires_at == old.expires_at


@pytest.mark.guarantee("G18")
@pytest.mark.parametrize("offset", [0.0, -86_400.0, 86_400.0])
def test_no_lease_outlives_the_clock_by_more_than_its_lifetime(site: Site, offset: float) -> None:
    site.settings.CLOCK_OFFSET = offset
    lease = take("a")
    latest = clock.now() + timedelta(seconds=site.settings.LEASE_SECONDS)
    assert JobLease.objects.get().expires_at == lease.expires_at <= latest


@pytest.mark.guarantee("G6", "G13")
def test_the_application_servers_own_clock_decides_nothing_on_postgresql(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On SQLite the host's clock is the database's, so there the offset must show."""
    before = clock.now()

    class HoursAhead(type(before)):  # type: ignore[misc] # the class that the clock asks
        @classmethod
        def now(cls, tz: object = None) -> object:
            del tz
            return before + timedelta(hours=5)

    monkeypatch.setattr(clock, "datetime", HoursAhead)
    hours = round((clock.now() - before) / timedelta(hours=1))
    assert hours == (0 if site.engine == "postgresql" else 5)
