"""What must hold in every committed state, checked in Python from one snapshot."""

from datetime import timedelta
from typing import Any

from django.conf import settings

from answers.domain import ItemState, Kind
from costcodle import clock
from tests.interleaving import Rows, snapshot


def assert_consistent(rows: Rows | None = None) -> Rows:
    """G1, G2, G3, G17 and G18 in the present state, which is returned."""
    rows = rows or snapshot()
    log = rows["publication_log"]
    assert [row["revision"] for row in log] == list(range(1, len(log) + 1))
    assert rows["site_state"][0]["publication_revision"] == len(log)
    pages = {row["puzzle_id"]: row for row in rows["answer_posts"]}
    items = {row["puzzle_id"]: row for row in rows["publication_items"]}
    _assert_pages_agree(pages, items, log)
    latest = clock.now() + timedelta(seconds=settings.LEASE_SECONDS)
    assert all(lease["expires_at"] <= latest for lease in rows["job_leases"])
    return rows


def _assert_pages_agree(
    pages: dict[int, dict[str, Any]], items: dict[int, dict[str, Any]], log: list[dict[str, Any]]
) -> None:
    created = [row["puzzle_id"] for row in log if row["kind"] == Kind.CREATE]
    assert len(created) == len(set(created))
    settled = {
        number
        for number, item in items.items()
        if item["state"] in (ItemState.PUBLISHED, ItemState.WITHDRAWN)
    }
    assert set(pages) == set(created) == settled
    for number, page in pages.items():
        history = [row for row in log if row["puzzle_id"] == number]
        assert [row["content_version"] for row in history] == list(range(1, len(history) + 1))
        assert page["content_version"] == len(history)
        assert page["commit_token"] == history[-1]["commit_token"]
        is_withdrawn = items[number]["state"] == ItemState.WITHDRAWN
        assert (page["withdrawn_at"] is not None) == is_withdrawn
