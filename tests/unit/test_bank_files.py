import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from costcodle.bank_files import (
    MOST_BYTES,
    BadBankError,
    UnusableFileError,
    parse_bank,
    read_bank,
)
from costcodle.bank_rows import BankItem, size_in
from costcodle.days import PuzzleNumber
from costcodle.game.rules import Cents
from costcodle.settings import BASE_DIR

GAME = {"name": "Dino Nuggets, 5 lbs", "price": "$11.99", "image": "https://photos.example/1.jpg"}
OWN = {"number": 1121, "name": "Almonds", "size": "20 oz", "price": "9.49"}
HEADER = "number,name,size,price"
NO_PRICES = [
    *("", "$", "abc", "1", "1.", ".99", "1.9", "1.999", "01.00", "$ 1.00", "1.00 USD"),
    *("$1,2", "1,299.00", "1e3", "0x1.00", "NaN", "-1.00", "+1.00", "9999999999999.00"),
    *("\u0663.\u0669\u0669", "\uff19.99"),
]
NAMES = st.text(max_size=200) | st.lists(
    st.sampled_from(
        ["1", "1,000", ".5", " ", ",", "x", "/", "oz", "fl oz", "lbs", "pack", "(", ")"]
    ),
    max_size=80,
).map("".join)


def games(**fields: object) -> bytes:
    """The original's file with one game, changed; `None` takes a field away."""
    game = {key: value for key, value in {**GAME, **fields}.items() if value is not None}
    return json.dumps({"game-17": game}).encode()


def own(**fields: object) -> bytes:
    """Our own JSON with one item, changed; `None` takes a field away."""
    item = {key: value for key, value in {**OWN, **fields}.items() if value is not None}
    return json.dumps([item]).encode()


def refusals(content: bytes, suffix: str = "") -> dict[str, str]:
    with pytest.raises(BadBankError) as caught:
        parse_bank(content, suffix=suffix)
    assert caught.value.rows
    return {row.key: row.reason for row in caught.value.rows}


def csv_refusals(*rows: str) -> dict[str, str]:
    return refusals("\n".join(rows).encode(), suffix=".csv")


def test_a_game_of_the_original_becomes_an_item_with_the_size_its_name_ends_in() -> None:
    assert parse_bank(games()) == [
        BankItem(
            number=PuzzleNumber(17),
            name="Dino Nuggets, 5 lbs",
            size="5 lbs",
            price=Cents(1199),
            photo_source="https://photos.example/1.jpg",
        )
    ]


def test_our_own_json_and_csv_give_the_same_items() -> None:
    rows: list[dict[str, Any]] = [
        {"number": 1121, "name": "Crème & Co", "size": "", "price": "9.49"},
        {"number": "7", "name": "Almonds, 20 oz", "size": "20 oz", "price": "$99999.99"},
    ]
    lines = [HEADER, "1121,Crème & Co,,9.49", "", '7,"Almonds, 20 oz",20 oz,$99999.99']
    from_json = parse_bank(json.dumps(rows).encode(), suffix=".json")
    assert parse_bank("\n".join(lines).encode(), suffix=".csv") == from_json
    assert [(item.number, item.price) for item in from_json] == [(1121, 949), (7, 9_999_999)]


def test_a_date_stands_for_its_number() -> None:
    assert parse_bank(own(number=None, date="2026-10-15"))[0].number == 1121
    assert parse_bank(b"price,size,name,date\n1.00,1 ct,A,2023-09-21\n")[0].number == 1


def test_white_space_around_a_value_is_dropped_and_the_name_otherwise_kept_whole() -> None:
    item = parse_bank(own(name="\t 85″  Panel “Café” \n", price=" $1.00 "))[0]
    assert (item.name, item.price) == ("85″  Panel “Café”", 100)


def test_columns_may_stand_in_any_order_and_case_with_a_photo_source() -> None:
    content = b"Photo_Source, PRICE ,name,size,number\nHTTPS://a.example/x,0.01,A,,9999\n"
    item = parse_bank(content)[0]
    assert (item.number, item.price, item.photo_source) == (9999, 1, "HTTPS://a.example/x")


