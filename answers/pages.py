"""Reading published answers for views: few queries, however many answers there are.

An answer is public when its page exists and is not withdrawn. Nothing here writes.
"""

from dataclasses import dataclass, replace
from datetime import date, datetime
from enum import StrEnum
from typing import Final

from django.db.models import QuerySet

from answers import jumps
from answers.jumps import Jumps
from answers.models import AnswerPost
from costcodle import days
from costcodle.days import PuzzleNumber
from costcodle.game.rules import Cents
from costcodle.models import Puzzle
from results.domain import Distribution

ANSWERS_A_PAGE: Final = 30


class Absence(StrEnum):
    """Why there is no answer to show."""

    UNKNOWN = "unknown"
    NOT_YET = "not_yet"
    ON_ITS_WAY = "on_its_way"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A published answer as lists and links name it."""

    number: PuzzleNumber
    day: date
    title: str
    price: Cents


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPage:
    """One page of all published answers, newest first; `page` counts from 1 to `pages`.

    `jumps` lead to every other page, by month and by number.
    """

    entries: tuple[Entry, ...]
    page: int
    pages: int
    answers: int
    jumps: Jumps


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Everything that an answer page shows; a feed leaves its neighbours out."""

    number: PuzzleNumber
    day: date
    title: str
    size: str
    price: Cents
    low: Cents
    high: Cents
    results: Distribution
    photo: str
    indexable: bool
    correction_note: str
    published_at: datetime
    updated_at: datetime
    older: Entry | None = None
    newer: Entry | None = None


def latest_answer() -> Entry | None:
    """The newest published answer. One query."""
    return _first_entry(_published().order_by("-puzzle_id"))


def list_page(page: int) -> ListPage | None:
    """Page `page` of the published answers; none outside 1…pages. Two queries.

    The first page exists, empty, even while nothing is published.
    """
    numbers = list(_published().order_by("-puzzle_id").values_list("puzzle_id", flat=True))
    pages = max(1, -(-len(numbers) // ANSWERS_A_PAGE))
    if not 1 <= page <= pages:
        return None
    start = (page - 1) * ANSWERS_A_PAGE
    shown = numbers[start : start + ANSWERS_A_PAGE]
    found = _published().filter(puzzle_id__in=shown).order_by("-puzzle_id").defer("body")
    return ListPage(
        entries=tuple(_entry(post) for post in found),
        page=page,
        pages=pages,
        answers=len(numbers),
        jumps=jumps.of(numbers, a_page=ANSWERS_A_PAGE),
    )


def find_answer(number: int, now: datetime) -> Answer | Absence:
    """The published answer of puzzle `number`, or why there is none at `now`. Three queries."""
    if not days.is_number(number):
        return Absence.UNKNOWN
    post = AnswerPost.objects.filter(puzzle_id=number).first()
    if post is None:
        return _absence(PuzzleNumber(number), now)
    if post.withdrawn_at is not None:
        return Absence.WITHDRAWN
    return replace(
        _answer(post),
        older=_first_entry(_published().filter(puzzle_id__lt=number).order_by("-puzzle_id")),
        newer=_first_entry(_published().filter(puzzle_id__gt=number).order_by("puzzle_id")),
    )


def latest_answers(most: int) -> tuple[Answer, ...]:
    """The newest published answers, at most so many, without their neighbours. One query."""
    return tuple(map(_answer, _published().order_by("-puzzle_id")[:most]))


def indexable(first: int = 1, last: int = days.LAST_NUMBER) -> list[tuple[PuzzleNumber, datetime]]:
    """The published answers that search engines may index, and when each last changed.

    Oldest first, of the puzzles `first` to `last`. One query.
    """
    found = _published().filter(indexable=True, puzzle_id__gte=first, puzzle_id__lte=last)
    rows = found.order_by("puzzle_id").values_list("puzzle_id", "updated_at")
    return [(PuzzleNumber(number), updated_at) for number, updated_at in rows]


def final_results(number: int) -> Distribution | Absence:
    """The distribution on the published page of a puzzle: `WITHDRAWN`, or `UNKNOWN` for no page.

    One query.
    """
    post = AnswerPost.objects.filter(puzzle_id=number).first() if days.is_number(number) else None
    if post is None:
        return Absence.UNKNOWN
    return Absence.WITHDRAWN if post.withdrawn_at is not None else _results(post)


def _results(post: AnswerPost) -> Distribution:
    return Distribution(won=tuple(post.body["won"]), lost=post.body["lost"])


def _published() -> QuerySet[AnswerPost]:
    return AnswerPost.objects.filter(withdrawn_at=None)


def _absence(number: PuzzleNumber, now: datetime) -> Absence:
    if not Puzzle.objects.filter(number=number).exists():
        return Absence.UNKNOWN
    return Absence.NOT_YET if now < days.due_at(number) else Absence.ON_ITS_WAY


def _answer(post: AnswerPost) -> Answer:
    body = post.body
    return Answer(
        number=PuzzleNumber(post.puzzle_id),
        day=date.fromisoformat(body["date"]),
        title=post.title,
        size=body["size"],
        price=Cents(post.price_cents),
        low=Cents(body["low_cents"]),
        high=Cents(body["high_cents"]),
        results=_results(post),
        photo=post.photo,
        indexable=post.indexable,
        correction_note=body["correction_note"],
        published_at=post.published_at,
        updated_at=post.updated_at,
    )


def _first_entry(posts: QuerySet[AnswerPost]) -> Entry | None:
    post = posts.defer("body").first()
    return None if post is None else _entry(post)


def _entry(post: AnswerPost) -> Entry:
    number = PuzzleNumber(post.puzzle_id)
    price = Cents(post.price_cents)
    return Entry(number=number, day=days.day_of(number), title=post.title, price=price)
