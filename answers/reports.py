"""A run's report as JSON, as lines, and as an exit status. Pure."""

from typing import Any

from answers.domain import Outcome, Report
from answers.publisher import SKIPPED, TEMPORARY, RunReport
from costcodle.commands import Exit


def exit_status(report: RunReport) -> Exit:
    """A failed item wants a person; anything temporary wants another run."""
    if report.count(Outcome.FAILED):
        return Exit.FAILED
    if report.stopped_by or report.count(*TEMPORARY):
        return Exit.TEMPORARY
    return Exit.DONE


def summary(report: RunReport) -> str:
    """The one line that every run prints."""
    return (
        f"run={report.run} revision={report.revision}"
        f" published={report.count(Outcome.PUBLISHED)} updated={report.count(Outcome.UPDATED)}"
        f" skipped={report.count(*SKIPPED)} failed={report.count(Outcome.FAILED)}"
        f" remaining={report.remaining}"
    )


def lines(report: RunReport) -> list[str]:
    """One line an item, then the summary."""
    return [*(item_line(item) for item in report.items), summary(report)]


def document(report: RunReport) -> dict[str, Any]:
    """The JSON document of `publish_answers --json`."""
    return {
        "run": str(report.run),
        "now": _iso(report),
        "revision": report.revision,
        "published": report.count(Outcome.PUBLISHED),
        "updated": report.count(Outcome.UPDATED),
        "skipped": report.count(*SKIPPED),
        "failed": report.count(Outcome.FAILED),
        "remaining": report.remaining,
        "stopped_by": report.stopped_by,
        "items": [item_document(item) for item in report.items],
    }


def plan_document(planned: RunReport) -> dict[str, Any]:
    """The same for a dry run: `would` stands where a run has `outcome`."""
    return {
        "dry_run": True,
        "now": _iso(planned),
        "revision": planned.revision,
        "items": [
            {"puzzle": item.number, "would": item.outcome, "detail": item.detail}
            for item in planned.items
        ],
    }


def plan_lines(planned: RunReport) -> list[str]:
    """One line an item, then how many."""
    return [
        *(f"puzzle={item.number} would={item.outcome}" for item in planned.items),
        f"dry_run=yes revision={planned.revision} items={len(planned.items)}",
    ]


def item_document(item: Report) -> dict[str, Any]:
    """One item of the JSON document."""
    return {
        "puzzle": item.number,
        "outcome": item.outcome,
        "revision": item.revision,
        "fence": item.fence,
        "owner": item.owner,
        "seconds": round(item.seconds, 3),
        "detail": item.detail,
    }


def item_line(item: Report) -> str:
    """One item as a line: what is not known is left out."""
    parts = [f"puzzle={item.number} outcome={item.outcome}"]
    parts += [f"revision={item.revision}"] if item.revision else []
    parts += [f"fence={item.fence}"] if item.fence else []
    parts += [f'detail="{item.detail}"'] if item.detail else []
    return " ".join(parts)


def _iso(report: RunReport) -> str:
    return report.now.isoformat().replace("+00:00", "Z")
