from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any

import pytest
from django.db import IntegrityError, OperationalError, connection

from costcodle import bank
from costcodle.bank import (
    DemoRefusal,
    LoadReport,
    PhotoRefusal,
    add_demo_items,
    attach_photo,
    load_items,
    raise_bank_version,
)
from costcodle.bank_rows import BankItem, BankVersion
from costcodle.days import PuzzleNumber
from costcodle.game.rules import Cents
from costcodle.models import Puzzle, SiteState
from tests.factories import make_puzzle
from tests.interleaving import Rows, at, before_statement, begin_and_let_block, snapshot
from tests.sites import Site, elsewhere

TODAY = 1121
"""The number of 2026-10-15, the day of these tests."""

FUTURE = TODAY + 1


@pytest.fixture(autouse=True)
def today(site: Site) -> None:
    site.at("2026-10-15T12:00:00Z")


def item(number: int, **changes: Any) -> BankItem:
    facts = {"name": f"Item {number}, 2 lbs", "size": "2 lbs", "price": Cents(100 + number)}
    return BankItem(number=PuzzleNumber(number), **{**facts, **changes})


def report(*, bank_version: int, **counts: int) -> LoadReport:
    nothing = dict.fromkeys(
        ("added", "replaced", "unchanged", "kept_different", "frozen_different"), 0
    )
    return LoadReport(bank_version=BankVersion(bank_version), **{**nothing, **counts})


def load(*items: BankItem, replace_future: bool = False, dry_run: bool = False) -> LoadReport:
    return load_items(items, replace_future=replace_future, dry_run=dry_run)


def without_the_bump(rows: Rows) -> Rows:
    ours = {"bank_version", "revision_token", "updated_at"}
    site = [{key: row[key] for key in row.keys() - ours} for row in rows["site_state"]]
    return {**rows, "site_state": site, "puzzles": []}


def test_absent_puzzles_of_any_day_are_added() -> None:
    numbers = [1, TODAY - 1, TODAY, FUTURE, 9999]
    assert load(*map(item, numbers)) == report(added=5, bank_version=1)
    assert list(Puzzle.objects.values_list("number", flat=True)) == numbers


def test_an_item_is_stored_whole() -> None:
    load(item(FUTURE, photo_source="https://a.example/x.jpg"), item(FUTURE + 1, photo="photos/x"))
    first, second = Puzzle.objects.all()
    assert (first.name, first.size, first.price_cents) == ("Item 1122, 2 lbs", "2 lbs", 1222)
    assert (first.photo_source, first.photo, first.photo_ready) == (
        "https://a.example/x.jpg",
        "",
        False,
    )
    assert (second.photo, second.photo_ready, second.correction_note) == ("photos/x", True, "")


@pytest.mark.parametrize("number", [1, TODAY - 1, TODAY])
def test_a_started_puzzle_is_never_changed_by_a_load(number: int) -> None:
    load(item(number))
    before = snapshot()
    other = item(number, name="Another", price=Cents(5))
    assert load(other, replace_future=True) == report(frozen_different=1, bank_version=1)
    assert snapshot() == before


def test_a_puzzle_starts_with_its_utc_day(site: Site) -> None:
    load(item(FUTURE))
    site.at("2026-10-15T23:59:59.999999Z")
    assert load(item(FUTURE, size="3 lbs"), replace_future=True).replaced == 1
    site.at("2026-10-16T00:00:00Z")
    assert load(item(FUTURE, size="4 lbs"), replace_future=True).frozen_different == 1
    assert Puzzle.objects.get().size == "3 lbs"


def test_the_statement_itself_refuses_a_started_puzzle() -> None:
    facts: dict[str, object] = {"name": "Other", "size": "", "price_cents": 5, "photo": ""}
    facts |= {"photo_ready": False, "photo_source": "", "bank_version": 9, "today": TODAY}
    load(item(TODAY), item(FUTURE))
    replace = bank._SQL["replace_puzzle"]
    assert replace.run(number=TODAY, **facts).count == 0
    assert replace.run(number=FUTURE, **facts).rows == [(FUTURE,)]


def test_whether_a_puzzle_has_started_is_read_after_the_locks(site: Site) -> None:
    load(item(FUTURE))
    midnight = "2026-10-16T00:00:00Z"
    with before_statement('FROM "site_state"', lambda: site.at(midnight)):
        done = load(item(FUTURE, size="3 lbs"), replace_future=True)
    assert done == report(frozen_different=1, bank_version=1)


def test_a_future_puzzle_that_differs_is_kept_unless_it_is_to_be_replaced() -> None:
    load(item(FUTURE))
    before = snapshot()
    other = item(FUTURE, name="Another", size="", price=Cents(5))
    assert load(other) == report(kept_different=1, bank_version=1)
    assert snapshot() == before
    assert load(other, replace_future=True) == report(replaced=1, bank_version=2)
    row = Puzzle.objects.get()
    assert (row.name, row.size, row.price_cents, row.bank_version) == ("Another", "", 5, 2)


