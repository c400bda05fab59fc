"""`withdraw_answer`: take a page back."""

from typing import Any

from django.core.management.base import CommandParser

from answers import operations
from answers.domain import Report
from answers.operating import OperatorCommand, text


class Command(OperatorCommand):
    """Take a published answer back: its address answers 410 from then on."""

    help = "Take a published answer back: its address answers 410 from then on."

    def add_arguments(self, parser: CommandParser) -> None:
        """The puzzle and why."""
        super().add_arguments(parser)
        parser.add_argument("--reason", type=text, required=True, help="why, for the log alone")

    def operate(self, options: dict[str, Any]) -> Report:
        """Withdraw it."""
        return operations.withdraw(options["number"], options["reason"])
