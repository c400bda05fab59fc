"""Midnight and ten past it, under an open page: the server's clock moves, and the browser's."""

from datetime import datetime

import pytest
from playwright.sync_api import Page, expect

from tests.browsing import NOON, TODAY, TOMORROW, YESTERDAY, Served, Visit, Visitor, play, rows

pytestmark = pytest.mark.browser

GONE = "status of 410"
LATE = "2026-10-15T23:58:00Z"
AFTER_MIDNIGHT = "2026-10-16T00:02:00Z"
AFTER_TEN_PAST = "2026-10-16T00:11:00Z"


def opened(visit: Visit, instant: str, path: str = "/") -> Page:
    """A new page whose own clock stands at an instant."""
    page = visit.context.new_page()
    page.clock.install(time=datetime.fromisoformat(instant))
    page.goto(f"{visit.origin}{path}")
    return page


def test_midnight_passes_under_an_open_board_which_can_still_be_finished(
    visitor: Visitor, served: Served
) -> None:
    page = opened(visitor(timezone_id="America/Los_Angeles"), LATE)
    play(page, "8")
    expect(page.locator("#news")).to_be_empty()
    served.at(AFTER_MIDNIGHT)
    page.clock.fast_forward("04:00")
    expect(page.locator("#news")).to_contain_text("A new day has begun.")
    expect(page.locator("#news")).to_contain_text("finish this board first")
    expect(page.locator("#until")).to_contain_text("7:")
    play(page, "9.49")
    expect(page.locator("#end [data-mine]")).to_be_visible()
    assert served.results() == [(TODAY, "won", 2)]
    expect(page.locator("#countdown")).to_be_hidden()
    page.get_by_role("button", name="Play the next one").click()
    expect(page.locator("#board")).to_have_attribute("data-puzzle", str(TOMORROW))
    expect(page.locator("#yesterday")).to_be_hidden()  # it is finished


def test_ten_past_midnight_passes_under_an_open_board_which_stays(
    visitor: Visitor, served: Served
) -> None:
    page = opened(visitor(allowed=(GONE,)), LATE)
    play(page, "8")
    served.at(AFTER_TEN_PAST)
    page.clock.fast_forward("13:00")
    expect(page.locator("#news")).to_contain_text("this board has closed")
    page.locator("#guess").fill("9.49")
    page.keyboard.press("Enter")
    expect(page.locator("#refusal")).to_contain_text("closed at 00:10 UTC")
    expect(page.locator("#refusal")).to_be_focused()
    expect(page.locator("#guessing")).to_be_hidden()
    assert rows(page) == ["$8.00 \u2191 too low, near"]
    assert served.results() == []
    page.get_by_role("link", name="Play today\u2019s item").click()
    expect(page.locator("#board")).to_have_attribute("data-puzzle", str(TOMORROW))


def test_yesterdays_board_waits_on_todays_page_with_its_own_timer(
    visitor: Visitor, served: Served
) -> None:
    visit = visitor()
    page = opened(visit, LATE)
    play(page, "8")
    page.close()
    served.at(AFTER_MIDNIGHT)
    page = opened(visit, AFTER_MIDNIGHT)
    expect(page.locator("#yesterday")).to_contain_text("7:")
    expect(opened(visitor(), AFTER_TEN_PAST).locator("#yesterday")).to_be_hidden()
    page.locator("#yesterday a").click()
    assert rows(page) == ["$8.00 \u2191 too low, near"]
    expect(page.locator("#timer")).to_contain_text(" left.")
    play(page, "9.49")
    expect(page.get_by_role("button", name="Play the next one")).to_be_visible()
    expect(page.locator("#end [data-mine]")).to_be_visible()
    assert served.results() == [(TODAY, "won", 2)]
    page.goto(visit.origin)
    page.locator("[data-opens=statistics]").click()
    expect(page.locator("#statistics [data-slot=streak]")).to_have_text("1")


def test_the_countdown_is_in_the_visitors_time_not_live_and_turns_into_a_button(
    visitor: Visitor,
) -> None:
    page = opened(visitor(timezone_id="America/Los_Angeles"), NOON)
    play(page, "9.49")
    countdown = page.locator("#countdown")
    expect(countdown).to_contain_text("11:59:")
    expect(countdown).to_contain_text("Thursday 5:00 PM your time")
    assert page.locator("[role=status] #countdown, [aria-live] #countdown").count() == 0
    button = page.get_by_role("button", name="Play the next one")
    expect(button).to_be_hidden()
    page.clock.fast_forward("12:00:01")
    expect(button).to_be_visible()
    expect(countdown).to_be_hidden()


def test_about_says_when_the_day_turns_in_the_visitors_time(visitor: Visitor) -> None:
    page = visitor(timezone_id="Asia/Tokyo", locale="de-DE").open("/about")
    expect(page.locator("[data-local]").first).to_contain_text("(09:00 your time)")


def test_a_practice_page_tells_of_no_new_day(visitor: Visitor) -> None:
    page = opened(visitor(), NOON, f"/play/{YESTERDAY}")
    page.clock.fast_forward("13:00:00")
    play(page, "20")
    expect(page.locator("#news")).to_be_empty()
    expect(page.get_by_role("button", name="Play the next one")).to_have_count(0)
