"""A site in which every kind of page is there, for tools from outside to look at."""

from collections.abc import Iterable
from pathlib import Path

from PIL import Image

from answers.models import AnswerPost
from costcodle import http
from costcodle.photos import keeping
from tests.crawl import Page, address_of, crawl, fetch, page_of
from tests.factories import make_puzzle
from tests.games import Form
from tests.published import built_answer, publish, publish_many
from tests.sites import Site

NOW = "2026-10-16T12:00:00Z"
ERRORS = (400, 403, 404, 405, 410, 413, 429, 500, 503)
LONG = "Extraordinarily-Long-Winded Himalayan & Mediterranean Salt-Roasted Nut Mix, 2 x 40 oz"
UNLINKED = ("/robots.txt", "/sitemap-2.xml", "/api/openapi.json", "/play/1119")
MISSING = ("/nowhere", "/answers/1122", "/answers/1118", "/answers/page/99", "/play/1123")
"""What is not there: no route, not yet, withdrawn, past the end."""


def open_for_show(site: Site) -> None:
    """Fill a site: today's item, answers of several months, one of each kind."""
    site.at(NOW)
    Path(site.settings.MEDIA_ROOT).mkdir(exist_ok=True)
    photo = keeping.store(Image.new("RGB", (600, 600), "#c96"))
    publish_many(1050, 1117)
    publish(built_answer(number=1118, withdrawn=True))
    publish(built_answer(number=1119, size="", lost=1))
    publish(built_answer(number=1120, title=LONG, price_cents=129_999, won=(0, 1, 2, 3, 0, 1)))
    publish(
        built_answer(
            number=1121,
            won=(3, 11, 29, 40, 31, 20),
            lost=9,
            photo=photo,
            indexable=True,
            correction_note="The sign had the price of the small pack: it said <$3> & more.",
        )
    )
    AnswerPost.objects.filter(puzzle_id=1117).update(title="Crème Brûlée & “Café” Cups, 8 ct")
    make_puzzle(number=1122, name="Today's Thing, 3 lbs", photo=photo, photo_ready=True)


def linked_pages() -> dict[str, Page]:
    """Every page that the front page, or something outside, leads to."""
    return crawl(["/", *UNLINKED])


def error_pages() -> dict[str, Page]:
    """The page of every error status, as `/error/<status>`."""
    pages: dict[str, Page] = {}
    for status in ERRORS:
        response = http.error(status)
        name = f"/error/{status}"
        pages[name] = page_of(name, status, dict(response.headers), response.content)
    return pages


def all_pages() -> dict[str, Page]:
    """The linked pages and all others: what is missing, every error, a game that is over."""
    pages = linked_pages() | {path: fetch(path) for path in MISSING} | error_pages()
    form = Form("/play/1121")
    for guess in ("1", "2", "3", "4", "5", "6"):
        response = form.guess(guess)
    pages["/over"] = page_of("/over", 200, dict(response.headers), response.content)
    return pages


def pages_for_a_browser(paths: Iterable[str]) -> dict[str, Page]:
    """These pages with their styles and pictures, and every error."""
    pages = {path: fetch(path) for path in paths} | error_pages()
    for page in list(pages.values()):
        for link in page.links:
            path, _ = address_of(link, page) or ("", "")
            if path.startswith(("/static/", "/media/")) and path not in pages:
                pages[path] = fetch(path)
    return pages
