"""A run of `fetch_photos` as JSON, as lines, and as an exit status. Pure."""

from typing import Any

from costcodle.commands import Exit
from costcodle.photos.sources import Fetched, FetchReport, FetchRun


def exit_status(run: FetchRun) -> Exit:
    """A photo that failed wants a person; a database that is away wants another run."""
    if run.count(Fetched.FAILED):
        return Exit.FAILED
    return Exit.TEMPORARY if run.stopped_by else Exit.DONE


def document(run: FetchRun) -> dict[str, Any]:
    """The JSON document of `fetch_photos --json`."""
    counts = {outcome.value: run.count(outcome) for outcome in Fetched}
    return {
        **counts,
        "remaining": run.remaining,
        "stopped_by": run.stopped_by,
        "items": [
            {
                "puzzle": item.number,
                "outcome": item.outcome,
                "photo": item.photo,
                "seconds": round(item.seconds, 3),
                "detail": item.detail,
            }
            for item in run.items
        ],
    }


def lines(run: FetchRun) -> list[str]:
    """One line a photo, then the counts."""
    counts = " ".join(f"{outcome}={run.count(outcome)}" for outcome in Fetched)
    return [*map(_line, run.items), f"photos: {counts} remaining={run.remaining}"]


def _line(item: FetchReport) -> str:
    told = f"puzzle={item.number} outcome={item.outcome}"
    told += f" photo={item.photo}" if item.photo else ""
    return told + (f' detail="{item.detail}"' if item.detail else "")
