"""`publication_status`: what is due, overdue, leased, and was done last."""

from typing import Any

from answers import status
from costcodle.commands import Exit, SiteCommand


class Command(SiteCommand):
    """Say how the publication stands."""

    help = "Say what is due, overdue and leased, the revision, and the last 20 log entries."

    def work(self, options: dict[str, Any]) -> Exit:
        """Report; exit status 3 where something is overdue."""
        present = status.present()
        self.answer(options, _document(present), _lines(present))
        return Exit.ATTENTION if present.overdue else Exit.DONE


def _document(present: status.Status) -> dict[str, Any]:
    return {
        "now": present.now,
        "revision": present.revision,
        "due": present.due,
        "overdue": present.overdue,
        "leases": [
            {
                "key": lease.key,
                "owner": lease.owner_id,
                "fence": lease.fence,
                "expires_in": (lease.expires_at - present.now).total_seconds(),
            }
            for lease in present.leases
        ],
        "log": [
            {
                "revision": row.revision,
                "puzzle": row.puzzle_id,
                "kind": row.kind,
                "content_version": row.content_version,
                "owner": row.owner_id,
                "fence": row.fence,
                "at": row.created_at,
                "reason": row.reason,
            }
            for row in present.log
        ],
    }


def _lines(present: status.Status) -> list[str]:
    document = _document(present)
    leases = [
        f"lease={lease['key']} owner={lease['owner']} fence={lease['fence']}"
        f" expires_in={lease['expires_in']:.0f}s"
        for lease in document["leases"]
    ]
    log = [
        f"log={row['revision']} puzzle={row['puzzle']} kind={row['kind']}"
        f" version={row['content_version']} at={row['at']:%Y-%m-%dT%H:%M:%SZ} owner={row['owner']}"
        for row in document["log"]
    ]
    overdue = [f"overdue={number}" for number in present.overdue]
    totals = f"revision={present.revision} due={len(present.due)} overdue={len(present.overdue)}"
    return [*overdue, *leases, *log, f"{totals} leases={len(leases)}"]
