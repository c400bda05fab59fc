"""Gets the photos of puzzles from where the bank says that they are: one run, photo after photo.

Two runs at once are safe: a photo is attached only while the puzzle has the source that it was
fetched from, and the photo that it had then; what a slower run has fetched is thrown away.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from django.db import DatabaseError, InterfaceError
from django.db.models import Q

from costcodle import bank, clock, days
from costcodle.bank import PhotoRefusal
from costcodle.days import PuzzleNumber
from costcodle.models import Puzzle
from costcodle.photos import fetching, keeping, pictures

FROM_THE_WEB: Final = Q(photo_source__istartswith="http:") | Q(photo_source__istartswith="https:")


class Fetched(StrEnum):
    """What became of one photo."""

    READY = "ready"
    UNCHANGED = "unchanged"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A puzzle that is to get a photo from its source; `photo` is the ready one, or nothing."""

    number: PuzzleNumber
    source: str
    photo: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchReport:
    """One photo: its name where it is ready, the reason where it is not."""

    number: PuzzleNumber
    outcome: Fetched
    photo: str = ""
    detail: str = ""
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchRun:
    """One run; `stopped_by` tells why it ended early, `remaining` how many it did not take up."""

    items: list[FetchReport]
    remaining: int
    stopped_by: str = ""

    def count(self, outcome: Fetched) -> int:
        """How many photos ended so."""
        return sum(item.outcome is outcome for item in self.items)


def wanted() -> list[Wanted]:
    """The puzzles without a ready photo: today's and those to come first, then the past ones."""
    today = days.today(clock.now())
    rows = Puzzle.objects.filter(FROM_THE_WEB, photo_ready=False)
    numbered = rows.values_list("number", "photo_source")
    nearest = sorted(numbered, key=lambda row: (row[0] < today, abs(row[0] - today)))
    return [Wanted(number=PuzzleNumber(number), source=source) for number, source in nearest]


def wanted_anew(number: PuzzleNumber) -> Wanted | None:
    """One puzzle, whether it has a photo or not; None without a source that can be fetched."""
    row = Puzzle.objects.filter(FROM_THE_WEB, number=number).first()
    if row is None:
        return None
    photo = row.photo if row.photo_ready else ""
    return Wanted(number=number, source=row.photo_source, photo=photo)


def fetch_all(
    ahead: Sequence[Wanted],
    *,
    most: int | None = None,
    watch: Callable[[Sequence[Wanted]], Iterable[Wanted]] = iter,
) -> FetchRun:
    """Fetch one photo after the other until `most` are ready; `watch` sees each as it is begun.

    A photo that fails holds up no other. A database that goes away ends the run.
    """
    items: list[FetchReport] = []
    for each in watch(ahead):
        if most is not None and sum(item.outcome is Fetched.READY for item in items) >= most:
            break
        try:
            items.append(_fetch(each))
        except (DatabaseError, InterfaceError) as error:
            reason = (str(error).strip() or type(error).__name__).splitlines()[0]
            return FetchRun(items=items, remaining=len(ahead) - len(items), stopped_by=reason)
    return FetchRun(items=items, remaining=len(ahead) - len(items))


def _fetch(each: Wanted) -> FetchReport:
    elapsed = clock.stopwatch()
    photo, detail, outcome = "", "", Fetched.FAILED
    try:
        photo = _attached(each)
        outcome = Fetched.READY if photo else Fetched.UNCHANGED
    except (fetching.UnfetchableError, keeping.UnusablePhotoError) as error:
        detail = str(error)
    except OSError as error:
        detail = f"it cannot be stored: {error}"
    return FetchReport(
        number=each.number, outcome=outcome, photo=photo, detail=detail, seconds=elapsed()
    )


def _attached(each: Wanted) -> str:
    """The name of the photo that the puzzle has got, or nothing where it is not to get it.

    The file is there before the bank names it. Should the commit's fate stay unknown the file
    stays as well, since a page may show it.
    """
    content = fetching.fetch(each.source, most_bytes=pictures.MOST_BYTES)
    photo = keeping.prepared(pictures.decoded(content))
    if each.photo and keeping.is_kept(photo, each.photo):
        return ""
    name = keeping.keep(photo)
    attached = bank.attach_fetched(each.number, name, source=each.source, instead_of=each.photo)
    if isinstance(attached, PhotoRefusal):
        keeping.discard(name)
        return ""
    return name
