"""`fetch_photos`: gets product photos from where the bank says that they are."""

import sys
from collections.abc import Iterable, Sequence
from typing import Any

from django.core.management.base import CommandError, CommandParser
from tqdm import tqdm

from costcodle.commands import Exit, SiteCommand, count, puzzle_number
from costcodle.days import PuzzleNumber
from costcodle.photos import reports, sources
from costcodle.photos.sources import Wanted

_WORTH_A_BAR = 2


class Command(SiteCommand):
    """Download, check, write anew, store, attach; what fails is named and holds up no other."""

    help = "Get the photos that the bank names and the site does not have yet."

    def add_arguments(self, parser: CommandParser) -> None:
        """Which, and how many."""
        parser.add_argument(
            "--puzzle", type=puzzle_number, metavar="N", help="this one, even if it has a photo"
        )
        parser.add_argument(
            "--limit", type=count, metavar="N", help="stop when N photos have been got"
        )

    def work(self, options: dict[str, Any]) -> Exit:
        """Run once."""
        ahead = _this_one(options["puzzle"]) if options["puzzle"] else sources.wanted()
        watch = with_a_bar if options["verbosity"] else iter
        run = sources.fetch_all(ahead, most=options["limit"], watch=watch)
        self.answer(options, reports.document(run), reports.lines(run))
        status = reports.exit_status(run)
        if run.stopped_by:
            self.complain(f"the database went away: {run.stopped_by}", status)
        return status


def _this_one(number: PuzzleNumber) -> list[Wanted]:
    found = sources.wanted_anew(number)
    if found is None:
        raise CommandError(f"puzzle {number} has no photo source on the web", returncode=Exit.USAGE)
    return [found]


def with_a_bar(ahead: Sequence[Wanted]) -> Iterable[Wanted]:
    """A progress bar on standard error, only where a person looks."""
    is_watched = sys.stderr.isatty() and len(ahead) >= _WORTH_A_BAR
    return tqdm(ahead, unit="photo", disable=not is_watched)
