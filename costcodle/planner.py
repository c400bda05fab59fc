"""The planner's forms: what was typed, what it comes to, and how that is told.

Nothing can be typed that a bank file could not say: the same rules read both. Every change is one
POST and ends in a redirect with the outcome in words. None of these views may run inside a
transaction: costcodle.planning opens its own.
"""

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from typing import Final
from urllib.parse import urlencode

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from costcodle import days, planning
from costcodle.bank_rows import (
    BankItem,
    BankVersion,
    RefusedError,
    check_fields,
    number_in,
    own_item,
    refuse,
)
from costcodle.days import PuzzleNumber
from costcodle.photos.keeping import UnusablePhotoError
from costcodle.photos.pictures import MOST_BYTES
from costcodle.planning import Outcome

_FACTS: Final = frozenset({"name", "size", "price"})
_SOURCED: Final = _FACTS | {"photo_source"}
_NOTHING: Final[AbstractSet[str]] = frozenset()
_TYPED: Final = ("day", "other", "name", "size", "price", "photo_source")
_LONGEST_KEPT: Final = 500
_LONGEST_VERSION: Final = 18

_Fields = Mapping[str, str]
_Change = Callable[[HttpRequest, PuzzleNumber], Outcome]
View = Callable[..., HttpResponse]

_TOLD: Final = {
    Outcome.UNCHANGED: (messages.INFO, "Nothing was to be done: it is like this already."),
    Outcome.ABSENT: (messages.ERROR, "Nothing was changed: there is no puzzle on that day."),
    Outcome.TAKEN: (messages.ERROR, "Nothing was changed: that day has an item."),
    Outcome.STARTED: (
        messages.ERROR,
        "Nothing was changed: the day has begun, and a puzzle that has started is locked.",
    ),
    Outcome.STALE: (
        messages.WARNING,
        "Nothing was changed: somebody has changed this puzzle since you opened its page.",
    ),
}


def may_plan(request: HttpRequest) -> bool:
    """Whether the visitor may change the bank: a superuser, or staff who may change puzzles."""
    return request.user.has_perm("costcodle.change_puzzle")


def page_of(number: PuzzleNumber) -> str:
    """The address of a puzzle's page in the admin."""
    return reverse("admin:costcodle_puzzle_change", args=[number])


def change_view(form: str, change: _Change, done: str) -> View:
    """The view of one change of one puzzle: POST alone, then back to the puzzle's page.

    `done` says in words that it happened; where it did not, the form keeps what was typed. 403 for
    whoever may not plan, 404 for no number.
    """

    @require_POST
    def view(request: HttpRequest, number: int) -> HttpResponse:
        if not days.is_number(number):
            raise Http404
        outcome = carry_out(request, lambda: change(request, PuzzleNumber(number)), done)
        back = page_of(PuzzleNumber(number))
        return HttpResponseRedirect(back + _typed_again(request, form, outcome))

    return view


def go_on_after_adding(request: HttpRequest) -> HttpResponse:
    """Add the item of the form, then show its page; the form again where that was refused.

    Raises `PermissionDenied`.
    """
    outcome = carry_out(request, lambda: add(request), "The item was added.")
    if outcome is Outcome.CHANGED:
        return HttpResponseRedirect(page_of(day_in(request.POST["day"])))
    back = reverse("admin:costcodle_puzzle_new")
    return HttpResponseRedirect(back + _typed_again(request, "new", outcome))


def _typed_again(request: HttpRequest, form: str, outcome: Outcome | None) -> str:
    """What was typed into a form that was not carried out, as a query for the page that has it."""
    if outcome in (Outcome.CHANGED, Outcome.UNCHANGED):
        return ""
    typed = {name: request.POST.get(name, "")[:_LONGEST_KEPT] for name in _TYPED}
    kept = {name: text for name, text in typed.items() if text}
    return f"?{urlencode({'form': form, **kept})}" if kept else ""


def carry_out(request: HttpRequest, change: Callable[[], Outcome], done: str) -> Outcome | None:
    """Make a change and tell its outcome; none where what was typed is refused.

    Raises `PermissionDenied`.
    """
    if not may_plan(request):
        raise PermissionDenied
    try:
        outcome = change()
    except RefusedError as refusal:
        messages.error(request, f"Nothing was changed. What you sent: {refusal}.")
        return None
    except UnusablePhotoError as refusal:
        messages.error(request, f"Nothing was changed. The photo: {refusal}.")
        return None
    level, words = _TOLD.get(outcome, (messages.SUCCESS, done))
    messages.add_message(request, level, words)
    return outcome


def swap(request: HttpRequest, number: PuzzleNumber) -> Outcome:
    """Swap with the day in the field `other`."""
    fields = _typed(request, {"other", "seen"})
    return planning.swap_days(
        number, day_in(fields.get("other", "")), seen=_seen(fields), by=_operator(request)
    )


def replace(request: HttpRequest, number: PuzzleNumber) -> Outcome:
    """Replace the item by the one in the fields."""
    fields = _typed(request, _SOURCED | {"seen"})
    item = _item(number, fields)
    return planning.replace_item(item, seen=_seen(fields), by=_operator(request))


def fix(request: HttpRequest, number: PuzzleNumber) -> Outcome:
    """Mend name, size and price."""
    fields = _typed(request, _FACTS | {"seen"})
    item = _item(number, fields)
    return planning.fix_item(item, seen=_seen(fields), by=_operator(request))


def add(request: HttpRequest) -> Outcome:
    """Add the item in the fields to the day in the field `day`."""
    fields = _typed(request, _SOURCED | {"day"})
    item = _item(day_in(fields.get("day", "")), fields)
    return planning.add_item(item, by=_operator(request))


def upload(request: HttpRequest, number: PuzzleNumber) -> Outcome:
    """Take in the one file in the field `photo`."""
    _typed(request, _NOTHING, files={"photo"})
    photo = request.FILES.get("photo")
    if photo is None:
        refuse("has no photo")
    content = photo.read(MOST_BYTES + 1)  # one more than is taken says that it is too large
    return planning.upload_photo(number, content, by=_operator(request))


def day_in(written: str) -> PuzzleNumber:
    """The puzzle of a number or a UTC date, as somebody wrote it. Raises `RefusedError`."""
    return number_in({"date" if "-" in written else "number": written})


def _typed(
    request: HttpRequest, known: AbstractSet[str], files: AbstractSet[str] = _NOTHING
) -> _Fields:
    """The form's fields, each there at most once and no other."""
    sent = [name for name, values in request.POST.lists() for _ in values]
    sent += [name for name, values in request.FILES.lists() for _ in values]
    check_fields(sent, frozenset({"csrfmiddlewaretoken", *known, *files}))
    return {name: str(request.POST[name]) for name in known if name in request.POST}


def _item(number: PuzzleNumber, fields: _Fields) -> BankItem:
    facts = {name: text for name, text in fields.items() if name in _SOURCED}
    return own_item({"number": number, **facts})


def _seen(fields: _Fields) -> BankVersion:
    written = fields.get("seen", "")
    if not (written.isascii() and written.isdecimal() and len(written) <= _LONGEST_VERSION):
        refuse("does not say which version of the puzzle it is about")
    return BankVersion(int(written))


def _operator(request: HttpRequest) -> int:
    if request.user.pk is None:
        raise PermissionDenied
    return request.user.pk
