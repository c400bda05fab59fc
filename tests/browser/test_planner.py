"""The planner in a real browser: the policy, a narrow window, both themes, a form by keyboard."""

import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from costcodle.settings import BASE_DIR
from tests.browsing import TODAY, TOMORROW, Served, keep_screenshot

PASSWORD = "a-password-of-the-tests"  # noqa: S105 - it opens nothing else
PAGES = ("", f"{TODAY}/change/", f"{TOMORROW}/change/", f"{TOMORROW}/history/", "report/", "new/")


@pytest.fixture(scope="module", autouse=True)
def operator(everyday: Served) -> None:
    ours = {
        "ENVIRONMENT": "test",
        "DATABASE_URL": f"sqlite:///{everyday.database}",
        "DJANGO_SUPERUSER_PASSWORD": PASSWORD,
    }
    command = ["manage.py", "createsuperuser", "--noinput", "--username", "op", "--email", ""]
    subprocess.run([sys.executable, *command], cwd=BASE_DIR, env={**os.environ, **ours}, check=True)


@pytest.fixture
def complaints() -> list[str]:
    return []


@pytest.fixture(params=["light", "dark"])
def page(
    request: pytest.FixtureRequest, browser: Browser, served: Served, complaints: list[str]
) -> Iterator[Page]:
    """The admin in a narrow window, logged in. At the end no page has complained."""
    narrow: Any = {"width": 320, "height": 640}
    context = browser.new_context(
        base_url=f"{served.origin}/admin/", viewport=narrow, color_scheme=request.param
    )
    context.set_default_timeout(10_000)
    context.on("console", lambda message: complaints.append(message.text))
    context.on("weberror", lambda error: complaints.append(str(error.error)))
    context.route("**/favicon.ico", lambda route: route.fulfill(status=204))
    page = context.new_page()
    page.goto("login/")
    page.locator("#id_username").fill("op")
    page.locator("#id_password").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/admin/")
    yield page
    keep_screenshot(page, request.node.name)
    context.close()
    assert complaints == []


@pytest.mark.parametrize("path", PAGES)
def test_a_page_of_the_planner_fits_a_narrow_window(page: Page, path: str) -> None:
    response = page.goto(f"costcodle/puzzle/{path}")
    assert response
    assert response.status == 200
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    for part in page.locator(".planner-form input:not([type=hidden])").all():
        box = part.bounding_box()
        assert box
        assert 0 <= box["x"] <= box["x"] + box["width"] <= 320


@pytest.mark.parametrize(
    ("path", "part"),
    [
        (f"{TOMORROW}/change/", ".planner-form"),
        (f"{TODAY}/change/", ".planner-note"),
        ("report/", ".planner-report"),
        ("new/", ".planner-form"),
    ],
)
def test_axe_finds_nothing_in_what_is_ours(
    page: Page, complaints: list[str], path: str, part: str
) -> None:
    page.goto(f"costcodle/puzzle/{path}")
    assert complaints == []
    found = Axe().run(page, context=part).response["violations"]
    assert [(rule["id"], rule["nodes"][0]["html"]) for rule in found] == []
    complaints.clear()  # axe tries styles of its own, which the policy refuses


def test_a_form_is_sent_by_keyboard_and_the_outcome_is_read(page: Page) -> None:
    page.goto(f"costcodle/puzzle/{TOMORROW}/change/")
    page.get_by_label("Price").first.fill("3")
    page.keyboard.press("Enter")
    expect(page.locator(".messagelist .error")).to_contain_text("price '3' is not dollars")
    page.get_by_label("Other day").fill(str(TODAY))
    page.keyboard.press("Enter")
    expect(page.locator(".messagelist .error")).to_contain_text("the day has begun")
