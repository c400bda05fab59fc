import os
from pathlib import Path
from typing import Any

import pytest

from costcodle.bank_files import read_bank
from costcodle.bank_report import (
    ENOUGH_DAYS,
    NEIGHBOUR_DAYS,
    SECTIONS,
    BankReport,
    Entry,
    findings,
    has_whole_dollar_winner,
    report_on,
    words_of,
)
from costcodle.days import PuzzleNumber
from costcodle.game.rules import Cents, Verdict, verdict
from costcodle.settings import BASE_DIR

TODAY = 1121
OTHERS = ("Bread", "Coffee", "Salmon", "Towels", "Batteries", "Kayak", "Socks", "Cheddar")


def entry(number: int, **changes: Any) -> Entry:
    facts = {"name": f"{OTHERS[number % 8]} {number}", "size": "2 lbs", "price": Cents(500)}
    facts |= {"photo_source": "", "photo_ready": True}
    return Entry(number=PuzzleNumber(number), **{**facts, **changes})


def report(*entries: Entry, today: int = TODAY) -> BankReport:
    return report_on(entries, today=PuzzleNumber(today))


def told(report: BankReport, section: str) -> list[tuple[tuple[int, ...], bool]]:
    return [(finding.numbers, finding.ahead) for finding in findings(report, section)]


def bank(first: int, last: int) -> list[Entry]:
    return [entry(number) for number in range(first, last + 1)]


def test_an_empty_bank_has_no_days_left_and_wants_attention() -> None:
    empty = report()
    assert (empty.items, empty.last, empty.days_left) == (0, None, 0)
    assert not any(findings(empty, section) for section in SECTIONS)
    assert empty.wants_attention


@pytest.mark.parametrize(("days", "wants"), [(ENOUGH_DAYS, False), (ENOUGH_DAYS - 1, True)])
def test_a_bank_wants_attention_when_fewer_than_sixty_days_are_left(
    days: int,
    wants: bool,  # noqa: FBT001 - pytest's
) -> None:
    fine = report(*bank(TODAY - 3, TODAY + days))
    assert (fine.days_left, fine.last, fine.wants_attention) == (days, TODAY + days, wants)
    assert not any(findings(fine, section) for section in SECTIONS)


def test_a_gap_ahead_wants_attention_however_far_it_is() -> None:
    found = report(*bank(TODAY, TODAY + 90), *bank(TODAY + 93, TODAY + 99))
    assert (told(found, "gaps"), found.days_left) == ([((TODAY + 91, TODAY + 92), True)], 90)
    assert found.gaps[0].words == "2 days, from 2027-01-14 to 2027-01-15"
    assert found.wants_attention


def test_a_gap_that_is_over_wants_no_attention() -> None:
    found = report(*bank(1100, 1100), *bank(1102, TODAY + 60))
    assert told(found, "gaps") == [((1101, 1101), False)]
    assert found.gaps[0].words == "1 day, 2026-09-25"
    assert not found.wants_attention


def test_a_gap_over_today_is_two_and_today_belongs_to_what_is_ahead() -> None:
    found = report(*bank(TODAY - 9, TODAY - 3), *bank(TODAY + 2, TODAY + 80))
    assert told(found, "gaps") == [
        ((TODAY, TODAY + 1), True),
        ((TODAY - 2, TODAY - 1), False),
    ]
    assert found.days_left == 0


def test_a_gap_that_begins_today_or_ended_yesterday_is_one() -> None:
    assert told(report(*bank(1120, 1120), *bank(1123, 1123)), "gaps") == [((1121, 1122), True)]
    assert told(report(*bank(1118, 1118), *bank(1121, 1121)), "gaps") == [((1119, 1120), False)]
    assert told(report(*bank(1120, 1120), *bank(1122, 1122)), "gaps") == [((1121, 1121), True)]


