"""The planner as its operators meet it: pages, forms, permissions, hostile input."""

import re
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.contrib.messages import get_messages
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from PIL import Image

from costcodle.models import Puzzle, SiteState
from costcodle.photos import keeping
from costcodle.photos.pictures import MOST_BYTES
from costcodle.settings import CONTENT_SECURITY_POLICY
from tests.conftest import EDGE_CACHE
from tests.factories import make_puzzle, make_puzzles
from tests.interleaving import at, snapshot
from tests.sites import Site, elsewhere

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Response

TODAY = 1121
FUTURE = TODAY + 1
LIST = "/admin/costcodle/puzzle/"
REPORT = f"{LIST}report/"
NEW = f"{LIST}new/"
ITEM = {"name": "Other, 3 lbs", "size": "3 lbs", "price": "3.79"}
POSTS: dict[str, dict[str, Any]] = {
    "fix": {**ITEM, "seen": "0"},
    "replace": {**ITEM, "photo_source": "", "seen": "0"},
    "swap": {"other": str(FUTURE + 1), "seen": "0"},
    "photo": {},
}


@pytest.fixture(autouse=True)
def today(site: Site) -> None:
    site.at("2026-10-15T12:00:00Z")
    make_puzzles(TODAY - 3, TODAY + 5)


@pytest.fixture
def operator(site: Site) -> Client:
    assert site.engine
    return staff(is_superuser=True)


def staff(*permissions: str, **facts: Any) -> Client:
    """A client that is logged in as staff with these permissions and no other."""
    user = get_user_model().objects.create_user("staff", is_staff=True, **facts)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    client = Client()
    client.force_login(user)
    return client


def address(change: str, number: int = FUTURE) -> str:
    return f"{LIST}{number}/{change}/"


def picture() -> SimpleUploadedFile:
    content = BytesIO()
    Image.new("RGB", (400, 400), "teal").save(content, "PNG")
    return SimpleUploadedFile("the-price-is-3.79.png", content.getvalue())


def post(client: Client, change: str, number: int = FUTURE, /, **fields: Any) -> "Response":
    data = {**POSTS[change], **({"photo": picture()} if change == "photo" else {}), **fields}
    data = {name: value for name, value in data.items() if value is not None}
    return client.post(address(change, number), data)


def told(response: "Response") -> list[tuple[str, str]]:
    """The messages that a response leaves for the next page: their level and words."""
    return [(message.level_tag, str(message)) for message in get_messages(response.wsgi_request)]


def refusal(response: "Response") -> str:
    """The refusal that a change ended in; it sends back to where it came from."""
    assert response.status_code == 302
    level, words = told(response)[-1]
    assert level == "error"
    return words


def path_of(response: "Response") -> str:
    """Where a response sends to, without what was typed."""
    return response["Location"].partition("?")[0]


def numbers_listed(page: "Response") -> list[int]:
    return [int(n) for n in re.findall(r'field-number"><a [^>]*>(\d+)<', page.content.decode())]


def test_the_list_begins_with_today_then_what_comes_then_what_is_over(operator: Client) -> None:
    page = operator.get(LIST)
    assert numbers_listed(page) == [*range(TODAY, TODAY + 6), TODAY - 1, TODAY - 2, TODAY - 3]
    content = page.content.decode()
    for words in (
        *("2026-10-16 Fri", "$12.22", "Item 1122, 2 lbs", "today: started and locked"),
        *("planned for tomorrow", "planned, in 2 days", "started and locked"),
        *(reverse("admin:costcodle_puzzle_report"), reverse("admin:costcodle_puzzle_new")),
    ):
        assert words in content


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ("day=future", [1122, 1123, 1124, 1125, 1126]),
        ("day=started", [1121, 1120, 1119, 1118]),
        ("photo=ready", [1123]),
        ("day=future&photo=none", [1122, 1124, 1125, 1126]),
        ("q=1119", [1119]),
        ("q=item+1120", [1120]),
        ("q=kayak", []),
        ("q=%00", [1121, 1122, 1123, 1124, 1125, 1126, 1120, 1119, 1118]),
        ("q=99999999999999999999999", []),
        ("o=1", [1118, 1119, 1120, 1121, 1122, 1123, 1124, 1125, 1126]),
        ("o=-4", [1126, 1125, 1124, 1123, 1122, 1121, 1120, 1119, 1118]),
    ],
)
def test_the_list_is_searched_filtered_and_sorted(
    operator: Client, query: str, numbers: list[int]
) -> None:
    Puzzle.objects.filter(number=1123).update(photo="photos/x", photo_ready=True)
    page = operator.get(f"{LIST}?{query}")
    assert page.status_code == 200
    assert numbers_listed(page) == numbers


