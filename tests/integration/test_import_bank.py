import json
import os
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from costcodle.models import Puzzle, SiteState
from costcodle.settings import BASE_DIR
from tests.interleaving import snapshot
from tests.sites import Site


@pytest.fixture(autouse=True)
def today(site: Site) -> None:
    site.at("2026-10-15T12:00:00Z")


def write(path: Path, *numbers: int, name: str = "Almonds, 20 oz") -> str:
    """A bank of these numbers in the original's shape; the path as a command takes it."""
    game = {"name": name, "price": "$9.49", "image": "https://photos.example/x.jpg"}
    path.write_text(json.dumps({f"game-{number}": game for number in numbers}))
    return str(path)


def run(
    capsys: pytest.CaptureFixture[str],
    *arguments: str,
    **options: Any,
) -> tuple[int, str, str]:
    """The command's exit status, output and errors."""
    capsys.readouterr()
    status: Any = 0
    try:
        call_command("import_bank", *arguments, **options)
    except SystemExit as leaving:
        status = leaving.code
    output, errors = capsys.readouterr()
    return int(status), output, errors


def test_the_summary_counts_what_was_done(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    first = write(site.folder / "a.json", 1121, 1122, 1123)
    assert run(capsys, first) == (
        0,
        "added=3 replaced=0 unchanged=0 kept=0 frozen=0 bank_version=1\n",
        "",
    )
    other = write(site.folder / "b.json", 1121, 1122, 1124, name="Walnuts")
    kept = "added=1 replaced=0 unchanged=0 kept=1 frozen=1 bank_version=2\n"
    assert run(capsys, other) == (0, kept, "")
    replaced = "added=0 replaced=1 unchanged=1 kept=0 frozen=1 bank_version=3\n"
    assert run(capsys, other, "--replace-future") == (0, replaced, "")


def test_a_dry_run_says_what_it_would_do(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, write(site.folder / "a.json", 1121, 1122))
    before = snapshot()
    path = write(site.folder / "b.json", 1121, 1122, 1123, name="Walnuts")
    would = "would add=1 replace=1 unchanged=0 kept=0 frozen=1 bank_version=1\n"
    assert run(capsys, path, "--dry-run", "--replace-future") == (0, would, "")
    assert snapshot() == before


def test_the_json_document_holds_the_counts(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(site.folder / "bank.json", 1121, 1122)
    status, output, errors = run(capsys, path, "--json")
    assert (status, errors) == (0, "")
    assert json.loads(output) == {
        "dry_run": False,
        "added": 2,
        "replaced": 0,
        "unchanged": 0,
        "kept_different": 0,
        "frozen_different": 0,
        "bank_version": 1,
        "bad_rows": [],
    }


def test_verbosity_zero_is_silent(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(site.folder / "bank.json", 1121)
    assert run(capsys, path, verbosity=0) == (0, "", "")
    assert Puzzle.objects.count() == 1


def test_one_bad_row_keeps_the_whole_file_out(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    path = site.folder / "bank.csv"
    path.write_text("number,name,size,price\n1121,Good,,1.00\n1122,,,1.00\n1123,Bad,,free\n")
    before = snapshot()
    status, output, errors = run(capsys, str(path))
    assert (status, output) == (1, "")
    assert errors.splitlines() == [
        "row 3: name is blank",
        "row 4: price 'free' is not dollars with two decimals, like 11.99",
        "nothing was loaded",
    ]
    assert snapshot() == before


@pytest.mark.parametrize(("bad", "last"), [(50, "row 51: name is blank"), (53, "and 3 more")])
def test_at_most_fifty_bad_rows_are_named_and_json_names_all(
    site: Site, capsys: pytest.CaptureFixture[str], bad: int, last: str
) -> None:
    path = site.folder / "bank.csv"
    rows = [f"{number},,,1.00" for number in range(1, bad + 1)]
    path.write_text("\n".join(["number,name,size,price", *rows]))
    _, _, errors = run(capsys, str(path))
    *named, ending, nothing = errors.splitlines()
    assert ending.startswith(last)
    assert nothing == "nothing was loaded"
    assert len(named) == bad - 1 if bad == 50 else 50
    status, output, errors = run(capsys, str(path), "--json")
    document = json.loads(output)
    assert (status, errors, len(document["bad_rows"])) == (1, "", bad)
    assert document["bad_rows"][0] == {"key": "row 2", "reason": "name is blank"}


def test_what_a_terminal_cannot_show_is_still_one_json_document(site: Site) -> None:
    path = site.folder / "bank.json"
    path.write_text(json.dumps({"\ud800\x1b\n": 5}))
    done = site.run("import_bank", str(path), "--json")
    assert (done.returncode, done.stderr) == (1, "")
    assert json.loads(done.stdout)["bad_rows"][0]["key"] == r"'\ud800\x1b\n'"


@pytest.mark.parametrize("name", ["missing.json", "folder", "/dev/zero", "pipe", "large.json"])
def test_without_a_usable_file_it_is_a_usage_error_in_one_line(
    site: Site, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    (site.folder / "folder").mkdir()
    os.mkfifo(site.folder / "pipe")
    (site.folder / "large.json").touch()
    os.truncate(site.folder / "large.json", 200 * 1024 * 1024)
    before = snapshot()
    status, output, errors = run(capsys, str(site.folder / name))
    assert (status, output, errors.count("\n")) == (2, "", 1)
    assert name in errors
    assert snapshot() == before


def test_a_call_without_a_file_or_with_a_wrong_option_is_a_usage_error(site: Site) -> None:
    for arguments in ([], ["a.json", "b.json"], ["a.json", "--replace-all"]):
        done = site.run("import_bank", *arguments)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    with pytest.raises(CommandError):
        call_command("import_bank")


def test_two_imports_of_one_file_at_once_both_succeed_and_add_it_once(site: Site) -> None:
    path = write(site.folder / "bank.json", *range(1, 2001))
    both = [
        site.start("manage.py", "import_bank", path, "--json", "--replace-future") for _ in range(2)
    ]
    documents = [json.loads(process.communicate(timeout=120)[0]) for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert sorted(document["added"] for document in documents) == [0, 2000]
    assert sorted(document["unchanged"] for document in documents) == [0, 2000]
    assert Puzzle.objects.count() == 2000
    assert SiteState.objects.get().bank_version == 1


def test_two_imports_of_overlapping_files_at_once_add_every_puzzle_once(site: Site) -> None:
    paths = [
        write(site.folder / "a.json", *range(1, 1500), name="Almonds"),
        write(site.folder / "b.json", *range(1000, 2001), name="Walnuts"),
    ]
    both = [site.start("manage.py", "import_bank", path, "--json") for path in paths]
    documents = [json.loads(process.communicate(timeout=120)[0]) for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert sum(document["added"] for document in documents) == Puzzle.objects.count() == 2000
    versions = Puzzle.objects.values_list("name", "bank_version").order_by().distinct()
    assert len(set(versions)) == 2
    assert SiteState.objects.get().bank_version == 2


def test_the_original_bank_is_loaded_whole_and_a_second_time_changes_nothing(site: Site) -> None:
    beside = BASE_DIR.parent / "shared" / "data" / "original-bank.json"
    path = os.environ.get("ORIGINAL_BANK") or str(beside)
    if not Path(path).is_file():
        pytest.skip("the original game's bank: there is no ORIGINAL_BANK here")
    done = site.run("import_bank", path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "added=3399 replaced=0 unchanged=0 kept=0 frozen=0 bank_version=1\n"
    first = Puzzle.objects.get(number=1)
    assert (first.name, first.size, first.price_cents) == (
        "Yummy Dino Buddies Chicken Nuggets, 5 lbs",
        "5 lbs",
        1199,
    )
    before = snapshot()
    again = site.run("import_bank", path, "--replace-future")
    assert "added=0 replaced=0 unchanged=3399" in again.stdout
    assert snapshot() == before
