"""The admin of the question bank: the planner's list and pages, the report; and of the accounts."""

from typing import TYPE_CHECKING, Any, ClassVar, Final

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.core.files.storage import default_storage
from django.db.models import Case, ExpressionWrapper, F, IntegerField, Model, Q, QuerySet, When
from django.db.models.expressions import Combinable
from django.db.models.functions import Abs
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.html import format_html

from costcodle import days, http, planner
from costcodle.bank_reading import bank_report
from costcodle.bank_report import ENOUGH_DAYS, SECTIONS, findings
from costcodle.days import PuzzleNumber
from costcodle.game.money import dollars
from costcodle.game.rules import Cents
from costcodle.inspection import ReadOnlyAdmin, WordsFilter
from costcodle.models import Puzzle

MOST_SHOWN: Final = 50
_CHANGES: Final = {
    "swap": planner.change_view("swap", planner.swap, "The two days have traded their items."),
    "replace": planner.change_view("replace", planner.replace, "The item was replaced."),
    "fix": planner.change_view("fix", planner.fix, "The item was mended."),
    "photo": planner.change_view(
        "photo", planner.upload, "The photo was taken in and is shown from now on."
    ),
}


if TYPE_CHECKING:
    Accounts = UserAdmin[User]
else:
    Accounts = UserAdmin  # Django's own is not generic


def today(request: HttpRequest) -> PuzzleNumber:
    """The puzzle of a request's UTC day, by the database's clock."""
    return days.today(http.instant(request))


class DayFilter(WordsFilter):
    """Puzzles that can be planned, or those that have started."""

    title, parameter_name = "day", "day"
    words: ClassVar = {"future": "future", "started": "started"}

    def chosen(self, queryset: QuerySet[Model], value: str) -> QuerySet[Model]:
        """Those of the days ahead, or the others, by the database's clock."""
        ahead = Q(number__gt=today(self.request))
        return queryset.filter(ahead if value == "future" else ~ahead)


class PhotoFilter(WordsFilter):
    """Puzzles without a photo, or with one."""

    title, parameter_name = "photo", "photo"
    words: ClassVar = {"none": "no photo", "ready": "photo ready"}

    def chosen(self, queryset: QuerySet[Model], value: str) -> QuerySet[Model]:
        """Without or with a ready photo."""
        return queryset.filter(photo_ready=value == "ready")


@admin.register(Puzzle)
class PuzzleAdmin(ReadOnlyAdmin):
    """The planner: what comes on which day, and the forms that change a day ahead."""

    list_display = ("number", "date", "name", "size", "price", "photo_state", "state")
    list_display_links = ("number", "name")
    list_filter = (DayFilter, PhotoFilter)
    list_per_page = 60
    search_fields = ("name",)
    number_field = "number"
    search_help_text = "A number, or words of a name."
    fields = (
        *("number", "date", "state", "name", "size", "price", "photo_shown", "photo_source"),
        *("correction_note", "bank_version"),
    )

    class Media:
        """The planner's own style."""

        css: ClassVar = {"all": ["costcodle/admin.css"]}

    def get_urls(self) -> list[URLPattern]:
        """Django's routes, and before them one for each change, for a new item, for the report."""
        routes = [(f"<number:number>/{name}/", view, name) for name, view in _CHANGES.items()]
        routes += [("new/", self.new_view, "new"), ("report/", self.report_view, "report")]
        ours = [
            path(route, self.admin_site.admin_view(view), name=f"costcodle_puzzle_{name}")
            for route, view, name in routes
        ]
        return [*ours, *super().get_urls()]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Model]:
        """Puzzles that know how many days ahead they are; 0 is today, below 0 is over."""
        days_ahead = ExpressionWrapper(F("number") - today(request), output_field=IntegerField())
        puzzles: QuerySet[Model] = super().get_queryset(request).annotate(days_ahead=days_ahead)
        return puzzles

    def get_ordering(self, request: HttpRequest) -> list[str | Combinable]:
        """From today on, the nearest first; then what is over, the latest first."""
        over = Case(When(number__lt=today(request), then=1), default=0)
        return [over, Abs(F("number") - today(request))]

    @admin.display(ordering="number", description="date (UTC)")
    def date(self, puzzle: Puzzle) -> str:
        """The puzzle's day."""
        return f"{days.day_of(PuzzleNumber(puzzle.number)):%Y-%m-%d %a}"

    @admin.display(ordering="price_cents")
    def price(self, puzzle: Puzzle) -> str:
        """The price in dollars."""
        return dollars(Cents(puzzle.price_cents))

    @admin.display(description="photo", ordering="photo_ready")
    def photo_state(self, puzzle: Puzzle) -> str:
        """Whether there is a photo."""
        if puzzle.photo_ready:
            return "ready"
        return "not fetched" if puzzle.photo_source else "none"

    @admin.display(description="photo")
    def photo_shown(self, puzzle: Puzzle) -> str:
        """The photo itself, once there is one."""
        if not puzzle.photo_ready:
            return self.photo_state(puzzle)
        url = default_storage.url(puzzle.photo)
        return format_html('<img class="planner-photo" src="{}" alt="The photo">', url)

    @admin.display(ordering="number")
    def state(self, puzzle: Puzzle) -> str:
        """What the day allows, in words."""
        match getattr(puzzle, "days_ahead", 0):
            case 0:
                return "today: started and locked"
            case 1:
                return "planned for tomorrow"
            case int(ahead) if ahead > 0:
                return f"planned, in {ahead} days"
        return "started and locked"

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The list, with the ways to a new item and to the report."""
        ours = {"may_plan": planner.may_plan(request), "title": "Planner"}
        return super().changelist_view(request, {**ours, **(extra_context or {})})

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """A puzzle's facts, and what its day allows to be changed."""
        ours = {"may_plan": planner.may_plan(request)}
        return super().change_view(request, object_id, form_url, {**ours, **(extra_context or {})})

    def new_view(self, request: HttpRequest) -> HttpResponse:
        """The form for a day ahead without an item (GET), and its adding (POST)."""
        if not planner.may_plan(request):
            raise PermissionDenied
        if request.method == "POST":
            return planner.go_on_after_adding(request)
        context = {"title": "New item", "day": request.GET.get("day", "")}
        return self._page(request, "new", context)

    def report_view(self, request: HttpRequest) -> HttpResponse:
        """How long the bank lasts, and what in it wants mending."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        report = bank_report(http.instant(request))
        sections = [
            {"name": name, "title": title, "findings": findings(report, name)}
            for name, title in SECTIONS.items()
        ]
        context = {"title": "Bank report", "report": report, "sections": sections}
        limits = {"most": MOST_SHOWN, "enough": ENOUGH_DAYS, "may_plan": planner.may_plan(request)}
        return self._page(request, "report", {**context, **limits})

    def _page(self, request: HttpRequest, name: str, context: dict[str, Any]) -> HttpResponse:
        site = self.admin_site.each_context(request)
        whole = {**site, "opts": self.opts, "media": self.media, **context}
        return TemplateResponse(request, f"admin/costcodle/puzzle/{name}.html", whole)


admin.site.site_title = admin.site.site_header = "Costcodle"
admin.site.unregister(User)


@admin.register(User)
class AccountAdmin(Accounts):
    """Accounts are switched off, not deleted: with one goes the history of what its person did."""

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002 - Django's signature
        """Nobody deletes an account."""
        return False
