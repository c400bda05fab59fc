"""What an operator may do from the admin, and what came of it in words.

Every action goes through the functions that the commands use: under a lease, in a guarded batch,
never inside another transaction. A request must end soon, so one waits for a lease for a few
seconds and takes up a few items at most; what is left is said.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from django import forms
from django.contrib import messages
from django.contrib.auth.models import AbstractBaseUser
from django.db import DatabaseError, InterfaceError

from answers import faults, leases, operations, publisher
from answers.attempts import AwayError
from answers.domain import PUBLIC_CHANGE, Fence, Outcome, Owner, Report
from answers.faults import Fault
from answers.office import words
from answers.office.forms import CorrectionForm, SureForm, WithdrawalForm
from answers.operations import Operator, RefusedError
from answers.publisher import RunReport
from costcodle import clock
from costcodle.days import PuzzleNumber
from costcodle.models import SiteState

T = TypeVar("T")

PATIENCE_SECONDS: Final = 3.0
"""How long a page waits for a lease that is held."""

MOST_AT_ONCE: Final = 20
MOST_SECONDS: Final = 5.0
"""After so many items, or so long, a page takes up no more of what is due."""

_LONGEST_LABEL: Final = 40
_NOT_IN_A_LABEL: Final = re.compile(r"[^\w.:@-]", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What came of an action, for the person who asked; `is_away`: the database was."""

    level: int
    text: str
    is_away: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """Something that can be done to one puzzle."""

    name: str
    title: str
    explains: str
    form: type[forms.Form]
    do: Callable[[PuzzleNumber, dict[str, Any], Operator], Report]


def operator(user: AbstractBaseUser) -> Operator:
    """A person of the admin as an operator: `admin:` and their name, as far as a label holds it.

    A name that it does not hold whole stands behind the person's number.
    """
    name = user.get_username()
    label = _NOT_IN_A_LABEL.sub("_", f"admin:{name}")[:_LONGEST_LABEL]
    if label != f"admin:{name}":
        label = _NOT_IN_A_LABEL.sub("_", f"admin:{user.pk}:{name}")[:_LONGEST_LABEL]
    return Operator(label=label, patience=PATIENCE_SECONDS)


def tell(work: Callable[[], Told]) -> Told:
    """Do it and say what came of it, whatever the database did meanwhile."""
    try:
        return work()
    except RefusedError as refusal:
        return Told(level=messages.ERROR, text=f"Refused: {refusal}. Nothing was changed.")
    except SiteState.DoesNotExist:
        lost = "site_state has lost its row: docs/operations.md says how to restore it."
        return Told(level=messages.ERROR, text=lost)
    except AwayError as error:
        return _away(str(error))
    except (DatabaseError, InterfaceError) as error:
        if faults.classify(error) is Fault.CONTENTION:
            text = "A conflict: somebody else is writing just now. It is safe to do this again."
            return Told(level=messages.WARNING, text=text)
        return _away(faults.describe(error))


def act(action: Action, number: PuzzleNumber, said: dict[str, Any], by: Operator) -> Told:
    """Do one thing to one puzzle and say what came of it."""
    return tell(lambda: reported(action.do(number, said, by)))


def reported(report: Report) -> Told:
    """The outcome word of a report, and what it means."""
    revision = f" (revision {report.revision})" if report.revision else ""
    detail = f" ({report.detail})" if report.detail else ""
    meaning = f"{words.OUTCOMES[report.outcome]}{detail}."
    text = f"Puzzle {report.number}: {report.outcome}{revision}: {meaning}"
    return Told(level=_level(report.outcome), text=text)


def break_lease(key: str, owner: Owner, fence: Fence) -> Told:
    """Let the term that was seen expire. Raises `django.db.Error`."""
    if leases.expire(key, owner, fence):
        text = f"Lease {key}: broken: it can be taken at once; fence {fence} writes nothing more."
        return Told(level=messages.SUCCESS, text=text)
    text = f"Lease {key}: unchanged: its term under fence {fence} had ended already."
    return Told(level=messages.INFO, text=text)


