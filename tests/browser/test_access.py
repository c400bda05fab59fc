"""What everyone needs: axe in both themes, narrow, zoomed, forced colours, and a light page."""

import gzip
from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browsing import YESTERDAY, Visitor, keep_screenshot, play

pytestmark = pytest.mark.browser

REFUSED = "status of 400"  # Chromium itself logs a request that was refused
MOST_BYTES = 40_000
LEAST_TARGET = 44
NARROW = {"width": 320, "height": 720}
HALF = {"width": 640, "height": 450}


def refused(page: Page) -> None:
    page.locator("#guess").fill("1.299")
    page.keyboard.press("Enter")
    expect(page.locator("#refusal")).not_to_be_empty()


def won(page: Page) -> None:
    play(page, "1", "8", "9.49")
    expect(page.locator("#end [data-mine]")).to_be_visible()
    page.get_by_text("The same in words").click()


def lost(page: Page) -> None:
    play(page, "1", "2", "3", "4", "5", "99999.99")
    expect(page.locator("#end [data-mine]")).to_be_visible()


def helped(page: Page) -> None:
    page.locator("[data-opens=help]").click()


def counted(page: Page) -> None:
    play(page, "9.49")
    page.locator("[data-opens=statistics]").click()
    page.locator("#statistics summary").click()


def practised(page: Page) -> None:
    play(page, "1", "20")
    expect(page.locator("#end .distribution")).to_be_visible()


Act = Callable[[Page], None]

STATES: dict[str, tuple[str, Act]] = {
    "start": ("/", lambda _: None),
    "playing": ("/", lambda page: play(page, "1", "8", "99999.99")),
    "refused": ("/", refused),
    "won": ("/", won),
    "lost": ("/", lost),
    "help": ("/", helped),
    "statistics": ("/", counted),
    "practice": (f"/play/{YESTERDAY}", practised),
    "about": ("/about", lambda _: None),
}


WIDER_THAN_THEIR_ROOM = """() =>
  [document.scrollingElement, ...document.querySelectorAll("dialog[open]")]
    .filter(part => part.scrollWidth > part.clientWidth)
    .map(part => part.tagName)
"""


@pytest.mark.parametrize(
    "options",
    [
        {"color_scheme": "light", "viewport": NARROW},
        {"color_scheme": "dark", "viewport": HALF, "device_scale_factor": 2},
    ],
    ids=["light-at-320-px", "dark-at-200-per-cent"],
)
def test_axe_finds_nothing_and_nothing_scrolls_sideways_in_any_state(
    visitor: Visitor, options: dict[str, Any], request: pytest.FixtureRequest
) -> None:
    zone = "America/Los_Angeles"  # its times are the longest to read
    visit = visitor(allowed=(REFUSED,), reduced_motion="reduce", timezone_id=zone, **options)
    page = visit.open()
    for name, (path, act) in STATES.items():
        page.evaluate("localStorage.clear()")
        page.goto(f"{visit.origin}{path}")
        act(page)
        found = Axe().run(page).response["violations"]
        assert [(name, rule["id"], rule["nodes"][0]["target"]) for rule in found] == []
        assert (name, page.evaluate(WIDER_THAN_THEIR_ROOM)) == (name, [])
        keep_screenshot(page, f"{request.node.name}-{name}")


def test_forced_colours_keep_every_meaning(visitor: Visitor) -> None:
    page = visitor(forced_colors="active", viewport=NARROW).open()
    play(page, "1", "8")
    outline = page.locator("#guess").evaluate("field => getComputedStyle(field).outlineStyle")
    assert outline != "none"
    play(page, "9.49")
    expect(page.locator("#end [data-mine]")).to_contain_text("you")
    mine, other = (
        page.locator(f"#end .bar-line{which} meter").first.evaluate(
            "meter => getComputedStyle(meter).getPropertyValue('--bar')"
        )
        for which in ("[data-mine]", ":not([data-mine])")
    )
    assert mine != other
    assert page.locator("#board .arrow").all_inner_texts() == ["\u2191", "\u2191", "\u2713"]


def test_a_game_is_played_to_its_end_at_320_px_with_one_thumb(visitor: Visitor) -> None:
    page = visitor(viewport=NARROW, has_touch=True, is_mobile=True).open()
    button = page.get_by_role("button", name="Guess")
    for text in ("1", "2", "3", "4", "8", "9.49"):
        page.locator("#guess").tap()
        page.locator("#guess").fill(text)
        box = button.bounding_box()
        assert box
        assert min(box["width"], box["height"]) >= LEAST_TARGET
        assert box["y"] + box["height"] <= NARROW["height"]
        button.tap()
        expect(page.locator("#announcement")).to_contain_text(f"${float(text):.2f}")
    expect(page.locator("#result")).to_be_focused()


def test_whoever_wants_less_motion_sees_none(visitor: Visitor) -> None:
    still = visitor(reduced_motion="reduce").open()
    play(still, "9.49")
    assert still.evaluate("document.getAnimations().length") == 0
    moving = visitor(reduced_motion="no-preference").open()
    play(moving, "9.49")
    names = "getComputedStyle(document.querySelector('#end .price')).animationName"
    assert moving.evaluate(names) == "tag"


def test_the_whole_page_is_light_and_asks_once_for_style_and_once_for_script(
    visitor: Visitor, record_property: Callable[[str, object], None]
) -> None:
    visit = visitor()
    page = visit.open()
    page.wait_for_load_state("networkidle")
    kinds = [request.resource_type for request in visit.requests]
    assert kinds.count("stylesheet") == kinds.count("script") == kinds.count("document") == 1
    weights = {}
    for request in visit.requests:
        response = request.response()
        assert response
        weights[request.url] = len(gzip.compress(response.body()))
    record_property("weight", weights)
    assert sum(weights.values()) < MOST_BYTES, weights
    play(page, "9.49")
    expect(page.locator("#end [data-mine]")).to_be_visible()
    later = [request.resource_type for request in visit.requests[len(kinds) :]]
    assert set(later) == {"fetch"}
