"""What the admin shows of publication, and which of its pages an operator can act from.

Rows are read and never written from here; answers/office/views.py has the pages that act.
"""

from datetime import timedelta
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.models import LogEntry
from django.contrib.admin.utils import quote
from django.db.models import DateTimeField, Model, QuerySet, Value
from django.http import HttpRequest
from django.urls import URLPattern, path, reverse
from django.utils.safestring import SafeString

from answers.domain import ItemState, Kind, lease_key, number_of
from answers.models import AnswerPost, JobLease, PublicationItem, PublicationLog
from answers.office import last_night, night_page, views, words
from answers.office.actions import CORRECT, PUBLISH, REINSTATE, WITHDRAW
from answers.office.buttons import PublicationAdmin, Ways
from answers.office.filters import HeldFilter, KindFilter, OutcomeFilter, PublicFilter, StateFilter
from costcodle import days, http, inspection
from costcodle.days import PuzzleNumber
from costcodle.game.money import dollars
from costcodle.game.rules import Cents
from costcodle.inspection import ReadOnlyAdmin
from costcodle.models import SiteState


@admin.register(JobLease)
class JobLeaseAdmin(PublicationAdmin):
    """Who may publish which puzzle, for how long."""

    list_display = ("key", "holder", "run", "fence", "standing", "ways")
    fields = ("key", "holder", "run", "fence", "standing", "expires_at", "updated_at", "ways")
    list_filter = (HeldFilter,)
    search_fields = ("key", "owner_id")
    search_help_text = "A puzzle's number, an owner's label or a run."
    ordering = ("-expires_at", "key")
    number_field = "key"

    def key_of(self, number: int) -> object:
        """The lease of a puzzle."""
        return lease_key(PuzzleNumber(number))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Model]:
        """Every row beside the instant of the request, by the database's clock."""
        now = Value(http.instant(request), output_field=DateTimeField())
        return super().get_queryset(request).annotate(seen_at=now)  # type: ignore[no-any-return] # Django's annotate

    def get_urls(self) -> list[URLPattern]:
        """And the page that breaks a lease."""
        view = self.admin_site.admin_view(views.break_view(self))
        broken = path("<path:object_id>/break/", view, name="answers_joblease_break")
        return [broken, *super().get_urls()]

    def ways_from(self, row: Any) -> Ways:  # noqa: ANN401 - a lease, with the instant of the request
        """A lease that is held can be broken."""
        if not last_night.term_of(row, row.seen_at).is_held:
            return []
        return [(self.address("break", quote(row.pk)), "Break the lease")]

    @admin.display(description="Holder")
    def holder(self, lease: JobLease) -> str:
        """The label of whoever took it last."""
        return words.signature(lease.owner_id).label

    @admin.display(description="Run")
    def run(self, lease: JobLease) -> str:
        """The run's random id."""
        return words.signature(lease.owner_id).run

    @admin.display(description="Now", ordering="expires_at")
    def standing(self, lease: Any) -> str:  # noqa: ANN401 - a lease, with the instant of the request
        """Held or free, and for how many seconds more."""
        term = last_night.term_of(lease, lease.seen_at)
        return f"held, {term.left.total_seconds():.0f} s left" if term.is_held else "free"

    @admin.display(description="See also")
    def ways(self, lease: JobLease) -> SafeString:
        """Everything else about its puzzle."""
        number = number_of(lease.key)
        return inspection.ways(number, "lease") if number else SafeString()


@admin.register(PublicationItem)
class PublicationItemAdmin(PublicationAdmin):
    """The ledger: how far each puzzle's publication is, and how its last attempt ended."""

    actions = ("retry",)
    puzzle_actions = (PUBLISH,)
    list_display = ("puzzle", "standing", "due", "last", "last_error", "attempts", "ways")
    fields = (
        "puzzle", "standing", "due", "last", "last_error", "attempts", "fence", "updated_at",
        "ways",
    )  # fmt: skip
    list_select_related = ("puzzle",)
    list_filter = (StateFilter, OutcomeFilter)
    search_fields = ("puzzle__name", "last_error")
    search_help_text = "A puzzle's number, or words of its name or its error."
    ordering = ("-puzzle_id",)
    number_field = "puzzle_id"

    def get_urls(self) -> list[URLPattern]:
        """And the page that publishes what is due."""
        view = self.admin_site.admin_view(views.publish_due_view(self))
        due = path("publish-due/", view, name="answers_publicationitem_publish_due")
        return [due, *super().get_urls()]

    def ways_from_all(self) -> Ways:
        """A run over what is due."""
        return [(self.address("publish_due"), "Publish what is due")]

    @admin.action(description="Try these again now", permissions=["operate"])
    def retry(self, request: HttpRequest, rows: QuerySet[PublicationItem]) -> None:
        """A run over each of the selected puzzles, a few at a time."""
        numbers = [PuzzleNumber(number) for number in rows.values_list("puzzle_id", flat=True)]
        for told in views.retry(request, sorted(numbers)):
            messages.add_message(request, told.level, told.text)

    @admin.display(description="State", ordering="state")
    def standing(self, item: PublicationItem) -> str:
        """The state in words."""
        return f"{item.state}: {words.STATES.get(ItemState(item.state))}"

    @admin.display(description="Due", ordering="due_at")
    def due(self, item: PublicationItem) -> str:
        """When its first publication is due."""
        return inspection.when(item.due_at)

    @admin.display(description="Last attempt", ordering="last_outcome")
    def last(self, item: PublicationItem) -> str:
        """How the last attempt ended, in words."""
        outcome = item.last_outcome
        return f"{outcome}: {words.outcome(outcome)}" if outcome else "none has ended yet"

    @admin.display(description="See also")
    def ways(self, item: PublicationItem) -> SafeString:
        """Everything else about its puzzle."""
        return inspection.ways(item.puzzle_id, "item")


