"""`fetch_photos`: photos come from where the bank says, each checked, none at another's expense."""

import json
from collections.abc import Iterator

import pytest
from django.core.files.storage import default_storage
from django.test import Client
from PIL import Image

from answers.models import AnswerPost, PublicationLog
from costcodle import bank
from costcodle.bank import PhotoRefusal
from costcodle.bank_rows import BankItem
from costcodle.days import PuzzleNumber
from costcodle.game.rules import Cents
from costcodle.models import Puzzle, SiteState
from costcodle.photos import keeping
from tests.factories import make_puzzle
from tests.hostile import Hostile, hostile_server
from tests.images import picture, written
from tests.interleaving import snapshot
from tests.invariants import assert_consistent
from tests.sites import Site, elsewhere, point_at

NOWHERE = "postgresql://postgres@127.0.0.1:1/nowhere"
NOON = "2026-10-15T12:00:00Z"
DUE = "2026-10-16T00:10:00Z"
JPEG = written(picture(size=(1600, 1200)), "JPEG")
OTHER = written(picture(size=(900, 900)), "PNG")


@pytest.fixture
def shop(site: Site) -> Site:
    """Noon of day 1121; photos may be fetched from this machine."""
    site.at(NOON)
    site.settings.FETCH_PRIVATE_ADDRESSES = True
    site.environment["FETCH_PRIVATE_ADDRESSES"] = "on"
    return site


@pytest.fixture
def server() -> Iterator[Hostile]:
    with hostile_server() as server:
        server.give("/a.jpg", JPEG)
        server.give("/b.png", OTHER, Content_Type="text/html")
        yield server


def stored(site: Site) -> int:
    return len(list((site.folder / "media").glob("photos/*")))


def test_a_photo_is_fetched_written_anew_and_ready(shop: Site, server: Hostile) -> None:
    make_puzzle(photo_source=server.url("/a.jpg"))
    result = shop.call("fetch_photos")
    puzzle = Puzzle.objects.get()
    assert (puzzle.photo_ready, puzzle.bank_version) == (True, 1)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        f"puzzle=1121 outcome=ready photo={puzzle.photo}",
        "photos: ready=1 unchanged=0 failed=0 remaining=0",
    ]
    for name, size in ((puzzle.photo, (1200, 900)), (keeping.small_name(puzzle.photo), (480, 360))):
        with default_storage.open(name) as file, Image.open(file) as image:
            assert (image.format, image.size) == ("WEBP", size)
    home = Client().get("/").content.decode()
    assert f"/media/{puzzle.photo} 1200w" in home
    assert f"/media/{keeping.small_name(puzzle.photo)} 480w" in home


def test_a_second_run_asks_nobody_and_changes_nothing(shop: Site, server: Hostile) -> None:
    make_puzzle(photo_source=server.url("/a.jpg"))
    shop.call("fetch_photos")
    before, asked = snapshot(), len(server.requests)
    result = shop.call("fetch_photos")
    assert result.stdout == "photos: ready=0 unchanged=0 failed=0 remaining=0\n"
    assert (snapshot(), len(server.requests), stored(shop)) == (before, asked, 2)


def test_today_comes_first_then_what_is_to_come_then_the_past(shop: Site, server: Hostile) -> None:
    for number in (1119, 1120, 1121, 1123, 1122):
        make_puzzle(number=number, photo_source=server.url(f"/{number}"))
    make_puzzle(number=1, photo_source="")
    make_puzzle(number=2, photo_source="demo:honey")
    make_puzzle(number=3, photo_source="/photos/relative.jpg")
    make_puzzle(number=4, photo_source=server.url("/4"), photo="photos/x.webp", photo_ready=True)
    shop.call("fetch_photos", "-v", "0")
    asked = [request.split(" ")[1] for request in server.requests]
    assert asked == ["/1121", "/1122", "/1123", "/1120", "/1119"]


def test_what_fails_is_named_with_its_reason_and_holds_up_no_other(
    shop: Site, server: Hostile
) -> None:
    server.give("/page.jpg", b"<html>", Content_Type="image/jpeg")
    make_puzzle(number=1121, photo_source=server.url("/gone.jpg"))
    make_puzzle(number=1122, photo_source=server.url("/page.jpg"))
    make_puzzle(number=1123, photo_source=server.url("/b.png"))
    make_puzzle(number=1124, photo_source="http://127.0.0.1:1/")
    result = shop.call("fetch_photos", "--json")
    document = json.loads(result.stdout)
    assert (result.returncode, result.stderr) == (1, "")
    assert [(item["puzzle"], item["outcome"]) for item in document["items"]] == [
        (1121, "failed"), (1122, "failed"), (1123, "ready"), (1124, "failed"),
    ]  # fmt: skip
    reasons = [item["detail"] for item in document["items"]]
    assert reasons[0] == "the answer is a 404, not a 200"
    assert "no JPEG, PNG or WebP" in reasons[1]
    assert "Connection refused" in reasons[3]
    assert {name: document[name] for name in ("ready", "unchanged", "failed", "remaining")} == {
        "ready": 1, "unchanged": 0, "failed": 3, "remaining": 0,
    }  # fmt: skip
    assert document["stopped_by"] == ""
    text = shop.call("fetch_photos").stdout
    assert 'puzzle=1121 outcome=failed detail="the answer is a 404, not a 200"' in text
    assert set(Puzzle.objects.filter(photo_ready=True).values_list("number", flat=True)) == {1123}