def test_the_list_asks_no_more_for_a_longer_bank(operator: Client) -> None:
    operator.get(LIST)
    with CaptureQueriesContext(connection) as few:
        operator.get(LIST)
    make_puzzles(TODAY + 6, TODAY + 50)
    with CaptureQueriesContext(connection) as many:
        assert len(numbers_listed(operator.get(LIST))) == 54
    assert len(many) == len(few)


def test_a_day_ahead_offers_every_change_with_the_version_that_was_seen(operator: Client) -> None:
    Puzzle.objects.filter(number=FUTURE).update(bank_version=7, price_cents=129999)
    page = operator.get(address("change")).content.decode()
    for change in POSTS:
        assert f'action="{reverse(f"admin:costcodle_puzzle_{change}", args=[FUTURE])}"' in page
    assert page.count('name="seen" value="7"') == 3
    assert 'value="1299.99"' in page
    assert "$1,299.99" in page


@pytest.mark.parametrize("number", [TODAY - 1, TODAY])
def test_a_started_day_offers_a_photo_alone_and_says_why(operator: Client, number: int) -> None:
    page = operator.get(address("change", number)).content.decode()
    assert f'action="{address("photo", number)}"' in page
    assert "This puzzle has started" in page
    for change in ("fix", "replace", "swap"):
        assert address(change, number) not in page


def test_the_photo_is_shown_once_it_is_ready(operator: Client) -> None:
    make_puzzle(number=1200, photo="photos/x.webp", photo_ready=True)
    assert 'src="/media/photos/x.webp"' in operator.get(address("change", 1200)).content.decode()


def test_each_change_redirects_to_the_page_which_says_that_it_happened(operator: Client) -> None:
    for change, words in (
        ("fix", "The item was mended."),
        ("replace", "The item was replaced."),
        ("swap", "The two days have traded their items."),
        ("photo", "The photo was taken in and is shown from now on."),
    ):
        version = str(Puzzle.objects.get(number=FUTURE).bank_version)
        name = f"A name for {change}"
        fields = {} if change in {"swap", "photo"} else {"name": name}
        fields |= {} if change == "photo" else {"seen": version}
        response = post(operator, change, **fields)
        assert (response.status_code, response["Location"]) == (302, address("change"))
        assert told(response) == [("success", words)]
        assert words in operator.get(response["Location"]).content.decode()
    assert SiteState.objects.get().bank_version == LogEntry.objects.count() - 1 == 4


def test_the_history_of_a_puzzle_says_who_changed_what(operator: Client) -> None:
    post(operator, "fix")
    page = operator.get(address("history")).content.decode()
    assert "staff" in page
    assert "price $12.22 → $3.79" in page
    assert "Oct. 15, 2026, noon" in page


@pytest.mark.parametrize(
    ("change", "number", "fields", "level", "words"),
    [
        (
            "fix",
            FUTURE,
            {"name": "Item 1122, 2 lbs", "size": "2 lbs", "price": "12.22"},
            *("info", "like this"),
        ),
        ("swap", FUTURE, {"other": str(FUTURE)}, *("info", "like this")),
        ("fix", FUTURE, {"seen": "1"}, *("warning", "somebody has changed")),
        ("fix", TODAY, {}, *("error", "the day has begun")),
        ("replace", TODAY - 1, {}, *("error", "the day has begun")),
        ("swap", TODAY, {}, *("error", "the day has begun")),
        ("swap", FUTURE, {"other": "2026-10-15"}, *("error", "the day has begun")),
        ("swap", FUTURE, {"other": "9999"}, *("error", "no puzzle on that day")),
        ("fix", 9999, {}, *("error", "no puzzle on that day")),
        ("photo", 9999, {}, *("error", "no puzzle on that day")),
    ],
)
def test_what_changed_nothing_says_why(
    operator: Client, change: str, number: int, fields: dict[str, str], level: str, words: str
) -> None:
    before = snapshot()
    response = post(operator, change, number, **fields)
    assert (response.status_code, path_of(response)) == (302, address("change", number))
    [(seen_level, said)] = told(response)
    assert seen_level == level
    assert words in said
    assert (snapshot(), LogEntry.objects.count()) == (before, 0)


