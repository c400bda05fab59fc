"""The page about the last night: what came of it, and what mends what did not."""

from django.contrib import admin
from django.contrib.admin.utils import quote
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from answers.office import last_night, words
from answers.office.last_night import Standing
from answers.office.views import View, may_operate
from costcodle.inspection import ReadOnlyAdmin


def last_night_view(shown_in: ReadOnlyAdmin) -> View:
    """What came of the last night, and what mends what did not."""

    @require_safe
    def view(request: HttpRequest) -> HttpResponse:
        if not shown_in.has_view_permission(request):
            raise PermissionDenied
        night = last_night.summary()
        context = {
            **admin.site.each_context(request),
            "title": "Last night",
            "night": night,
            "counts": [(words.KINDS[kind], count) for kind, count in night.counts.items()],
            "troubles": night.standing(Standing.FAILED, Standing.IN_DOUBT, Standing.OVERDUE),
            "waiting": night.standing(Standing.WAITING, Standing.OUT_OF_DATE),
            "terms": [
                (_address_of(term.key, may_break=may_operate(request)), term)
                for term in night.leases
            ],
            "may_operate": may_operate(request),
        }
        return TemplateResponse(request, "admin/answers/last_night.html", context)

    return view


def _address_of(key: str, *, may_break: bool) -> str:
    """Where a lease can be broken, or else be read."""
    name = "break" if may_break else "change"
    return reverse(f"admin:answers_joblease_{name}", args=[quote(key)])
