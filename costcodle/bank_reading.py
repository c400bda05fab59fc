"""What the bank holds, each question one query."""

from datetime import datetime

from costcodle import days
from costcodle.bank_report import BankReport, Entry, days_left, report_on
from costcodle.days import PuzzleNumber
from costcodle.game.rules import Cents
from costcodle.models import Puzzle


def bank_days_left(now: datetime) -> int:
    """How many days after today have a puzzle before the first gap; 0 if today has none."""
    today = days.today(now)
    ahead = Puzzle.objects.filter(number__gte=today).order_by("number")
    return days_left(ahead.values_list("number", flat=True), today)


def bank_report(now: datetime) -> BankReport:
    """The report on the whole bank, as of the UTC day of `now`."""
    fields = ("number", "name", "size", "price_cents", "photo_source", "photo_ready")
    rows = Puzzle.objects.order_by("number").values_list(*fields)
    entries = [
        Entry(
            number=PuzzleNumber(number),
            name=name,
            size=size,
            price=Cents(price),
            photo_source=source,
            photo_ready=ready,
        )
        for number, name, size, price, source, ready in rows
    ]
    return report_on(entries, today=days.today(now))
