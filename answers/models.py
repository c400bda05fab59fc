"""The tables of publication (docs/protocol.md): fields and constraints, nothing else."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from answers.domain import ItemState, Kind
from costcodle.game.rules import LEAST_CENTS
from costcodle.models import Puzzle

_OPEN_STATES = (ItemState.PENDING, ItemState.PROCESSING, ItemState.FAILED)


class JobLease(models.Model):
    """Who may do a job, and under which fence. Never deleted: the fence would start again."""

    key = models.CharField(max_length=100, primary_key=True)
    owner_id = models.CharField(max_length=100)
    fence = models.PositiveBigIntegerField()
    expires_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        db_table = "job_leases"
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(fence__gte=1), name="job_lease_has_a_fence"),
        ]

    def __str__(self) -> str:
        return f"{self.key} fence {self.fence}"


class PublicationItem(models.Model):
    """The ledger: how far the publication of one puzzle is, and how its last attempt ended."""

    puzzle = models.OneToOneField(Puzzle, on_delete=models.PROTECT, primary_key=True)
    state = models.CharField(max_length=10, default=ItemState.PENDING)
    fence = models.PositiveBigIntegerField(default=0, db_default=0)
    attempts = models.PositiveIntegerField(default=0, db_default=0)
    last_outcome = models.CharField(max_length=10, blank=True, default="", db_default="")
    last_error = models.CharField(max_length=500, blank=True, default="", db_default="")
    due_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        db_table = "publication_items"
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(state__in=list(ItemState)), name="publication_item_state_is_known"
            ),
            models.CheckConstraint(
                condition=Q(state=ItemState.PENDING) | Q(fence__gte=1),
                name="publication_item_beyond_pending_has_a_fence",
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["attempts", "puzzle"],
                condition=Q(state__in=_OPEN_STATES),
                name="publication_item_open",
            ),
        ]

    def __str__(self) -> str:
        return f"#{self.puzzle_id} {self.state}"


class AnswerPost(models.Model):
    """One answer page: facts, never markup. It exists from its first publication on."""

    puzzle = models.OneToOneField(Puzzle, on_delete=models.PROTECT, primary_key=True)
    content_version = models.PositiveIntegerField()
    commit_token = models.UUIDField(unique=True)
    bank_version = models.PositiveBigIntegerField()
    title = models.CharField(max_length=250)
    body = models.JSONField()
    price_cents = models.PositiveIntegerField()
    games = models.PositiveIntegerField(default=0, db_default=0)
    indexable = models.BooleanField(default=False)
    photo = models.CharField(max_length=200, blank=True, default="", db_default="")
    published_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "answer_posts"
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(content_version__gte=1), name="answer_post_counts_from_one"
            ),
            models.CheckConstraint(
                condition=Q(price_cents__gte=LEAST_CENTS), name="answer_post_has_a_price"
            ),
            models.CheckConstraint(
                condition=Q(indexable=False) | ~Q(photo=""), name="answer_post_indexable_has_photo"
            ),
        ]

    def __str__(self) -> str:
        return f"#{self.puzzle_id} version {self.content_version}"


class PublicationLog(models.Model):
    """Append-only: one row for each step of the publication revision.

    `indexable` and `photo` are the page's after the step, so that an audit can see that neither
    was ever taken away; `reason` is the operator's, and is shown nowhere in public.
    """

    revision = models.PositiveBigIntegerField(primary_key=True)
    puzzle = models.ForeignKey(Puzzle, on_delete=models.PROTECT, db_index=False)
    kind = models.CharField(max_length=9)
    content_version = models.PositiveIntegerField()
    commit_token = models.UUIDField(unique=True)
    owner_id = models.CharField(max_length=100)
    fence = models.PositiveBigIntegerField()
    created_at = models.DateTimeField()
    indexable = models.BooleanField(default=False, db_default=False)
    photo = models.CharField(max_length=200, blank=True, default="", db_default="")
    reason = models.CharField(max_length=500, blank=True, default="", db_default="")

    class Meta:
        db_table = "publication_log"
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(kind__in=list(Kind)), name="publication_log_kind_is_known"
            ),
            models.CheckConstraint(
                condition=Q(kind=Kind.CREATE, content_version=1)
                | (~Q(kind=Kind.CREATE) & Q(content_version__gt=1)),
                name="publication_log_starts_with_create",
            ),
            models.UniqueConstraint(
                fields=["puzzle", "content_version"], name="publication_log_once_a_version"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.revision} {self.kind} #{self.puzzle_id}"
