import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
from django.core.management import call_command
from PIL import Image
from pytest_django import Settings

from costcodle.bank import DEMO_SOURCE
from costcodle.bank_files import BadBankError, parse_bank
from costcodle.bank_rows import size_in
from costcodle.models import Puzzle, SiteState
from costcodle.photos import drawings, keeping
from costcodle.settings import BASE_DIR
from tests.factories import make_puzzle
from tests.interleaving import snapshot
from tests.sites import Site, elsewhere

TODAY = 1121
WINDOW = list(range(TODAY - 33, TODAY + 31))
CATALOGUE = json.loads((BASE_DIR / "costcodle" / "demo_bank.json").read_bytes())


@pytest.fixture
def site(site: Site) -> Site:
    site.at("2026-10-15T12:00:00Z")
    return site


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small blank picture in place of each drawing."""
    monkeypatch.setattr(drawings, "draw", lambda *_, **__: Image.new("RGB", (1, 1)))


def load(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    call_command("load_demo_bank", *arguments)
    return capsys.readouterr().out


def stored(site: Site) -> set[str]:
    return {f"photos/{path.name}" for path in (site.folder / "media").glob("photos/*")}


def in_both_sizes() -> set[str]:
    """The files of all photos that the bank names."""
    names = Puzzle.objects.exclude(photo="").values_list("photo", flat=True)
    return {each for name in names for each in (name, keeping.small_name(name))}


def numbers() -> list[int]:
    return list(Puzzle.objects.values_list("number", flat=True))


@pytest.mark.usefixtures("quick")
def test_an_empty_bank_gets_the_days_around_today(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    assert load(capsys) == "demonstration bank: added=64 bank_version=1\n"
    assert numbers() == WINDOW
    ready = Puzzle.objects.filter(photo_ready=True)
    assert 20 <= ready.count() <= 23
    assert stored(site) == in_both_sizes()
    assert not Puzzle.objects.exclude(photo_source__startswith=DEMO_SOURCE).exists()


@pytest.mark.usefixtures("quick")
def test_loading_it_again_changes_nothing(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    load(capsys)
    before, files = snapshot(), stored(site)
    assert load(capsys) == "demonstration bank: added=0 bank_version=1\n"
    assert (snapshot(), stored(site)) == (before, files)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("later", "added"), [("2026-10-16", 1), ("2026-11-14", 30), ("2027-03-15", 151)]
)
def test_later_it_adds_every_day_since_its_last(
    site: Site, capsys: pytest.CaptureFixture[str], later: str, added: int
) -> None:
    load(capsys)
    before = list(Puzzle.objects.values())
    site.at(f"{later}T12:00:00Z")
    assert load(capsys) == f"demonstration bank: added={added} bank_version=2\n"
    assert numbers() == list(range(WINDOW[0], WINDOW[-1] + added + 1))
    assert list(Puzzle.objects.values()[:64]) == before


@pytest.mark.usefixtures("quick")
def test_a_number_always_gets_the_same_item(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    load(capsys)
    facts = ("number", "name", "size", "price_cents", "photo_source", "photo_ready")
    first = set(Puzzle.objects.values_list(*facts))
    Puzzle.objects.all().delete()
    site.at("2026-11-01T12:00:00Z")
    load(capsys)
    shared = Puzzle.objects.filter(number__lte=WINDOW[-1])
    assert len(shared) == 64 - 17
    assert set(shared.values_list(*facts)) <= first


@pytest.mark.usefixtures("quick")
def test_beside_any_other_puzzle_it_does_nothing_and_says_so(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    make_puzzle(number=9999)
    before = snapshot()
    line = "demonstration bank: left alone, the bank holds other puzzles\n"
    assert load(capsys) == line
    assert json.loads(load(capsys, "--json")) == {"outcome": "other_bank"}
    assert (snapshot(), stored(site)) == (before, set())


@pytest.mark.usefixtures("quick")
def test_a_bank_that_arrives_while_it_draws_is_left_alone(
    site: Site, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, arriving = keeping.store, [lambda: make_puzzle(number=9999)]

    def store_while_a_bank_arrives(image: Image.Image) -> str:
        if arriving:
            elsewhere(arriving.pop())
        return store(image)

    monkeypatch.setattr(keeping, "store", store_while_a_bank_arrives)
    assert "left alone" in load(capsys)
    assert (numbers(), stored(site)) == ([9999], set())


def test_of_two_loads_at_once_one_adds_and_no_drawing_is_left_over(site: Site) -> None:
    both = [site.start("manage.py", "load_demo_bank", "--json") for _ in range(2)]
    documents = [json.loads(process.communicate(timeout=120)[0]) for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert sorted(document["added"] for document in documents) == [0, 64]
    assert numbers() == WINDOW
    assert SiteState.objects.get().bank_version == 1
    assert stored(site) == in_both_sizes()


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("instant", "expected"),
    [("2023-09-21T00:00:00Z", range(1, 32)), ("2051-02-01T00:00:00Z", range(9963, 10_000))],
)
def test_it_stays_within_the_days_that_have_a_number(
    site: Site, capsys: pytest.CaptureFixture[str], instant: str, expected: range
) -> None:
    site.at(instant)
    load(capsys)
    assert numbers() == list(expected)


@pytest.mark.usefixtures("quick", "site")
def test_verbosity_zero_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("load_demo_bank", verbosity=0)
    assert capsys.readouterr() == ("", "")
    assert len(numbers()) == 64


def test_no_bank_file_can_hold_a_demonstration_puzzle() -> None:
    row = {"number": 1, "name": "A", "size": "", "price": "1.00", "photo_source": DEMO_SOURCE}
    with pytest.raises(BadBankError, match="1 bad rows"):
        parse_bank(json.dumps([row]).encode())


def test_the_catalogue_is_a_bank_of_original_items_each_with_a_size() -> None:
    rows = [
        {"number": place, "name": entry["name"], "size": size_in(entry["name"])}
        | {"price": entry["price"]}
        for place, entry in enumerate(CATALOGUE, start=1)
    ]
    items = parse_bank(json.dumps(rows).encode())
    assert len(items) >= 64
    assert all(item.size for item in items)
    assert len({item.name for item in items}) == len({e["slug"] for e in CATALOGUE}) == len(items)
    assert any(not item.name.isascii() for item in items)
    assert any("&" in item.name for item in items)


def test_no_two_neighbours_of_the_catalogue_are_alike() -> None:
    for first, second in pairwise([*CATALOGUE, CATALOGUE[0]]):
        words = [set(entry["name"].split(", ")[0].lower().split()) for entry in (first, second)]
        assert not words[0] & words[1] - {"&", "in", "with", "of", "the", "from"}
        assert first["price"] != second["price"]
        assert first.get("shape") is None or second.get("shape") is None


def test_a_third_of_the_catalogue_is_drawn_in_every_shape_and_motif() -> None:
    drawn = [entry for entry in CATALOGUE if "shape" in entry]
    assert len(drawn) == len(CATALOGUE) // 3
    assert {entry["shape"] for entry in drawn} == set(drawings.SHAPES)
    assert {entry["motif"] for entry in drawn} == set(drawings.MOTIFS)


def test_a_drawing_follows_from_its_slug_and_differs_from_the_others() -> None:
    drawn = [entry for entry in CATALOGUE if "shape" in entry]
    pictures = set()
    for entry in drawn:
        twice = [
            drawings.draw(entry["slug"], shape=entry["shape"], motif=entry["motif"]).tobytes()
            for _ in range(2)
        ]
        assert twice[0] == twice[1]
        pictures.add(twice[0])
    assert len(pictures) == len(drawn)


def test_a_stored_photo_has_a_random_name_and_tells_nothing(
    tmp_path: Path, settings: Settings
) -> None:
    settings.MEDIA_ROOT = str(tmp_path)
    drawing = drawings.draw("orange-blossom-honey", shape="jar", motif="sun")
    drawing.info |= {"exif": b"Exif\0\0secret", "comment": "11.99", "xmp": b"secret"}
    names = {keeping.store(drawing) for _ in range(2)}
    assert len(names) == 2
    for name in names:
        assert re.fullmatch(r"photos/[0-9a-f]{32}\.webp", name)
        content = (tmp_path / name).read_bytes()
        assert b"secret" not in content
        with Image.open(tmp_path / name) as image:
            assert (image.format, image.size) == ("WEBP", (600, 600))
            assert not image.getexif()
            assert not {"exif", "xmp", "icc_profile", "comment"} & image.info.keys()
