"""What the admin shows of the day's shared results."""

from typing import ClassVar

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString

from costcodle import inspection
from costcodle.game.rules import MOST_GUESSES
from costcodle.inspection import ReadOnlyAdmin, WordsFilter
from results.domain import GameOutcome
from results.models import DailyResult


class GameFilter(WordsFilter):
    """Results by how the game ended."""

    title, parameter_name = "outcome", "outcome"
    words: ClassVar = {outcome: outcome for outcome in GameOutcome}


class GuessesFilter(WordsFilter):
    """Results by how many guesses were used."""

    title, parameter_name = "guesses", "guesses_used"
    words: ClassVar = {str(guesses): str(guesses) for guesses in range(1, MOST_GUESSES + 1)}


@admin.register(DailyResult)
class DailyResultAdmin(ReadOnlyAdmin):
    """Finished daily games, the newest day first. Whose they are, nobody is told."""

    list_display = ("puzzle_id", "slot", "said", "created_at", "ways")
    fields = list_display
    list_filter = (GameFilter, GuessesFilter)
    search_fields = ("puzzle_id",)
    search_help_text = "A puzzle's number."
    ordering = ("-puzzle_id", "-slot")
    number_field = "puzzle_id"
    show_facets = admin.ShowFacets.NEVER

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Model], search_term: str
    ) -> tuple[QuerySet[Model], bool]:
        """The results of a puzzle by its number; there are no words to look for."""
        if search_term.strip().removeprefix("#").isdecimal() or not search_term:
            return super().get_search_results(request, queryset, search_term)
        return queryset.none(), False

    @admin.display(description="Outcome", ordering="guesses_used")
    def said(self, result: DailyResult) -> str:
        """How the game ended."""
        return f"{result.outcome} with {result.guesses_used}"

    @admin.display(description="See also")
    def ways(self, result: DailyResult) -> SafeString:
        """Everything else about its puzzle."""
        return inspection.ways(result.puzzle_id, "results")
