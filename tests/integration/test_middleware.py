import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.db import (
    DataError,
    InterfaceError,
    OperationalError,
    ProgrammingError,
    connection,
)
from django.http import Http404, HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.urls import path as route

from answers.models import AnswerPost
from costcodle import days, http
from costcodle.days import PuzzleNumber
from costcodle.urls import (  # the handlers stand in for those of the real URLconf
    handler400,  # noqa: F401 - read by Django
    handler403,  # noqa: F401 - read by Django
    handler404,  # noqa: F401 - read by Django
    handler500,  # noqa: F401 - read by Django
)
from costcodle.web import errors
from costcodle.web.middleware import ExplicitCacheControl
from tests.factories import make_puzzle
from tests.sites import Site, point_at

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Response

NO_STORE = "private, no-store"
IMMUTABLE = "public, max-age=31536000, immutable"
NOWHERE = "postgresql://postgres@127.0.0.1:1/nowhere"


def failing(error: Exception) -> Callable[[HttpRequest], HttpResponse]:
    def view(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - Django's signature
        raise error

    return view


urlpatterns = [
    route("bad", failing(SuspiciousOperation("secret detail"))),
    route("forbidden", failing(PermissionDenied("secret detail"))),
    route("missing", failing(Http404("secret detail"))),
    route("broken", failing(ZeroDivisionError("secret detail"))),
    route("", failing(ZeroDivisionError()), name="home"),
    route("answers/", failing(ZeroDivisionError()), name="answers"),
    route("answers/feed.xml", failing(ZeroDivisionError()), name="feed_atom"),
    route("answers/feed.json", failing(ZeroDivisionError()), name="feed_json"),
    route("about", failing(ZeroDivisionError()), name="about"),
]


def get(path: str, **headers: str) -> "Response":
    return Client(raise_request_exception=False).get(path, headers=headers)


@contextmanager
def query_failing(position: int, error: Exception) -> Iterator[list[str]]:
    """Let the query at `position` (from 0) fail; tells the queries that were tried."""
    tried: list[str] = []

    def wrapper(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        tried.append(sql)
        if len(tried) == position + 1:
            raise error
        return execute(sql, *rest)

    with connection.execute_wrapper(wrapper):
        yield tried


@pytest.fixture
def filled(site: Site) -> Site:
    site.at("2026-10-16T12:00:00Z")
    for number in (1120, 1121, 1122):
        make_puzzle(number=number)
    for number in (1120, 1121):
        due_at = days.due_at(PuzzleNumber(number))
        body = {"low_cents": 902, "high_cents": 996, "won": [0] * 6, "lost": 0, "size": ""}
        body |= {"date": days.day_of(PuzzleNumber(number)).isoformat(), "correction_note": ""}
        AnswerPost.objects.create(
            puzzle_id=number,
            content_version=1,
            commit_token=uuid.uuid4(),
            bank_version=0,
            title="Dark Chocolate Almonds, 20 oz",
            body=body,
            price_cents=949,
            published_at=due_at,
            updated_at=due_at,
        )
    return site


# One spelling per page


@pytest.mark.parametrize(
    ("asked", "listed"),
    [
        ("/answers", "/answers/"),
        ("/answers?page=2&x=%2F", "/answers/?page=2&x=%2F"),
        ("/answers/1121/", "/answers/1121"),
        ("/answers/1121/?a=b", "/answers/1121?a=b"),
        ("/answers/page/2/", "/answers/page/2"),
        ("/healthz/", "/healthz"),
        ("/readyz/", "/readyz"),
        ("/admin", "/admin/"),
        (f"/media/photos/{'0a' * 16}.webp/", f"/media/photos/{'0a' * 16}.webp"),
    ],
)
def test_a_spelling_with_the_wrong_slash_redirects_for_good(
    site: Site, asked: str, listed: str
) -> None:
    site.at("2026-10-16T12:00:00Z")
    response = get(asked)
    assert (response.status_code, response["Location"]) == (301, listed)
    assert response["Cache-Control"] == NO_STORE
    assert Client().head(asked)["Location"] == listed


@pytest.mark.parametrize(
    "path",
    [
        "//evil.example/",
        "//evil.example",
        "//evil.example//",
        "//answers",
        "///answers",
        "//evil.example/answers",
        "/\\evil.example/",
        "/nowhere",
        "/nowhere/",
        "/answers/abc/",
        "/answers/0/",
    ],
)
def test_nothing_else_redirects(site: Site, path: str) -> None:
    site.at("2026-10-16T12:00:00Z")
    response = Client().request(PATH_INFO=path)  # as it is: `get` would read a host from it
    assert response.status_code == 404
    assert "Location" not in response


def test_a_post_is_never_redirected(site: Site) -> None:
    site.at("2026-10-16T12:00:00Z")
    assert Client().post("/answers").status_code == 404


def test_the_prefix_of_the_site_stays_in_the_redirect(site: Site) -> None:
    site.at("2026-10-16T12:00:00Z")
    response = Client(SCRIPT_NAME="/game").get("/answers")
    assert response["Location"] == "/game/answers/"


@pytest.mark.parametrize("path", ["/", "/answers/", "/nowhere"])
def test_a_host_that_is_not_allowed_is_refused(site: Site, path: str) -> None:
    site.settings.ALLOWED_HOSTS = ["costcodle.example"]
    site.settings.DEBUG = False
    response = get(path, host="evil.example")
    assert response.status_code == 400
    assert response["Cache-Control"] == NO_STORE
    assert b"evil" not in response.content


def test_probes_may_come_by_any_host(site: Site) -> None:
    site.settings.ALLOWED_HOSTS = ["costcodle.example"]
    assert get("/healthz", host="10.1.2.3").status_code == 200
    assert get("/readyz", host="10.1.2.3").status_code == 200


# Caching is always explicit


@pytest.mark.parametrize(
    "path",
    ["/", "/answers/", "/answers", "/answers/1", "/nowhere", "/healthz", "/readyz", "/admin/"],
)
@pytest.mark.usefixtures("filled")
def test_every_response_says_how_it_may_be_cached(path: str) -> None:
    assert "Cache-Control" in get(path)


def test_what_a_view_says_about_caching_is_kept() -> None:
    says = HttpResponse(headers={"Cache-Control": "public, max-age=5"})
    request = RequestFactory().get("/")
    assert ExplicitCacheControl(lambda _: says)(request)["Cache-Control"] == "public, max-age=5"
    silent = ExplicitCacheControl(lambda _: HttpResponse())(request)
    assert silent["Cache-Control"] == NO_STORE


# Errors


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/bad", 400, "There is nothing here that we could read"),
        ("/forbidden", 403, "Staff only"),
        ("/missing", 404, "Wrong aisle"),
        ("/broken", 500, "Something fell off a shelf"),
    ],
)
def test_an_error_is_a_page_of_the_site_that_tells_nothing_and_is_not_stored(
    site: Site, path: str, status: int, words: str
) -> None:
    site.settings.ROOT_URLCONF = __name__
    response = get(path)
    assert response.status_code == status
    assert response["Cache-Control"] == NO_STORE
    page = response.content.decode()
    assert words in page
    assert "site.css" in page
    for secret in ("secret detail", "Traceback", "ZeroDivision"):
        assert secret not in page


