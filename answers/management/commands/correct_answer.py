"""`correct_answer`: errata on a published puzzle."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from answers import operations
from answers.domain import Report
from answers.operating import OperatorCommand, price, text
from answers.operations import Correction
from costcodle.commands import Exit


class Command(OperatorCommand):
    """Correct a published puzzle: its row in the bank and its page change together."""

    help = "Correct a published puzzle: its row in the bank and its page change together."

    def add_arguments(self, parser: CommandParser) -> None:
        """The puzzle and what was wrong with it."""
        super().add_arguments(parser)
        parser.add_argument("--price", type=price, metavar="P", help="for example 11.99")
        parser.add_argument("--name", type=text, metavar="T", help="the item's name")
        parser.add_argument("--note", type=text, metavar="T", help="what readers are told")

    def operate(self, options: dict[str, Any]) -> Report:
        """Correct it; without a change to make that is bad usage."""
        correction = Correction(price=options["price"], name=options["name"], note=options["note"])
        if correction == Correction():
            raise CommandError("say --price, --name or --note", returncode=Exit.USAGE)
        return operations.correct(options["number"], correction)
