"""Ways into a long list without a query string: by month, and by number. Pure.

A way leads to a page of the list; the view knows its address.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby

from costcodle import days
from costcodle.days import PuzzleNumber


@dataclass(frozen=True, slots=True, kw_only=True)
class Month:
    """The newest answer of a month and its page; `first` is the month's first day."""

    first: date
    page: int
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Year:
    """The months of a year that have an answer, in their order."""

    year: int
    months: tuple[Month, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """What stands on one page: from its newest answer down to its oldest."""

    newest: int
    oldest: int
    page: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Jumps:
    """Every way in, newest first: years with their months, and the pages by number."""

    years: tuple[Year, ...]
    ranges: tuple[Range, ...]


def of(numbers: Sequence[int], *, a_page: int) -> Jumps:
    """The ways into a list of these numbers, newest first, with `a_page` of them on each page."""
    months = groupby(_months(numbers, a_page), key=lambda month: month.first.year)
    return Jumps(
        years=tuple(Year(year=year, months=tuple(found)[::-1]) for year, found in months),
        ranges=tuple(_ranges(numbers, a_page)),
    )


def _months(numbers: Sequence[int], a_page: int) -> Iterator[Month]:
    known = None
    for place, number in enumerate(numbers):
        first = days.day_of(PuzzleNumber(number)).replace(day=1)
        if first != known:
            known = first
            yield Month(first=first, page=place // a_page + 1, number=number)


def _ranges(numbers: Sequence[int], a_page: int) -> Iterator[Range]:
    for start in range(0, len(numbers), a_page):
        shown = numbers[start : start + a_page]
        yield Range(newest=shown[0], oldest=shown[-1], page=start // a_page + 1)
