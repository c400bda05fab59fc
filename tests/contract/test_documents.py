"""The documents, held against the code that they describe."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest
from django.core.management import get_commands

from answers import faults, states
from answers.domain import Outcome
from costcodle import contention
from costcodle.commands import Exit
from costcodle.settings import BASE_DIR
from tests.interleaving import IN_THE_BATCH

APPS = ("answers", "costcodle", "results")
MARKDOWN = sorted([*BASE_DIR.glob("*.md"), *(BASE_DIR / "docs").rglob("*.md")])
GUARANTEES = [f"G{number}" for number in range(1, 23)]

_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_CODE_SPAN = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
AUDIT = BASE_DIR / "answers" / "sql" / "audit.sql"


def text_of(path: str) -> str:
    return (BASE_DIR / path).read_text(encoding="utf-8")


def section(path: str, heading: str) -> str:
    """What stands under a heading, up to the next one of its level or above."""
    level = heading.split(" ", 1)[0]
    _, found, rest = f"\n{text_of(path)}".partition(f"\n{heading}\n")
    assert found, f"{path} has no heading {heading!r}"
    return re.split(rf"^#{{1,{len(level)}}} ", rest, maxsplit=1, flags=re.MULTILINE)[0]


def first_table(markdown: str) -> list[list[str]]:
    """The cells of the first table's rows, without its head."""
    rows: list[list[str]] = []
    for line in markdown.splitlines():
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split(" | ")])
        elif rows:
            break
    assert len(rows) > 2, "there is no table"
    return rows[2:]


def named_in(path: str, heading: str, column: int = 0) -> list[str]:
    """Everything in code spans in one column of the first table under a heading."""
    rows = first_table(section(path, heading))
    return [name for row in rows for name in _CODE_SPAN.findall(row[column])]


def code_of(markdown: str) -> str:
    """Fenced blocks and code spans alone."""
    fences = _FENCE.findall(markdown)
    return "\n".join([*fences, *_CODE_SPAN.findall(_FENCE.sub("", markdown))])


def variables() -> set[str]:
    """The names that settings.py reads from the environment: the first argument of its readers."""
    readers = {"_read", "_switch", "_required_in_production"}
    names: set[str] = set()
    for node in ast.walk(ast.parse(text_of("costcodle/settings.py"))):
        if not (isinstance(node, ast.Call) and node.args):
            continue
        called, first = ast.unparse(node.func), node.args[0]
        reads = called in readers or re.fullmatch(r"env(\.\w+)?|os\.(environ\.\w+|getenv)", called)
        if reads and isinstance(first, ast.Constant) and isinstance(first.value, str):
            names.add(first.value)
    assert {"ENVIRONMENT", "DATABASE_URL", "DEBUG", "SECRET_KEY", "ADMIN_URL"} <= names
    return names


def statement_names() -> set[str]:
    """The statements that take part in a publication; the audit's explain themselves."""
    files = sorted(set((BASE_DIR / "answers" / "sql").glob("*.sql")) - {AUDIT})
    names = re.findall(
        r"^-- name: (\w+)$",
        "\n".join(file.read_text(encoding="utf-8") for file in files),
        re.MULTILINE,
    )
    assert "take_lease" in names
    return set(names)


@pytest.mark.parametrize(("path", "most"), [("README.md", 80), ("ARCHITECTURE.md", 120)])
def test_a_document_for_newcomers_stays_short(path: str, most: int) -> None:
    assert len(text_of(path).splitlines()) <= most


@pytest.mark.parametrize("path", ["README.md", "docs/operations.md"])
def test_every_variable_and_no_other_is_in_the_table(path: str) -> None:
    named = named_in(path, "## Variables")
    assert len(named) == len(set(named))
    assert set(named) == variables()


def test_every_variable_and_no_other_is_in_the_example_file() -> None:
    lines = text_of(".env.example").splitlines()
    assert {match[1] for line in lines if (match := re.match(r"(?:# )?([A-Z_]+)=", line))} == (
        variables()
    )


def test_every_outcome_has_its_row_for_operators() -> None:
    assert named_in("docs/operations.md", "## Outcomes") == list(Outcome)


def test_every_exit_status_has_its_row_for_operators() -> None:
    rows = first_table(section("docs/operations.md", "## Exit statuses"))
    assert [row[0] for row in rows] == [str(int(status)) for status in Exit]


def test_every_command_has_its_row_for_operators() -> None:
    found = {name for name, app in get_commands().items() if app in APPS}
    assert "publish_answers" in found
    documented = [name.split()[0] for name in named_in("docs/operations.md", "## Commands")]
    assert found <= set(documented)


def test_the_exit_statuses_of_commands_are_those_that_are_explained() -> None:
    rows = first_table(section("docs/operations.md", "## Commands"))
    statuses = {status for row in rows for status in row[2].split(", ")}
    assert statuses == {str(int(status)) for status in Exit}


