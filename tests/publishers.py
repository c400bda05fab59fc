"""`publish_answers` again and again in one process, until told to stop or for so many seconds."""

import os
import select
import sys

import django
from django.core.management import call_command


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "costcodle.settings")
    django.setup()
    from costcodle import clock  # noqa: PLC0415 - Django must be set up first

    elapsed = clock.stopwatch()
    while elapsed() < float(sys.argv[1]) and not select.select([sys.stdin], [], [], 0.01)[0]:
        try:
            call_command("publish_answers", verbosity=0)
        except SystemExit as status:
            sys.stderr.write(f"exit {status.code}\n")


if __name__ == "__main__":
    main()
