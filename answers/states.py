"""The states of a ledger item and the one table of legal moves between them. Pure.

`python -m answers.states` prints docs/states.md, which a test holds against this table.
"""

import sys
from typing import Final, NamedTuple

from answers.domain import ItemState, Kind


class Move(NamedTuple):
    """One legal move, by name, from one state to another (or to itself)."""

    name: str
    before: ItemState
    after: ItemState


MOVES: Final = (
    Move("claim", ItemState.PENDING, ItemState.PROCESSING),
    Move("claim", ItemState.FAILED, ItemState.PROCESSING),
    Move("claim after a crash", ItemState.PROCESSING, ItemState.PROCESSING),
    Move("fail", ItemState.PROCESSING, ItemState.FAILED),
    Move(Kind.CREATE, ItemState.PROCESSING, ItemState.PUBLISHED),
    Move(Kind.UPDATE, ItemState.PUBLISHED, ItemState.PUBLISHED),
    Move(Kind.WITHDRAW, ItemState.PUBLISHED, ItemState.WITHDRAWN),
    Move(Kind.REINSTATE, ItemState.WITHDRAWN, ItemState.PUBLISHED),
)

OPEN: Final = frozenset(move.before for move in MOVES if move.after is ItemState.PROCESSING)
"""The states whose item still waits for its first publication."""


def move_of(kind: Kind) -> Move:
    """The only move that a public change of this kind may make."""
    return next(move for move in MOVES if move.name == kind)


def is_legal(before: ItemState, after: ItemState) -> bool:
    """Whether any move leads from one state to the other."""
    return any((move.before, move.after) == (before, after) for move in MOVES)


def document() -> str:
    """The state diagram as a Markdown page (Mermaid, with the same moves as a table)."""
    arrows = "".join(f"    {move.before} --> {move.after}: {move.name}\n" for move in MOVES)
    rows = "".join(f"| {move.before} | {move.name} | {move.after} |\n" for move in MOVES)
    return (
        "# States of a ledger item\n\n"
        "Generated from `answers/states.py` by `make fix`; do not edit.\n\n"
        f"```mermaid\nstateDiagram-v2\n    [*] --> {ItemState.PENDING}\n{arrows}```\n\n"
        f"| from | by | to |\n| --- | --- | --- |\n{rows}"
    )


if __name__ == "__main__":
    sys.stdout.write(document())
