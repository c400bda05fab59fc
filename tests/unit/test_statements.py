"""Named SQL: what the loader refuses, and the rules of the project's own `.sql` files."""

import re
from pathlib import Path

import pytest

from costcodle import statements
from costcodle.models import Puzzle
from costcodle.statements import durable_transaction
from tests.sites import Site

ROOT = Path(__file__).parents[2]
FILES = sorted(
    path for app in ("answers", "costcodle", "results") for path in (ROOT / app).glob("sql/*.sql")
)
NUMBER = Puzzle._meta.get_field("number")


def written(folder: Path, text: str) -> Path:
    path = folder / "some.sql"
    path.write_text(text)
    return path


def test_a_name_that_stands_twice_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "-- name: a\nSELECT 1\n-- name: a\nSELECT 2\n")
    with pytest.raises(ValueError, match="a stands twice"):
        statements.load(path, {})


def test_a_parameter_without_a_field_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "-- name: a\nSELECT %(number)s\n")
    with pytest.raises(KeyError, match="number"):
        statements.load(path, {})


def test_missing_and_surplus_parameters_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "-- name: a\nSELECT %(number)s\n")
    statement = statements.load(path, {"number": NUMBER})["a"]
    with pytest.raises(TypeError, match="a: parameters missing or too many: number, wrong"):
        statement.run(wrong=1)


def test_a_statement_tells_its_rows_and_how_many_it_changed(site: Site, tmp_path: Path) -> None:
    del site
    path = written(
        tmp_path,
        "-- name: ask\nSELECT %(number)s + 1\n"
        "-- name: write\nDELETE FROM puzzles WHERE number = 1\n",
    )
    loaded = statements.load(path, {"number": NUMBER})
    assert loaded["ask"].run(number=4).rows == [(5,)]
    assert loaded["write"].run() == statements.Outcome(count=0, rows=[])


def test_a_durable_transaction_is_the_outermost(site: Site) -> None:
    del site
    with (
        durable_transaction(),
        pytest.raises(RuntimeError, match="durable"),
        durable_transaction(),
    ):
        pass


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_statement_has_a_purpose_and_says_what_zero_rows_mean(path: Path) -> None:
    blocks = re.split(r"^-- name: ", path.read_text(), flags=re.MULTILINE)[1:]
    assert blocks
    for block in blocks:
        name, purpose = block.split("\n", 2)[:2]
        assert purpose.startswith("-- "), name
        assert "-- Zero rows: " in block, name


def test_raw_sql_stands_in_sql_files_alone() -> None:
    allowed = {"costcodle/clock.py", "costcodle/patience.py", "costcodle/statements.py"}
    offenders = {
        str(path.relative_to(ROOT))
        for app in ("answers", "costcodle", "results")
        for path in (ROOT / app).rglob("*.py")
        if re.search(r"\.execute\(|\.raw\(|RawSQL|executescript", path.read_text())
    }
    assert offenders == allowed