def test_a_swap_takes_a_date(operator: Client) -> None:
    assert told(post(operator, "swap", other=" 2026-10-18 "))[0][0] == "success"
    assert Puzzle.objects.get(number=FUTURE).name == "Item 1124, 2 lbs"


NO_FACTS: list[tuple[dict[str, Any], str]] = [
    ({"name": ""}, "name is blank"),
    ({"name": None}, "has no name"),
    ({"name": "a\0b"}, "name holds the character U+0000"),
    ({"name": "Salmon \u202e$3.79"}, "name holds the character U+202E"),
    ({"name": "x" * 201}, "name is longer than 200 characters"),
    ({"name": ["One", "Two"]}, "has name twice"),
    ({"size": "x" * 81}, "size is longer than 80 characters"),
    ({"size": None}, "has no size"),
    *(
        ({"price": price}, "is not dollars with two decimals")
        for price in ("", "3", "-3.79", "3,79", "1e3", "NaN", "\u0663.\u0669\u0669", "9" * 30)
    ),
    ({"price": "9" * 5000}, "price is longer than"),
    ({"price": "0.00"}, "is not from $0.01 to $99,999.99"),
    ({"price": "100000.00"}, "is not from $0.01 to $99,999.99"),
    ({"seen": None}, "does not say which version"),
    ({"seen": "-1"}, "does not say which version"),
    ({"seen": "\u0663"}, "does not say which version"),
    ({"seen": "9" * 19}, "does not say which version"),
    ({"seen": ["0", "1"]}, "has seen twice"),
    ({"number": "1130"}, "has an unknown field 'number'"),
    ({"bank_version": "9"}, "has an unknown field 'bank_version'"),
]


@pytest.mark.parametrize(("fields", "reason"), NO_FACTS)
@pytest.mark.parametrize("change", ["fix", "replace"])
def test_nothing_can_be_typed_that_a_bank_file_could_not_say(
    operator: Client, change: str, fields: dict[str, Any], reason: str
) -> None:
    before = snapshot()
    words = refusal(post(operator, change, **fields))
    assert words.startswith("Nothing was changed. What you sent: ")
    assert reason in words
    assert (snapshot(), LogEntry.objects.count()) == (before, 0)


@pytest.mark.parametrize(
    "source", ["ftp://a.example/x", "javascript:alert(1)", "demo:x", "x" * 1001]
)
def test_a_photo_source_is_a_web_address(operator: Client, source: str) -> None:
    assert "photo_source" in refusal(post(operator, "replace", photo_source=source))
    assert "unknown field" in refusal(post(operator, "fix", photo_source="https://a.example/"))


@pytest.mark.parametrize(
    "other",
    ["", "0", "-1", "10000", "9" * 5000, "1e3", "\u0661", "\0", "2026-13-01", "2023-09-20", "<b>"],
)
def test_a_swap_with_what_is_no_day_is_refused(operator: Client, other: str) -> None:
    before = snapshot()
    assert "What you sent: " in refusal(post(operator, "swap", other=other))
    assert "What you sent: has an unknown" in refusal(post(operator, "swap", name="x"))
    assert "What you sent: has other twice" in refusal(post(operator, "swap", other=["1", "2"]))
    assert snapshot() == before


def test_what_was_typed_is_shown_as_text(operator: Client) -> None:
    post(operator, "fix", name="<script>alert(1)</script> & more")
    page = operator.get(address("change")).content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; more" in page
    post(operator, "swap", other="<i>1</i>")
    assert "<i>1</i>" not in operator.get(address("change")).content.decode()


