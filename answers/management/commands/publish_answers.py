"""`publish_answers`: the night job."""

import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from django.core.management.base import CommandError, CommandParser
from tqdm import tqdm

from answers import ping, publisher, reports
from answers.ledger import Candidate
from costcodle.commands import Exit, SiteCommand
from costcodle.days import PuzzleNumber
from costcodle.models import Puzzle

_LABEL = re.compile(r"[\w.:@-]{1,40}", re.ASCII)
_WORTH_A_BAR = 20


class Command(SiteCommand):
    """Publish what is due and update what is out of date."""

    help = "Publish every finished puzzle that is due, and update pages that are out of date."

    def add_arguments(self, parser: CommandParser) -> None:
        """The options of `interface.md`."""
        parser.add_argument("--puzzle", type=int, metavar="N", help="work on this puzzle alone")
        parser.add_argument("--max", type=int, metavar="N", help="take up at most N items")
        parser.add_argument("--dry-run", action="store_true", help="say what would happen")
        parser.add_argument("--owner", default="", metavar="LABEL", help="a name for people")

    def work(self, options: dict[str, Any]) -> Exit:
        """Run once; the exit status says whether this run left anything undone."""
        only = self._puzzle(options["puzzle"])
        if options["max"] is not None and options["max"] < 1:
            raise CommandError("--max takes a whole number from 1 on", returncode=Exit.USAGE)
        if options["owner"] and not _LABEL.fullmatch(options["owner"]):
            raise CommandError(
                "--owner takes up to 40 letters, digits or any of . : @ _ -", returncode=Exit.USAGE
            )
        if options["dry_run"]:
            planned = publisher.plan(only=only)
            self.answer(options, reports.plan_document(planned), reports.plan_lines(planned))
            return Exit.DONE
        ping.started()
        status, summary = Exit.TEMPORARY, "the run ended early"
        try:
            report = publisher.publish_due(
                label=options["owner"],
                only=only,
                most=options["max"],
                watch=tqdm_on_a_terminal if options["verbosity"] else iter,
            )
            status, summary = reports.exit_status(report), reports.summary(report)
        finally:
            ping.ended(status, summary)
        self.answer(options, reports.document(report), reports.lines(report))
        if report.stopped_by:
            self.complain(f"the database went away: {report.stopped_by}", status)
        return status

    def _puzzle(self, number: int | None) -> PuzzleNumber | None:
        if number is not None and not Puzzle.objects.filter(number=number).exists():
            raise CommandError(f"puzzle {number} is not in the bank", returncode=Exit.USAGE)
        return None if number is None else PuzzleNumber(number)


def tqdm_on_a_terminal(candidates: Sequence[Candidate]) -> Iterable[Candidate]:
    """A progress bar on standard error, for a long catch-up and only where a person looks."""
    is_watched = sys.stderr.isatty() and len(candidates) >= _WORTH_A_BAR
    return tqdm(candidates, unit="page", disable=not is_watched)
