import random
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.admin.models import ADDITION, CHANGE, LogEntry
from django.contrib.auth import get_user_model
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from PIL import Image

from costcodle import bank, planning
from costcodle.bank_rows import BankItem, BankVersion
from costcodle.days import PuzzleNumber
from costcodle.game.rules import Cents
from costcodle.models import Puzzle, SiteState
from costcodle.photos.keeping import UnusablePhotoError, small_name
from costcodle.planning import Outcome
from tests.interleaving import at, before_statement, begin_and_let_block, snapshot
from tests.sites import Site, elsewhere, with_own_connection

TODAY = 1121
"""The number of 2026-10-15, the day of these tests."""

FUTURE, LATER = TODAY + 1, TODAY + 2
MIDNIGHT = "2026-10-16T00:00:00Z"
SOURCE = "https://a.example/x.jpg"


@pytest.fixture(autouse=True)
def today(site: Site) -> None:
    site.at("2026-10-15T12:00:00Z")


@pytest.fixture
def by(site: Site) -> int:
    assert site.engine
    user_id: int = get_user_model().objects.create_superuser("operator").pk
    return user_id


def item(number: int, **changes: Any) -> BankItem:
    facts = {"name": f"Item {number}, 2 lbs", "size": "2 lbs", "price": Cents(100 + number)}
    return BankItem(number=PuzzleNumber(number), **{**facts, **changes})


def hold(*items: BankItem) -> None:
    """Let the bank hold these items, each at bank version 1."""
    bank.load_items(items, replace_future=False)


def seen(number: int) -> BankVersion:
    return BankVersion(Puzzle.objects.get(number=number).bank_version)


def swap(number: int, other: int, *, by: int, version: int | None = None) -> Outcome:
    version = seen(number) if version is None else version
    return planning.swap_days(
        PuzzleNumber(number), PuzzleNumber(other), seen=BankVersion(version), by=by
    )


def replace(item: BankItem, *, by: int, version: int | None = None) -> Outcome:
    version = seen(item.number) if version is None else version
    return planning.replace_item(item, seen=BankVersion(version), by=by)


def fix(item: BankItem, *, by: int, version: int | None = None) -> Outcome:
    version = seen(item.number) if version is None else version
    return planning.fix_item(item, seen=BankVersion(version), by=by)


CHANGES: dict[str, Callable[..., Outcome]] = {
    "swap": lambda number, **options: swap(number, LATER, **options),
    "be swapped": lambda number, **options: swap(LATER, number, **{**options, "version": 1}),
    "replace": lambda number, **options: replace(item(number, name="Other"), **options),
    "fix": lambda number, **options: fix(item(number, name="Other"), **options),
}


def history() -> list[tuple[str, str]]:
    """What the admin's history says, oldest first: of which puzzle, in which words."""
    entries = LogEntry.objects.order_by("id")
    return [(str(entry.object_id), entry.change_message) for entry in entries]


def facts(number: int) -> tuple[Any, ...]:
    names = ("name", "size", "price_cents", "photo", "photo_ready", "photo_source")
    told: tuple[Any, ...] = Puzzle.objects.values_list(*names).get(number=number)
    return told


def picture() -> bytes:
    content = BytesIO()
    Image.new("RGB", (400, 400), "teal").save(content, "PNG")
    return content.getvalue()


def stored(site: Site) -> list[str]:
    return sorted(path.name for path in (site.folder / "media").rglob("*") if path.is_file())


def test_a_swap_moves_every_fact_of_both_items(by: int) -> None:
    hold(item(FUTURE, photo="photos/x", photo_source=SOURCE), item(LATER, size=""))
    here, there = facts(FUTURE), facts(LATER)
    assert swap(FUTURE, LATER, by=by) is Outcome.CHANGED
    assert (facts(FUTURE), facts(LATER)) == (there, here)
    assert swap(LATER, FUTURE, by=by) is Outcome.CHANGED
    assert (facts(FUTURE), facts(LATER)) == (here, there)