@pytest.mark.parametrize("change", POSTS)
@pytest.mark.parametrize("number", ["0", "01", "10000", "9" * 30, "-1", "x", "1122%00"])
def test_an_address_of_no_puzzle_changes_nothing(
    operator: Client, change: str, number: str
) -> None:
    before = snapshot()
    response = operator.post(f"{LIST}{number}/{change}/", POSTS[change])
    assert response.status_code in {302, 404}
    assert snapshot() == before


@pytest.mark.parametrize("number", ["9999", "10000", "9" * 30, "x", "1122%00"])
def test_a_page_of_no_puzzle_leads_back(operator: Client, number: str) -> None:
    response = operator.get(f"{LIST}{number}/change/")
    assert (response.status_code, response["Location"]) == (302, "/admin/")


def test_a_photo_is_uploaded_for_a_started_puzzle_too(site: Site, operator: Client) -> None:
    response = post(operator, "photo", TODAY)
    assert told(response)[0][0] == "success"
    row = Puzzle.objects.get(number=TODAY)
    assert (row.photo_ready, "3.79" in row.photo) == (True, False)
    assert (site.folder / "media" / row.photo).is_file()


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"photo": None}, "What you sent: has no photo."),
        ({"photo": "no file"}, "What you sent: has no photo."),
        ({"photo": SimpleUploadedFile("x.png", b"no picture")}, "The photo: "),
        ({"other": "1"}, "has an unknown field 'other'"),
        ({"file": SimpleUploadedFile("x.png", b"x")}, "has an unknown field 'file'"),
    ],
)
def test_what_is_no_photo_is_refused(
    site: Site, operator: Client, fields: dict[str, Any], reason: str
) -> None:
    before = snapshot()
    assert reason in refusal(post(operator, "photo", **fields))
    assert (snapshot(), LogEntry.objects.count()) == (before, 0)
    assert not list((site.folder / "media").rglob("*.webp"))


def test_two_photos_at_once_are_refused(operator: Client) -> None:
    assert "has photo twice" in refusal(post(operator, "photo", photo=[picture(), picture()]))


def test_a_photo_that_is_too_large_is_refused_and_read_no_further(
    operator: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, taken = snapshot(), []
    take_in = keeping.take_in

    def counted(content: bytes) -> str:
        taken.append(len(content))
        return take_in(content)

    monkeypatch.setattr(keeping, "take_in", counted)
    large = SimpleUploadedFile("x.png", b"x" * (MOST_BYTES + 1000))
    assert "The photo: it is larger than 10 MB" in refusal(post(operator, "photo", photo=large))
    assert (snapshot(), taken) == (before, [MOST_BYTES + 1])


def test_a_new_item_goes_to_a_day_without_one(operator: Client) -> None:
    page = operator.get(f"{NEW}?day=1200").content.decode()
    assert 'name="day"' in page
    assert 'value="1200"' in page
    response = operator.post(NEW, {**ITEM, "day": "1200", "photo_source": ""})
    assert (response.status_code, response["Location"]) == (302, address("change", 1200))
    assert told(response) == [("success", "The item was added.")]
    row = Puzzle.objects.get(number=1200)
    assert (row.name, row.size, row.price_cents, row.bank_version) == (
        "Other, 3 lbs",
        "3 lbs",
        379,
        1,
    )
    assert LogEntry.objects.get().is_addition()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"day": str(FUTURE)}, "that day has an item"),
        ({"day": "1100"}, "the day has begun"),
        ({"day": ""}, "What you sent: "),
        ({"day": ["1200", "1201"]}, "has day twice"),
        ({"name": "a\0"}, "U+0000"),
        ({"price": "3"}, "two decimals"),
        ({"number": "1200"}, "unknown field"),
        ({"seen": "0"}, "unknown field"),
    ],
)
def test_an_item_that_cannot_be_added_says_why(
    operator: Client, fields: dict[str, Any], words: str
) -> None:
    before = snapshot()
    response = operator.post(NEW, {**ITEM, "day": "1200", **fields})
    assert path_of(response) == NEW
    assert words in refusal(response)
    assert (snapshot(), LogEntry.objects.count()) == (before, 0)


