"""What an operator should know about the bank before players find out. Pure.

Every finding says whether it lies ahead, where the planner can mend it, or behind, where it stays.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from costcodle.bank_rows import size_in
from costcodle.days import PuzzleNumber, day_of
from costcodle.game.money import dollars
from costcodle.game.rules import Cents, winning_range

ENOUGH_DAYS: Final = 60
"""A bank with fewer days left wants attention."""
NEIGHBOUR_DAYS: Final = 14
"""How far apart two items are still neighbours."""
LIKENESS_PERCENT: Final = 60
"""The share of their words, sizes aside, that two items that look alike have in common."""

_DOLLAR: Final = 100
_WORD = re.compile(r"[^\W_]+")
_UNREAD = re.compile("['\u2019\u00ae\u2122]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One puzzle of the bank, as far as a report needs it."""

    number: PuzzleNumber
    name: str
    size: str
    price: Cents
    photo_source: str
    photo_ready: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something about these days; of a gap the first and the last.

    It is ahead when one of its days has not begun (of a gap: has not ended).
    """

    numbers: tuple[PuzzleNumber, ...]
    words: str
    ahead: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BankReport:
    """The whole bank at a glance. Findings begin with the nearest day ahead, then go back."""

    today: PuzzleNumber
    items: int
    last: PuzzleNumber | None
    days_left: int
    gaps: list[Finding]
    look_alikes: list[Finding]
    repeats: list[Finding]
    no_photo: list[Finding]
    no_size: list[Finding]
    no_whole_dollar: list[Finding]

    @property
    def wants_attention(self) -> bool:
        """Whether the bank ends soon or has a gap ahead."""
        return self.days_left < ENOUGH_DAYS or any(gap.ahead for gap in self.gaps)


SECTIONS: Final = {
    "gaps": "days without an item",
    "look_alikes": f"items that look alike within {NEIGHBOUR_DAYS} days",
    "repeats": "items or photo sources that come more than once",
    "no_photo": "items without a photo",
    "no_size": "items without a size",
    "no_whole_dollar": "items that no whole-dollar guess can win",
}
"""The lists of a report, each with what it holds in words, the most urgent first."""


def findings(report: BankReport, section: str) -> list[Finding]:
    """The list of one of the `SECTIONS`."""
    found: list[Finding] = getattr(report, section)
    return found


def days_left(numbers: Iterable[int], today: PuzzleNumber) -> int:
    """How many days after today have a puzzle before the first gap; 0 if today has none.

    `numbers` are those of the puzzles from today on, rising; it reads no further than it must.
    """
    left = -1
    for expected, number in enumerate(numbers, start=today):
        if number != expected:
            break
        left += 1
    return max(left, 0)


def report_on(entries: Sequence[Entry], *, today: PuzzleNumber) -> BankReport:
    """The report on a bank, whose entries are in the order of their numbers."""

    def each(words: Callable[[Entry], str | None]) -> list[Finding]:
        told = [((entry.number,), words(entry)) for entry in entries]
        return _in_order(((numbers, text) for numbers, text in told if text is not None), today)

    ahead = (entry.number for entry in entries if entry.number >= today)
    return BankReport(
        today=today,
        items=len(entries),
        last=entries[-1].number if entries else None,
        days_left=days_left(ahead, today),
        gaps=_gaps([entry.number for entry in entries], today),
        look_alikes=_in_order(_look_alikes(entries), today),
        repeats=_in_order(_repeats(entries), today),
        no_photo=each(lambda entry: None if entry.photo_ready else entry.name),
        no_size=each(lambda entry: None if entry.size else entry.name),
        no_whole_dollar=each(_without_whole_dollar),
    )


def has_whole_dollar_winner(price: Cents) -> bool:
    """Whether some guess of whole dollars, from $1 on, is within the winning range."""
    least, most = winning_range(price)
    return most // _DOLLAR * _DOLLAR >= max(least, _DOLLAR)


def words_of(name: str) -> frozenset[str]:
    """The words of a name without its size, in lower case and without accents and marks."""
    size = size_in(name)
    plain = unicodedata.normalize("NFKD", _UNREAD.sub("", name.removesuffix(size)))
    letters = "".join(sign for sign in plain if not unicodedata.combining(sign))
    return frozenset(_WORD.findall(letters.casefold()))


_Told = tuple[tuple[PuzzleNumber, ...], str]


def _gaps(numbers: list[PuzzleNumber], today: PuzzleNumber) -> list[Finding]:
    """The runs of absent days between the first and the last; one over today is two."""
    gaps: list[tuple[PuzzleNumber, PuzzleNumber]] = []
    for before, after in pairwise(numbers):
        first, last = PuzzleNumber(before + 1), PuzzleNumber(after - 1)
        if first < today <= last:
            gaps.append((first, PuzzleNumber(today - 1)))
            first = today
        if first <= last:
            gaps.append((first, last))
    told = ((gap, _extent(*gap)) for gap in gaps)
    return _in_order(told, PuzzleNumber(today - 1))


def _extent(first: PuzzleNumber, last: PuzzleNumber) -> str:
    if first == last:
        return f"1 day, {day_of(first)}"
    return f"{last - first + 1} days, from {day_of(first)} to {day_of(last)}"


def _look_alikes(entries: Sequence[Entry]) -> Iterator[_Told]:
    """Pairs of neighbours alone are compared, so the work grows with the bank and no faster."""
    words = [words_of(entry.name) for entry in entries]
    for place, entry in enumerate(entries):
        for other in range(place + 1, min(place + NEIGHBOUR_DAYS + 1, len(entries))):
            neighbour = entries[other]
            if neighbour.number - entry.number > NEIGHBOUR_DAYS:
                break
            if _are_alike(words[place], words[other]):
                yield (entry.number, neighbour.number), f"{entry.name} / {neighbour.name}"


def _are_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) * 100 >= LIKENESS_PERCENT * max(len(one | other), 1)


def _repeats(entries: Sequence[Entry]) -> Iterator[_Told]:
    """The same words and size anywhere, or the same photo source."""
    same: dict[tuple[object, ...], list[Entry]] = defaultdict(list)
    for entry in entries:
        same["item", words_of(entry.name), " ".join(entry.size.casefold().split())].append(entry)
        if entry.photo_source:
            same["photo source", entry.photo_source].append(entry)
    repeated: dict[tuple[PuzzleNumber, ...], list[str]] = defaultdict(list)
    names = {entry.number: entry.name for entry in entries}
    for (what, *_), group in same.items():
        repeated[tuple(entry.number for entry in group)].append(str(what))
    for numbers, what_repeats in repeated.items():
        if len(numbers) > 1:
            yield numbers, f"same {' and '.join(what_repeats)}: {names[numbers[0]]}"


def _without_whole_dollar(entry: Entry) -> str | None:
    if has_whole_dollar_winner(entry.price):
        return None
    least, most = winning_range(entry.price)
    return f"{entry.name}: {dollars(entry.price)}, won from {dollars(least)} to {dollars(most)}"


def _in_order(told: Iterable[_Told], today: PuzzleNumber) -> list[Finding]:
    """Findings with the nearest day after `today` first; those without one, newest first."""

    def place(finding: Finding) -> tuple[bool, int]:
        ahead = [number for number in finding.numbers if number > today]
        return not ahead, min(ahead, default=-max(finding.numbers))

    found = [
        Finding(numbers=numbers, words=words, ahead=max(numbers) > today) for numbers, words in told
    ]
    return sorted(found, key=place)
