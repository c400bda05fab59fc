"""The Atom feed by the schema of RFC 4287, the JSON Feed by the words of its version 1.1."""

import re
from datetime import datetime, timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client
from lxml import etree

from answers.feeds import MOST_ENTRIES, _xml_safe
from answers.models import AnswerPost
from costcodle.settings import BASE_DIR
from tests.published import PHOTO, built_answer, publish, publish_many
from tests.sites import Site

ATOM = "{http://www.w3.org/2005/Atom}"
SCHEMA = BASE_DIR / "tests" / "schemas" / "atom.rng"
FEEDS = ["/answers/feed.xml", "/answers/feed.json"]
NASTY = "Salt & <b>\"Pepper\"</b> ]]> 'n' Søn 🧂, 20 oz"


@pytest.fixture
def noon(site: Site) -> Site:
    site.at("2026-10-16T12:00:00Z")
    return site


def atom() -> Any:
    feed = etree.fromstring(Client().get(FEEDS[0]).content)
    etree.RelaxNG(etree.parse(SCHEMA)).assertValid(feed)
    return feed


def text_of(element: Any, name: str) -> str:
    return str(element.findtext(f"{ATOM}{name}"))


def entries() -> list[Any]:
    return list(atom().findall(f"{ATOM}entry"))


def json_feed() -> dict[str, Any]:
    document: dict[str, Any] = Client().get(FEEDS[1]).json()
    return document


def instants(item: dict[str, Any]) -> list[datetime]:
    return [datetime.fromisoformat(item[name]) for name in ("date_published", "date_modified")]


def ids() -> list[list[str]]:
    return [
        [text_of(entry, "id") for entry in entries()],
        [item["id"] for item in json_feed()["items"]],
    ]


def assert_is_json_feed(feed: dict[str, Any]) -> None:
    """What https://www.jsonfeed.org/version/1.1/ asks for."""
    assert feed["version"] == "https://jsonfeed.org/version/1.1"
    assert feed["title"]
    assert all(author.keys() & {"name", "url", "avatar"} for author in feed["authors"])
    for item in feed["items"]:
        assert isinstance(item["id"], str)
        assert item.keys() & {"content_html", "content_text"}
        assert all(instant.tzinfo for instant in instants(item))
    assert len({item["id"] for item in feed["items"]}) == len(feed["items"])
    for address in (feed["home_page_url"], feed["feed_url"], *(i["url"] for i in feed["items"])):
        assert re.fullmatch(r"https?://[^/]+/\S*", address)


@pytest.mark.usefixtures("noon")
def test_both_feeds_are_valid_while_nothing_is_published() -> None:
    assert text_of(atom(), "updated") == "2023-09-21T00:00:00+00:00"
    assert_is_json_feed(json_feed())
    assert ids() == [[], []]


@pytest.mark.usefixtures("noon")
def test_both_feeds_are_valid_and_hold_the_newest_answers_newest_first() -> None:
    publish_many(1, MOST_ENTRIES + 5)
    assert_is_json_feed(json_feed())
    newest = range(MOST_ENTRIES + 5, 5, -1)
    expected = [f"tag:costcodle.com,2023-09-21:answer:{number}" for number in newest]
    assert ids() == [expected, expected]


@pytest.mark.parametrize("path", FEEDS)
def test_a_feed_is_a_cached_route_of_its_own_type(noon: Site, path: str) -> None:
    publish_many(1, 3)
    response = Client().get(path)
    kinds = {FEEDS[0]: "application/atom+xml", FEEDS[1]: "application/feed+json"}
    assert response["Content-Type"] == f"{kinds[path]}; charset=utf-8"
    assert response["Cache-Control"] == "public, max-age=0, must-revalidate"
    for header in ("Last-Modified", "Expires", "Vary", "Set-Cookie", "ETag"):
        assert header not in response
    assert Client().post(path).status_code == 405
    noon.at("2026-10-17T12:00:00Z")
    assert Client().get(path).content == response.content


@pytest.mark.parametrize("path", FEEDS)
def test_every_address_of_a_feed_is_at_the_canonical_origin(noon: Site, path: str) -> None:
    publish(built_answer(photo=PHOTO))
    noon.settings.SITE_ORIGIN = "https://costcodle.example"
    noon.settings.ALLOWED_HOSTS = ["other.example"]
    feed = Client().get(path, headers={"host": "other.example"}).content.decode()
    assert "other.example" not in feed
    assert "testserver" not in feed
    for place in ("/answers/", "/answers/1121", path, f"/media/{PHOTO}"):
        assert f"https://costcodle.example{place}" in feed


