"""The day's shared results as a table: fields and constraints, nothing else."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from costcodle.game.rules import MOST_GUESSES
from costcodle.models import Puzzle
from results.domain import MOST_RESULTS, GameOutcome


class DailyResult(models.Model):
    """One finished daily game of one session; slots are 1…n per puzzle without gaps."""

    puzzle = models.ForeignKey(Puzzle, on_delete=models.PROTECT, db_index=False)
    session_id = models.UUIDField()
    slot = models.PositiveIntegerField()
    outcome = models.CharField(max_length=4)
    guesses_used = models.PositiveSmallIntegerField()
    created_at = models.DateTimeField()

    class Meta:
        db_table = "daily_results"
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["puzzle", "session_id"], name="daily_result_once_a_session"
            ),
            models.UniqueConstraint(fields=["puzzle", "slot"], name="daily_result_once_a_slot"),
            models.CheckConstraint(
                condition=Q(slot__gte=1, slot__lte=MOST_RESULTS), name="daily_result_slot_in_range"
            ),
            models.CheckConstraint(
                condition=Q(
                    outcome=GameOutcome.WON, guesses_used__gte=1, guesses_used__lte=MOST_GUESSES
                )
                | Q(outcome=GameOutcome.LOST, guesses_used=MOST_GUESSES),
                name="daily_result_is_a_finished_game",
            ),
        ]

    def __str__(self) -> str:
        return f"#{self.puzzle_id} slot {self.slot}: {self.outcome} with {self.guesses_used}"
