"""The player's own record: what the script's pure functions promise, and how it is carried."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page, expect

from costcodle import days
from costcodle.days import PuzzleNumber
from results.domain import percent
from tests.browsing import NOON, TODAY, YESTERDAY, Served, Visitor, play

pytestmark = pytest.mark.browser

Record = dict[str, Any]

RECORD_KEY = "costcodle.record"
FORMAT = "costcodle-record-1"
FIRST = TODAY - 40

# Numbers 1 to 6 are wins with so many guesses, 0 is a loss.
OUTCOMES = st.integers(0, 6)
HISTORY = st.dictionaries(st.integers(FIRST, TODAY), OUTCOMES, max_size=41)
COUNT = st.integers(0, 40)
ORIGINALS = st.fixed_dictionaries(
    {
        "numGames": COUNT,
        "numWins": COUNT,
        "winsInNum": st.lists(COUNT, min_size=6, max_size=6),
        "currentStreak": COUNT,
        "maxStreak": COUNT,
    }
)
CASES = st.lists(st.tuples(HISTORY, st.none() | ORIGINALS, st.integers(FIRST, TODAY)), min_size=20)


def day(number: int, outcome: int) -> Record:
    date = days.day_of(PuzzleNumber(number)).isoformat()
    return {"date": date, "guesses": outcome or 6, "outcome": "won" if outcome else "lost"}


def record(history: dict[int, int], earlier: Record | None = None) -> Record:
    return {
        "days": {str(number): day(number, o) for number, o in history.items()},
        "earlier": earlier,
    }


def text_of(kept: Record) -> str:
    return json.dumps({"format": FORMAT, **kept})


@pytest.fixture(scope="module")
def page(browser: Browser, everyday: Served) -> Iterator[Page]:
    """A page with the script's exports at hand; nothing is played on it."""
    everyday.at(NOON)
    context = browser.new_context()
    page = context.new_page()
    page.goto(everyday.origin)
    page.evaluate(
        """async () => {
          window.game = await import(document.querySelector("script[src]").src);
        }"""
    )
    yield page
    context.close()


def call(page: Page, name: str, *arguments: object) -> Any:
    return page.evaluate("([name, args]) => window.game[name](...args)", [name, arguments])


def streak_up_to(history: dict[int, int], number: int) -> int:
    length = 0
    while history.get(number - length):
        length += 1
    return length


def test_statistics_follow_from_the_days_alone(page: Page) -> None:
    @settings(max_examples=10, suppress_health_check=list(HealthCheck))
    @given(histories=st.lists(HISTORY, min_size=20, max_size=20))
    def holds(histories: list[dict[int, int]]) -> None:
        told = page.evaluate(
            "([records, today]) => records.map(kept => window.game.statistics(kept, today))",
            [[record(history) for history in histories], TODAY],
        )
        for history, found in zip(histories, told, strict=True):
            won = [list(history.values()).count(guesses) for guesses in range(1, 7)]
            last = TODAY if TODAY in history else TODAY - 1
            assert found == {
                "played": len(history),
                "wins": sum(won),
                "lost": len(history) - sum(won),
                "rate": percent(sum(won), len(history)),
                "distribution": won,
                "streak": streak_up_to(history, last),
                "best": max((streak_up_to(history, number) for number in history), default=0),
            }

    holds()


def test_whatever_is_taken_over_and_imported_the_invariants_hold(page: Page) -> None:
    @settings(max_examples=10, suppress_health_check=list(HealthCheck))
    @given(cases=CASES)
    def holds(cases: list[tuple[dict[int, int], Record | None, int]]) -> None:
        told = page.evaluate(
            """([cases, today]) => cases.map(([kept, originals, taken]) => {
              const earlier = window.game.earlierTotals(JSON.stringify(originals), taken);
              const whole = window.game.merged(kept, { days: {}, earlier });
              const text = window.game.recordText(whole);
              return [window.game.statistics(whole, today), window.game.readRecord(text), whole];
            })""",
            [[(record(history), originals, taken) for history, originals, taken in cases], TODAY],
        )
        for found, reread, whole in told:
            assert found["wins"] == sum(found["distribution"]) <= found["played"]
            assert 0 <= found["streak"] <= found["best"] <= found["wins"]
            assert reread == {"record": whole, "isSound": True}

    holds()


