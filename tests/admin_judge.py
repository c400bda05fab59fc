"""Whether whatever happened between two snapshots was a public change with its step, or none."""

from collections import Counter
from typing import Any

from tests.interleaving import Rows
from tests.invariants import assert_consistent

SETTLED = ("published", "withdrawn")


def judge(before: Rows, after: Rows) -> None:
    """Raises `AssertionError` where a public row changed without its step, or a trace was lost."""
    keys = {"answer_posts": "puzzle_id", "puzzles": "number", "publication_items": "puzzle_id"}
    keys |= {"job_leases": "key", "publication_log": "revision", "daily_results": "id"}
    old = {table: {row[key]: row for row in before[table]} for table, key in keys.items()}
    new = {table: {row[key]: row for row in after[table]} for table, key in keys.items()}
    for table in keys:
        assert old[table].keys() <= new[table].keys(), f"a row of {table} is gone"
    assert old["daily_results"] == new["daily_results"]
    steps = Counter(
        row["puzzle_id"]
        for key, row in new["publication_log"].items()
        if key not in old["publication_log"]
    )
    assert all(new["publication_log"][key] == row for key, row in old["publication_log"].items())
    _judge_pages(old, new, steps)
    _judge_bank(old["puzzles"], new["puzzles"], before, after, sum(steps.values()))
    for key, row in old["job_leases"].items():
        later = new["job_leases"][key]
        same_owner = later["owner_id"] == row["owner_id"]
        assert later["fence"] > row["fence"] or (later["fence"] == row["fence"] and same_owner)
    if before != after:
        assert_consistent(after)


def _judge_pages(old: Any, new: Any, steps: "Counter[int]") -> None:
    for number, page in new["answer_posts"].items():
        was = old["answer_posts"].get(number, {"content_version": 0})
        assert page == was or steps[number], f"page {number} changed without a step"
        assert page["content_version"] == was["content_version"] + steps[number]
    for number, item in new["publication_items"].items():
        was = old["publication_items"].get(number, {"state": "pending"})
        is_settled = item["state"] in SETTLED or was["state"] in SETTLED
        moved = item["state"] != was["state"]
        assert not (is_settled and moved) or steps[number], f"item {number} moved without a step"


def _judge_bank(old: Any, new: Any, before: Rows, after: Rows, steps: int) -> None:
    was, site = before["site_state"][0], after["site_state"][0]
    changed = [row for number, row in new.items() if old.get(number) != row]
    assert site["publication_revision"] == was["publication_revision"] + steps
    if changed:
        assert site["bank_version"] > was["bank_version"], "the bank changed without its version"
        assert all(
            was["bank_version"] < row["bank_version"] <= site["bank_version"] for row in changed
        )
    if steps or changed:
        assert site["revision_token"] != was["revision_token"]
    else:
        assert site == was
