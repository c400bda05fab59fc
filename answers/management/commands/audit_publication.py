"""`audit_publication`: whether the guarantees hold in the database as it is."""

from typing import Any

from answers import audit
from costcodle.commands import Exit, SiteCommand


class Command(SiteCommand):
    """Check every guarantee that one snapshot can show."""

    help = "Check every guarantee that one snapshot can show, and name each breach."

    def work(self, options: dict[str, Any]) -> Exit:
        """Audit; exit status 1 where anything is broken."""
        found = audit.breaches()
        document = {
            "breaches": [
                {"guarantee": breach.guarantee, "check": breach.check, "found": breach.found}
                for breach in found
            ],
            "checked": audit.shown(),
            "not_shown": audit.NOT_SHOWN,
        }
        self.answer(options, document, list(self._lines(found)))
        return Exit.FAILED if found else Exit.DONE

    def _lines(self, found: list[audit.Breach]) -> list[str]:
        breached = [
            f"{breach.guarantee} {breach.check}: {line}"
            for breach in found
            for line in breach.found
        ]
        not_shown = [f"{name} not shown: {why}" for name, why in audit.NOT_SHOWN.items()]
        checked = " ".join(audit.shown())
        return [*breached, *not_shown, f"checked={checked} breaches={len(breached)}"]