@pytest.mark.parametrize(
    ("apart", "alike"), [(1, True), (NEIGHBOUR_DAYS, True), (NEIGHBOUR_DAYS + 1, False)]
)
def test_look_alikes_are_told_of_neighbours_alone(
    apart: int,
    alike: bool,  # noqa: FBT001 - pytest's
) -> None:
    names = ("Pioneer Beet Sugar, 25 lbs", "Pioneer® BEET sugar 50 lbs")
    entries = bank(TODAY + 1, TODAY + 30)
    entries[0] = entry(TODAY + 1, name=names[0], size="25 lbs")
    entries[apart] = entry(TODAY + 1 + apart, name=names[1], size="50 lbs")
    found = report(*entries).look_alikes
    assert [finding.numbers for finding in found] == [(TODAY + 1, TODAY + 1 + apart)] * alike
    if alike:
        assert found[0].words == " / ".join(names)


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("Silk Organic Unsweetened Almond Milk", "Silk Unsweetened Original Almond Milk", True),
        ("Crème Brûlée", "Creme Brulee, 6 ct", True),
        ("Organic Whole Milk", "Organic Oat Milk", False),
        ("Kirkland Signature Bacon", "Kirkland Signature Towels", False),
        ("24 ct", "36 ct", False),
    ],
)
def test_three_words_of_five_in_common_look_alike(
    one: str,
    other: str,
    alike: bool,  # noqa: FBT001 - pytest's
) -> None:
    found = report(entry(TODAY + 1, name=one), entry(TODAY + 2, name=other)).look_alikes
    assert bool(found) == alike


def test_words_are_compared_without_size_case_accents_and_marks() -> None:
    assert words_of("M&M\u2019S® Café Mix, 30 ct") == {"m", "ms", "cafe", "mix"}
    assert words_of("24 oz") == frozenset()


def test_a_repeat_is_the_same_words_and_size_or_the_same_source_anywhere() -> None:
    source = "https://a.example/x.jpg"
    found = report(
        entry(5, name="Ribeye Steak", photo_source=source),
        entry(900, name="ribeye  STEAK", size="2  LBS"),
        entry(901, name="Ribeye Steak", size="3 lbs"),
        entry(TODAY + 200, name="Another", photo_source=source),
        entry(TODAY + 300, name="Twice", photo_source="https://a.example/y.jpg"),
        entry(TODAY + 400, name="Twice", photo_source="https://a.example/y.jpg"),
    ).repeats
    assert [(finding.numbers, finding.words, finding.ahead) for finding in found] == [
        ((5, TODAY + 200), "same photo source: Ribeye Steak", True),
        ((TODAY + 300, TODAY + 400), "same item and photo source: Twice", True),
        ((5, 900), "same item: Ribeye Steak", False),
    ]


def test_items_that_lack_something_are_told_nearest_ahead_first_then_back() -> None:
    numbers = (TODAY - 2, TODAY, TODAY + 1, TODAY + 5)
    found = report(*(entry(number, size="", photo_ready=False) for number in numbers))
    order = [
        *(((TODAY + 1,), True), ((TODAY + 5,), True)),
        *(((TODAY,), False), ((TODAY - 2,), False)),
    ]
    assert told(found, "no_photo") == told(found, "no_size") == order
    assert found.no_photo[0].words == entry(TODAY + 1).name


def test_an_item_that_no_whole_dollar_wins_is_told_with_its_range() -> None:
    found = report(entry(TODAY + 1, name="Buns", price=Cents(349))).no_whole_dollar
    assert [finding.words for finding in found] == ["Buns: $3.49, won from $3.32 to $3.66"]


@pytest.mark.parametrize("price", [1, 50, 95, 96, 99, 100, 105, 106, 349, 420, 949, 999, 129999])
def test_a_whole_dollar_winner_is_one_by_the_rules_of_the_game(price: int) -> None:
    guesses = range(100, price + 200, 100)
    wins = any(verdict(Cents(guess), Cents(price)) is Verdict.WIN for guess in guesses)
    assert has_whole_dollar_winner(Cents(price)) == wins


def test_the_originals_bank_is_reported_on() -> None:
    beside = BASE_DIR.parent / "shared" / "data" / "original-bank.json"
    path = Path(os.environ.get("ORIGINAL_BANK") or beside)
    if not path.is_file():
        pytest.skip("the original game's bank: there is no ORIGINAL_BANK here")
    found = report(
        *(
            Entry(
                number=item.number,
                name=item.name,
                size=item.size,
                price=item.price,
                photo_source=item.photo_source,
                photo_ready=False,
            )
            for item in read_bank(path)
        )
    )
    counts = {section: len(findings(found, section)) for section in SECTIONS}
    assert counts == {
        "gaps": 0,
        "look_alikes": 7,
        "repeats": 17,
        "no_photo": 3399,
        "no_size": 303,
        "no_whole_dollar": 493,
    }
    assert (found.days_left, found.wants_attention) == (3399 - TODAY, False)
