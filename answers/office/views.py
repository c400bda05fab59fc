"""The pages on which an operator acts: each explains, asks, and acts on POST alone.

They are views of their own, behind the log-in of the admin: Django runs a model's own form inside
a transaction, and a guarded batch has to be the outermost one.
"""

import logging
from collections.abc import Callable, Sequence
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.admin.utils import unquote
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import PermissionDenied
from django.db import DatabaseError, InterfaceError
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.views.decorators.http import require_http_methods

from answers import faults, status
from answers.domain import Fence, ItemState, Owner, lease_key
from answers.models import AnswerPost, JobLease, PublicationItem
from answers.office import actions, last_night, words
from answers.office.actions import PUBLISH, Action, Told
from answers.office.forms import SureForm, TermForm
from costcodle import clock, inspection
from costcodle.days import PuzzleNumber
from costcodle.game.money import dollars
from costcodle.game.rules import Cents
from costcodle.inspection import ReadOnlyAdmin
from costcodle.models import Puzzle

logger = logging.getLogger(__name__)

MAY_OPERATE = "answers.change_answerpost"
"""The permission of every action; whoever may only view gets a 403."""

Facts = list[tuple[str, object]]
View = Callable[..., HttpResponse]

_asking = require_http_methods(["GET", "HEAD", "POST"])


def may_operate(request: HttpRequest) -> bool:
    """Whether this person may act."""
    return bool(_user(request).has_perm(MAY_OPERATE))


def puzzle_view(shown_in: ReadOnlyAdmin, action: Action) -> View:
    """The page of an action on one puzzle."""

    @_asking
    def view(request: HttpRequest, number: int) -> HttpResponse:
        _require_operator(request)
        puzzle = get_object_or_404(Puzzle, number=number)
        form = action.form(request.POST) if request.method == "POST" else action.form()
        page = {
            "title": f"{action.title}: {puzzle}",
            "explains": action.explains,
            "facts": _facts_of(puzzle),
            "button": action.title,
            **_way_back(shown_in, q=number),
        }
        if not form.is_valid():
            return _page(request, page, form)
        by = actions.operator(_user(request))
        told = actions.act(action, PuzzleNumber(number), form.cleaned_data, by)
        _note(request, shown_in.model, str(number), str(puzzle), f"{action.name}: {told.text}")
        if told.is_away:
            return _page(request, page, form, [told])
        return _done(request, shown_in, [told], q=number)

    return view


def break_view(shown_in: ReadOnlyAdmin) -> View:
    """The page that ends somebody else's lease: the term that was seen, and no other."""

    @_asking
    def view(request: HttpRequest, object_id: str) -> HttpResponse:
        _require_operator(request)
        lease = shown_in.get_object(request, unquote(object_id))
        if not isinstance(lease, JobLease):
            raise Http404
        seen = {"owner": lease.owner_id, "fence": lease.fence}
        form = TermForm(request.POST) if request.method == "POST" else TermForm(initial=seen)
        page = {
            "title": f"Break the lease {lease.key}",
            "explains": "Its term expires at once, and another publisher may take the puzzle."
            " A holder that is still alive writes nothing more and says lease_lost. Do this only"
            " when you know that its process is gone and the wait for its expiry is too long.",
            "facts": _facts_of_term(lease),
            "button": "Break the lease",
            **_way_back(shown_in, q=lease.key),
        }
        if not form.is_valid():
            return _page(request, page, form)
        owner, fence = Owner(form.cleaned_data["owner"]), Fence(form.cleaned_data["fence"])
        told = actions.tell(lambda: actions.break_lease(lease.key, owner, fence))
        _note(request, JobLease, lease.key, str(lease), f"break: {told.text}")
        if told.is_away:
            return _page(request, page, form, [told])
        return _done(request, shown_in, [told], q=lease.key)

    return view


def publish_due_view(shown_in: ReadOnlyAdmin) -> View:
    """The page that publishes what is due, a few at a time."""

    @_asking
    def view(request: HttpRequest) -> HttpResponse:
        _require_operator(request)
        form = SureForm(request.POST) if request.method == "POST" else SureForm()
        wanted = status.wanted(clock.now())
        page = {
            "title": "Publish what is due",
            "explains": f"A run of the night job over at most {actions.MOST_AT_ONCE}"
            " puzzles: what is due is published, what is out of date is updated. What remains is"
            " said, and done by the next run or by doing this again.",
            "facts": [
                ("Due or out of date", len(wanted)),
                ("The first of them", ", ".join(f"#{number}" for number in wanted[:20]) or "none"),
            ],
            "button": "Publish now",
            **_way_back(shown_in),
        }
        if not form.is_valid():
            return _page(request, page, form)
        all_told: list[Told] = []
        by = actions.operator(_user(request))
        last = actions.tell(lambda: actions.publish_and_tell(by, all_told))
        _note(request, PublicationItem, "", "what is due", f"publish: {last.text}")
        if last.is_away:
            return _page(request, page, form, [*all_told, last])
        return _done(request, shown_in, [*all_told, last])

    return view


