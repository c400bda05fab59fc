"""The operator in a real browser: log in, look at the night, take a page back and put it back."""

from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from django.db import connections
from django.test import override_settings
from playwright.sync_api import Browser, Page, expect
from pytest_django import DjangoDbBlocker

from tests.browsing import YESTERDAY, Served, keep_screenshot
from tests.sites import point_at

pytestmark = pytest.mark.browser

NAME, PASSWORD = "olga", "correct-horse-7"
NARROW = {"width": 320, "height": 720}
WIDE = {"width": 1280, "height": 900}
NIGHT = "/admin/answers/publicationlog/last-night/"
PAGES = "/admin/answers/answerpost/"
OURS = (NIGHT, f"{PAGES}{YESTERDAY}/correct/", "/admin/answers/publicationitem/publish-due/")
WIDER = "document.scrollingElement.scrollWidth > document.scrollingElement.clientWidth"


@pytest.fixture(scope="module")
def office(everyday: Served, django_db_blocker: DjangoDbBlocker) -> Served:
    """The everyday site, with somebody who may run it."""
    with (
        django_db_blocker.unblock(),
        override_settings(PASSWORD_HASHERS=["django.contrib.auth.hashers.PBKDF2PasswordHasher"]),
    ):
        point_at(f"sqlite:///{everyday.database}")
        User.objects.create_superuser(NAME, password=PASSWORD)
        connections.close_all()
    return everyday


@pytest.fixture
def desk(
    office: Served,
    served: Served,
    browser: Browser,
    request: pytest.FixtureRequest,
) -> Iterator[Any]:
    """Open pages of the admin, logged in; at the end none has complained."""
    complaints: list[str] = []
    contexts = []

    def open_desk(**options: Any) -> Page:
        context = browser.new_context(base_url=office.origin, **options)
        context.set_default_timeout(10_000)
        context.on(
            "console", lambda message: complaints.append(f"{message.text} {message.location}")
        )
        context.on("weberror", lambda error: complaints.append(str(error.error)))
        contexts.append(context)
        page = context.new_page()
        page.goto("/admin/")
        page.get_by_label("Username").fill(NAME)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("navigation", name="First things")).to_be_visible()
        return page

    assert served is office
    yield open_desk
    for context in contexts:
        for index, page in enumerate(context.pages):
            keep_screenshot(page, f"{request.node.name}-{index}")
        context.close()
    assert complaints == []


def test_a_page_is_taken_back_and_put_back_by_clicking(desk: Any) -> None:
    page = desk(viewport=WIDE)
    page.get_by_role("link", name="Last night", exact=True).click()
    expect(page.get_by_text("All is well.")).to_be_visible()
    page.goto(PAGES)
    page.get_by_role("link", name=str(YESTERDAY), exact=True).click()
    page.get_by_role("link", name="Withdraw the answer").click()
    page.get_by_label("Why").fill("the wrong item")
    page.get_by_role("button", name="Withdraw the answer").click()
    expect(page.get_by_text(f"Puzzle {YESTERDAY}: withdrawn (revision")).to_be_visible()
    gone = page.request.get(f"/answers/{YESTERDAY}")
    assert gone.status == 410
    page.get_by_role("link", name=str(YESTERDAY), exact=True).first.click()
    page.get_by_role("link", name="Reinstate the answer").click()
    page.get_by_role("button", name="Reinstate the answer").click()
    expect(page.get_by_text(f"Puzzle {YESTERDAY}: reinstated (revision")).to_be_visible()
    assert page.request.get(f"/answers/{YESTERDAY}").ok
    page.goto(NIGHT)
    expect(page.get_by_text("1 reinstated")).to_be_visible()
    expect(page.get_by_text("admin:olga").first).to_be_visible()


@pytest.mark.parametrize(
    "options",
    [
        {"viewport": NARROW, "color_scheme": "light"},
        {"viewport": NARROW, "color_scheme": "dark"},
        {"viewport": WIDE, "color_scheme": "light"},
        {"viewport": WIDE, "color_scheme": "dark"},
    ],
    ids=["narrow-light", "narrow-dark", "wide-light", "wide-dark"],
)
def test_axe_finds_nothing_on_our_own_pages_and_none_scrolls_sideways(
    desk: Any, options: dict[str, Any], request: pytest.FixtureRequest
) -> None:
    # axe measures with styles of its own; that ours need none is the other tests' to see.
    page = desk(reduced_motion="reduce", bypass_csp=True, **options)
    for path in ("/admin/", *OURS):
        page.goto(path)
        found = (
            Axe().run(page, context="#content", options={"preload": False}).response["violations"]
        )
        assert [(path, rule["id"], rule["nodes"][0]["target"]) for rule in found] == []
        assert (path, page.evaluate(WIDER)) == (path, False)
        keep_screenshot(page, f"{request.node.name}-{path}")


def test_the_lists_open_under_the_policy(desk: Any, request: pytest.FixtureRequest) -> None:
    page = desk(viewport=WIDE)
    lists = ("answerpost", "joblease", "publicationitem", "publicationlog")
    paths = [*(f"/admin/answers/{name}/" for name in lists), "/admin/results/dailyresult/"]
    for path in (*paths, *OURS, f"{PAGES}{YESTERDAY}/change/"):
        page.goto(path)
        expect(page.locator("#content-main")).to_be_visible()
        keep_screenshot(page, f"{request.node.name}-{path}")
    page.goto("/admin/answers/publicationitem/")
    page.locator("#action-toggle").check()
    page.get_by_label("Action:").select_option("retry")
    page.get_by_role("button", name="Run").or_(page.get_by_role("button", name="Go")).click()
    expect(page.get_by_text(f"Puzzle {YESTERDAY}: unchanged")).to_be_visible()