@pytest.mark.parametrize("change", ["fix", "replace", "new"])
def test_what_was_refused_can_be_mended_where_it_was_typed(operator: Client, change: str) -> None:
    typed = {**ITEM, "name": '"><script>Ab & c', "price": "3"}
    if change == "new":
        response = operator.post(NEW, {**typed, "day": "1200"})
    else:
        response = post(operator, change, **typed)
    page = operator.get(response["Location"]).content.decode()
    assert 'value="&quot;&gt;&lt;script&gt;Ab &amp; c"' in page
    assert 'value="3"' in page
    assert "<script>Ab" not in page
    assert ('value="1200"' in page) is (change == "new")


def test_the_report_is_a_page_whose_findings_lead_to_the_planner(operator: Client) -> None:
    make_puzzle(number=TODAY + 8, name="Buns", size="", price_cents=349)
    page = operator.get(REPORT).content.decode()
    assert "5 days left" in page
    assert "ends within 60 days or has a gap ahead" in page
    for link in (address("change", TODAY + 8), f"{NEW}?day={TODAY + 6}"):
        assert f'href="{link}"' in page
    assert "2 days, from 2026-10-21 to 2026-10-22" in page
    assert "Buns: $3.49, won from $3.32 to $3.66" in page


def test_the_report_of_an_empty_or_a_full_bank_is_a_page_too(operator: Client) -> None:
    make_puzzles(TODAY + 6, TODAY + 200)
    page = operator.get(REPORT).content.decode()
    assert "These are the 50 that matter first" in page
    assert "gap ahead" not in page
    Puzzle.objects.all().delete()
    assert "0 days left" in operator.get(REPORT).content.decode()


@pytest.mark.parametrize("change", POSTS)
@pytest.mark.parametrize("method", ["get", "head", "put", "delete", "options"])
def test_a_change_is_posted_or_not_made(operator: Client, change: str, method: str) -> None:
    before = snapshot()
    response = getattr(operator, method)(address(change))
    assert (response.status_code, response["Allow"]) == (405, "POST")
    assert snapshot() == before


@pytest.mark.parametrize("change", POSTS)
def test_a_change_needs_the_token_of_its_own_page(operator: Client, change: str) -> None:
    before = snapshot()
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = operator.cookies
    assert post(strict, change).status_code == 403
    assert strict.post(NEW, {**ITEM, "day": "1200"}).status_code == 403
    assert snapshot() == before
    found = re.search(
        r'csrfmiddlewaretoken" value="(\w+)"', strict.get(address("change")).content.decode()
    )
    assert found
    response = post(strict, change, csrfmiddlewaretoken=found[1])
    assert told(response)[0][0] == "success"


@pytest.mark.parametrize("change", POSTS)
def test_who_may_only_look_sees_and_cannot_change(site: Site, change: str) -> None:
    site.at("2026-10-15T12:00:00Z")
    client = staff("view_puzzle")
    before = snapshot()
    for path in (LIST, address("change"), REPORT, address("history")):
        page = client.get(path)
        assert page.status_code == 200
        assert address(change) not in page.content.decode()
        assert NEW not in page.content.decode()
    assert post(client, change).status_code == 403
    assert client.get(NEW).status_code == 403
    assert client.post(NEW, {**ITEM, "day": "1200"}).status_code == 403
    assert (snapshot(), LogEntry.objects.count()) == (before, 0)


@pytest.mark.parametrize("change", POSTS)
def test_staff_who_may_change_puzzles_plan(site: Site, change: str) -> None:
    site.at("2026-10-15T12:00:00Z")
    client = staff("change_puzzle")
    assert address(change) in client.get(address("change")).content.decode()
    assert told(post(client, change))[0][0] == "success"
    assert client.get(REPORT).status_code == client.get(NEW).status_code == 200


def test_staff_without_a_permission_see_no_price(site: Site) -> None:
    site.at("2026-10-15T12:00:00Z")
    client = staff()
    for path in (LIST, address("change"), REPORT, NEW, address("history")):
        assert client.get(path).status_code == 403
    assert "Puzzles" not in client.get("/admin/").content.decode()


