"""What a page of a catch-up costs early and late, and what a rerun costs, as ratios.

Run by `make bench`. Both sides of a ratio come from one run: medians, with the quartiles' spread.
"""

import os
import statistics
import sys
import tempfile
from pathlib import Path

import django
from django.core.management import call_command

BLOCK = 100
PAGES = 1100


def ratio(name: str, dividend: list[float], divisor: list[float]) -> str:
    """One line: the medians' ratio, and both spreads (the quartiles' distance by the median)."""
    spreads = " and ".join(f"{spread(values):.0%}" for values in (dividend, divisor))
    value = statistics.median(dividend) / statistics.median(divisor)
    return f"{name}: {value:.2f} (spread {spreads})\n"


def spread(values: list[float]) -> float:
    low, _, high = statistics.quantiles(values, n=4)
    return (high - low) / statistics.median(values)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ENVIRONMENT"] = "test"
        os.environ["CLOCK_FIXED"] = "2026-10-16T00:10:00Z"
        os.environ["DATABASE_URL"] = os.environ.get(
            "BENCH_DATABASE_URL", f"sqlite:///{Path(folder) / 'bench.sqlite3'}"
        )
        os.environ["DJANGO_SETTINGS_MODULE"] = "costcodle.settings"
        django.setup()
        call_command("migrate", verbosity=0)
        measure()


def measure() -> None:
    from answers import publisher  # noqa: PLC0415 - Django must be set up first
    from costcodle import clock  # noqa: PLC0415 - the same
    from tests.factories import make_puzzles  # noqa: PLC0415 - the same

    make_puzzles(1, PAGES)
    early = [item.seconds for item in publisher.publish_due(most=BLOCK).items]
    late = [item.seconds for item in publisher.publish_due().items][-BLOCK:]
    reruns = []
    for _ in range(20):
        elapsed = clock.stopwatch()
        publisher.publish_due()
        reruns.append(elapsed())
    sys.stdout.write(ratio("a page behind 1,000 others by one of the first 100", late, early))
    sys.stdout.write(ratio("a rerun over 1,100 pages by one page's publication", reruns, late))


if __name__ == "__main__":
    main()
