"""By what the admin's lists of publication can be narrowed: values that are known beforehand."""

from typing import ClassVar

from django.db.models import Model, QuerySet

from answers.domain import ItemState, Kind, Outcome
from answers.office import words
from costcodle import http
from costcodle.inspection import WordsFilter


class StateFilter(WordsFilter):
    """Items by their state."""

    title, parameter_name = "state", "state"
    words: ClassVar = {state: state for state in ItemState}


class OutcomeFilter(WordsFilter):
    """Items by how their last attempt ended."""

    title, parameter_name = "last outcome", "last_outcome"
    words: ClassVar = {outcome: outcome for outcome in Outcome}


class KindFilter(WordsFilter):
    """Log rows by what happened."""

    title, parameter_name = "what happened", "kind"
    words: ClassVar = {kind: words.KINDS[kind] for kind in Kind}


class PublicFilter(WordsFilter):
    """Pages by whether the public can read them."""

    title, parameter_name = "public", "public"
    words: ClassVar = {"yes": "published", "no": "withdrawn"}

    def chosen(self, queryset: QuerySet[Model], value: str) -> QuerySet[Model]:
        """Withdrawn or not."""
        return queryset.filter(withdrawn_at__isnull=value == "yes")


class HeldFilter(WordsFilter):
    """Leases by whether somebody holds them, at the instant of the request."""

    title, parameter_name = "held", "held"
    words: ClassVar = {"yes": "held", "no": "free"}

    def chosen(self, queryset: QuerySet[Model], value: str) -> QuerySet[Model]:
        """Held or free, by the database's clock."""
        now = http.instant(self.request)
        rows = queryset.filter(expires_at__gt=now)
        return rows if value == "yes" else queryset.filter(expires_at__lte=now)
