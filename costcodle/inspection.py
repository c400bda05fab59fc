"""What the admin's pages have in common: rows that are read and never written from here.

A row that the public sees is changed by a guarded batch alone. So no model of this site has an
admin that adds, changes or deletes; what an operator may do is a view of its own over the same
functions as the commands.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, ClassVar, Final
from urllib.parse import urlencode

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from costcodle.days import is_number

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Model]
    RowPaginator = Paginator[Model]
else:
    ModelAdmin = admin.ModelAdmin  # Django's own are not generic
    RowPaginator = Paginator

MOST_COUNTED: Final = 10_000
"""How many rows a long list counts, and so how far it can be paged; what is beyond is searched."""

_MOST_DIGITS: Final = 18
"""So long a number fits every column of numbers."""

_LISTS: Final = {
    "puzzle": "costcodle_puzzle",
    "item": "answers_publicationitem",
    "page": "answers_answerpost",
    "lease": "answers_joblease",
    "log": "answers_publicationlog",
    "results": "results_dailyresult",
}
"""The lists in which a puzzle can be looked up, by what they show of it."""


class BoundedPaginator(RowPaginator):
    """Counts no further than `MOST_COUNTED`, so that a list costs the same however long it gets."""

    @cached_property
    def count(self) -> int:
        """How many rows can be paged through."""
        rows = self.object_list
        return rows[:MOST_COUNTED].count() if isinstance(rows, QuerySet) else len(rows)


class ReadOnlyAdmin(ModelAdmin):
    """Rows as they are: listed, searched and read by staff who may view them, written by nobody."""

    actions: Any = None
    list_per_page = 50
    show_full_result_count = False
    paginator = BoundedPaginator
    number_field = ""
    """The column with the puzzle's number: a search for a number alone asks it and nothing else."""

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002 - Django's signature
        """Nobody adds a row."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002 - Django's signature
        """Nobody changes a row."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002 - Django's signature
        """Nobody deletes a row."""
        return False

    def get_object(
        self, request: HttpRequest, object_id: str, from_field: str | None = None
    ) -> Model | None:
        """The row; none for a key that an engine would refuse to look for."""
        is_too_great = object_id.isdecimal() and len(object_id) > _MOST_DIGITS
        if "\0" in object_id or is_too_great:
            return None
        return super().get_object(request, object_id, from_field)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:  # noqa: ARG002 - Django's signature
        """No condition but those that the list itself offers; Django makes any other a 400."""
        offered = {
            each.parameter_name
            for each in self.list_filter
            if isinstance(each, type) and issubclass(each, admin.SimpleListFilter)
        }
        days = {f"{self.date_hierarchy}__{unit}" for unit in ("year", "month", "day")}
        return lookup in (offered | days if self.date_hierarchy else offered)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Model], search_term: str
    ) -> tuple[QuerySet[Model], bool]:
        """The rows of a puzzle for its number (`1121` or `#1121`), else those with the words."""
        digits = search_term.strip().removeprefix("#")
        if not (self.number_field and digits.isascii() and digits.isdecimal()):
            return super().get_search_results(request, queryset, search_term)
        number = int(digits[:9])
        found = queryset.filter(**{self.number_field: self.key_of(number)})
        return found if is_number(number) else queryset.none(), False

    def key_of(self, number: int) -> object:
        """What stands in `number_field` for a puzzle."""
        return number


class WordsFilter(admin.SimpleListFilter):
    """A filter over values that are known beforehand, so that none is looked for in the table."""

    words: ClassVar[Mapping[str, str]]

    def __init__(self, request: HttpRequest, *args: Any) -> None:  # noqa: ANN401 - Django's signature
        self.request = request
        super().__init__(request, *args)

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:  # noqa: ANN401, ARG002 - Django's signature
        """Every value, in words."""
        return list(self.words.items())

    def queryset(self, request: HttpRequest, queryset: QuerySet[Model]) -> QuerySet[Model]:  # noqa: ARG002 - Django's signature
        """The rows with the chosen value; an unknown value chooses nothing."""
        value = self.value()
        return self.chosen(queryset, value) if value and value in self.words else queryset

    def chosen(self, queryset: QuerySet[Model], value: str) -> QuerySet[Model]:
        """The rows with a value."""
        return queryset.filter(**{self.parameter_name or "": value})


def list_url(name: str, **query: object) -> str:
    """The address of a list of the admin."""
    address = reverse(f"admin:{name}_changelist")
    return f"{address}?{urlencode(query)}" if query else address


def ways(number: int, *but: str) -> SafeString:
    """Links to everything that the admin shows of a puzzle, but for what is shown already."""
    return format_html_join(" · ", '<a href="{}">{}</a>', _ways(number, but))


def _ways(number: int, but: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for shown, name in _LISTS.items():
        if shown not in but:
            yield list_url(name, q=number), shown


def when(instant: datetime | None) -> str:
    """An instant to the second of UTC; nothing for none."""
    return f"{instant.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC" if instant else ""


def link(address: str, text: object) -> SafeString:
    """A link, its text escaped."""
    return format_html('<a href="{}">{}</a>', address, text)
