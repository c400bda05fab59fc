"""`publish_answers`: the night job."""

import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import DatabaseError, InterfaceError
from tqdm import tqdm

from answers import ping, publisher, reports
from answers.ledger import Candidate
from answers.publisher import RunReport
from costcodle.commands import Exit, SiteCommand, count, puzzle_number
from costcodle.days import PuzzleNumber
from costcodle.models import Puzzle

_LABEL = re.compile(r"[\w.:@-]{1,40}", re.ASCII)
_WORTH_A_BAR = 20


class Command(SiteCommand):
    """Publish what is due and update what is out of date."""

    help = "Publish every finished puzzle that is due, and update pages that are out of date."

    def add_arguments(self, parser: CommandParser) -> None:
        """The options of `interface.md`."""
        parser.add_argument("--puzzle", type=puzzle_number, metavar="N", help="this one alone")
        parser.add_argument("--max", type=count, metavar="N", help="take up at most N items")
        parser.add_argument("--dry-run", action="store_true", help="say what would happen")
        parser.add_argument("--owner", default="", metavar="LABEL", help="a name for people")

    def work(self, options: dict[str, Any]) -> Exit:
        """Run once; the exit status says whether this run left anything undone."""
        only: PuzzleNumber | None = options["puzzle"]
        if only and not Puzzle.objects.filter(number=only).exists():
            raise CommandError(f"puzzle {only} is not in the bank", returncode=Exit.USAGE)
        if options["owner"] and not _LABEL.fullmatch(options["owner"]):
            raise CommandError(
                "--owner takes up to 40 letters, digits or any of . : @ _ -", returncode=Exit.USAGE
            )
        if options["dry_run"]:
            planned = publisher.plan(only=only)
            self.answer(options, reports.plan_document(planned), reports.plan_lines(planned))
            return Exit.DONE
        report = self._run(options, only)
        status = reports.exit_status(report)
        self.answer(options, reports.document(report), reports.lines(report))
        if report.stopped_by:
            self.complain(f"the database went away: {report.stopped_by}", status)
        return status

    def _run(self, options: dict[str, Any], only: PuzzleNumber | None) -> RunReport:
        """One run between the two pings, the second of which is sent however it ended."""
        ping.started()
        status, summary = Exit.FAILED, "the run ended early"
        try:
            report = publisher.publish_due(
                label=options["owner"],
                only=only,
                most=options["max"],
                watch=with_a_bar if options["verbosity"] else iter,
            )
            status, summary = reports.exit_status(report), reports.summary(report)
        except (DatabaseError, InterfaceError):
            status = Exit.TEMPORARY
            raise
        finally:
            ping.ended(status, summary)
        return report


def with_a_bar(candidates: Sequence[Candidate]) -> Iterable[Candidate]:
    """A progress bar on standard error, for a long catch-up and only where a person looks."""
    is_watched = sys.stderr.isatty() and len(candidates) >= _WORTH_A_BAR
    return tqdm(candidates, unit="page", disable=not is_watched)