@pytest.mark.parametrize("content", [games(), own(), f"{HEADER}\n1,A,,1.00\n".encode()])
def test_a_byte_order_mark_is_accepted(content: bytes) -> None:
    assert parse_bank(b"\xef\xbb\xbf" + content) == parse_bank(content)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"name": None}, "has no name"),
        ({"name": ""}, "name is blank"),
        ({"name": " \u2003\t"}, "name is blank"),
        ({"name": "—"}, "name is blank"),
        ({"name": "n" * 201}, "name is longer than 200 characters"),
        ({"name": 5}, "name is no text"),
        ({"name": ["A"]}, "name is no text"),
        ({"price": None}, "has no price"),
        ({"price": 9.49}, "price is no text"),
        ({"image": 1}, "image is no text"),
        ({"image": "demo:almonds"}, "image is no http or https address"),
        ({"image": "javascript:alert(1)"}, "image is no http or https address"),
        ({"image": "https://a.example/with space"}, "image is no http or https address"),
        ({"image": "https://a.example/" + "x" * 1000}, "image is longer than 1000 characters"),
        ({"colour": "red"}, "has an unknown field 'colour'"),
        ({"z" * 60: "red"}, "has an unknown field '" + "z" * 40 + "…'"),
    ],
)
def test_a_bad_game_is_named_with_its_reason(fields: dict[str, object], reason: str) -> None:
    assert refusals(games(**fields)) == {"game-17": reason}


@pytest.mark.parametrize("price", NO_PRICES)
def test_what_is_no_price_is_refused(price: str) -> None:
    assert "is not dollars with two decimals" in refusals(games(price=price))["game-17"]


@pytest.mark.parametrize("price", ["$0.00", "0.00", "100000.00", "$999999999999.99"])
def test_a_price_out_of_bounds_is_refused(price: str) -> None:
    assert refusals(own(price=price)) == {
        "item 1": f"price {price!r} is not from $0.01 to $99,999.99"
    }


@pytest.mark.parametrize(
    "character",
    ["\x00", "\x07", "\n", "\x7f", "\x85", "\ud800", "\u202e", "\u2066", "\u2028", "\ufffe"],
)
@pytest.mark.parametrize("field", ["name", "size", "price", "photo_source"])
def test_a_character_that_no_page_can_show_is_refused(field: str, character: str) -> None:
    reason = f"{field} holds the character U+{ord(character):04X}"
    assert refusals(own(**{field: f"A{character}B"})) == {"item 1": reason}


@pytest.mark.parametrize(
    "number", [0, -1, 10_000, 1.0, True, "", "0", "01", "10000", "\u0661", [1], float("nan")]
)
def test_what_is_no_number_is_refused(number: object) -> None:
    reason = "number is not a whole number from 1 to 9999"
    assert refusals(own(number=number)) == {"item 1": reason}


def test_an_integer_too_long_for_python_is_one_bad_row() -> None:
    content = own(number=1).replace(b'"number": 1', b'"number": ' + b"9" * 5000)
    assert refusals(content) == {"item 1": "number is not a whole number from 1 to 9999"}


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_a_constant_in_place_of_a_price_is_one_bad_row(constant: str) -> None:
    content = own(price="P").replace(b'"P"', constant.encode())
    assert refusals(content) == {"item 1": "price is no text"}


@pytest.mark.parametrize(
    ("day", "reason"),
    [
        ("2023-09-20", "date is not from 2023-09-21 to 2051-02-04"),
        ("2051-02-05", "date is not from 2023-09-21 to 2051-02-04"),
        ("2026-02-30", "date '2026-02-30' is no date like 2026-10-15"),
        ("20261015", "date '20261015' is no date like 2026-10-15"),
        ("2026-10-1\u0665", "date '2026-10-1\u0665' is no date like 2026-10-15"),
        ("2026-10-15T00:00", "date is longer than 10 characters"),
        (20261015, "date is no text"),
    ],
)
def test_what_is_no_date_of_a_puzzle_is_refused(day: object, reason: str) -> None:
    assert refusals(own(number=None, date=day)) == {"item 1": reason}


def test_a_row_with_both_number_and_date_or_neither_is_refused() -> None:
    assert refusals(own(date="2026-10-15")) == {"item 1": "has both number and date"}
    reason = "number is not a whole number from 1 to 9999"
    assert refusals(own(number=None)) == {"item 1": reason}


@pytest.mark.parametrize(
    "key", ["game-0", "game-01", "game-10000", "game-", "17", "Game-17", "game-\u0661"]
)
def test_a_key_that_is_no_game_is_refused(key: str) -> None:
    (reason,) = refusals(json.dumps({key: GAME}).encode()).values()
    assert reason == "is not keyed game-1 to game-9999"


def test_a_key_that_no_terminal_should_show_is_named_escaped() -> None:
    content = json.dumps({"\x1b[2J\ud800": GAME}).encode()
    assert list(refusals(content)) == [r"'\x1b[2J\ud800'"]


def test_every_bad_row_is_found() -> None:
    content = {"game-1": GAME, "game-2": {**GAME, "name": ""}, "game-3": 5, "game-4": {}}
    assert refusals(json.dumps(content).encode()) == {
        "game-2": "name is blank",
        "game-3": "is no object",
        "game-4": "has no name",
    }