def test_a_swap_is_in_the_history_of_both_days(site: Site, by: int) -> None:
    hold(item(FUTURE, photo="photos/x"), item(LATER, size=""))
    now = site.at("2026-10-15T13:00:00Z")
    swap(LATER, FUTURE, by=by)
    names = ("“Item 1122, 2 lbs”", "“Item 1123, 2 lbs”")
    came = f"name {names[1]} → {names[0]}, size none → “2 lbs”, price $12.23 → $12.22"
    went = f"name {names[0]} → {names[1]}, size “2 lbs” → none, price $12.22 → $12.23"
    assert history() == [
        ("1123", f"Swapped with #1122: {came}, photo none → “photos/x”."),
        ("1122", f"Swapped with #1123: {went}, photo “photos/x” → none."),
    ]
    for entry in LogEntry.objects.all():
        assert (entry.user_id, entry.action_time, entry.action_flag) == (by, now, CHANGE)
        assert isinstance(entry.get_edited_object(), Puzzle)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"name": "Other"}, "name “Item 1122, 2 lbs” → “Other”"),
        ({"size": ""}, "size “2 lbs” → none"),
        ({"price": Cents(129999)}, "price $12.22 → $1,299.99"),
    ],
)
def test_a_fix_keeps_the_photo_and_its_source(by: int, change: dict[str, Any], words: str) -> None:
    hold(item(FUTURE, photo="photos/x", photo_source=SOURCE))
    assert fix(item(FUTURE, **change), by=by) is Outcome.CHANGED
    assert facts(FUTURE)[3:] == ("photos/x", True, SOURCE)
    wanted = item(FUTURE, **change)
    assert facts(FUTURE)[:3] == (wanted.name, wanted.size, wanted.price)
    assert history() == [("1122", f"Fixed: {words}.")]


@pytest.mark.parametrize(
    ("held", "new", "photo"),
    [
        ({"photo_source": SOURCE}, {"photo_source": SOURCE, "name": "Other"}, "photos/x"),
        ({"photo_source": SOURCE}, {"photo_source": "https://a.example/y"}, ""),
        ({}, {"size": "3 lbs"}, "photos/x"),
        ({}, {"name": "Other"}, ""),
        ({"photo_source": SOURCE}, {"name": "Other"}, ""),
    ],
)
def test_a_replaced_item_keeps_only_a_photo_that_still_shows_it(
    by: int, held: dict[str, Any], new: dict[str, Any], photo: str
) -> None:
    hold(item(FUTURE, photo="photos/x", **held))
    assert replace(item(FUTURE, **new), by=by) is Outcome.CHANGED
    wanted = item(FUTURE, **new)
    told = (wanted.name, wanted.size, wanted.price, photo, photo != "", wanted.photo_source)
    assert facts(FUTURE) == told
    [(_, words)] = history()
    assert ("photo “photos/x” → none" in words) == (photo == "")


def test_an_item_is_added_to_a_day_ahead_that_has_none(by: int) -> None:
    hold(item(FUTURE))
    new = item(LATER, photo_source=SOURCE)
    assert planning.add_item(new, by=by) is Outcome.CHANGED
    assert facts(LATER) == (new.name, new.size, new.price, "", False, SOURCE)
    assert history() == [("1123", "Added “Item 1123, 2 lbs”, $12.23.")]
    assert LogEntry.objects.get().action_flag == ADDITION
    assert seen(LATER) == 2


@pytest.mark.parametrize("number", [FUTURE, 9999])
def test_a_day_that_has_an_item_takes_no_other(by: int, number: int) -> None:
    hold(item(number))
    before = snapshot()
    assert planning.add_item(item(number, name="Other"), by=by) is Outcome.TAKEN
    assert (snapshot(), history()) == (before, [])


@pytest.mark.parametrize("number", [1, TODAY])
def test_nothing_is_added_to_a_day_that_has_begun(by: int, number: int) -> None:
    before = snapshot()
    assert planning.add_item(item(number), by=by) is Outcome.STARTED
    assert (snapshot(), history()) == (before, [])


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_raises_the_bank_version_once_and_renews_the_token(
    site: Site, by: int, change: str
) -> None:
    hold(item(FUTURE), item(LATER), item(TODAY))
    before = SiteState.objects.get()
    now = site.at("2026-10-15T13:00:00Z")
    assert CHANGES[change](FUTURE, by=by) is Outcome.CHANGED
    state = SiteState.objects.get()
    assert (before.bank_version, state.bank_version, state.updated_at) == (1, 2, now)
    assert state.revision_token != before.revision_token
    assert state.publication_revision == before.publication_revision
    touched = {FUTURE, LATER} if "swap" in change else {FUTURE}
    versions = dict(Puzzle.objects.values_list("number", "bank_version"))
    assert {number for number, version in versions.items() if version == 2} == touched
    assert {int(number) for number, _ in history()} == touched
    assert LogEntry.objects.count() == len(touched)