@pytest.mark.parametrize("field", ["name", "size", "price", "photo_source"])
def test_a_difference_in_any_field_is_a_difference(field: str) -> None:
    load(item(FUTURE))
    other: object = Cents(5) if field == "price" else "https://other.example/"
    assert load(item(FUTURE, **{field: other}), replace_future=True).replaced == 1


def test_a_load_that_changes_nothing_writes_nothing() -> None:
    load(item(TODAY), item(FUTURE))
    before = snapshot()
    again = load(item(TODAY), item(FUTURE), replace_future=True)
    assert again == report(unchanged=2, bank_version=1)
    assert load() == report(bank_version=1)
    assert load(replace_future=True) == report(bank_version=1)
    assert snapshot() == before


def test_a_dry_run_counts_and_writes_nothing() -> None:
    load(item(TODAY), item(FUTURE))
    before = snapshot()
    items = [item(TODAY, size=""), item(FUTURE, size=""), item(FUTURE + 1)]
    done = load(*items, replace_future=True, dry_run=True)
    assert done == report(added=1, replaced=1, frozen_different=1, bank_version=1)
    assert snapshot() == before


def test_each_load_raises_the_bank_version_by_one_and_only_its_rows_carry_it() -> None:
    load(item(TODAY), item(FUTURE))
    load(item(TODAY), item(FUTURE, size=""), item(FUTURE + 1), replace_future=True)
    versions = dict(Puzzle.objects.values_list("number", "bank_version"))
    assert versions == {TODAY: 1, FUTURE: 2, FUTURE + 1: 2}
    assert SiteState.objects.get().bank_version == 2


def test_every_write_renews_the_revision_token_and_leaves_the_revision(site: Site) -> None:
    tokens = {SiteState.objects.get().revision_token}
    before = without_the_bump(snapshot())
    writes: list[Callable[[], object]] = [
        lambda: load(item(FUTURE)),
        lambda: load(item(FUTURE, size=""), replace_future=True),
        lambda: attach_photo(PuzzleNumber(FUTURE), "photos/x"),
        lambda: add_demo_items([item(FUTURE, photo_source="demo:x")]),
    ]
    for hour, write in enumerate(writes, start=13):
        now = site.at(f"2026-10-15T{hour}:00:00Z")
        write()
        state = SiteState.objects.get()
        tokens.add(state.revision_token)
        if hour < 16:
            assert state.updated_at == now
    assert len(tokens) == 4  # the last one was refused and wrote nothing
    assert without_the_bump(snapshot()) == before


@pytest.mark.parametrize("number", [FUTURE, FUTURE + 1])
def test_a_load_that_fails_writes_nothing(number: int) -> None:
    load(item(FUTURE))
    before = snapshot()
    bad = item(number, price=Cents(0))
    with pytest.raises(IntegrityError):
        load(item(FUTURE + 2), item(FUTURE, size=""), bad, replace_future=True)
    assert snapshot() == before


def test_a_replaced_puzzle_keeps_only_a_photo_that_still_shows_it() -> None:
    source = "https://a.example/x.jpg"
    numbers = range(FUTURE, FUTURE + 5)
    sources = [source, source, "", "", source]
    load(*(item(n, photo_source=s) for n, s in zip(numbers, sources, strict=True)))
    for number in numbers[:4]:
        attach_photo(PuzzleNumber(number), f"photos/{number}")
    load(
        item(numbers[0], photo_source=source, name="Same picture"),
        item(numbers[1], photo_source="https://a.example/y.jpg"),
        item(numbers[2], size="3 lbs"),
        item(numbers[3], name="Another thing"),
        item(numbers[4], photo_source=source, name="None yet"),
        replace_future=True,
    )
    photos = list(Puzzle.objects.values_list("photo", "photo_ready"))
    kept = [(f"photos/{numbers[0]}", True), ("", False), (f"photos/{numbers[2]}", True)]
    assert photos == [*kept, ("", False), ("", False)]


def test_a_load_that_waited_for_another_adds_nothing_twice() -> None:
    items = [item(FUTURE), item(FUTURE + 1)]
    waiting: list[Future[LoadReport]] = []

    def second() -> None:
        waiting.append(begin_and_let_block(lambda: load(*items, item(FUTURE + 2))))

    with at("after raise_bank_version", second):
        assert load(*items) == report(added=2, bank_version=1)
    assert waiting[0].result(timeout=60) == report(added=1, unchanged=2, bank_version=2)


def test_a_load_sees_what_another_added_just_before_it() -> None:
    with at("before begin 1", lambda: elsewhere(lambda: load(item(FUTURE)))):
        assert load(item(FUTURE), item(TODAY)) == report(added=1, unchanged=1, bank_version=2)


