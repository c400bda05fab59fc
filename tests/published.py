"""Answer pages as rows, without a publisher: for tests of what a visitor sees."""

import uuid

from answers.models import AnswerPost
from costcodle import days
from costcodle.days import PuzzleNumber
from costcodle.game.rules import Cents, winning_range
from costcodle.models import Puzzle

PHOTO = f"photos/{'0a' * 16}.webp"


def built_answer(
    *,
    number: int = 1121,
    title: str = "Dark Chocolate Almonds, 20 oz",
    size: str = "20 oz",
    price_cents: int = 949,
    won: tuple[int, ...] = (0, 0, 0, 0, 0, 0),
    lost: int = 0,
    correction_note: str = "",
    photo: str = "",
    indexable: bool = False,
    withdrawn: bool = False,
) -> AnswerPost:
    low, high = winning_range(Cents(price_cents))
    due_at = days.due_at(PuzzleNumber(number))
    return AnswerPost(
        puzzle_id=number,
        content_version=1,
        commit_token=uuid.uuid4(),
        bank_version=0,
        title=title,
        price_cents=price_cents,
        photo=photo,
        indexable=indexable,
        published_at=due_at,
        updated_at=due_at,
        withdrawn_at=due_at if withdrawn else None,
        body={
            "date": days.day_of(PuzzleNumber(number)).isoformat(),
            "size": size,
            "low_cents": low,
            "high_cents": high,
            "won": list(won),
            "lost": lost,
            "correction_note": correction_note,
        },
    )


def publish(post: AnswerPost) -> None:
    Puzzle.objects.get_or_create(
        number=post.puzzle_id, defaults={"name": post.title, "price_cents": post.price_cents}
    )
    post.save(force_insert=True)


def publish_many(first: int, last: int, *, indexable: bool = False) -> None:
    numbers = range(first, last + 1)
    photo = PHOTO if indexable else ""
    Puzzle.objects.bulk_create(Puzzle(number=n, name=f"Item {n}", price_cents=949) for n in numbers)
    AnswerPost.objects.bulk_create(
        built_answer(number=n, title=f"Item {n}", photo=photo, indexable=indexable) for n in numbers
    )
