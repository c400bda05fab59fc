"""What a browser is told to refuse, on every response."""

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from django.conf import settings
from django.test import Client

from costcodle.settings import BASE_DIR
from tests.factories import make_puzzle
from tests.sites import Site

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Response

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
PRINT_POLICY = (
    "import django; django.setup(); from django.test import Client;"
    "print(Client().get('/healthz')['Content-Security-Policy'])"
)


@pytest.fixture
def noon(site: Site) -> Site:
    site.at("2026-10-16T12:00:00Z")
    make_puzzle(number=1122)
    return site


def get(path: str) -> "Response":
    return Client(raise_request_exception=False).get(path)


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/answers/",
        "/answers/1121",
        "/answers",
        "/nowhere",
        "/about",
        "/healthz",
        "/static/costcodle/site.css",
        "/api/puzzles/1121/stats",
        "/admin/login/",
    ],
)
@pytest.mark.usefixtures("noon")
def test_every_response_has_every_security_header(path: str) -> None:
    response = get(path)
    response.close()
    assert response["Content-Security-Policy"] == POLICY
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["X-Frame-Options"] == "DENY"
    assert response["Referrer-Policy"] == "same-origin"
    assert response["Cross-Origin-Opener-Policy"] == "same-origin"
    for feature in ("camera", "geolocation", "microphone", "payment"):
        assert f"{feature}=()" in response["Permissions-Policy"]


def test_an_error_in_a_middleware_has_them_too(noon: Site) -> None:
    noon.settings.ALLOWED_HOSTS = ["costcodle.example"]
    response = get("/")
    assert response.status_code == 400
    assert response["Content-Security-Policy"] == POLICY


@pytest.mark.parametrize("seed", ["1", "2"])
def test_every_process_writes_the_policy_in_the_same_order(seed: str) -> None:
    environment = {"PYTHONHASHSEED": seed, "DJANGO_SETTINGS_MODULE": "costcodle.settings"}
    environment |= {"ENVIRONMENT": "test", "ALLOWED_HOSTS": "testserver"}
    printed = subprocess.check_output(
        [sys.executable, "-c", PRINT_POLICY], cwd=BASE_DIR, env=environment, text=True
    )
    assert printed.strip() == POLICY


def test_the_policy_allows_neither_inline_code_nor_another_site() -> None:
    directives = settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]
    assert directives["default-src"] == ["'none'"]
    assert {source for sources in directives.values() for source in sources} <= {
        "'self'",
        "'none'",
    }


@pytest.mark.usefixtures("noon")
def test_the_pages_of_the_admin_need_nothing_that_the_policy_refuses() -> None:
    page = get("/admin/login/").content.decode()
    assert 'type="password"' in page
    assert "<style" not in page
    assert ' style="' not in page
    assert page.count("<script") == page.count("<script src=")