def test_an_id_stays_whatever_happens_to_its_page_or_to_the_site(noon: Site) -> None:
    publish(built_answer())
    before = ids()
    noon.settings.SITE_ORIGIN = "https://elsewhere.example"
    AnswerPost.objects.update(title="Renamed", price_cents=1, content_version=2, photo=PHOTO)
    assert ids() == before
    AnswerPost.objects.update(withdrawn_at=noon.at("2026-10-17T12:00:00Z"))
    assert ids() == [[], []]
    AnswerPost.objects.update(withdrawn_at=None)
    assert ids() == before


@pytest.mark.usefixtures("noon")
def test_an_entry_was_updated_when_its_page_was_and_the_feed_with_its_newest_change() -> None:
    publish(built_answer(number=1120))
    publish(built_answer(number=1121))
    older = AnswerPost.objects.get(puzzle_id=1120)
    older.updated_at += timedelta(days=3, microseconds=5)
    older.save()
    by_number = dict(zip((1121, 1120), entries(), strict=True))
    updated = {n: datetime.fromisoformat(text_of(e, "updated")) for n, e in by_number.items()}
    published = {n: datetime.fromisoformat(text_of(e, "published")) for n, e in by_number.items()}
    assert updated[1120] == older.updated_at
    assert published[1120] == older.published_at
    assert updated[1121] == published[1121]
    assert datetime.fromisoformat(text_of(atom(), "updated")) == older.updated_at
    assert instants(json_feed()["items"][1]) == [
        older.published_at,
        older.updated_at.replace(microsecond=0),
    ]


@pytest.mark.usefixtures("noon")
def test_a_name_is_text_in_a_feed_whatever_is_in_it() -> None:
    publish(
        built_answer(
            title=NASTY, size="<i>20</i> oz", correction_note="It was <$3> & more", photo=PHOTO
        )
    )
    entry, item = entries()[0], json_feed()["items"][0]
    assert text_of(entry, "title") == item["title"] == f"Costcodle #1121: {NASTY}"
    assert unescape(text_of(entry, "summary")) == item["summary"]
    content = text_of(entry, "content")
    assert content == item["content_html"]
    assert set(re.findall(r"</?(\w+)", content)) == {"p", "img", "strong", "a"}
    words = unescape(re.sub(r"<[^>]+>", "", content))
    for fact in (NASTY, "$9.49", "$9.02 to $9.96", "<i>20</i> oz", "It was <$3> & more", "—"):
        assert fact in words


@pytest.mark.usefixtures("noon")
def test_an_entry_says_how_hard_it_was() -> None:
    publish(built_answer(won=(0, 0, 2, 0, 0, 0), lost=1))
    words = " ".join(json_feed()["items"][0]["content_html"].split())
    assert "How hard it was: Fair. 2 of 3 found it (67 %), with 3.0 guesses on average." in words
    assert "image" not in json_feed()["items"][0]


@pytest.mark.usefixtures("noon")
def test_an_entry_has_one_alternate_link_and_the_feed_one_to_itself() -> None:
    publish(built_answer())
    links = [dict(link.attrib) for link in entries()[0].findall(f"{ATOM}link")]
    assert links == [{"rel": "alternate", "href": "http://127.0.0.1:8000/answers/1121"}]
    own = {link.get("rel"): link.get("href") for link in atom().findall(f"{ATOM}link")}
    assert own == {
        "alternate": "http://127.0.0.1:8000/answers/",
        "self": "http://127.0.0.1:8000/answers/feed.xml",
    }


@pytest.mark.parametrize("character", ["\0", "\x08", "\x0b", "\x1f", "\ud800", "\ufffe", "\uffff"])
def test_what_no_xml_can_hold_is_replaced(character: str) -> None:
    assert _xml_safe(f"a{character}b\t\n\U0001f9c2") == "a\ufffdb\t\n\U0001f9c2"


@pytest.mark.usefixtures("noon")
def test_a_control_character_in_an_old_row_does_not_take_the_feed_away() -> None:
    publish(built_answer(title="Bell\x07, 20 oz", correction_note="\x0b"))
    assert text_of(entries()[0], "title") == "Costcodle #1121: Bell\ufffd, 20 oz"


def test_the_schema_refuses_a_feed_that_lacks_something() -> None:
    schema = etree.RelaxNG(etree.parse(SCHEMA))
    feed = etree.fromstring('<feed xmlns="http://www.w3.org/2005/Atom"><title>A</title></feed>')
    assert not schema.validate(feed)
