"""`reinstate_answer`: put a withdrawn page back."""

from typing import Any

from answers import operations
from answers.domain import Report
from answers.operating import OperatorCommand


class Command(OperatorCommand):
    """Put a withdrawn answer back as it was."""

    help = "Put a withdrawn answer back as it was."

    def operate(self, options: dict[str, Any]) -> Report:
        """Reinstate it."""
        return operations.reinstate(options["number"])