def test_a_number_that_stands_twice_is_refused_in_every_shape() -> None:
    game, item = json.dumps(GAME), json.dumps(OWN)
    twice = f'{{"game-17": {game}, "game-2": {game}, "game-17": {game}}}'
    assert refusals(twice.encode()) == {"game-17": "number 17 stands twice, first as game-17"}
    reason = "number 1121 stands twice, first as item 1"
    assert refusals(f"[{item}, {item}]".encode()) == {"item 2": reason}
    rows = csv_refusals("date,name,size,price", "2026-10-15,A,,1.00", "2026-10-15,B,,1.00")
    assert rows == {"row 3": "number 1121 stands twice, first as row 2"}


def test_a_field_that_stands_twice_is_refused() -> None:
    twice = b'{"game-17": {"name": "A", "name": "B", "price": "$1.00", "image": ""}}'
    assert refusals(twice) == {"game-17": "has name twice"}


@pytest.mark.parametrize("content", ["5", "null", '"text"', "true"])
def test_json_of_another_shape_is_refused(content: str) -> None:
    reason = "is neither an object keyed game-1, game-2, … nor a list of objects"
    assert refusals(content.encode(), ".json") == {"file": reason}


def test_a_list_of_anything_but_objects_is_refused_item_by_item() -> None:
    assert refusals(b'[1, "a", null, [2]]') == {f"item {n}": "is no object" for n in range(1, 5)}


@pytest.mark.parametrize("content", [b"", b" \n\t", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("suffix", ["", ".json", ".csv"])
def test_an_empty_file_is_refused(content: bytes, suffix: str) -> None:
    assert refusals(content, suffix) == {"file": "is empty"}


@pytest.mark.parametrize("content", ["{}", "[]", HEADER, f"{HEADER}\n\n"])
def test_a_bank_without_an_item_is_refused(content: str) -> None:
    assert refusals(content.encode()) == {"file": "holds no item"}


@pytest.mark.parametrize("content", ["{", '{"game-1": }', "[1,]", "{'game-1': 1}", "[] []"])
def test_what_is_no_json_is_refused(content: str) -> None:
    assert refusals(content.encode())["file"].startswith("is no JSON: ")


@pytest.mark.parametrize("content", [b"[" * 100_000, b'{"a":' * 100_000])
def test_json_that_is_nested_too_deeply_is_refused(content: bytes) -> None:
    assert refusals(content) == {"file": "is nested too deeply"}


def test_what_is_not_utf_8_is_refused_with_the_place() -> None:
    assert refusals(b'[{"name": "caf\xe9"}]') == {"file": "is not UTF-8: byte 0xe9 at offset 14"}


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be"])
def test_utf_16_and_utf_32_are_refused_by_name(encoding: str) -> None:
    content = games().decode().encode(encoding)
    assert refusals(content) == {"file": "is UTF-16 or UTF-32: save it as UTF-8"}


def test_more_items_than_there_are_days_are_refused_without_a_report_on_each() -> None:
    rows = refusals(json.dumps([1] * 20_000).encode())
    assert rows.pop("file") == "holds more than 9999 items"
    assert len(rows) == 9999


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ("number,size,price", "has no column name (commas separate columns)"),
        ("number,name,price", "has no column size (commas separate columns)"),
        ("name,size,price", "has no column number or date (commas separate columns)"),
        ("number;name;size;price", "has an unknown field 'number;name;size;price'"),
        (f"{HEADER},colour", "has an unknown field 'colour'"),
        (f"{HEADER},", "has an unknown field ''"),
        (f"{HEADER},name", "has name twice"),
        (f"{HEADER},date", "has both number and date"),
    ],
)
def test_a_bad_header_is_one_bad_row(header: str, reason: str) -> None:
    assert csv_refusals(header, "1,A,,1.00", "2,B,,1.00") == {"row 1": reason}


def test_ragged_rows_are_refused() -> None:
    rows = csv_refusals(HEADER, "1,A,,1.00", "2,B,1.00", "3,C,,1.00,", "4,D,,1.00")
    assert rows == {
        "row 3": "has 3 fields instead of 4",
        "row 4": "has 5 fields instead of 4",
    }


def test_an_unclosed_quote_is_refused_beside_the_bad_rows_before_it() -> None:
    rows = csv_refusals(HEADER, "1,,,1.00", '2,"B,,1.00', "3,C,,1.00")
    assert rows == {
        "row 2": "name is blank",
        "row 3": "cannot be read: unexpected end of data",
    }


def test_a_field_larger_than_the_reader_takes_is_refused() -> None:
    rows = csv_refusals(HEADER, f"1,{'n' * 140_000},,1.00")
    assert rows == {"row 2": "cannot be read: field larger than field limit (131072)"}