def test_a_limit_counts_the_photos_that_were_got(shop: Site, server: Hostile) -> None:
    make_puzzle(number=1121, photo_source=server.url("/gone.jpg"))
    for number in (1122, 1123, 1124):
        make_puzzle(number=number, photo_source=server.url("/a.jpg"))
    document = json.loads(shop.call("fetch_photos", "--limit", "2", "--json").stdout)
    assert (document["ready"], document["failed"], document["remaining"]) == (2, 1, 1)


def test_the_ban_on_inner_addresses_holds_unless_it_is_lifted(shop: Site, server: Hostile) -> None:
    shop.settings.FETCH_PRIVATE_ADDRESSES = False
    make_puzzle(photo_source="http://127.0.0.1/a.jpg")
    result = shop.call("fetch_photos")
    assert result.returncode == 1
    assert "127.0.0.1 leads to 127.0.0.1, which is not on the public internet" in result.stdout
    assert server.requests == []


def test_one_puzzle_gets_another_photo_when_it_is_asked_for(shop: Site, server: Hostile) -> None:
    make_puzzle(photo_source=server.url("/a.jpg"))
    make_puzzle(number=1122, photo_source=server.url("/a.jpg"))
    for _ in range(2):
        document = json.loads(shop.call("fetch_photos", "--puzzle", "1121", "--json").stdout)
    assert [item["outcome"] for item in document["items"]] == ["unchanged"]
    assert (stored(shop), SiteState.objects.get().bank_version) == (2, 1)
    first = Puzzle.objects.get(number=1121).photo
    server.give("/a.jpg", OTHER)
    assert "outcome=ready" in shop.call("fetch_photos", "--puzzle", "1121").stdout
    second = Puzzle.objects.get(number=1121).photo
    assert second != first
    assert stored(shop) == 4  # a page may still show the first
    assert not Puzzle.objects.get(number=1122).photo_ready


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("--puzzle", "7"), "puzzle 7 has no photo source on the web"),
        (("--puzzle", "1120"), "puzzle 1120 has no photo source on the web"),
        (("--puzzle", "x"), "fetch_photos: argument --puzzle: 'x' is no puzzle number"),
        (("--limit", "0"), "fetch_photos: argument --limit: '0' is no whole number from 1 on"),
    ],
)
def test_bad_usage_is_one_line(shop: Site, arguments: tuple[str, ...], line: str) -> None:
    make_puzzle(number=1120, photo_source="demo:honey")
    result = shop.run("fetch_photos", *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith(line)


def test_silent_means_silent(shop: Site, server: Hostile) -> None:
    make_puzzle(number=1121, photo_source=server.url("/a.jpg"))
    make_puzzle(number=1122, photo_source=server.url("/gone.jpg"))
    result = shop.run("fetch_photos", "-v", "0")
    assert (result.returncode, result.stdout, result.stderr) == (1, "", "")


def test_of_two_runs_at_once_each_puzzle_gets_one_photo(shop: Site, server: Hostile) -> None:
    for number in range(1121, 1127):
        make_puzzle(number=number, photo_source=server.url("/a.jpg"))
    documents = shop.run_at_once([["fetch_photos"], ["fetch_photos"]])
    assert sum(document["ready"] for document in documents) == 6
    assert all(document["failed"] == 0 for document in documents)
    assert SiteState.objects.get().bank_version == 6
    assert stored(shop) == 12


def test_a_photo_that_is_attached_meanwhile_wins_and_the_fetched_one_is_thrown_away(
    shop: Site, server: Hostile, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_puzzle(photo_source=server.url("/a.jpg"))
    attach = bank.attach_fetched

    def attach_after_an_upload(number: PuzzleNumber, name: str, **facts: str) -> object:
        elsewhere(lambda: bank.attach_photo(number, keeping.take_in(OTHER)))
        return attach(number, name, **facts)

    monkeypatch.setattr(bank, "attach_fetched", attach_after_an_upload)
    assert "puzzle=1121 outcome=unchanged\n" in shop.call("fetch_photos").stdout
    assert stored(shop) == 2
    assert default_storage.exists(Puzzle.objects.get().photo)


@pytest.mark.usefixtures("shop")
def test_a_photo_of_an_item_that_was_replaced_meanwhile_is_thrown_away() -> None:
    make_puzzle(number=1130, photo_source="https://photos.example/a.jpg")
    item = BankItem(
        number=PuzzleNumber(1130),
        name="Another",
        size="1 lb",
        price=Cents(100),
        photo_source="https://photos.example/b.jpg",
    )
    bank.load_items([item], replace_future=True)
    before = snapshot()
    attached = bank.attach_fetched(
        PuzzleNumber(1130),
        "photos/x.webp",
        source="https://photos.example/a.jpg",
        instead_of="",
    )
    assert attached is PhotoRefusal.UNCHANGED
    gone = bank.attach_fetched(PuzzleNumber(1), "photos/x.webp", source="", instead_of="")
    assert gone is PhotoRefusal.NO_PUZZLE
    assert snapshot() == before


def test_a_store_that_is_full_fails_its_photo_alone(
    shop: Site, server: Hostile, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_puzzle(photo_source=server.url("/a.jpg"))

    def fill_the_disk(*_: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(default_storage, "save", fill_the_disk)
    result = shop.call("fetch_photos")
    assert result.returncode == 1
    assert "it cannot be stored: [Errno 28] No space left on device" in result.stdout
    assert not Puzzle.objects.get().photo_ready


def test_a_database_that_goes_away_ends_the_run_and_says_what_was_done(
    shop: Site, server: Hostile, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in (1121, 1122, 1123):
        make_puzzle(number=number, photo_source=server.url("/a.jpg"))
    attach = bank.attach_fetched

    def attach_and_lose_the_database(number: PuzzleNumber, name: str, **facts: str) -> object:
        attached = attach(number, name, **facts)
        if number == 1122:
            point_at(NOWHERE)
        return attached

    monkeypatch.setattr(bank, "attach_fetched", attach_and_lose_the_database)
    result = shop.call("fetch_photos", "--json")
    document = json.loads(result.stdout)
    assert (document["ready"], document["remaining"]) == (2, 1)
    assert document["stopped_by"]
    assert result.returncode == 75
    assert "the database went away" in result.stderr


@pytest.mark.guarantee("G10", "G11", "G17")
def test_a_photo_that_is_fetched_after_publication_updates_the_page_once(site: Site) -> None:
    site.settings.FETCH_PRIVATE_ADDRESSES = True
    site.at(DUE)
    with hostile_server() as server:
        make_puzzle(photo_source=server.give("/a.jpg", JPEG))
        site.call("publish_answers")
        page = AnswerPost.objects.get()
        assert (page.photo, page.content_version, page.indexable) == ("", 1, False)
        assert site.call("fetch_photos").returncode == 0
        assert "updated=1" in site.call("publish_answers").stdout
        page = AnswerPost.objects.get()
        assert page.photo == Puzzle.objects.get().photo
        assert (page.content_version, page.indexable) == (2, True)
        steps = PublicationLog.objects.order_by("revision").values_list("revision", "kind")
        assert list(steps) == [(1, "create"), (2, "update")]
        shown = Client().get("/answers/1121").content.decode()
        for name in (page.photo, keeping.small_name(page.photo)):
            assert f"/media/{name}" in shown
            response = Client().get(f"/media/{name}")
            assert b"".join(response)[8:12] == b"WEBP"
            response.close()
        before = snapshot()
        for command in ("fetch_photos", "publish_answers"):
            assert site.call(command).returncode == 0
        assert snapshot() == before
        server.give("/a.jpg", b"no longer a photo")
        assert site.call("fetch_photos", "--puzzle", "1121").returncode == 1
        assert site.call("publish_answers").returncode == 0
        assert snapshot() == before
    assert site.call("audit_publication").returncode == 0
    assert_consistent()


def test_the_small_size_of_a_photo_from_before_is_the_large_one(site: Site) -> None:
    name = keeping.take_in(JPEG)
    (site.folder / "media" / keeping.small_name(name)).unlink()
    large, small = (Client().get(f"/media/{each}") for each in (name, keeping.small_name(name)))
    assert (large.status_code, small.status_code) == (200, 200)
    assert small["Cache-Control"] == large["Cache-Control"]
    assert b"".join(small) == b"".join(large)
    assert Client().get(f"/media/photos/{'0b' * 16}-small.webp").status_code == 404
    for response in (large, small):
        response.close()
