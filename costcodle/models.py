"""The question bank and the state of the site as tables: fields and constraints, nothing else."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from costcodle.days import LAST_NUMBER
from costcodle.game.rules import LEAST_CENTS, MOST_CENTS


class Puzzle(models.Model):
    """One day's item. Once its day has begun only a photo or a correction may change it."""

    number = models.PositiveIntegerField(primary_key=True)
    name = models.CharField(max_length=200)
    size = models.CharField(max_length=80, blank=True, default="", db_default="")
    price_cents = models.PositiveIntegerField()
    photo = models.CharField(max_length=200, blank=True, default="", db_default="")
    photo_ready = models.BooleanField(default=False, db_default=False)
    photo_source = models.CharField(max_length=1000, blank=True, default="", db_default="")
    correction_note = models.CharField(max_length=500, blank=True, default="", db_default="")
    bank_version = models.PositiveBigIntegerField(default=0, db_default=0)

    class Meta:
        db_table = "puzzles"
        ordering: ClassVar = ["number"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(number__gte=1, number__lte=LAST_NUMBER), name="puzzle_number_in_range"
            ),
            models.CheckConstraint(condition=~Q(name=""), name="puzzle_has_a_name"),
            models.CheckConstraint(
                condition=Q(price_cents__gte=LEAST_CENTS, price_cents__lte=MOST_CENTS),
                name="puzzle_price_in_range",
            ),
            models.CheckConstraint(
                condition=Q(photo_ready=False) | ~Q(photo=""), name="puzzle_ready_photo_is_there"
            ),
        ]

    def __str__(self) -> str:
        return f"#{self.number} {self.name}"


class SiteState(models.Model):
    """The one row (id 1) whose revision every cache key contains."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    publication_revision = models.PositiveBigIntegerField(default=0)
    revision_token = models.UUIDField()
    bank_version = models.PositiveBigIntegerField(default=0)
    updated_at = models.DateTimeField()

    class Meta:
        db_table = "site_state"
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(id=1), name="site_state_is_one_row"),
        ]

    def __str__(self) -> str:
        return f"revision {self.publication_revision}, bank {self.bank_version}"