@pytest.mark.parametrize("path", ["/", "/answers/", "/answers/1121", "/answers/1122", "/answers/9"])
@pytest.mark.parametrize(
    "error", [OperationalError, InterfaceError, ProgrammingError], ids=lambda kind: kind.__name__
)
@pytest.mark.usefixtures("filled")
def test_whichever_query_of_a_page_fails_the_page_is_503(path: str, error: type[Exception]) -> None:
    with query_failing(position=99, error=error()) as tried:
        healthy = get(path)
    assert healthy.status_code in (200, 404)
    for position in range(len(tried)):
        with query_failing(position, error("secret detail\nand more")) as again:
            response = get(path)
        assert len(again) == position + 1, "the error page asked the database"
        assert response.status_code == 503
        assert response["Retry-After"] == "30"
        assert response["Cache-Control"] == NO_STORE
        assert "Back in a moment" in response.content.decode()
        assert "secret" not in response.content.decode()


@pytest.mark.parametrize(
    "path", ["/", "/answers/", "/answers/page/2", "/answers/1121", "/answers/1122"]
)
def test_a_database_that_is_away_is_503_on_every_page(site: Site, path: str) -> None:
    site.at("2026-10-16T12:00:00Z")
    point_at(NOWHERE)
    response = get(path)
    assert response.status_code == 503
    assert response["Cache-Control"] == NO_STORE