@pytest.mark.parametrize("number", [1, TODAY - 1, TODAY])
@pytest.mark.parametrize("change", CHANGES)
def test_a_started_puzzle_is_refused(by: int, change: str, number: int) -> None:
    hold(item(number), item(LATER))
    before = snapshot()
    assert CHANGES[change](number, by=by) is Outcome.STARTED
    assert (snapshot(), history()) == (before, [])


@pytest.mark.parametrize("change", CHANGES)
def test_a_puzzle_is_locked_from_midnight_on(site: Site, by: int, change: str) -> None:
    hold(item(FUTURE), item(LATER))
    site.at(MIDNIGHT)
    before = snapshot()
    assert CHANGES[change](FUTURE, by=by) is Outcome.STARTED
    assert (snapshot(), history()) == (before, [])
    site.at("2026-10-15T23:59:59.999999Z")
    assert CHANGES[change](FUTURE, by=by) is Outcome.CHANGED


@pytest.mark.parametrize("change", CHANGES)
def test_whether_a_puzzle_has_started_is_read_after_the_locks(
    site: Site, by: int, change: str
) -> None:
    hold(item(FUTURE), item(LATER))
    before = snapshot()
    with before_statement('FROM "site_state"', partial(site.at, MIDNIGHT)):
        assert CHANGES[change](FUTURE, by=by) is Outcome.STARTED
    assert (snapshot(), history()) == (before, [])


def test_a_day_that_begins_while_an_addition_waits_takes_no_item(site: Site, by: int) -> None:
    before = snapshot()
    with before_statement('FROM "site_state"', partial(site.at, MIDNIGHT)):
        assert planning.add_item(item(FUTURE), by=by) is Outcome.STARTED
    assert snapshot() == before


@pytest.mark.parametrize(
    ("number", "version", "rows"), [(TODAY, 1, 0), (FUTURE, 2, 0), (LATER, 1, 0), (FUTURE, 1, 1)]
)
def test_the_statement_itself_refuses_what_has_started_changed_or_gone(
    number: int, version: int, rows: int
) -> None:
    hold(item(TODAY), item(FUTURE))
    other: dict[str, object] = {"name": "Other", "size": "", "price_cents": 5, "photo": ""}
    other |= {"photo_ready": False, "photo_source": "", "bank_version": 9, "today": TODAY}
    statement = planning._SQL["plan_puzzle"]
    assert statement.run(number=number, seen=version, **other).count == rows


@pytest.mark.parametrize("change", CHANGES)
def test_a_day_without_a_puzzle_is_absent(by: int, change: str) -> None:
    hold(item(LATER))
    before = snapshot()
    assert CHANGES[change](FUTURE, by=by, version=0) is Outcome.ABSENT
    assert (snapshot(), history()) == (before, [])


@pytest.mark.parametrize("change", ["swap", "replace", "fix"])
def test_what_another_hand_has_changed_is_stale(by: int, change: str) -> None:
    hold(item(FUTURE), item(LATER))
    bank.attach_photo(PuzzleNumber(FUTURE), "photos/x")
    before = snapshot()
    assert CHANGES[change](FUTURE, by=by, version=1) is Outcome.STALE
    assert CHANGES[change](FUTURE, by=by, version=2**62) is Outcome.STALE
    assert (snapshot(), history()) == (before, [])
    assert CHANGES[change](FUTURE, by=by, version=2) is Outcome.CHANGED


