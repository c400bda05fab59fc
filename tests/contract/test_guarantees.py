"""Every guarantee has a test that carries its number, and each such test runs on both engines."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.conftest import ENGINES

ROOT = Path(__file__).parents[2]


def _marked() -> Iterator[tuple[str, set[str], str]]:
    """Each marked test: its numbers, its arguments, where it stands."""
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.FunctionDef):
                continue
            arguments = {argument.arg for argument in node.args.args + node.args.kwonlyargs}
            for decorator in node.decorator_list:
                if isinstance(decorator, ast.Call) and ast.unparse(decorator.func).endswith(
                    ".guarantee"
                ):
                    for number in decorator.args:
                        yield ast.literal_eval(number), arguments, f"{path.name}:{node.name}"


def _promised(document: str, letter: str) -> set[str]:
    text = (ROOT / "docs" / document).read_text()
    return set(re.findall(rf"^\| ({letter}\d+) \|", text, re.MULTILINE))


def test_every_guarantee_of_the_cache_has_a_test_that_carries_its_number() -> None:
    proved = {number for number, _, _ in _marked() if number.startswith("E")}
    assert {f"E{number}" for number in range(1, 15)} == _promised("edge-cache.md", "E") == proved


def test_every_guarantee_has_a_test_that_carries_its_number() -> None:
    proved = {number for number, _, _ in _marked() if number.startswith("G")}
    promised = _promised("protocol.md", "G")
    assert {f"G{number}" for number in range(1, 23)} == promised
    # G22, that each holds on both engines, is the next test, and every `site` there is.
    assert proved | {"G22"} == promised


def test_every_marked_test_runs_the_same_body_on_both_engines() -> None:
    assert ENGINES == ("sqlite", "postgresql")
    # All but the first are a `site` with something in it.
    sites = {"site", "shop", "noon", "due", "office"}
    lonely = [where for _, arguments, where in _marked() if not arguments & sites]
    assert not lonely
