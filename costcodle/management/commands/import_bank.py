"""`import_bank FILE`: load a bank file, whole or not at all."""

import dataclasses
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from costcodle.bank import LoadReport, load_items
from costcodle.bank_files import BadBankError, BadRow, UnusableFileError, read_bank
from costcodle.commands import Exit, SiteCommand

MOST_ROWS_NAMED = 50


class Command(SiteCommand):
    """Adds what is absent; never changes a puzzle that has started."""

    help = "Load a question bank (docs/bank.md): the original game's JSON, or our own JSON or CSV."

    def add_arguments(self, parser: CommandParser) -> None:
        """The file, and how far the load may go."""
        parser.add_argument("file", metavar="FILE")
        parser.add_argument(
            "--dry-run", action="store_true", help="say what it would do, do nothing"
        )
        parser.add_argument(
            "--replace-future",
            action="store_true",
            help="overwrite puzzles that differ from the file and have not started",
        )

    def work(self, options: dict[str, Any]) -> Exit:
        """Read the file, then load it."""
        try:
            items = read_bank(Path(options["file"]))
        except UnusableFileError as error:
            raise CommandError(f"{options['file']} {error}", returncode=Exit.USAGE) from None
        except BadBankError as error:
            return self._refuse(options, error.rows)
        dry_run = options["dry_run"]
        report = load_items(items, replace_future=options["replace_future"], dry_run=dry_run)
        document = {"dry_run": dry_run, **dataclasses.asdict(report), "bad_rows": []}
        self.answer(options, document, [_summary(report, dry_run=dry_run)])
        return Exit.DONE

    def _refuse(self, options: dict[str, Any], rows: list[BadRow]) -> Exit:
        if options["json"]:
            bad_rows = [dataclasses.asdict(row) for row in rows]
            self.answer(options, {"dry_run": options["dry_run"], "bad_rows": bad_rows}, [])
            return Exit.FAILED
        for row in rows[:MOST_ROWS_NAMED]:
            self.stderr.write(f"{row.key}: {row.reason}")
        if len(rows) > MOST_ROWS_NAMED:
            self.stderr.write(f"and {len(rows) - MOST_ROWS_NAMED} more (--json names every one)")
        return self.complain("nothing was loaded", Exit.FAILED)


def _summary(report: LoadReport, *, dry_run: bool) -> str:
    would, add, replace = ("would ", "add", "replace") if dry_run else ("", "added", "replaced")
    return (
        f"{would}{add}={report.added} {replace}={report.replaced} unchanged={report.unchanged} "
        f"kept={report.kept_different} frozen={report.frozen_different} "
        f"bank_version={report.bank_version}"
    )
