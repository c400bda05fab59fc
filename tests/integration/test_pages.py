import re
from datetime import datetime
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from answers.models import AnswerPost
from answers.pages import ANSWERS_A_PAGE
from costcodle import clock
from tests.factories import make_puzzle
from tests.published import PHOTO, built_answer, publish, publish_many
from tests.sites import Site

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Response

REVALIDATE = "public, max-age=0, must-revalidate"
NO_STORE = "private, no-store"


def get(path: str) -> "Response":
    return Client().get(path)


def text(response: "Response") -> str:
    return " ".join(response.content.decode().split())


def answer_links(response: "Response") -> list[int]:
    return [int(number) for number in re.findall(r'href="/answers/(\d+)"', text(response))]


def queries_of(path: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        get(path)
    return len(captured)


class _Outline(HTMLParser):
    VOID = frozenset({"br", "hr", "img", "input", "link", "meta"})

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def outline(response: "Response") -> _Outline:
    parsed = _Outline()
    parsed.feed(response.content.decode())
    parsed.close()
    assert parsed.open == []
    return parsed


# Home


def test_home_shows_the_item_of_the_utc_day_and_never_its_price(site: Site) -> None:
    site.at("2026-10-15T23:59:59Z")
    make_puzzle(number=1121, name="Almonds & Honey, 20 oz", size="20 oz", price_cents=8641)
    make_puzzle(number=1122, name="Tomorrow's Secret, 2 lbs", price_cents=7531)
    response = get("/")
    page = text(response)
    assert response.status_code == 200
    assert "Almonds &amp; Honey, 20 oz" in page
    assert "No. 1121" in page
    assert '<time datetime="2026-10-15">Thursday, October 15, 2026</time>' in page
    assert '<time datetime="2026-10-16T00:10:00Z">' in page
    assert "Secret" not in page
    assert "86" not in re.sub(r'(href|src)="[^"]*"', "", page)


def test_home_turns_to_the_next_item_at_midnight_utc(site: Site) -> None:
    site.at("2026-10-16T00:00:00Z")
    make_puzzle(number=1121, name="Yesterday's, 20 oz")
    make_puzzle(number=1122, name="Today's, 2 lbs")
    page = text(get("/"))
    assert "Today&#x27;s, 2 lbs" in page
    assert "Yesterday" not in page


def test_home_without_a_puzzle_says_so_and_leads_to_the_archive(site: Site) -> None:
    site.at("2026-10-15T12:00:00Z")
    response = get("/")
    assert response.status_code == 200
    assert response["Cache-Control"] == REVALIDATE
    assert "There is no puzzle for today" in text(response)
    assert 'href="/answers/"' in text(response)


@pytest.mark.parametrize("instant", ["2023-09-20T12:00:00Z", "2099-01-01T00:00:00Z"])
def test_home_survives_a_clock_outside_the_calendar(site: Site, instant: str) -> None:
    site.at(instant)
    assert "There is no puzzle for today" in text(get("/"))


def test_home_shows_a_photo_only_when_it_is_ready_else_a_stand_in(site: Site) -> None:
    site.at("2026-10-15T12:00:00Z")
    puzzle = make_puzzle(number=1121, photo=PHOTO, photo_ready=False)
    assert "stand-in.svg" in text(get("/"))
    assert PHOTO not in text(get("/"))
    puzzle.photo_ready = True
    puzzle.save()
    assert f'src="/media/{PHOTO}"' in text(get("/"))
    assert "stand-in.svg" not in text(get("/"))


def test_home_links_to_the_latest_public_answer_alone(site: Site) -> None:
    site.at("2026-10-16T12:00:00Z")
    make_puzzle(number=1122)
    publish(built_answer(number=1119))
    publish(built_answer(number=1120))
    publish(built_answer(number=1121, withdrawn=True))
    assert answer_links(get("/")) == [1120]


# The list


def test_the_list_is_newest_first_and_leaves_out_what_is_not_public(site: Site) -> None:
    site.at("2026-10-16T12:00:00Z")
    make_puzzle(number=1122, name="Tomorrow's Secret")
    publish(built_answer(number=1119))
    publish(built_answer(number=1121))
    publish(built_answer(number=1120, withdrawn=True, title="Withdrawn Thing"))
    response = get("/answers/")
    assert answer_links(response) == [1121, 1119]
    assert "Secret" not in text(response)
    assert "Withdrawn Thing" not in text(response)


def test_an_empty_list_is_a_page(site: Site) -> None:
    site.at("2026-10-16T12:00:00Z")
    response = get("/answers/")
    assert response.status_code == 200
    assert "No answer has been published yet" in text(response)


def test_the_pages_of_the_list_hold_every_answer_once(site: Site) -> None:
    site.at("2026-10-16T12:00:00Z")
    publish_many(1, 2 * ANSWERS_A_PAGE + 1)
    found = [
        *answer_links(get("/answers/")),
        *answer_links(get("/answers/page/2")),
        *answer_links(get("/answers/page/3")),
    ]
    assert found == list(range(2 * ANSWERS_A_PAGE + 1, 0, -1))
    assert get("/answers/page/4").status_code == 404


def test_a_full_last_page_is_the_last(site: Site) -> None:
    site.at("2026-10-16T12:00:00Z")
    publish_many(1, ANSWERS_A_PAGE)
    assert get("/answers/page/2").status_code == 404


def test_pages_of_the_list_name_their_neighbours_and_their_place(site: Site) -> None:
    site.at("2026-10-16T12:00:00Z")
    publish_many(1, 2 * ANSWERS_A_PAGE + 1)
    first, second, last = (
        text(get(path)) for path in ("/answers/", "/answers/page/2", "/answers/page/3")
    )
    assert "Page 2 of 3" in second
    assert '<a rel="prev" href="/answers/">' in second
    assert '<a rel="next" href="/answers/page/3">' in second
    assert 'rel="prev"' not in first
    assert 'rel="next"' not in last


def test_the_first_page_has_one_address(site: Site) -> None:
    site.at("2026-10-16T12:00:00Z")
    response = get("/answers/page/1")
    assert (response.status_code, response["Location"]) == (301, "/answers/")
    assert response["Cache-Control"] == NO_STORE


@pytest.mark.parametrize(
    "page", ["0", "-1", "02", "2.0", "\u0661", "abc", "1" + "0" * 30, "9" * 5000, "2%0A"]
)
def test_a_page_of_the_list_that_is_not_there_is_404(site: Site, page: str) -> None:
    site.at("2026-10-16T12:00:00Z")
    assert get(f"/answers/page/{page}").status_code == 404


# An answer


def test_an_answer_shows_every_fact(site: Site) -> None:
    site.at("2026-10-16T12:00:00Z")
    publish(
        built_answer(
            title="Almonds & <b>Honey</b>, 20 oz",
            size="20 oz",
            price_cents=349,
            won=(1, 2, 3, 4, 5, 6),
            lost=7,
            correction_note="The sign said <$3>.",
            photo=PHOTO,
        )
    )
    response = get("/answers/1121")
    page = text(response)
    assert response.status_code == 200
    assert "<h1>Almonds &amp; &lt;b&gt;Honey&lt;/b&gt;, 20 oz</h1>" in page
    assert '<p class="price">$3.49</p>' in page
    assert "anything from $3.32 to $3.66" in page
    assert "Hard. 21 of 28 found it (75 %), with 4.3 guesses on average." in page
    assert "28 games, by the number of guesses" in page
    assert re.findall(r'<th scope="row"> (\w+[\w ]*) </th>', page) == [*"123456", "Lost"]
    assert [int(games) for games in re.findall(r"<span>(\d+)</span>", page)] == [*range(1, 8)]
    assert re.findall(r"<td>(\d+) %</td>", page) == ["4", "7", "11", "14", "18", "21", "25"]
    assert 'href="/play/1121"' in page
    assert "<dd> 20 oz </dd>" in page
    assert '<time datetime="2026-10-15">Thursday, October 15, 2026</time>' in page
    assert "The sign said &lt;$3&gt;." in page
    assert f'src="/media/{PHOTO}"' in page


def test_an_answer_without_games_size_photo_or_correction_leaves_them_out(site: Site) -> None:
    site.at("2026-10-16T12:00:00Z")
    publish(built_answer(size=""))
    page = text(get("/answers/1121"))
    assert '<span aria-hidden="true">—</span>' in page
    assert "<dt>Size</dt>" not in page
    assert "Correction" not in page
    assert "stand-in.svg" in page


def test_neighbours_of_an_answer_are_the_nearest_public_ones(site: Site) -> None:
    site.at("2026-10-16T12:00:00Z")
    for number in (1115, 1117, 1119, 1121):
        publish(built_answer(number=number))
    publish(built_answer(number=1116, withdrawn=True))
    publish(built_answer(number=1118, withdrawn=True))
    make_puzzle(number=1120)
    page = text(get("/answers/1117"))
    assert re.findall(r'<a rel="(\w+)" href="([^"]*)"', page) == [
        ("prev", "/answers/1115"),
        ("next", "/answers/1119"),
    ]
    assert 'rel="prev"' not in text(get("/answers/1115"))
    assert 'rel="next"' not in text(get("/answers/1121"))


@pytest.mark.parametrize(
    ("instant", "number", "due"),
    [
        ("2026-10-16T00:09:59.999999Z", 1121, "2026-10-16T00:10:00Z"),
        ("2026-10-15T12:00:00Z", 1121, "2026-10-16T00:10:00Z"),
        ("2026-10-15T12:00:00Z", 1300, "2027-04-13T00:10:00Z"),
    ],
)
def test_an_answer_that_is_not_public_yet_is_a_404_that_says_when_and_nothing_else(
    site: Site, instant: str, number: int, due: str
) -> None:
    site.at(instant)
    make_puzzle(number=number, name="Secret Thing", size="3 lbs", price_cents=8642)
    response = get(f"/answers/{number}")
    page = text(response)
    assert response.status_code == 404
    assert response["Cache-Control"] == REVALIDATE
    assert f'<time datetime="{due}">' in page
    for secret in ("Secret", "3 lbs", "86.42", "8642"):
        assert secret not in page


def test_a_finished_puzzle_without_a_page_is_on_its_way(site: Site) -> None:
    site.at("2026-10-16T00:10:00Z")
    make_puzzle(number=1121, name="Secret Thing", price_cents=8642)
    response = get("/answers/1121")
    assert response.status_code == 404
    assert response["Cache-Control"] == REVALIDATE
    assert "on its way" in text(response)
    assert "Secret" not in text(response)


def test_a_puzzle_that_the_bank_does_not_hold_is_a_plain_404(site: Site) -> None:
    site.at("2026-10-16T00:10:00Z")
    response = get("/answers/1121")
    assert response.status_code == 404
    assert response["Cache-Control"] == REVALIDATE
    assert "<time" not in text(response)


def test_a_withdrawn_answer_is_410_and_says_nothing_about_it(site: Site) -> None:
    site.at("2026-10-16T12:00:00Z")
    publish(built_answer(withdrawn=True, title="Recalled Thing", price_cents=8642))
    response = get("/answers/1121")
    assert response.status_code == 410
    assert response["Cache-Control"] == REVALIDATE
    assert "Recalled" not in text(response)
    assert "86.42" not in text(response)
    AnswerPost.objects.update(withdrawn_at=None)
    assert get("/answers/1121").status_code == 200


@pytest.mark.parametrize(
    "number",
    [
        "0",
        "0001",
        "01121",
        "-1",
        "+1121",
        "1121.0",
        "1e3",
        "0x461",
        "9" * 20,
        "9" * 5000,
        "\u0661\u0661\u0662\u0661",
        "\uff11\uff11\uff12\uff11",
        "10000",
        "abc",
        "1121%0A",
        "%00",
        "1121;x",
        "1121,1",
        "%201121",
    ],
)
def test_what_is_no_number_of_an_answer_is_404(site: Site, number: str) -> None:
    site.at("2026-10-16T12:00:00Z")
    publish(built_answer(number=1121))
    assert get(f"/answers/{number}").status_code == 404


def test_search_engines_may_index_only_what_is_indexable(site: Site) -> None:
    site.at("2026-10-17T12:00:00Z")
    publish(built_answer(number=1121, indexable=True, photo=PHOTO))
    publish(built_answer(number=1122, indexable=False))
    robots = '<meta name="robots" content="noindex">'
    assert robots not in text(get("/answers/1121"))
    assert robots in text(get("/answers/1122"))
    assert robots not in text(get("/"))
    assert robots not in text(get("/answers/"))
    assert robots in text(get("/answers/1"))


@pytest.mark.parametrize("path", ["/", "/answers/", "/answers/page/2", "/answers/1"])
def test_canonical_links_come_from_the_site_and_never_from_the_host(site: Site, path: str) -> None:
    site.at("2026-10-16T12:00:00Z")
    site.settings.SITE_ORIGIN = "https://costcodle.example"
    site.settings.ALLOWED_HOSTS = ["costcodle.example", "other.example"]
    publish_many(1, ANSWERS_A_PAGE + 1)
    response = Client().get(path + "?utm_source=x", headers={"host": "other.example"})
    page = text(response)
    assert f'<link rel="canonical" href="https://costcodle.example{path}">' in page
    assert "other.example" not in page
    assert "utm_source" not in page


# Every page

EVERY_PAGE = [
    "/",
    "/answers/",
    "/answers/page/2",
    "/answers/5",
    "/answers/99",
    "/nowhere",
    "/answers/6",
]


@pytest.fixture
def filled(site: Site) -> Site:
    site.at("2026-10-16T12:00:00Z")
    publish_many(7, 7 + ANSWERS_A_PAGE)
    publish(built_answer(number=5))
    publish(built_answer(number=6, withdrawn=True))
    make_puzzle(number=1122)
    return site


@pytest.mark.parametrize("path", EVERY_PAGE)
@pytest.mark.usefixtures("filled")
def test_a_page_is_well_formed_has_one_heading_and_its_landmarks(path: str) -> None:
    parsed = outline(get(path))
    for once in ("h1", "main", "header", "footer", "title"):
        assert parsed.tags.count(once) >= 1
    assert parsed.tags.count("h1") == parsed.tags.count("main") == 1
    assert ("lang", "en") in parsed.attributes
    assert ("href", "#main") in parsed.attributes


@pytest.mark.parametrize("path", EVERY_PAGE)
@pytest.mark.usefixtures("filled")
def test_a_page_has_no_inline_code_and_asks_no_third_party(path: str) -> None:
    parsed = outline(get(path))
    assert not {"style", "iframe", "base"} & set(parsed.tags)
    scripts = re.findall(r"<script[^>]*>", text(get(path)))
    code = [script for script in scripts if script != '<script type="application/ld+json">']
    assert all(' src="' in script for script in code)
    assert len(code) <= 1
    for name, value in parsed.attributes:
        assert name != "style"
        assert not name.startswith("on")
        if name == "src":
            assert value
            assert value.startswith("/")


@pytest.mark.parametrize("path", EVERY_PAGE)
@pytest.mark.usefixtures("filled")
def test_a_page_sets_no_cookie_varies_on_none_and_carries_no_date(path: str) -> None:
    response = get(path)
    assert not response.cookies
    assert "csrf" not in text(response)
    for header in ("Vary", "Last-Modified", "Expires", "Set-Cookie"):
        assert header not in response


@pytest.mark.parametrize("path", EVERY_PAGE[:4])
@pytest.mark.usefixtures("filled")
def test_a_cookie_changes_no_byte(path: str) -> None:
    visitor = Client(headers={"cookie": "sessionid=abc; csrftoken=" + "a" * 32})
    assert visitor.get(path).content == get(path).content


@pytest.mark.parametrize("path", EVERY_PAGE[:5])
@pytest.mark.usefixtures("filled")
def test_head_has_the_headers_of_get(path: str) -> None:
    head, full = Client().head(path), get(path)
    assert head.status_code == full.status_code
    assert head.headers == full.headers
    assert head.content == b""


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete", "options"])
@pytest.mark.parametrize("path", EVERY_PAGE[1:4])
@pytest.mark.usefixtures("filled")
def test_other_methods_are_405_and_told_which_are_allowed(path: str, method: str) -> None:
    response = getattr(Client(enforce_csrf_checks=True), method)(path)
    assert response.status_code == 405
    assert response["Allow"] == "GET, HEAD"
    assert response["Cache-Control"] == NO_STORE


@pytest.mark.parametrize("path", ["/", "/answers/", "/answers/1121", "/answers/1122"])
def test_a_request_reads_the_clock_at_most_once(
    site: Site, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    now = site.at("2026-10-16T12:00:00Z")
    publish(built_answer(number=1121))
    make_puzzle(number=1122)
    readings: list[datetime] = []

    def read() -> datetime:
        readings.append(now)
        return now

    monkeypatch.setattr(clock, "now", read)
    get(path)
    assert len(readings) <= 1


@pytest.mark.parametrize(
    ("path", "most"),
    [
        ("/", 3),
        ("/answers/", 2),
        ("/answers/page/2", 2),
        ("/answers/1115", 4),
        ("/answers/1200", 3),
    ],
)
def test_the_number_of_queries_does_not_grow(site: Site, path: str, most: int) -> None:
    site.settings.CLOCK_FIXED = None
    make_puzzle(number=1200)
    publish_many(1085, 1120)
    few = queries_of(path)
    publish_many(1, 1084)
    assert queries_of(path) == few <= most