def publish_some(by: Operator) -> RunReport:
    """A run over what is due and out of date that a web request can wait for.

    Raises `django.db.Error`, and `SiteState.DoesNotExist` on a damaged site.
    """
    return publisher.publish_due(label=by.label, most=MOST_AT_ONCE, watch=in_time)


def publish_and_tell(by: Operator, told: list[Told]) -> Told:
    """The same; adds what came of each item to `told` and gives the run's last word."""
    run = publish_some(by)
    told += map(reported, run.items)
    if run.stopped_by:
        raise AwayError(run.stopped_by)
    done = run.count(*PUBLIC_CHANGE.values())
    if run.remaining:
        left = f"{run.remaining} remain: do it again, or leave it to the next run"
        return Told(level=messages.WARNING, text=f"Public changes: {done}; {left}.")
    return Told(level=messages.INFO, text=f"Public changes: {done}; nothing remains.")


def in_time(each: Iterable[T]) -> Iterator[T]:
    """These, one after the other, for `MOST_SECONDS`."""
    elapsed = clock.stopwatch()
    for one in each:
        if elapsed() > MOST_SECONDS:
            return
        yield one


def publish_one(number: PuzzleNumber, said: Mapping[str, Any], by: Operator) -> Report:
    """A run over one puzzle. Raises as `publish_some`, and `AwayError`."""
    del said
    run = publisher.publish_due(label=by.label, only=number)
    if run.stopped_by:
        raise AwayError(run.stopped_by)
    if run.items:
        return run.items[0]
    faster = "another run was faster"
    return Report(number=number, outcome=Outcome.UNCHANGED, owner=Owner(by.label), detail=faster)


def _level(outcome: Outcome) -> int:
    if outcome in PUBLIC_CHANGE.values():
        return messages.SUCCESS
    if outcome is Outcome.UNCHANGED:
        return messages.INFO
    return messages.ERROR if outcome is Outcome.FAILED else messages.WARNING


def _away(reason: str) -> Told:
    text = (
        f"The database cannot be used now: {reason}. What was asked for has happened whole or not"
        " at all; it is safe to do this again."
    )
    return Told(level=messages.ERROR, text=text, is_away=True)


def _withdraw(number: PuzzleNumber, said: dict[str, Any], by: Operator) -> Report:
    return operations.withdraw(number, said["reason"], by)


def _reinstate(number: PuzzleNumber, said: dict[str, Any], by: Operator) -> Report:
    del said
    return operations.reinstate(number, by)


def _correct(number: PuzzleNumber, said: dict[str, Any], by: Operator) -> Report:
    return operations.correct(number, CorrectionForm.correction(said), by)


WITHDRAW: Final = Action(
    name="withdraw",
    title="Withdraw the answer",
    explains="The page is taken back: its address answers 410, and it leaves lists, feeds and"
    " sitemaps. Reinstating puts it back as it was. One step of the revision.",
    form=WithdrawalForm,
    do=_withdraw,
)
REINSTATE: Final = Action(
    name="reinstate",
    title="Reinstate the answer",
    explains="A withdrawn page is put back as it was. If the bank has changed since, the next run"
    " updates it. One step of the revision.",
    form=SureForm,
    do=_reinstate,
)
CORRECT: Final = Action(
    name="correct",
    title="Correct the answer",
    explains="The bank's row and the page change together, and the page shows a note. Games that"
    " are over are not judged again. One step of the revision.",
    form=CorrectionForm,
    do=_correct,
)
PUBLISH: Final = Action(
    name="publish",
    title="Publish now",
    explains="What the night job would do for this puzzle: publish it if it is due, bring its page"
    " up to date if it is not. Whatever needs nothing is left alone.",
    form=SureForm,
    do=publish_one,
)
