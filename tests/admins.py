"""Staff of the admin, and a site in which everything that they can look at is there."""

from datetime import timedelta

from django.contrib.auth.models import Permission, User
from django.test import Client

from answers import leases, ledger, operations, publisher
from answers.domain import ItemState, Lease, Outcome, Owner
from costcodle import clock
from costcodle.days import PuzzleNumber
from tests.factories import make_puzzles, make_result
from tests.sites import Site

NOON = "2026-10-16T12:00:00Z"
PUBLIC, WITHDRAWN, FAILED, ABANDONED, HELD = 1115, 1116, 1117, 1118, 1119
UNLISTED, TODAY = 1121, 1122
SCRIPT = "<script>alert(1)</script>"


def staff(name: str = "olga", *permissions: str, is_superuser: bool = False) -> Client:
    """A client that is logged in as a person with these permissions of `answers`."""
    user = User.objects.create_user(name, is_staff=True, is_superuser=is_superuser)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    client = Client(raise_request_exception=False)
    client.force_login(user)
    return client


def superuser(name: str = "root") -> Client:
    """A client that may do everything that anybody may."""
    return staff(name, is_superuser=True)


def take(number: int, owner: str) -> Lease:
    lease = leases.take(PuzzleNumber(number), Owner(owner))
    assert isinstance(lease, Lease)
    return lease


def open_the_office(site: Site) -> None:
    """A bank with one puzzle of each standing, and results of the public one."""
    site.at("2026-10-15T00:09:00Z")
    make_puzzles(PUBLIC, WITHDRAWN)
    for slot in (1, 2, 3):
        make_result(number=PUBLIC, slot=slot)
    publisher.publish_due(label="night")
    operations.withdraw(PuzzleNumber(WITHDRAWN), SCRIPT)
    make_puzzles(FAILED, TODAY)
    now = site.at("2026-10-16T00:11:00Z")
    ledger.list_items([PuzzleNumber(number) for number in range(FAILED, UNLISTED)], now)
    for number in (FAILED, ABANDONED):
        lease = take(number, f"{SCRIPT}/run")
        assert ledger.claim(lease, ItemState.PENDING) is None
        if number == FAILED:
            assert ledger.record_attempt(lease, Outcome.FAILED, SCRIPT) is Outcome.FAILED
    site.at(NOON)
    assert ledger.claim(take(HELD, "other/run"), ItemState.PENDING) is None
    assert clock.now() - now > timedelta(hours=11)