@pytest.mark.parametrize("engine", ["postgresql"])
def test_a_row_added_between_the_locks_is_locked_before_it_is_replaced(engine: str) -> None:
    # SQLite has no such moment: the first lock is the only one.
    assert engine == connection.vendor
    load(item(FUTURE + 1))
    interloper = partial(elsewhere, partial(load, item(FUTURE)))
    with before_statement('FROM "site_state"', interloper), at("before begin 2", lambda: None):
        done = load(item(FUTURE, size=""), item(FUTURE + 1, size=""), replace_future=True)
    assert done == report(replaced=2, bank_version=3)


@pytest.mark.parametrize("engine", ["postgresql"])
def test_a_load_gives_up_with_nothing_written_when_rows_keep_arriving(engine: str) -> None:
    assert engine == connection.vendor
    numbers = range(FUTURE, FUTURE + 3)
    arrivals = [partial(elsewhere, partial(load, item(number))) for number in numbers]
    with (
        before_statement('FROM "site_state"', *arrivals),
        pytest.raises(OperationalError, match="again and again"),
    ):
        load(*(item(number, size="") for number in numbers), replace_future=True)
    assert list(Puzzle.objects.values_list("size", "bank_version")) == [
        ("2 lbs", 1),
        ("2 lbs", 2),
        ("2 lbs", 3),
    ]


@pytest.mark.parametrize("replace_future", [False, True])
def test_a_photo_and_a_load_at_once_both_land(replace_future: bool) -> None:  # noqa: FBT001 - pytest's
    load(item(FUTURE))
    waiting: list[Future[BankVersion | PhotoRefusal]] = []

    def attach() -> None:
        photo = partial(attach_photo, PuzzleNumber(FUTURE), "photos/x")
        waiting.append(begin_and_let_block(photo))

    with at("after raise_bank_version", attach):
        load(item(FUTURE, size=""), item(FUTURE + 1), replace_future=replace_future)
    assert waiting[0].result(timeout=60) == 3
    row = Puzzle.objects.get(number=FUTURE)
    assert (row.photo, row.photo_ready, row.bank_version) == ("photos/x", True, 3)
    assert row.size == ("" if replace_future else "2 lbs")


@pytest.mark.parametrize("number", [TODAY - 1, TODAY, FUTURE])
def test_a_photo_is_attached_to_a_puzzle_of_any_day_and_changes_nothing_else(number: int) -> None:
    make_puzzle(number=number, correction_note="Mended.")
    before = Puzzle.objects.values().get()
    assert attach_photo(PuzzleNumber(number), "photos/x.webp") == 1
    changed = {"photo": "photos/x.webp", "photo_ready": True, "bank_version": 1}
    assert Puzzle.objects.values().get() == {**before, **changed}
    assert attach_photo(PuzzleNumber(number), "photos/better.webp") == 2


def test_a_photo_named_but_not_ready_becomes_ready() -> None:
    make_puzzle(photo="photos/x.webp")
    assert attach_photo(PuzzleNumber(TODAY), "photos/x.webp") == 1
    assert Puzzle.objects.get().photo_ready


def test_a_photo_that_is_there_or_has_no_puzzle_writes_nothing() -> None:
    make_puzzle(photo="photos/x.webp", photo_ready=True)
    before = snapshot()
    assert attach_photo(PuzzleNumber(TODAY), "photos/x.webp") is PhotoRefusal.UNCHANGED
    assert attach_photo(PuzzleNumber(FUTURE), "photos/x.webp") is PhotoRefusal.NO_PUZZLE
    assert snapshot() == before


def test_demonstration_items_are_added_beside_their_like_only() -> None:
    demo = [item(number, photo_source="demo:x") for number in (TODAY, FUTURE)]
    assert add_demo_items(demo[:1]) == report(added=1, bank_version=1)
    assert add_demo_items(demo) == report(added=1, unchanged=1, bank_version=2)
    load(item(9999))
    before = snapshot()
    assert add_demo_items([item(1, photo_source="demo:x")]) is DemoRefusal.OTHER_BANK
    assert snapshot() == before


def test_a_demonstration_that_waited_for_a_load_leaves_its_bank_alone() -> None:
    waiting: list[Future[LoadReport | DemoRefusal]] = []

    def demonstrate() -> None:
        demo = [item(TODAY, photo_source="demo:x")]
        waiting.append(begin_and_let_block(lambda: add_demo_items(demo)))

    with at("after raise_bank_version", demonstrate):
        load(item(FUTURE))
    assert waiting[0].result(timeout=60) is DemoRefusal.OTHER_BANK


def test_without_the_sites_row_no_bank_version_is_given(site: Site) -> None:
    SiteState.objects.all().delete()
    with pytest.raises(RuntimeError, match="one row was to be written, not 0"):
        raise_bank_version(now=site.at("2026-10-15T12:00:00Z"))