@pytest.mark.usefixtures("filled")
def test_a_table_that_is_gone_is_503_and_no_empty_list() -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE answer_posts RENAME TO answer_posts_away")
        try:
            response = get("/answers/")
        finally:
            cursor.execute("ALTER TABLE answer_posts_away RENAME TO answer_posts")
    assert response.status_code == 503
    assert get("/answers/").status_code == 200


@pytest.mark.usefixtures("filled")
def test_the_page_is_back_when_the_database_is() -> None:
    with query_failing(0, OperationalError()):
        assert get("/answers/").status_code == 503
    assert get("/answers/").status_code == 200


def test_a_database_fault_outside_a_view_is_503_too(site: Site) -> None:
    site.at("2026-10-16T12:00:00Z")
    try:
        failing(DataError())(RequestFactory().get("/"))
    except DataError:
        response = errors.server_error(RequestFactory().get("/"))
    assert (response.status_code, response["Retry-After"]) == (503, "30")


def test_an_error_of_the_templates_themselves_is_a_plain_500(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(_status: int) -> HttpResponse:
        raise ValueError("no manifest")

    monkeypatch.setattr(http, "error", broken)
    response = errors.server_error(RequestFactory().get("/"))
    assert response.status_code == 500
    assert response["Cache-Control"] == NO_STORE
    assert response["Content-Type"] == "text/plain; charset=utf-8"


def test_an_error_that_is_not_the_databases_is_left_to_the_500() -> None:
    middleware = ExplicitCacheControl(lambda _: HttpResponse())
    assert middleware.process_exception(RequestFactory().get("/"), ZeroDivisionError()) is None


# Photos


@pytest.fixture
def photo(site: Site) -> str:
    name = f"photos/{'0a' * 16}.webp"
    file = Path(site.settings.MEDIA_ROOT) / name
    file.parent.mkdir(parents=True)
    file.write_bytes(b"RIFF....WEBP")
    (file.parent / f"{'0a' * 16}-small.webp").write_bytes(b"RIFF....WEBPsmall")
    (file.parent / "secret.txt").write_text("secret")
    (file.parent.parent / "secret.webp").write_text("secret")
    return name


def test_a_photo_is_served_for_ever_as_what_it_is(photo: str) -> None:
    response = Client().get(f"/media/{photo}")
    assert response.status_code == 200
    assert b"".join(response) == b"RIFF....WEBP"
    assert response["Content-Type"] == "image/webp"
    assert response["Cache-Control"] == IMMUTABLE
    assert response["X-Content-Type-Options"] == "nosniff"
    for header in ("Last-Modified", "Expires", "Vary"):
        assert header not in response
    small = Client().get(f"/media/photos/{'0a' * 16}-small.webp")
    assert small["Content-Length"] == "17"
    small.close()


def test_head_of_a_photo_has_no_body(photo: str) -> None:
    response = Client().head(f"/media/{photo}")
    assert response["Content-Length"] == "12"
    assert b"".join(response) == b""


@pytest.mark.parametrize(
    "name",
    [
        "photos/secret.txt",
        "secret.webp",
        "photos/",
        "photos/../secret.webp",
        "../costcodle.sqlite3",
        f"photos%2F..%2Fphotos%2F{'0a' * 16}.webp",
        f"{'0a' * 16}.webp",
        f"photos/{'0A' * 16}.webp",
        f"photos/{'0a' * 15}.webp",
        f"photos/{'0b' * 16}.webp",
        f"photos/{'0a' * 16}.webp%0A",
        f"photos/{'0a' * 16}.webp%00",
        f"photos/{'0a' * 16}-.webp",
        f"photos/{'0a' * 16}-../x.webp",
    ],
)
@pytest.mark.usefixtures("photo")
def test_no_other_name_is_served(name: str) -> None:
    response = get(f"/media/{name}")
    assert response.status_code == 404
    assert response["Cache-Control"] == NO_STORE


def test_a_photo_can_only_be_read(photo: str) -> None:
    assert Client(enforce_csrf_checks=True).post(f"/media/{photo}").status_code == 405


def test_a_photo_needs_no_database(photo: str) -> None:
    point_at(NOWHERE)
    response = Client().get(f"/media/{photo}")
    assert response.status_code == 200
    response.close()


def test_an_address_that_is_not_there_is_no_complaint_in_the_log(
    site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    """gunicorn's line of the request tells it; whoever asks for nonsense fills no log twice."""
    site.at("2026-10-15T12:00:00Z")
    assert Client().get("/no/such/page").status_code == 404
    assert not [record for record in caplog.records if record.name == "django.request"]