def test_a_nul_in_csv_is_refused() -> None:
    assert csv_refusals(HEADER, "1,A\0B,,1.00") == {"row 2": "name holds the character U+0000"}


def test_the_suffix_tells_the_shape_before_the_content_does(tmp_path: Path) -> None:
    path = tmp_path / "bank.JSON"
    path.write_text(f"{HEADER}\n1,A,,1.00\n")
    with pytest.raises(BadBankError, match="1 bad rows"):
        read_bank(path)
    assert read_bank(path.rename(tmp_path / "bank.txt"))[0].name == "A"


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("Yummy Dino Chicken Nuggets, 5 lbs", "5 lbs"),
        ("Diet Coke 24 x 12 oz", "24 x 12 oz"),
        ("Steak Tips, 32 oz.", "32 oz"),
        ("Caramels 24 Oz (1.5 Lbs)", "24 Oz (1.5 Lbs)"),
        ("Orange Juice 4/52 Oz (6.5 Quarts)", "4/52 Oz (6.5 Quarts)"),
        ("Cheddar (2 lb)", "2 lb"),
        ("Egg Nog, 2 – Half Gallons, 3.78L", "2 – Half Gallons, 3.78L"),  # noqa: RUF001 - as found
        ("Pads, 30 in L X 23 in W, 100-count", "30 in L X 23 in W, 100-count"),
        ("Flour, 1,000 lbs", "1,000 lbs"),
        ("Tea 18 x 16.9 oz Bottles", "18 x 16.9 oz Bottles"),
        ("2% Milk", ""),
        ("7-piece Dining Set", ""),
        ("Cheddar, Aged 24 Months", ""),
        ("Fresh Cod Fillet", ""),
        ("", ""),
        ("1 oz " * 40, ""),
    ],
)
def test_the_size_is_what_a_name_ends_in(name: str, size: str) -> None:
    assert size_in(name) == size


@given(name=NAMES)
def test_a_size_is_a_part_of_the_name_that_fits_its_column(name: str) -> None:
    size = size_in(name)
    assert size in name
    assert len(size) <= 80
    assert size == size.strip()


def test_the_original_bank_is_taken_whole(original_bank: Path) -> None:
    items = read_bank(original_bank)
    found = json.loads(original_bank.read_bytes())
    assert [item.number for item in items] == list(range(1, 3400))
    assert [item.name for item in items] == [game["name"] for game in found.values()]
    assert [f"${item.price / 100:.2f}" for item in items] == [g["price"] for g in found.values()]


def test_of_the_original_names_only_those_without_a_pack_carry_no_size(original_bank: Path) -> None:
    without = [item.name for item in read_bank(original_bank) if not item.size]
    with_digits = [name for name in without if re.search("[0-9]", name)]
    assert len(without) - len(with_digits) == 255
    assert len(with_digits) == 48  # `2% Milk`, `Aged 24 Months`, `Series 9` and the like
    assert sum("Milk" in name for name in with_digits) == 24


@pytest.fixture
def original_bank() -> Path:
    beside = BASE_DIR.parent / "shared" / "data" / "original-bank.json"
    path = Path(os.environ.get("ORIGINAL_BANK") or beside)
    if not path.is_file():
        pytest.skip("the original game's bank: there is no ORIGINAL_BANK here")
    return path


@pytest.mark.parametrize(
    "name", ["missing.json", ".", "file/below.json", "loop", "a\0b", "n" * 300]
)
def test_a_path_without_a_readable_file_is_unusable(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(UnusableFileError, match=r"^(cannot be read: |is no regular file)"):
        read_bank(tmp_path / name)


def test_a_device_or_a_pipe_is_refused_without_waiting_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (Path("/dev/zero"), tmp_path / "pipe"):
        with pytest.raises(UnusableFileError, match="is no regular file"):
            read_bank(path)


def test_a_file_over_the_limit_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "bank.json"
    path.touch()
    os.truncate(path, 200 * 1024 * 1024)
    monkeypatch.delattr(Path, "read_bytes")
    with pytest.raises(UnusableFileError, match="is larger than 20 MB"):
        read_bank(path)


def test_a_file_of_exactly_the_limit_is_read(tmp_path: Path) -> None:
    path = tmp_path / "bank.json"
    path.write_bytes(own().ljust(MOST_BYTES))
    assert read_bank(path) == parse_bank(own())


def test_a_file_without_permission_is_unusable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    path = tmp_path / "bank.json"
    path.touch()
    monkeypatch.setattr(Path, "read_bytes", refuse)  # the suite may run as root
    with pytest.raises(UnusableFileError, match="cannot be read: Permission denied"):
        read_bank(path)