def test_what_changes_nothing_writes_nothing(by: int) -> None:
    same = {"name": "Same", "price": Cents(5), "photo_source": SOURCE}
    hold(item(FUTURE, **same), item(LATER, **same))
    before = snapshot()
    assert swap(FUTURE, LATER, by=by) is Outcome.UNCHANGED
    assert swap(FUTURE, FUTURE, by=by) is Outcome.UNCHANGED
    assert fix(item(FUTURE, **same), by=by) is Outcome.UNCHANGED
    assert replace(item(FUTURE, **same), by=by) is Outcome.UNCHANGED
    assert (snapshot(), history()) == (before, [])


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_by_nobody_fails_whole(change: str) -> None:
    hold(item(FUTURE), item(LATER))
    before = snapshot()
    with pytest.raises(IntegrityError):
        CHANGES[change](FUTURE, by=-1)
    assert (snapshot(), history()) == (before, [])


def test_an_addition_by_nobody_fails_whole(site: Site) -> None:
    before = snapshot()
    with pytest.raises(IntegrityError):
        planning.add_item(item(FUTURE), by=-1)
    with pytest.raises(IntegrityError):
        planning.add_item(item(LATER, price=Cents(0)), by=-1)
    assert (snapshot(), site.engine in settings.DATABASES["default"]["ENGINE"]) == (before, True)


@pytest.mark.parametrize("change", CHANGES)
def test_no_change_can_be_a_part_of_another_transaction(by: int, change: str) -> None:
    hold(item(FUTURE), item(LATER))
    with transaction.atomic(), pytest.raises(RuntimeError, match="durable"):
        CHANGES[change](FUTURE, by=by)


@pytest.mark.parametrize("number", [TODAY - 1, TODAY, FUTURE])
def test_a_photo_is_taken_in_on_any_day_and_recorded(site: Site, by: int, number: int) -> None:
    hold(item(number))
    now = site.at("2026-10-15T13:00:00Z")
    outcome = planning.upload_photo(PuzzleNumber(number), picture(), by=by)
    assert outcome is Outcome.CHANGED
    row = Puzzle.objects.get()
    assert (row.photo_ready, row.bank_version) == (True, 2)
    assert stored(site) == sorted(Path(each).name for each in (row.photo, small_name(row.photo)))
    assert history() == [(str(number), f"Photo uploaded as {row.photo}.")]
    entry = LogEntry.objects.get()
    assert (entry.user_id, entry.action_time) == (by, now)


def test_a_photo_of_no_puzzle_is_deleted_again(site: Site, by: int) -> None:
    before = snapshot()
    assert planning.upload_photo(PuzzleNumber(FUTURE), picture(), by=by) is Outcome.ABSENT
    assert (snapshot(), history(), stored(site)) == (before, [], [])


