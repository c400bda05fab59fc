"""Checks by SQL, in one snapshot, what one snapshot can show of the guarantees."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Final

from django.conf import settings

from answers.models import JobLease
from costcodle import clock, days, statements
from costcodle.days import PuzzleNumber
from costcodle.statements import Row
from results.domain import Distribution
from results.stats import add_up

_SQL = statements.load(
    Path(__file__).parent / "sql" / "audit.sql",
    {"latest": JobLease._meta.get_field("expires_at")},
)

NOT_SHOWN: Final = {
    "G6": "a lease does not tell how its last holder lost it",
    "G7": "a release leaves no trace but the expiry",
    "G8": "an attempt that changed nothing leaves nothing to compare with",
    "G14": "a restored database does not know what it was before",
    "G15": "a run that changed nothing leaves nothing to compare with",
    "G16": "what was reported is not in the database",
    "G19": "what is overdue is in publication_status",
    "G20": "the order of attempts is not kept",
    "G22": "this is one engine",
}
"""Guarantees that no snapshot can show, and why; their tests do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Breach:
    """One guarantee that does not hold: the check that found it and what it found."""

    guarantee: str
    check: str
    found: tuple[str, ...]


def breaches() -> list[Breach]:
    """Every breach in one snapshot of the database, in the order of the guarantees.

    Raises `django.db.Error`.
    """
    with statements.snapshot():
        latest = clock.now() + timedelta(seconds=settings.LEASE_SECONDS)
        results = [(check, tuple(_found(check, latest))) for check in _SQL]
    return [
        Breach(guarantee=_guarantee(check), check=check, found=found)
        for check, found in results
        if found
    ]


def shown() -> list[str]:
    """The guarantees that are checked, in their order."""
    return list(dict.fromkeys(_guarantee(check) for check in _SQL))


def _guarantee(check: str) -> str:
    return check.split("_", 1)[0].upper()


def _found(check: str, latest: datetime) -> Iterable[str]:
    statement = _SQL[check]
    rows = statement.run(latest=latest).rows if statement.fields else statement.run().rows
    judge = _JUDGES.get(check)
    return judge(rows) if judge else (str(row[0]) for row in rows)


def _created_when_due(rows: Iterable[Row]) -> Iterator[str]:
    for number, created_at in rows:
        if _instant(created_at) < days.due_at(PuzzleNumber(number)):
            yield f"puzzle {number} was created at {created_at}, before it was due"


def _accepted_in_time(rows: Iterable[Row]) -> Iterator[str]:
    for number, last_at in rows:
        if _instant(last_at) >= days.due_at(PuzzleNumber(number)):
            yield f"puzzle {number} has a result of {last_at}, after its window"


def _counts_every_result(rows: Iterable[Row]) -> Iterator[str]:
    for (number, games), group in groupby(rows, key=lambda row: (row[0], row[1])):
        counted = list(group)
        results = add_up(row[3:] for row in counted if row[3] is not None)
        if games != results.games or _written(counted[0][2]) != results:
            yield f"puzzle {number} shows {games} games, its results are {results.games}"


_JUDGES: Final[dict[str, Callable[[Iterable[Row]], Iterator[str]]]] = {
    "g13_created_when_due": _created_when_due,
    "g21_accepted_in_time": _accepted_in_time,
    "g21_page_counts_every_result": _counts_every_result,
}


def _instant(value: datetime | str) -> datetime:
    """An instant as the driver gives it: SQLite has no type of its own for it."""
    instant = datetime.fromisoformat(value) if isinstance(value, str) else value
    return instant if instant.tzinfo else instant.replace(tzinfo=UTC)


def _written(body: str | dict[str, object]) -> Distribution | None:
    """The distribution in a page's body; `None` stands for one that is damaged."""
    facts = json.loads(body) if isinstance(body, str) else body
    try:
        return Distribution(won=tuple(facts["won"]), lost=facts["lost"])  # type: ignore[arg-type]
    except (KeyError, TypeError):
        return None
