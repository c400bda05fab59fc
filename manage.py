#!/usr/bin/env python3
"""The one entry to every command of the site."""

import importlib
import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line


def main() -> None:
    """Run a management command; a wrong setting ends in one line that names it (exit status 2)."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "costcodle.settings")
    try:
        importlib.import_module("costcodle.settings")
    except ImproperlyConfigured as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(2)
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
