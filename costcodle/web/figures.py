"""The figures that stand in the tables, read when somebody asks: a command is never scraped.

Every one is exact at the moment of its query, the same whichever process answers, and needs no
more queries when the archive grows.
"""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Final

from django.db import Error as DatabaseFault
from django.db.models import Count, Max, Sum
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from answers.domain import ItemState, Kind, Outcome
from answers.edge import revision
from answers.edge.revision import Reading, UnreadableError
from answers.models import AnswerPost, JobLease, PublicationItem, PublicationLog
from answers.status import overdue
from costcodle import days
from costcodle.bank_reading import bank_days_left
from costcodle.models import Puzzle
from results.models import DailyResult

DELAYS_SECONDS: Final = (1, 5, 30, 60, 300, 600, 900, 3600, 21600, 86400)
"""Upper bounds of the histogram: the night job fires every 300 s, and 900 s late is overdue."""


class Tables(Collector):
    """A collector whose first sample says whether the database could be read; if not, the only."""

    def collect(self) -> Iterator[Metric]:
        """One state of the tables, or that there is none to be had."""
        try:
            reading = revision.read()
            figures = [*_publication(reading), *_game(reading.now)]
        except (DatabaseFault, UnreadableError):
            figures = []
        yield _gauge("up", "Whether the database could be read: 1 or 0.", int(bool(figures)))
        yield from figures


def _publication(reading: Reading) -> Iterator[Metric]:
    states, outcomes = Counter[str](), Counter[str]()
    rows = PublicationItem.objects.values_list("state", "last_outcome").annotate(Count("pk"))
    for state, outcome, number in rows:
        states[state] += number
        outcomes[outcome] += number
    yield _labelled("items", "Items of the ledger by state.", "state", ItemState, states)
    yield _labelled(
        "items_last_outcome", "Items by how the last attempt ended.", "outcome", Outcome, outcomes
    )
    yield _kinds()
    yield _delays()
    generation, now = reading.generation, reading.now
    yield _gauge("publication_revision", "The publication revision.", generation.revision)
    yield _gauge("bank_version", "The bank's version.", generation.bank_version)
    yield _gauge("overdue_answers", "Answers due for over 15 minutes.", len(overdue(now)))
    held = JobLease.objects.filter(expires_at__gt=now).count()
    yield _gauge("leases_held", "Leases that have neither expired nor been released.", held)


def _game(now: datetime) -> Iterator[Metric]:
    yield _gauge("bank_days_left", "Days after today before the first gap.", bank_days_left(now))
    total = CounterMetricFamily("costcodle_results_recorded", "Finished games recorded.")
    total.add_metric([], _results(now))
    yield total


def _results(now: datetime) -> int:
    """The published ones from their pages, which count every one; the others by their last slot."""
    published = AnswerPost.objects.aggregate(games=Sum("games"))["games"] or 0
    waiting = Puzzle.objects.filter(number__lte=days.today(now), answerpost=None)
    slots = DailyResult.objects.filter(puzzle_id__in=waiting.values("number")).values("puzzle")
    return int(published) + sum(int(row["last"]) for row in slots.annotate(last=Max("slot")))


def _kinds() -> Metric:
    rows = PublicationLog.objects.values_list("kind").annotate(Count("revision"))
    numbers = Counter(dict(rows))
    family = CounterMetricFamily(
        "costcodle_publication_log", "Rows of the publication log.", labels=["kind"]
    )
    for kind in Kind:
        family.add_metric([kind], numbers[kind])
    return family


def _delays() -> Metric:
    """How late each page came: from the moment its answer was due to its row in the log."""
    rows = PublicationLog.objects.filter(kind=Kind.CREATE).values_list(
        "created_at", "puzzle__publicationitem__due_at"
    )
    seconds = [(created - due).total_seconds() for created, due in rows if due]
    family = HistogramMetricFamily(
        "costcodle_due_to_published_seconds", "From due to published, page by page."
    )
    bounds = [float(bound) for bound in DELAYS_SECONDS]
    buckets = [(str(bound), sum(each <= bound for each in seconds)) for bound in bounds]
    family.add_metric([], [*buckets, ("+Inf", len(seconds))], sum(seconds))
    return family


def _labelled(
    name: str,
    text: str,
    label: str,
    known: type[ItemState] | type[Outcome],
    numbers: Counter[str],
) -> Metric:
    family = GaugeMetricFamily(f"costcodle_{name}", text, labels=[label])
    for value in known:
        family.add_metric([value], numbers[value])
    return family


def _gauge(name: str, text: str, value: int) -> Metric:
    return GaugeMetricFamily(f"costcodle_{name}", text, value=value)
