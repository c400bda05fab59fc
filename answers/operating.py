"""What the operator's commands have in common, and how what an operator types is read."""

from argparse import ArgumentTypeError
from typing import Any, Final

from django.core.management.base import CommandParser

from answers import reports
from answers.attempts import AwayError
from answers.domain import Outcome, Report
from answers.operations import RefusedError
from costcodle.commands import Exit, SiteCommand, puzzle_number
from costcodle.game import price_input
from costcodle.game.price_input import Refusal
from costcodle.game.rules import Cents

_LONGEST_TEXT: Final = 200
_WANT_ANOTHER_TRY: Final = frozenset(
    {Outcome.LEASE_HELD, Outcome.LEASE_LOST, Outcome.CONFLICT, Outcome.UNKNOWN}
)


def text(written: str) -> str:
    """A printable line as an argument, 200 characters at most. Raises `ArgumentTypeError`."""
    stripped = written.strip()
    if not stripped or len(stripped) > _LONGEST_TEXT or not stripped.isprintable():
        raise ArgumentTypeError(f"takes one line of 1 to {_LONGEST_TEXT} printable characters")
    return stripped


def price(written: str) -> Cents:
    """A price as an argument, in any spelling that the game takes. Raises `ArgumentTypeError`."""
    parsed = price_input.parse(written)
    if isinstance(parsed, Refusal):
        raise ArgumentTypeError(parsed.message)
    return parsed


class OperatorCommand(SiteCommand):
    """A command that makes one public change to one puzzle's page."""

    def add_arguments(self, parser: CommandParser) -> None:
        """The puzzle."""
        parser.add_argument("number", type=puzzle_number, metavar="N", help="the puzzle's number")

    def work(self, options: dict[str, Any]) -> Exit:
        """Make the change and report it like the night job does."""
        try:
            report = self.operate(options)
        except RefusedError as refusal:
            return self.complain(str(refusal), Exit.FAILED)
        except AwayError as error:
            return self.complain(f"the database went away: {error}", Exit.TEMPORARY)
        self.answer(options, reports.item_document(report), [reports.item_line(report)])
        if report.outcome is Outcome.FAILED:
            return Exit.FAILED
        return Exit.TEMPORARY if report.outcome in _WANT_ANOTHER_TRY else Exit.DONE

    def operate(self, options: dict[str, Any]) -> Report:
        """The change itself."""
        raise NotImplementedError
