"""What a day's results add up to."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Count

from costcodle.days import PuzzleNumber
from costcodle.game.rules import MOST_GUESSES
from results.domain import Distribution, GameOutcome
from results.models import DailyResult


def distribution(number: PuzzleNumber) -> Distribution:
    """The distribution of every result that is recorded for a puzzle, in one query."""
    counted = (
        DailyResult.objects.filter(puzzle_id=number)
        .order_by()
        .values_list("outcome", "guesses_used")
        .annotate(games=Count("*"))
    )
    return add_up(counted)


def add_up(counted: Iterable[tuple[Any, ...]]) -> Distribution:
    """The distribution that counts add up to; each is (outcome, guesses used, games)."""
    won, lost = [0] * MOST_GUESSES, 0
    for outcome, guesses_used, games in counted:
        if outcome == GameOutcome.WON:
            won[guesses_used - 1] += games
        else:
            lost += games
    return Distribution(won=tuple(won), lost=lost)