def test_every_guarantee_is_stated_once_and_in_order() -> None:
    rows = first_table(section("docs/protocol.md", "## Guarantees"))
    assert [row[0] for row in rows] == GUARANTEES
    assert all(len(row[1]) > 20 for row in rows)


def test_every_statement_of_the_protocol_is_explained() -> None:
    documents = text_of("docs/protocol.md") + text_of("docs/edge-cache.md")
    explained = set(_CODE_SPAN.findall(documents))
    assert statement_names() - explained == set()


def test_the_batch_table_is_the_batch_that_runs() -> None:
    ran = [step.removesuffix(" 2") for step in IN_THE_BATCH if not step.startswith("commit")]
    assert named_in("docs/protocol.md", "## The batch", column=1) == ran


def test_every_error_that_is_sorted_is_in_the_table_of_errors() -> None:
    rows = first_table(section("docs/protocol.md", "## Errors of the database"))
    met, away = (set(re.findall(r"\b[0-9A-Z]{2,}\b", row[0])) for row in rows[:2])
    names = {"contention": contention._SQLITE_NAMES, "away": faults._SQLITE_AWAY}
    short = {kind: {name.removeprefix("SQLITE_") for name in names[kind]} for kind in names}
    assert met >= contention._SQLSTATES | short["contention"]
    assert away >= faults._AWAY_CLASSES | short["away"]


def test_the_state_diagram_is_the_generated_one() -> None:
    assert text_of("docs/states.md") == states.document(), "run: make fix"


@pytest.mark.parametrize(
    ("heading", "kind"), [("## Runtime", "runtime"), ("## Development", "development")]
)
def test_every_dependency_and_no_other_is_argued_for(heading: str, kind: str) -> None:
    project = tomllib.loads(text_of("pyproject.toml"))["project"]
    wanted = {
        "runtime": project["dependencies"],
        "development": project["optional-dependencies"]["dev"],
    }[kind]
    names = [re.split(r"[<>=~!;]", line)[0].strip() for line in wanted]
    assert named_in("docs/adr/0001-dependencies.md", heading) == names


def slugs(path: Path) -> set[str]:
    """The anchors of a document's headings, as forges make them."""
    headings = re.findall(
        r"^#+ (.+)$", _FENCE.sub("", path.read_text(encoding="utf-8")), re.MULTILINE
    )
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(path: Path) -> Iterator[str]:
    for link in _LINK.findall(_FENCE.sub("", path.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", link):
            continue
        place, _, anchor = link.partition("#")
        target = (path.parent / unquote(place)).resolve() if place else path
        if not target.exists() or (anchor and anchor not in slugs(target)):
            yield link


@pytest.mark.parametrize("path", MARKDOWN, ids=lambda path: str(path.relative_to(BASE_DIR)))
def test_every_relative_link_leads_somewhere(path: Path) -> None:
    assert list(broken_links(path)) == []


def test_every_make_target_that_a_document_names_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):.*## ", text_of("Makefile"), re.MULTILINE))
    named = {
        (path.name, target)
        for path in MARKDOWN
        for target in re.findall(r"\bmake ([a-z]+)\b", code_of(path.read_text(encoding="utf-8")))
    }
    assert {("README.md", "run"), ("README.md", "test")} <= named
    assert {pair for pair in named if pair[1] not in targets} == set()


def places_on_the_map() -> list[str]:
    """Every path of the map in ARCHITECTURE.md; two spaces of indentation are one folder."""
    block = _FENCE.findall(section("ARCHITECTURE.md", "## The map"))[0]
    folders: list[str] = []
    places: list[str] = []
    for line in block.splitlines()[1:-1]:
        if not line.strip():
            continue
        depth = (len(line) - len(line.lstrip())) // 2
        names = re.split(r"\s{2,}", line.strip(), maxsplit=1)[0].split()
        del folders[depth:]
        places += ["/".join([*folders, name.rstrip("/")]) for name in names]
        folders.append(names[0].rstrip("/"))
    assert "answers/sql" in places
    return places


def test_every_path_on_the_map_exists() -> None:
    assert [place for place in places_on_the_map() if not (BASE_DIR / place).exists()] == []


def test_every_module_is_on_the_map() -> None:
    """By itself, or by its folder where the map names none of the folder's files."""
    places = set(places_on_the_map())
    opened = {str(Path(place).parent) for place in places if place.endswith(".py")}
    missing = [
        module
        for app in APPS
        for path in sorted((BASE_DIR / app).rglob("*.py"))
        if path.name != "__init__.py" and "migrations" not in path.parts
        for module in [str(path.relative_to(BASE_DIR))]
        if module not in places
        and not (str(Path(module).parent) in places - opened and Path(module).parent.name != app)
    ]
    assert missing == []


def test_the_changelog_is_kept_in_its_form() -> None:
    changelog = text_of("CHANGELOG.md")
    kinds = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert "\n## [Unreleased]\n" in changelog
    assert set(re.findall(r"^### (.+)$", changelog, re.MULTILINE)) <= kinds