def retry(request: HttpRequest, numbers: list[PuzzleNumber]) -> list[Told]:
    """A run over each of these puzzles, for as long as a request can wait; what came of each."""
    by = actions.operator(_user(request))
    all_told: list[Told] = []
    for number in actions.in_time(numbers[: actions.MOST_AT_ONCE]):
        told = actions.act(PUBLISH, number, {}, by)
        all_told.append(told)
        _note(request, PublicationItem, str(number), f"#{number}", f"retry: {told.text}")
        if told.is_away:
            break
    left = len(numbers) - len(all_told)
    if left:
        text = f"{left} of these remain: do it again, or leave them to the next run."
        all_told.append(Told(level=messages.WARNING, text=text))
    return all_told


def _require_operator(request: HttpRequest) -> None:
    if not may_operate(request):
        raise PermissionDenied


def _user(request: HttpRequest) -> Any:  # noqa: ANN401 - staff, behind the log-in of the admin
    return request.user


def _facts_of(puzzle: Puzzle) -> Facts:
    """How a puzzle stands, before anything is done to it."""
    item = PublicationItem.objects.filter(puzzle=puzzle).first()
    post = AnswerPost.objects.filter(puzzle=puzzle).first()
    facts: Facts = [("State", _state_of(item) if item else "no item yet")]
    if item and item.last_outcome:
        facts.append(("Last attempt", f"{item.last_outcome}: {words.outcome(item.last_outcome)}"))
    if post:
        price = dollars(Cents(post.price_cents))
        facts.append(("Page", f"version {post.content_version}: {post.title}, {price}"))
    lease = JobLease.objects.filter(key=lease_key(PuzzleNumber(puzzle.number))).first()
    return facts + (_facts_of_term(lease) if lease else [])


def _state_of(item: PublicationItem) -> str:
    return f"{item.state}: {words.STATES[ItemState(item.state)]}"


def _facts_of_term(lease: JobLease) -> Facts:
    term = last_night.term_of(lease, clock.now())
    if not term.is_held:
        return [("Lease", f"free; its last fence was {term.fence}")]
    return [
        ("Lease", f"held by {term.by.label} for another {words.lasting(term.left)}"),
        ("Run", term.by.run),
        ("Fence", term.fence),
    ]


def _way_back(shown_in: ReadOnlyAdmin, **query: object) -> dict[str, str]:
    """The list that an action was chosen from."""
    name = f"{shown_in.opts.app_label}_{shown_in.opts.model_name}"
    words_of_it = str(shown_in.opts.verbose_name_plural).capitalize()
    return {"back": inspection.list_url(name, **query), "back_words": words_of_it}


def _page(
    request: HttpRequest, page: dict[str, Any], form: forms.Form, told: Sequence[Told] = ()
) -> HttpResponse:
    """The page that asks; with what was told beside it, where the database was away."""
    context = {**admin.site.each_context(request), **page, "form": form, "all_told": told}
    return TemplateResponse(request, "admin/answers/act.html", context, status=503 if told else 200)


def _done(
    request: HttpRequest, shown_in: ReadOnlyAdmin, all_told: list[Told], **query: object
) -> HttpResponse:
    """Back to the list, or to the page itself for whoever may not see the list."""
    for told in all_told:
        messages.add_message(request, told.level, told.text)
    name = f"{shown_in.opts.app_label}_{shown_in.opts.model_name}"
    may_see = shown_in.has_view_permission(request)
    return HttpResponseRedirect(inspection.list_url(name, **query) if may_see else request.path)


def _note(request: HttpRequest, model: type[Model], key: str, name: str, text: str) -> None:
    """Write down who did what, and what came of it, where the admin keeps its own history."""
    try:
        LogEntry.objects.create(
            user_id=_user(request).pk,
            content_type=ContentType.objects.get_for_model(model),
            object_id=key,
            object_repr=name[:200],
            action_flag=CHANGE,
            change_message=text,
        )
    except (DatabaseError, InterfaceError) as error:
        logger.warning("%s by %s was not noted: %s", text, request.user, faults.describe(error))