def test_merging_is_by_day_and_repeating_it_changes_nothing(page: Page) -> None:
    ours = record({TODAY: 3, TODAY - 1: 2})
    theirs = record({TODAY: 6, TODAY - 5: 0})
    both = call(page, "merged", ours, theirs)
    assert both == record({TODAY: 3, TODAY - 1: 2, TODAY - 5: 0})
    assert call(page, "merged", both, theirs) == both
    assert call(page, "merged", both, both) == both


def test_a_day_that_is_known_is_never_changed(page: Page) -> None:
    kept = call(page, "withDay", record({TODAY: 3}), TODAY, "lost", 6)
    assert kept == record({TODAY: 3})
    assert call(page, "withDay", record({}), TODAY, "won", 4) == record({TODAY: 4})


@pytest.mark.parametrize(
    ("history", "streak"),
    [
        ({}, 0),
        ({TODAY: 1}, 1),
        ({TODAY - 1: 1}, 1),
        ({TODAY - 2: 1}, 0),
        ({TODAY - 1: 1, TODAY: 0}, 0),
        ({TODAY - 2: 1, TODAY: 1}, 1),
        ({TODAY - 2: 6, TODAY - 1: 6, TODAY: 6}, 3),
    ],
)
def test_a_streak_is_broken_by_a_missed_or_a_lost_day(
    page: Page, history: dict[int, int], streak: int
) -> None:
    assert call(page, "statistics", record(history), TODAY)["streak"] == streak


EARLIER = {
    "played": 9,
    "distribution": [0, 0, 5, 2, 0, 0],
    "streak": 4,
    "best": 6,
    "until": TODAY - 1,
}


@pytest.mark.parametrize(
    ("history", "today", "streak", "best"),
    [
        ({}, TODAY, 4, 6),
        ({TODAY: 2}, TODAY, 5, 6),
        ({TODAY: 2, TODAY + 1: 2, TODAY + 2: 2}, TODAY + 2, 7, 7),
        ({TODAY: 0}, TODAY, 0, 6),
        ({}, TODAY + 1, 0, 6),
        ({TODAY + 1: 2}, TODAY + 1, 1, 6),
    ],
)
def test_an_earlier_streak_goes_on_only_from_the_day_it_was_taken_over(
    page: Page, history: dict[int, int], today: int, streak: int, best: int
) -> None:
    found = call(page, "statistics", record(history, EARLIER), today)
    assert (found["streak"], found["best"]) == (streak, best)


@pytest.mark.parametrize(
    ("decimal", "text"),
    [
        ("0.01", "$0.01"),
        ("999.00", "$999.00"),
        ("1299.99", "$1,299.99"),
        ("99999.99", "$99,999.99"),
    ],
)
def test_an_amount_reads_as_the_server_writes_it(page: Page, decimal: str, text: str) -> None:
    assert call(page, "dollars", decimal) == text


HOSTILE = {
    "no JSON": "{",
    "a number": "7",
    "another program's": '{"days": {}, "earlier": null}',
    "days as a list": text_of({"days": [], "earlier": None}),
    "a day of another number": text_of({"days": {"5": day(6, 1)}, "earlier": None}),
    "seven guesses": text_of({"days": {"5": {**day(5, 1), "guesses": 7}}, "earlier": None}),
    "a loss with two": text_of({"days": {"5": {**day(5, 0), "guesses": 2}}, "earlier": None}),
    "a fraction": text_of({"days": {"5": {**day(5, 1), "guesses": 1.5}}, "earlier": None}),
    "a prototype": '{"format": "' + FORMAT + '", "days": {"__proto__": {}}, "earlier": null}',
    "the future": text_of(record({TODAY + 2: 1})),
    "impossible totals": text_of(record({}, {**EARLIER, "best": 8})),
    "endless": text_of(record({})) + " " * 2_000_000,
}