def test_a_photo_that_is_there_by_name_is_deleted_and_changes_nothing(
    site: Site, by: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold(item(FUTURE, photo="photos/x"))
    before = snapshot()
    monkeypatch.setattr("costcodle.photos.keeping.take_in", lambda content: content.decode())
    outcome = planning.upload_photo(PuzzleNumber(FUTURE), b"photos/x", by=by)
    assert outcome is Outcome.UNCHANGED
    assert (snapshot(), history(), stored(site)) == (before, [], [])


def test_what_is_no_photo_is_refused_and_changes_nothing(site: Site, by: int) -> None:
    hold(item(FUTURE))
    before = snapshot()
    with pytest.raises(UnusablePhotoError):
        planning.upload_photo(PuzzleNumber(FUTURE), b"no photo", by=by)
    assert (snapshot(), history(), stored(site)) == (before, [], [])


@pytest.mark.parametrize("second", CHANGES)
@pytest.mark.parametrize("first", CHANGES)
def test_of_two_changes_at_once_that_saw_the_same_the_second_is_stale(
    by: int, first: str, second: str
) -> None:
    hold(item(FUTURE), item(LATER))
    waiting: list[Future[Outcome]] = []

    def act() -> None:
        change = partial(CHANGES[second], FUTURE, by=by, version=1)
        waiting.append(begin_and_let_block(change))

    with at("after raise_bank_version", act):
        assert CHANGES[first](FUTURE, by=by, version=1) is Outcome.CHANGED
    # Which puzzle the second saw decides; the other one of its days may have changed.
    saw_another = second == "be swapped" and "swap" not in first
    expected = Outcome.CHANGED if saw_another else Outcome.STALE
    assert waiting[0].result(timeout=60) is expected
    assert SiteState.objects.get().bank_version == (3 if saw_another else 2)


def test_a_change_of_another_day_waits_and_lands(by: int) -> None:
    hold(*map(item, range(FUTURE, FUTURE + 4)))
    waiting: list[Future[Outcome]] = []

    def act() -> None:
        change = partial(swap, FUTURE + 3, FUTURE + 2, by=by, version=1)
        waiting.append(begin_and_let_block(change))

    with at("after plan_puzzle", act):
        assert swap(FUTURE, FUTURE + 1, by=by) is Outcome.CHANGED
    assert waiting[0].result(timeout=60) is Outcome.CHANGED
    names = list(Puzzle.objects.values_list("name", flat=True))
    assert names == [f"Item {number}, 2 lbs" for number in (1123, 1122, 1125, 1124)]


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_that_waited_for_a_load_is_stale(by: int, change: str) -> None:
    hold(item(FUTURE), item(LATER))
    waiting: list[Future[Outcome]] = []

    def act() -> None:
        waiting.append(begin_and_let_block(partial(CHANGES[change], FUTURE, by=by, version=1)))

    loaded = [item(FUTURE, size="3 lbs"), item(LATER, size="4 lbs")]
    with at("after raise_bank_version", act):
        bank.load_items(loaded, replace_future=True)
    assert waiting[0].result(timeout=60) is Outcome.STALE
    assert (facts(FUTURE)[1], facts(LATER)[1], history()) == ("3 lbs", "4 lbs", [])


def test_a_load_that_waited_for_a_change_has_the_last_word(by: int) -> None:
    hold(item(FUTURE), item(LATER))
    waiting: list[Future[bank.LoadReport]] = []

    def act() -> None:
        items = [item(FUTURE), item(LATER)]
        load = partial(bank.load_items, items, replace_future=True)
        waiting.append(begin_and_let_block(load))

    with at("after raise_bank_version", act):
        assert swap(FUTURE, LATER, by=by) is Outcome.CHANGED
    assert (waiting[0].result(timeout=60).replaced, seen(FUTURE), seen(LATER)) == (2, 3, 3)
    assert facts(FUTURE)[0] == "Item 1122, 2 lbs"


@pytest.mark.parametrize("change", ["fix", "replace"])
def test_a_photo_that_waited_for_a_change_lands_on_it(by: int, change: str) -> None:
    hold(item(FUTURE))
    waiting: list[Future[Any]] = []

    def act() -> None:
        attach = partial(bank.attach_photo, PuzzleNumber(FUTURE), "photos/x")
        waiting.append(begin_and_let_block(attach))

    with at("after raise_bank_version", act):
        assert CHANGES[change](FUTURE, by=by) is Outcome.CHANGED
    assert waiting[0].result(timeout=60) == 3
    assert facts(FUTURE) == ("Other", "2 lbs", 1222, "photos/x", True, "")


@pytest.mark.parametrize("change", ["swap", "fix", "replace"])
def test_a_change_that_waited_for_a_photo_is_stale(by: int, change: str) -> None:
    hold(item(FUTURE), item(LATER))
    waiting: list[Future[Outcome]] = []

    def act() -> None:
        waiting.append(begin_and_let_block(partial(CHANGES[change], FUTURE, by=by, version=1)))

    with at("after raise_bank_version", act):
        bank.attach_photo(PuzzleNumber(FUTURE), "photos/x")
    assert waiting[0].result(timeout=60) is Outcome.STALE
    assert facts(FUTURE)[3] == "photos/x"


def test_an_addition_that_waited_for_a_load_finds_the_day_taken(by: int) -> None:
    waiting: list[Future[Outcome]] = []

    def act() -> None:
        add = partial(planning.add_item, item(FUTURE, name="Other"), by=by)
        waiting.append(begin_and_let_block(add))

    with at("after raise_bank_version", act):
        hold(item(FUTURE))
    assert waiting[0].result(timeout=60) is Outcome.TAKEN
    assert (facts(FUTURE)[0], history()) == ("Item 1122, 2 lbs", [])


def test_of_two_additions_to_one_day_one_lands(by: int) -> None:
    waiting: list[Future[Outcome]] = []

    def act() -> None:
        add = partial(planning.add_item, item(FUTURE, name="Other"), by=by)
        waiting.append(begin_and_let_block(add))

    with at("after raise_bank_version", act):
        assert planning.add_item(item(FUTURE), by=by) is Outcome.CHANGED
    assert waiting[0].result(timeout=60) is Outcome.TAKEN
    assert (facts(FUTURE)[0], len(history())) == ("Item 1122, 2 lbs", 1)


def test_a_change_between_the_look_and_the_locks_is_seen(by: int) -> None:
    hold(item(FUTURE), item(LATER))
    interloper = partial(fix, item(FUTURE, name="Other"), by=by, version=1)
    with at("before begin 1", partial(elsewhere, interloper)):
        assert swap(FUTURE, LATER, by=by, version=1) is Outcome.STALE


def test_many_hands_at_once_lose_no_item_and_never_deadlock(site: Site, by: int) -> None:
    numbers = range(FUTURE, FUTURE + 5)
    items = [item(number, photo=f"photos/{number}") for number in numbers]
    hold(*items)
    whole = Counter(facts(number) for number in numbers)
    hands, rounds = 4, 8
    barrier = threading.Barrier(hands)

    def work(seed: int) -> list[Outcome]:
        dice = random.Random(seed)  # noqa: S311 - no secret
        barrier.wait(timeout=60)
        return [swap(*dice.sample(numbers, 2), by=by) for _ in range(rounds)]

    with ThreadPoolExecutor(max_workers=hands) as pool:
        futures = [pool.submit(with_own_connection, work, seed) for seed in range(hands)]
        outcomes = [outcome for future in futures for outcome in future.result(timeout=120)]
    assert set(outcomes) <= {Outcome.CHANGED, Outcome.STALE}
    changed = outcomes.count(Outcome.CHANGED)
    assert changed >= 1
    assert Counter(facts(number) for number in numbers) == whole
    assert SiteState.objects.get().bank_version == 1 + changed
    assert (LogEntry.objects.count(), len(outcomes)) == (2 * changed, hands * rounds)
    assert site.engine


def test_locks_are_taken_in_the_banks_order(by: int) -> None:
    hold(item(FUTURE), item(LATER))
    version = seen(LATER)
    with CaptureQueriesContext(connection) as queries:
        assert swap(LATER, FUTURE, by=by, version=version) is Outcome.CHANGED
    texts = [query["sql"] for query in queries if "BEGIN" not in query["sql"]]
    assert 'FROM "puzzles"' in texts[0]
    assert 'ORDER BY "puzzles"."number" ASC' in texts[0]
    assert 'FROM "site_state"' in texts[1]
    for text in texts[:2]:
        assert ("FOR UPDATE" in text) == (connection.vendor == "postgresql")
    named = [text.split("\n")[0] for text in texts if text.startswith("-- name: ")]
    assert named == ["-- name: raise_bank_version", *["-- name: plan_puzzle"] * 2]


def test_every_writer_of_the_bank_at_once_ends_without_a_deadlock(by: int) -> None:
    numbers = range(FUTURE, FUTURE + 4)
    hold(*map(item, numbers))
    barrier = threading.Barrier(4)

    def load(turn: int) -> bool:
        items = [item(number, size=f"{turn} lbs") for number in reversed(numbers)]
        return bank.load_items(items, replace_future=True).replaced > 0

    def attach(turn: int) -> bool:
        number = PuzzleNumber(numbers[turn % 4])
        return isinstance(bank.attach_photo(number, f"photos/{turn}"), int)

    def trade(turn: int) -> bool:
        other = numbers[(turn + 1) % 4]
        return swap(numbers[turn % 4], other, by=by) is Outcome.CHANGED

    def mend(turn: int) -> bool:
        wanted = item(numbers[turn % 4], name=f"Name {turn}")
        return fix(wanted, by=by) is Outcome.CHANGED

    def work(write: Callable[[int], bool]) -> int:
        barrier.wait(timeout=60)
        return sum(write(turn) for turn in range(8))

    with ThreadPoolExecutor(max_workers=4) as pool:
        futures = [
            pool.submit(with_own_connection, work, write) for write in (load, attach, trade, mend)
        ]
        written = sum(future.result(timeout=120) for future in futures)
    assert written >= 8
    assert SiteState.objects.get().bank_version == 1 + written
