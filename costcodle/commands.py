"""What every command of the site has in common: `--json`, one-line errors, exit statuses."""

import contextlib
import json
import sys
from argparse import ArgumentTypeError
from enum import IntEnum
from typing import Any, NoReturn

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.serializers.json import DjangoJSONEncoder
from django.db import DatabaseError, InterfaceError

from costcodle import logs
from costcodle.days import LAST_NUMBER, PuzzleNumber, is_number
from costcodle.models import SiteState


class Exit(IntEnum):
    """Exit statuses, with the meaning that `interface.md` gives them."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    ATTENTION = 3
    TEMPORARY = 75


def puzzle_number(text: str) -> PuzzleNumber:
    """A puzzle number as an argument. Raises `ArgumentTypeError` for anything else."""
    if not (text.isascii() and text.isdecimal() and is_number(int(text[:9]))):
        raise ArgumentTypeError(f"{text[:20]!r} is no puzzle number (1 to {LAST_NUMBER})")
    return PuzzleNumber(int(text[:9]))


def count(text: str) -> int:
    """A whole number from 1 on as an argument. Raises `ArgumentTypeError` for anything else."""
    if not (text.isascii() and text.isdecimal() and int(text[:9])):
        raise ArgumentTypeError(f"{text[:20]!r} is no whole number from 1 on")
    return int(text[:9])


class _OneLineParser(CommandParser):
    """A parser whose complaint is one line, on standard error, with exit status 2."""

    def error(self, message: str) -> NoReturn:
        if self.called_from_command_line:
            self.exit(Exit.USAGE, f"{self.prog}: {message}\n")
        raise CommandError(f"Error: {message}", returncode=Exit.USAGE)


class SiteCommand(BaseCommand):
    """A command whose `work` returns its exit status.

    A `CommandError` is one line on standard error with exit status 2 unless it says otherwise; a
    database that cannot be used is one line with exit status 75.
    """

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:  # noqa: ANN401 - Django's signature
        """Django's parser, with `--json` and one-line complaints."""
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        parser.__class__ = _OneLineParser
        parser.prog = subcommand
        parser.add_argument("--json", action="store_true", help="print one JSON document")
        return parser

    def handle(self, *_args: str, **options: Any) -> None:  # noqa: ANN401 - Django's signature
        """Do the work and exit with its status."""
        is_silent = options["verbosity"] == 0
        try:
            with logs.complaints_alone() if is_silent else contextlib.nullcontext():
                status = self.work(options)
        except CommandError as error:
            status = self.complain(str(error), Exit(max(error.returncode, Exit.FAILED)))
        except SiteState.DoesNotExist:
            status = self.complain(
                "site_state has lost its row: docs/operations.md says how to restore it",
                Exit.FAILED,
            )
        except (DatabaseError, InterfaceError) as error:
            first_line = (str(error).strip() or type(error).__name__).splitlines()[0]
            status = self.complain(
                f"the database cannot be used now: {first_line} "
                "(is it there and migrated? it is safe to run this again)",
                Exit.TEMPORARY,
            )
        if status:
            sys.exit(status)

    def work(self, options: dict[str, Any]) -> Exit:
        """What the command is for; the exit status."""
        raise NotImplementedError

    def complain(self, line: str, status: Exit) -> Exit:
        """Say one line on standard error and pass the status on."""
        self.stderr.write(line)
        return status

    def answer(self, options: dict[str, Any], document: object, lines: list[str]) -> None:
        """Print the document with `--json`, else the lines, unless silent."""
        if options["json"]:
            self.stdout.write(json.dumps(document, cls=DjangoJSONEncoder, ensure_ascii=False))
        elif options["verbosity"] > 0:
            for line in lines:
                self.stdout.write(line)
