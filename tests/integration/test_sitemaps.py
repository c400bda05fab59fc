"""What search engines are told, by the schema of the protocol."""

import re
from typing import Any

import pytest
from django.test import Client
from lxml import etree

from answers import sitemaps
from answers.models import AnswerPost
from costcodle.settings import BASE_DIR
from tests.published import PHOTO, built_answer, publish, publish_many
from tests.sites import Site

SCHEMA = BASE_DIR / "tests" / "schemas" / "sitemap.xsd"
ORIGIN = "http://127.0.0.1:8000"


@pytest.fixture
def noon(site: Site) -> Site:
    site.at("2026-10-16T12:00:00Z")
    return site


def listed(path: str = "/sitemap.xml", *, kind: str = "url") -> list[tuple[str, str]]:
    """Each address and its last change, from a document that the schema finds valid."""
    response = Client().get(path)
    assert response["Content-Type"] == "application/xml; charset=utf-8"
    document: Any = etree.fromstring(response.content)
    etree.XMLSchema(etree.parse(SCHEMA)).assertValid(document)
    rows = [[child.text for child in row] for row in document]
    assert {etree.QName(row).localname for row in document} == {kind}
    return [(address.removeprefix(ORIGIN), changed) for address, changed in rows]


@pytest.mark.usefixtures("noon")
def test_the_sitemap_lists_what_is_public_and_indexable_and_nothing_else() -> None:
    publish(built_answer(number=1118, indexable=True, photo=PHOTO))
    publish(built_answer(number=1119, indexable=False, photo=PHOTO))
    publish(built_answer(number=1120, indexable=True, photo=PHOTO, withdrawn=True))
    publish(built_answer(number=1121, indexable=True, photo=PHOTO))
    assert listed() == [
        ("/answers/1118", "2026-10-13T00:10:00Z"),
        ("/answers/1121", "2026-10-16T00:10:00Z"),
    ]


@pytest.mark.usefixtures("noon")
def test_an_entry_tells_when_its_page_last_changed() -> None:
    publish(built_answer(indexable=True, photo=PHOTO))
    AnswerPost.objects.update(updated_at="2026-10-16T11:22:33.456Z")
    assert listed() == [("/answers/1121", "2026-10-16T11:22:33Z")]


@pytest.mark.usefixtures("noon")
def test_a_sitemap_without_any_page_is_empty() -> None:
    response = Client().get("/sitemap.xml")
    assert response.status_code == 200
    assert len(etree.fromstring(response.content)) == 0
    assert Client().get("/sitemap-1.xml").status_code == 404


@pytest.mark.usefixtures("noon")
def test_a_large_sitemap_is_an_index_of_parts_that_hold_every_page_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sitemaps, "PART", 10)
    publish_many(8, 18, indexable=True)
    publish_many(31, 32, indexable=True)
    AnswerPost.objects.filter(puzzle_id=12).update(updated_at="2026-10-16T11:22:33Z")
    parts = listed(kind="sitemap")
    assert [path for path, _ in parts] == ["/sitemap-1.xml", "/sitemap-2.xml", "/sitemap-4.xml"]
    assert parts[1][1] == "2026-10-16T11:22:33Z"
    found = [address for path, _ in parts for address, _ in listed(path)]
    assert found == [f"/answers/{number}" for number in (*range(8, 19), 31, 32)]
    assert Client().get("/sitemap-3.xml").status_code == 404


@pytest.mark.usefixtures("noon")
def test_as_many_pages_as_fit_into_one_part_need_no_index(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sitemaps, "PART", 10)
    publish_many(5, 14, indexable=True)
    assert len(listed()) == 10


@pytest.mark.parametrize(
    "path", ["/sitemap-0.xml", "/sitemap-01.xml", "/sitemap-11.xml", f"/sitemap-{'9' * 4000}.xml"]
)
@pytest.mark.usefixtures("noon")
def test_a_part_that_is_not_there_is_404(path: str) -> None:
    assert Client().get(path).status_code == 404


@pytest.mark.usefixtures("noon")
def test_robots_are_told_the_sitemap_and_what_to_leave_alone() -> None:
    response = Client().get("/robots.txt")
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert response.content.decode().splitlines() == [
        "User-agent: *",
        "Disallow: /api/",
        "Disallow: /admin/",
        "",
        f"Sitemap: {ORIGIN}/sitemap.xml",
    ]


def test_an_admin_at_an_address_of_its_own_is_not_told_to_the_world(noon: Site) -> None:
    noon.settings.ADMIN_URL = "back-office/"
    page = Client().get("/robots.txt").content.decode()
    assert "back-office" not in page
    assert "admin" not in page


@pytest.mark.parametrize("path", ["/sitemap.xml", "/sitemap-1.xml", "/robots.txt"])
def test_each_is_a_cached_route_with_addresses_at_the_canonical_origin(
    noon: Site, path: str
) -> None:
    publish_many(1, 3, indexable=True)
    noon.settings.SITE_ORIGIN = "https://costcodle.example"
    noon.settings.ALLOWED_HOSTS = ["other.example"]
    client = Client(headers={"host": "other.example"})
    response = client.get(path)
    page = response.content.decode()
    assert set(re.findall(r"https?://([^/]+)/(?:answers|sitemap)", page)) == {"costcodle.example"}
    assert "other.example" not in page
    assert response["Cache-Control"] == "public, max-age=0, must-revalidate"
    for header in ("Last-Modified", "Expires", "Vary", "Set-Cookie"):
        assert header not in response
    assert client.post(path).status_code == 405
    assert client.get(f"{path}?p=2").content == response.content


def test_the_schema_refuses_what_is_no_sitemap() -> None:
    schema = etree.XMLSchema(etree.parse(SCHEMA))
    start = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    assert not schema.validate(
        etree.fromstring(f"{start}<url><loc>/answers/1</loc></url></urlset>")
    )
    assert not schema.validate(etree.fromstring(f"{start}</urlset>"))