@pytest.mark.parametrize("change", POSTS)
def test_strangers_and_players_are_sent_to_the_login(site: Site, change: str) -> None:
    site.at("2026-10-15T12:00:00Z")
    player = Client()
    player.force_login(get_user_model().objects.create_user("player"))
    before = snapshot()
    for client in (Client(), player):
        for path in (LIST, address("change"), REPORT, NEW, address("history")):
            response = client.get(path)
            assert (response.status_code, response["Location"][:13]) == (302, "/admin/login/")
        assert post(client, change)["Location"].startswith("/admin/login/")
    assert snapshot() == before


def test_djangos_own_ways_to_write_are_closed(operator: Client) -> None:
    before = snapshot()
    for path in (f"{LIST}add/", address("delete"), address("change")):
        assert operator.post(path, {**ITEM, "number": "1122", "post": "yes"}).status_code == 403
    operator.post(LIST, {"action": "delete_selected", "_selected_action": ["1122"], "post": "yes"})
    assert snapshot() == before


def test_pages_are_never_stored_and_hold_nothing_that_the_policy_refuses(operator: Client) -> None:
    assert "'unsafe-inline'" not in str(CONTENT_SECURITY_POLICY)
    for path in (
        LIST,
        address("change"),
        address("change", TODAY),
        REPORT,
        NEW,
        address("history"),
    ):
        response = operator.get(path)
        assert {"private", "no-store"} <= set(response["Cache-Control"].split(", "))
        page = response.content.decode()
        assert not re.search(r"<style|<script(?![^>]*\bsrc=)|\sstyle=|\son[a-z]+=", page)


def test_the_next_request_for_home_shows_what_was_changed(site: Site, operator: Client) -> None:
    site.settings.MIDDLEWARE = [EDGE_CACHE, *site.settings.MIDDLEWARE]
    visitor = Client()
    visitor.get("/")
    assert "hit" in visitor.get("/")["Cache-Status"]
    post(operator, "photo", TODAY)
    photo = Puzzle.objects.get(number=TODAY).photo
    page = visitor.get("/")
    assert "hit" not in page["Cache-Status"]
    assert photo in page.content.decode()
    post(operator, "fix", name="Mended Name")
    assert "hit" not in visitor.get("/")["Cache-Status"]
    site.at("2026-10-16T00:00:00Z")
    assert "Mended Name" in visitor.get("/").content.decode()


def test_a_day_that_begins_while_a_form_is_filled_in_is_locked(
    site: Site, operator: Client
) -> None:
    assert address("fix") in operator.get(address("change")).content.decode()
    site.at("2026-10-16T00:00:00Z")
    assert "the day has begun" in refusal(post(operator, "fix"))


def test_two_operators_at_once_do_not_overwrite_each_other(operator: Client) -> None:
    def another() -> None:
        assert told(post(operator, "fix", name="First"))[0][0] == "success"

    with at("before begin 1", lambda: elsewhere(another)):
        assert told(post(operator, "fix", name="Second"))[0][0] == "warning"
    assert Puzzle.objects.get(number=FUTURE).name == "First"


def test_a_database_that_cannot_be_used_is_a_503_and_nothing_changed(
    operator: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(**_: object) -> None:
        raise OperationalError("lock timeout")

    before = snapshot()
    monkeypatch.setattr("costcodle.bank.raise_bank_version", fail)
    response = post(operator, "fix")
    assert (response.status_code, response["Retry-After"]) == (503, "30")
    assert (snapshot(), LogEntry.objects.count()) == (before, 0)


def test_an_account_is_switched_off_and_never_deleted_with_its_history(
    client: Client, site: Site
) -> None:
    boss = get_user_model().objects.create_superuser("boss", password="")
    other = get_user_model().objects.create_user("other", is_staff=True)
    client.force_login(boss)
    accounts = "/admin/auth/user/"
    assert client.post(f"{accounts}{other.pk}/delete/", {"post": "yes"}).status_code == 403
    chosen = {"action": "delete_selected", "_selected_action": [other.pk], "post": "yes"}
    client.post(accounts, chosen)
    assert get_user_model().objects.filter(pk=other.pk).exists()
    page = client.get(f"{accounts}{other.pk}/change/").content.decode()
    assert ('name="is_active"' in page, "deletelink" in page) == (True, False)
    assert site.engine == connection.vendor
