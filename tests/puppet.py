"""A real command in its own process that waits at a barrier: `python -m tests.puppet COMMAND …`.

It says `ready` on standard output when Django is set up, and runs the command at the next line on
standard input.
"""

import os
import sys

import django
from django.core.management import execute_from_command_line


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "costcodle.settings")
    django.setup()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    execute_from_command_line(["manage.py", *sys.argv[1:]])


if __name__ == "__main__":
    main()
