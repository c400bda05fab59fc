"""No click in the admin can change a public row without its revision step."""

import uuid
from collections.abc import Callable

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.db import connection

from answers import audit, publisher
from answers.models import AnswerPost, JobLease, PublicationItem, PublicationLog
from answers.office import actions
from costcodle import clock
from costcodle.models import Puzzle, SiteState
from results.models import DailyResult
from tests.admin_judge import judge
from tests.admin_walk import Walk, patterns
from tests.admins import HELD, PUBLIC, open_the_office, superuser
from tests.interleaving import snapshot
from tests.invariants import assert_consistent
from tests.sites import Site


@pytest.fixture
def office(site: Site, monkeypatch: pytest.MonkeyPatch) -> Site:
    open_the_office(site)
    monkeypatch.setattr(actions, "PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr(clock, "pause", lambda _: None)
    site.settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    return site


@pytest.mark.guarantee("G2", "G3", "G17")
def test_nothing_that_can_be_pressed_changes_a_public_row_without_its_step(office: Site) -> None:
    Group.objects.get_or_create(name="operators")
    User.objects.create_user("somebody-else")
    walk = Walk()
    walk.everywhere()
    assert_consistent()
    assert audit.breaches() == []
    read = {name.removeprefix("GET ") for name in walk.names if name.startswith("GET ")}
    assert {pattern.name for pattern in patterns() if pattern.name} - read == set()
    kinds = set(PublicationLog.objects.values_list("kind", flat=True))
    assert kinds == {"create", "update", "withdraw", "reinstate"}
    assert JobLease.objects.get(key=f"publication:{HELD}").expires_at <= clock.now()
    assert not PublicationItem.objects.filter(state__in=("failed", "processing")).exists()
    assert DailyResult.objects.count() == 3
    assert office.engine == connection.vendor


Damage = Callable[[], object]


@pytest.mark.parametrize(
    "damage",
    [
        lambda: AnswerPost.objects.filter(puzzle_id=PUBLIC).update(title="x"),
        lambda: AnswerPost.objects.filter(puzzle_id=PUBLIC).update(content_version=9),
        lambda: Puzzle.objects.filter(number=PUBLIC).update(name="x"),
        lambda: Puzzle.objects.filter(number=PUBLIC).update(name="x", bank_version=1),
        lambda: Puzzle.objects.create(number=1200, name="x", price_cents=100),
        lambda: SiteState.objects.update(revision_token=uuid.uuid4()),
        lambda: SiteState.objects.update(publication_revision=9),
        lambda: PublicationItem.objects.filter(puzzle_id=PUBLIC).update(state="withdrawn"),
        lambda: PublicationItem.objects.filter(puzzle_id=HELD).delete(),
        lambda: PublicationLog.objects.filter(revision=1).update(reason="x"),
        lambda: PublicationLog.objects.filter(revision=3).delete(),
        lambda: JobLease.objects.filter(key=f"publication:{HELD}").delete(),
        lambda: JobLease.objects.filter(key=f"publication:{HELD}").update(owner_id="x"),
        lambda: JobLease.objects.filter(key=f"publication:{PUBLIC}").update(fence=1, owner_id="x"),
        lambda: DailyResult.objects.filter(slot=1).update(guesses_used=1),
        lambda: DailyResult.objects.all().delete(),
    ],
)
def test_the_walk_would_notice_each_change_by_hand(office: Site, damage: Damage) -> None:
    before = snapshot()
    damage()
    with pytest.raises(AssertionError):
        judge(before, snapshot())
    assert office.engine == connection.vendor


def test_the_walk_lets_a_guarded_batch_pass(office: Site) -> None:
    before = snapshot()
    publisher.publish_due()
    judge(before, snapshot())
    assert snapshot() != before
    assert office.engine == connection.vendor


def test_a_model_that_could_be_saved_from_the_admin_would_be_found_out(
    office: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    registered = admin.site._registry[AnswerPost]
    monkeypatch.setattr(registered, "has_change_permission", lambda *_: True)
    monkeypatch.setattr(registered, "fields", ("title",))
    walk = Walk()
    path = f"/admin/answers/answerpost/{PUBLIC}/change/"
    with pytest.raises(AssertionError, match="without a step"):
        walk.press("POST", path, {"title": "By hand", "_save": "Save"})
    assert office.engine == connection.vendor


def test_people_and_groups_can_still_be_kept(office: Site) -> None:
    client = superuser()
    said = {"username": "newcomer", "usable_password": "false"}
    assert client.post("/admin/auth/user/add/", said).status_code == 302
    newcomer = User.objects.get(username="newcomer")
    said = {"username": "renamed", "is_staff": "on", "date_joined_0": "2026-10-16"}
    address = f"/admin/auth/user/{newcomer.pk}/change/"
    assert client.post(address, said | {"date_joined_1": "00:00:00"}).status_code == 302
    assert client.post("/admin/auth/group/add/", {"name": "night watch"}).status_code == 302
    assert User.objects.get(pk=newcomer.pk).username == "renamed"
    assert not User.objects.get(pk=newcomer.pk).is_active
    assert office.engine == connection.vendor
