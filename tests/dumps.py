"""A dump of the publication, and its restoration, the same on both engines."""

from django.core import serializers

from answers.models import AnswerPost, JobLease, PublicationItem, PublicationLog
from costcodle.models import Puzzle, SiteState

_TABLES = (Puzzle, SiteState, JobLease, PublicationItem, AnswerPost, PublicationLog)


def dumped() -> str:
    """Every row, as text."""
    rows = [row for model in _TABLES for row in model._default_manager.all()]
    return str(serializers.serialize("json", rows))


def restored(dump: str) -> None:
    """Put everything back as it was."""
    for model in reversed(_TABLES):
        model._default_manager.all().delete()
    for row in serializers.deserialize("json", dump):
        row.save()
