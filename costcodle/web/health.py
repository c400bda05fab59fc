"""Probes for whatever watches over this node."""

from django.db import Error as DatabaseFault
from django.http import HttpRequest, HttpResponse, JsonResponse

from answers.status import overdue
from costcodle import http
from costcodle.bank_reading import bank_days_left
from costcodle.models import SiteState


@http.read_only
def healthz(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - Django's signature
    """The process lives; no database is asked."""
    return HttpResponse("ok", content_type="text/plain; charset=utf-8")


@http.read_only
def readyz(request: HttpRequest) -> HttpResponse:
    """200 while this node can read the publication revision, else 503.

    The other figures are for people: null where they cannot be read, and never a reason for 503.
    """
    revision = _revision()
    if revision is None:
        body = {"status": "unavailable", "revision": None}
        headers = {"Retry-After": str(http.RETRY_AFTER_SECONDS)}
        return JsonResponse(body, status=503, headers=headers)
    return JsonResponse({"status": "ready", "revision": revision, **_figures(request)})


def _revision() -> int | None:
    try:
        row = SiteState.objects.values_list("publication_revision", flat=True).get()
    except (DatabaseFault, SiteState.DoesNotExist):
        return None
    return row if isinstance(row, int) else None


def _figures(request: HttpRequest) -> dict[str, int | None]:
    try:
        now = http.instant(request)
        return {"overdue_answers": len(overdue(now)), "bank_days_left": bank_days_left(now)}
    except DatabaseFault:
        return {"overdue_answers": None, "bank_days_left": None}