def test_a_hostile_record_is_refused_and_nothing_is_changed(visitor: Visitor) -> None:
    page = visitor().open()
    play(page, "9.49")
    kept = page.evaluate("key => localStorage.getItem(key)", RECORD_KEY)
    page.locator("[data-opens=statistics]").click()
    page.locator("#statistics summary").click()
    for what, text in HOSTILE.items():
        page.locator("#record-text").evaluate("(box, text) => { box.value = text; }", text)
        page.locator("#carried").evaluate("told => { told.textContent = ''; }")
        page.get_by_role("button", name="Read this text").click()
        expect(page.locator("#carried"), what).to_contain_text("Nothing was changed")
        assert page.evaluate("key => localStorage.getItem(key)", RECORD_KEY) == kept, what


def test_a_record_goes_to_another_browser_by_file_and_by_text(
    visitor: Visitor, tmp_path: Path
) -> None:
    page = visitor().open()
    play(page, "8", "9.49")
    page.locator("[data-opens=statistics]").click()
    page.locator("#statistics summary").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save to a file").click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    assert json.loads(file.read_text()) == {"format": FORMAT, **record({TODAY: 2})}

    other = visitor().open()
    other.locator("[data-opens=statistics]").click()
    expect(other.locator("#statistics [data-slot=rate]")).to_have_text("\u2014")
    other.locator("#statistics summary").click()
    for _ in range(2):
        # Emptied first, so that the second reading is waited for as well.
        other.evaluate("document.querySelector('#carried').textContent = ''")
        other.locator("#import-file").set_input_files(file)
        expect(other.locator("#carried")).to_have_text("Read: 1 day.")
        expect(other.locator("#statistics [data-slot=played]")).to_have_text("1")
    more = text_of(record({TODAY: 6, YESTERDAY: 4}))
    other.locator("#record-text").fill(more)
    other.get_by_role("button", name="Read this text").click()
    expect(other.locator("#statistics [data-slot=streak]")).to_have_text("2")
    kept = json.loads(other.evaluate("key => localStorage.getItem(key)", RECORD_KEY))
    assert kept == {"format": FORMAT, **record({TODAY: 2, YESTERDAY: 4})}


def test_the_originals_totals_are_taken_over_once(visitor: Visitor) -> None:
    visit = visitor()
    page = visit.open("/about")
    originals = {"numGames": 10, "numWins": 8, "winsInNum": [0, 1, 3, 2, 1, 1]}
    streaks = {"currentStreak": 3, "maxStreak": 5}
    page.evaluate(
        "text => localStorage.setItem('stats', text)", json.dumps({**originals, **streaks})
    )
    for _ in range(2):
        page.goto(visit.origin)
    play(page, "8", "9.49")
    page.reload()
    page.locator("[data-opens=statistics]").click()
    shown = page.locator("#statistics")
    for slot, text in (("played", "11"), ("rate", "82 %"), ("streak", "4"), ("best", "5")):
        expect(shown.locator(f"[data-slot={slot}]")).to_have_text(text)
    expect(shown.locator(".bar-line").nth(1)).to_contain_text("2 (18 %)")
    expect(shown.locator("#earlier")).to_contain_text("10 earlier games")


@pytest.mark.parametrize("rubbish", ["{", "null", "7", '{"numGames": -1}', '{"winsInNum": [1]}'])
def test_totals_that_are_rubbish_are_passed_over(page: Page, rubbish: str) -> None:
    assert call(page, "earlierTotals", rubbish, TODAY) is None


def test_a_damaged_record_keeps_the_days_that_can_be_read(visitor: Visitor) -> None:
    page = visitor().open()
    damaged = record({YESTERDAY: 2})
    damaged["days"]["7"] = {"date": "x"}
    page.evaluate(
        "([key, text]) => localStorage.setItem(key, text)", [RECORD_KEY, text_of(damaged)]
    )
    play(page, "9.49")
    page.locator("[data-opens=statistics]").click()
    expect(page.locator("#statistics [data-slot=streak]")).to_have_text("2")


def test_an_unfinished_board_is_no_game(visitor: Visitor) -> None:
    page = visitor().open()
    play(page, "8")
    page.locator("[data-opens=statistics]").click()
    expect(page.locator("#statistics [data-slot=played]")).to_have_text("0")
    expect(page.locator("#statistics [data-slot=rate]")).to_have_text("\u2014")
