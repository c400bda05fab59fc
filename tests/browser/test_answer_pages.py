"""Answer pages, lists and notices in a real browser: axe, the policy, every width and theme.

The pages are made first and handed to the browser from memory, headers included: no server runs,
and nothing asks the database while the browser's event loop does.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, Page, Route, sync_playwright

from tests import crawl, showcase
from tests.conftest import missing_service
from tests.sites import Site

pytestmark = pytest.mark.browser

ORIGIN = "http://127.0.0.1:8000"
SHOWN = (
    "/answers/",
    "/answers/page/3",
    "/answers/page/2#answer-1074",
    "/answers/1121",
    "/answers/1120",
    "/answers/1119",
    "/answers/1117",
    "/answers/1118",
    "/answers/1122",
    "/nowhere",
    "/error/500",
    "/error/503",
    "/about",
)
LOOKS = [(width, theme) for width in (320, 1280) for theme in ("light", "dark")]


@pytest.fixture
def engine() -> str:
    return "sqlite"


@pytest.fixture
def made(site: Site) -> dict[str, crawl.Page]:
    showcase.open_for_show(site)
    paths = {path.partition("#")[0] for path in SHOWN if not path.startswith("/error/")}
    return showcase.pages_for_a_browser([*paths, "/", "/answers/page/2"])


@contextmanager
def browser(made: dict[str, crawl.Page], **options: Any) -> Iterator[BrowserContext]:
    """A browser that has these pages, and no network."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        missing_service("Chromium")

    def answer(route: Route) -> None:
        page = made[urlsplit(route.request.url).path]
        route.fulfill(status=page.status, headers=page.headers, body=page.body)

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        context = chromium.new_context(base_url=ORIGIN, **options)
        context.route("**/*", answer)
        yield context
        chromium.close()


def said(page: Page) -> list[str]:
    """What the page says on the console from now on, the status of its own address aside."""
    lines: list[str] = []
    page.on("pageerror", lambda error: lines.append(str(error)))
    page.on(
        "console",
        lambda message: None if "status of" in message.text else lines.append(message.text),
    )
    return lines


def open_all_details(page: Page) -> None:
    for details in page.locator("details").all():
        details.evaluate("element => element.open = true")


@pytest.mark.parametrize(("width", "theme"), LOOKS)
def test_axe_finds_nothing_and_nothing_is_wider_than_the_window(
    made: dict[str, crawl.Page], width: int, theme: str
) -> None:
    found = []
    with browser(made, viewport={"width": width, "height": 800}, color_scheme=theme) as context:
        page = context.new_page()
        lines = said(page)
        for path in SHOWN:
            page.goto(path)
            open_all_details(page)
            results = Axe().run(page)
            found += [
                (path, rule["id"], rule["nodes"][0]["html"])
                for rule in results.response["violations"]
            ]
            if page.evaluate("document.documentElement.scrollWidth") > width:
                found.append((path, "too wide", ""))
    assert found == []
    assert lines == [], "the policy refuses something, or a data block was run"


def test_axe_finds_what_is_wrong(made: dict[str, crawl.Page]) -> None:
    with browser(made) as context:
        page = context.new_page()
        page.goto("/answers/1121")
        page.evaluate("document.querySelector('img').removeAttribute('alt')")
        assert [rule["id"] for rule in Axe().run(page).response["violations"]] == ["image-alt"]


def test_the_policy_stops_a_script_and_a_style_in_the_page(made: dict[str, crawl.Page]) -> None:
    with browser(made) as context:
        page = context.new_page()
        lines = said(page)
        page.goto("/answers/1121")
        page.evaluate(
            """() => {
                const script = document.createElement('script');
                script.textContent = 'window.ran = true';
                document.body.append(script);
                document.body.setAttribute('style', 'color: red');
            }"""
        )
        assert page.evaluate("window.ran") is None
        assert len([line for line in lines if "Content Security Policy" in line]) == 2


@pytest.mark.parametrize("look", [{"forced_colors": "active"}, {}], ids=["forced", "plain"])
def test_the_bars_of_the_chart_have_their_lengths_in_any_colours(
    made: dict[str, crawl.Page], look: dict[str, str]
) -> None:
    with browser(made, viewport={"width": 320, "height": 800}, **look) as context:
        page = context.new_page()
        page.goto("/answers/1121")
        meters = page.locator(".chart meter")
        assert meters.count() == 7
        boxes = [box for box in (meter.bounding_box() for meter in meters.all()) if box]
        assert all(box["width"] >= 40 and box["height"] >= 15 for box in boxes)
        rows = page.locator(".chart tbody tr").all_inner_texts()
        assert [row.split() for row in rows][3] == ["4", "40", "28", "%"]


def test_a_jump_to_a_month_leads_to_its_newest_answer_without_a_script(
    made: dict[str, crawl.Page],
) -> None:
    with browser(made, java_script_enabled=False) as context:
        page = context.new_page()
        page.goto("/answers/")
        page.get_by_text("Jump to a month or a number").click()
        page.get_by_role("link", name="Aug 2026").click()
        assert page.url == f"{ORIGIN}/answers/page/2#answer-1076"
        assert "Aug 31, 2026" in page.locator(":target").inner_text()


@pytest.mark.parametrize(
    ("width", "density", "size"),
    [
        (320, 1, "small"),
        (320, 3, "large"),
        (800, 1, "small"),
        (1280, 1, "small"),
        (1280, 2, "large"),
    ],
)
def test_a_browser_takes_the_size_that_fits_its_screen(
    made: dict[str, crawl.Page], width: int, density: int, size: str
) -> None:
    viewport = {"width": width, "height": 900}
    with browser(made, viewport=viewport, device_scale_factor=density) as context:
        page = context.new_page()
        for path in ("/answers/1121", "/"):
            page.goto(path)
            photo = page.locator("img.photo")
            taken = photo.evaluate("image => image.currentSrc")
            assert taken.endswith("-small.webp") is (size == "small")
            told = {320: 0.88 * 320, 800: 0.43 * 800, 1280: 28 * 16}[width]
            assert 0.85 * told < photo.evaluate("image => image.clientWidth") <= told


def test_what_only_a_screen_needs_is_not_printed(made: dict[str, crawl.Page]) -> None:
    with browser(made) as context:
        page = context.new_page()
        page.emulate_media(media="print")
        for path in ("/answers/", "/answers/1121"):
            page.goto(path)
            assert not page.locator(".menu").is_visible()
        assert page.locator(".chart").is_visible()
        assert not page.locator(".neighbours").is_visible()


def test_the_admin_works_under_the_policy(site: Site) -> None:
    site.at(showcase.NOW)
    with browser(showcase.pages_for_a_browser(["/admin/login/"])) as context:
        page = context.new_page()
        lines = said(page)
        page.goto("/admin/login/")
        theme = page.evaluate("getComputedStyle(document.body).fontFamily")
        page.locator(".theme-toggle").first.click()
        assert page.locator("html").get_attribute("data-theme") in ("light", "dark")
        assert "system-ui" in theme
        assert lines == []
