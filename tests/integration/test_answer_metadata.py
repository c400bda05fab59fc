"""What an answer page tells machines: an article without an offer, social tags, its address."""

import json
import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from costcodle.templatetags.costcodle import json_ld
from tests.factories import make_puzzle
from tests.published import PHOTO, built_answer, publish, publish_many
from tests.sites import Site

ORIGIN = "https://costcodle.example"
NASTY = "Salt & </script><!--<script> \"Pepper\" 'n' \u2028 Søn 🧂, 20 oz"


@pytest.fixture
def noon(site: Site) -> Site:
    site.at("2026-10-16T12:00:00Z")
    site.settings.SITE_ORIGIN = ORIGIN
    site.settings.ALLOWED_HOSTS = ["other.example"]
    return site


def get(path: str) -> str:
    return Client(headers={"host": "other.example"}).get(path).content.decode()


def article(path: str = "/answers/1121") -> dict[str, Any]:
    blocks = re.findall(r'<script type="application/ld\+json">(.*?)</script>', get(path))
    assert len(blocks) == 1
    found: dict[str, Any] = json.loads(blocks[0])
    return found


def tags(path: str = "/answers/1121") -> dict[str, str]:
    """The meta tags of a page, each of them once."""
    found = re.findall(r'<meta\s+(?:name|property)="([^"]+)"\s+content="([^"]*)"', get(path))
    assert len(dict(found)) == len(found)
    return {name: unescape(content) for name, content in found}


@pytest.mark.usefixtures("noon")
def test_the_article_says_what_the_page_says() -> None:
    publish(built_answer(photo=PHOTO, correction_note="The sign said $3."))
    costcodle = {"@type": "Organization", "name": "Costcodle", "url": f"{ORIGIN}/"}
    assert article() == {
        "@context": "https://schema.org",
        "@type": "Article",
        "headline": "Costcodle #1121: Dark Chocolate Almonds, 20 oz",
        "description": (
            "Dark Chocolate Almonds, 20 oz cost $9.49. Anything from $9.02 to $9.96 won."
        ),
        "url": f"{ORIGIN}/answers/1121",
        "mainEntityOfPage": f"{ORIGIN}/answers/1121",
        "datePublished": "2026-10-16T00:10:00Z",
        "dateModified": "2026-10-16T00:10:00Z",
        "inLanguage": "en",
        "isAccessibleForFree": True,
        "author": costcodle,
        "publisher": costcodle,
        "about": {"@type": "Thing", "name": "Dark Chocolate Almonds, 20 oz"},
        "image": f"{ORIGIN}/media/{PHOTO}",
        "correction": "The sign said $3.",
    }


@pytest.mark.usefixtures("noon")
def test_the_article_offers_nothing_for_sale_and_makes_no_picture_up() -> None:
    publish(built_answer())
    text = json.dumps(article())
    for word in ("Offer", "Product", "offers", "price", "image", "correction", "stand-in"):
        assert word not in text


@pytest.mark.usefixtures("noon")
def test_no_name_can_end_the_data_block_or_a_tag() -> None:
    publish(built_answer(title=NASTY, photo=PHOTO, correction_note=NASTY))
    assert article()["about"]["name"] == article()["correction"] == NASTY
    assert tags()["og:title"] == f"Costcodle #1121: {NASTY}"
    assert tags()["og:image:alt"] == f"Photo of {NASTY}"
    assert get("/answers/1121").count("<script") == get("/answers/1121").count("</script>") == 1
    assert "<!--" not in get("/answers/1121")


def test_a_data_block_has_no_character_that_html_would_read() -> None:
    block = str(json_ld({"a": NASTY}))
    start, end = '<script type="application/ld+json">', "</script>"
    inside = block.removeprefix(start).removesuffix(end)
    assert block == f"{start}{inside}{end}"
    assert not set("<>&") & set(inside)
    assert json.loads(inside) == {"a": NASTY}


@pytest.mark.usefixtures("noon")
def test_social_tags_tell_the_answer_with_addresses_at_the_canonical_origin() -> None:
    publish(built_answer(photo=PHOTO))
    found = tags()
    described = "Dark Chocolate Almonds, 20 oz cost $9.49. Anything from $9.02 to $9.96 won."
    assert {name: found[name] for name in found if ":" in name} == {
        "og:site_name": "Costcodle",
        "og:type": "article",
        "og:title": "Costcodle #1121: Dark Chocolate Almonds, 20 oz",
        "og:description": described,
        "og:url": f"{ORIGIN}/answers/1121",
        "og:image": f"{ORIGIN}/media/{PHOTO}",
        "og:image:alt": "Photo of Dark Chocolate Almonds, 20 oz",
        "twitter:card": "summary",
        "twitter:title": "Costcodle #1121: Dark Chocolate Almonds, 20 oz",
        "twitter:description": described,
        "twitter:image": f"{ORIGIN}/media/{PHOTO}",
        "twitter:image:alt": "Photo of Dark Chocolate Almonds, 20 oz",
        "article:published_time": "2026-10-16T00:10:00Z",
        "article:modified_time": "2026-10-16T00:10:00Z",
    }
    assert found["description"] == described


@pytest.mark.usefixtures("noon")
def test_social_tags_show_no_picture_where_there_is_no_photo() -> None:
    publish(built_answer())
    assert not [name for name in tags() if "image" in name]


@pytest.mark.parametrize("path", ["/", "/answers/", "/answers/page/2", "/about"])
@pytest.mark.usefixtures("noon")
def test_every_other_page_tells_its_own_address(path: str) -> None:
    publish_many(1, 40)
    make_puzzle(number=1122, name="Today's Secret")
    found = tags(path)
    assert found["og:url"] == f"{ORIGIN}{path}"
    assert found["og:type"] == "website"
    assert "Secret" not in "".join(found.values())


@pytest.mark.parametrize("path", ["/nowhere", "/answers/1121", "/answers/1122"])
@pytest.mark.usefixtures("noon")
def test_what_is_not_there_has_no_address_to_share_and_is_not_indexed(path: str) -> None:
    publish(built_answer(withdrawn=True))
    make_puzzle(number=1122)
    found = tags(path)
    assert found["robots"] == "noindex"
    assert not [name for name in found if name.startswith(("og:", "twitter:"))]
    assert 'rel="canonical"' not in get(path)
    assert "ld+json" not in get(path)


@pytest.mark.usefixtures("noon")
def test_practice_is_not_indexed() -> None:
    publish(built_answer())
    assert tags("/play/1121")["robots"] == "noindex"