@admin.register(AnswerPost)
class AnswerPostAdmin(PublicationAdmin):
    """The answer pages, public and withdrawn."""

    list_display = (
        "puzzle_id", "title", "standing", "price", "content_version", "indexable", "photo",
        "updated_at", "ways",
    )  # fmt: skip
    list_display_links = ("puzzle_id", "title")
    fields = (
        "puzzle_id", "title", "standing", "price", "body", "games", "indexable", "photo",
        "content_version", "bank_version", "commit_token", "published_at", "updated_at",
        "withdrawn_at", "public_page", "ways",
    )  # fmt: skip
    list_filter = (PublicFilter,)
    search_fields = ("title",)
    search_help_text = "A puzzle's number, or words of the title."
    ordering = ("-puzzle_id",)
    number_field = "puzzle_id"
    puzzle_actions = (WITHDRAW, REINSTATE, CORRECT)

    def ways_from(self, row: Any) -> Ways:  # noqa: ANN401 - a page
        """What can be done to a page that is public, or to one that is not."""
        actions = (REINSTATE,) if row.withdrawn_at else (CORRECT, WITHDRAW)
        return [(self.address(action.name, row.pk), action.title) for action in actions]

    @admin.display(description="State", ordering="withdrawn_at")
    def standing(self, post: AnswerPost) -> str:
        """Whether the public can read it."""
        when = inspection.when(post.withdrawn_at or post.published_at)
        return f"withdrawn since {when}" if post.withdrawn_at else f"public since {when}"

    @admin.display(description="Price", ordering="price_cents")
    def price(self, post: AnswerPost) -> str:
        """In dollars."""
        return dollars(Cents(post.price_cents))

    @admin.display(description="Public page")
    def public_page(self, post: AnswerPost) -> SafeString:
        """Where the public finds it."""
        address = reverse("answer", args=[post.puzzle_id])
        return inspection.link(address, address)

    @admin.display(description="See also")
    def ways(self, post: AnswerPost) -> SafeString:
        """Everything else about its puzzle."""
        return inspection.ways(post.puzzle_id, "page")


@admin.register(PublicationLog)
class PublicationLogAdmin(PublicationAdmin):
    """Every public change there ever was."""

    list_display = (
        "revision", "puzzle_id", "what", "at", "owner", "fence", "delay", "reason", "ways",
    )  # fmt: skip
    fields = (
        "revision", "puzzle_id", "what", "content_version", "at", "delay", "owner", "run", "fence",
        "reason", "commit_token", "indexable", "photo", "ways",
    )  # fmt: skip
    list_filter = (KindFilter,)
    date_hierarchy = "created_at"
    search_fields = ("owner_id", "reason")
    search_help_text = "A puzzle's number, an owner's label or run, or words of a reason."
    ordering = ("-revision",)
    number_field = "puzzle_id"

    def get_urls(self) -> list[URLPattern]:
        """And the page about the last night."""
        view = self.admin_site.admin_view(night_page.last_night_view(self))
        night = path("last-night/", view, name="answers_publicationlog_last_night")
        return [night, *super().get_urls()]

    @admin.display(description="When", ordering="created_at")
    def at(self, row: PublicationLog) -> str:
        """When it was done, by the database's clock."""
        return inspection.when(row.created_at)

    @admin.display(description="What", ordering="kind")
    def what(self, row: PublicationLog) -> str:
        """What happened, in words."""
        return words.KINDS[Kind(row.kind)]

    @admin.display(description="By")
    def owner(self, row: PublicationLog) -> str:
        """The label of whoever did it."""
        return words.signature(row.owner_id).label

    @admin.display(description="Run")
    def run(self, row: PublicationLog) -> str:
        """The run's random id."""
        return words.signature(row.owner_id).run

    @admin.display(description="After it was due")
    def delay(self, row: PublicationLog) -> str:
        """How long after it was due a page came."""
        late: timedelta = row.created_at - days.due_at(PuzzleNumber(row.puzzle_id))
        return words.lasting(late) if row.kind == Kind.CREATE else ""

    @admin.display(description="See also")
    def ways(self, row: PublicationLog) -> SafeString:
        """Everything else about its puzzle."""
        return inspection.ways(row.puzzle_id, "log")


@admin.register(SiteState)
class SiteStateAdmin(ReadOnlyAdmin):
    """The one row whose revision every cache key contains."""

    list_display = ("publication_revision", "bank_version", "revision_token", "updated_at")


@admin.register(LogEntry)
class LogEntryAdmin(ReadOnlyAdmin):
    """Who did what in the admin, and what came of it."""

    list_display = ("action_time", "user", "content_type", "object_repr", "said")
    fields = ("action_time", "user", "content_type", "object_id", "object_repr", "said")
    list_select_related = ("user", "content_type")
    search_fields = ("user__username", "object_repr", "change_message")

    @admin.display(description="What came of it")
    def said(self, entry: LogEntry) -> str:
        """The message, in words."""
        return entry.get_change_message()
