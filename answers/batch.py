"""The machinery of every batch: its statements, its two lines of defence, its COMMIT.

answers/committer.py says what a batch promises and why; the statements themselves are in
answers/sql/.
"""

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import DatabaseError, Error, InterfaceError, connection
from django.db.models import Field

from answers import leases
from answers.domain import (
    PUBLIC_CHANGE,
    Committed,
    CommitToken,
    ContentVersion,
    Kind,
    Lease,
    Outcome,
    Refused,
    Revision,
)
from answers.models import AnswerPost, JobLease, PublicationItem, PublicationLog
from answers.states import move_of
from costcodle import clock, statements
from costcodle.models import Puzzle, SiteState
from costcodle.statements import Row, Statement, durable_transaction

_PAUSES_BEFORE_ASKING = (0.0, 0.5, 2.0)
"""Seconds before each try to learn what became of a COMMIT whose answer was lost."""

_BINDS: "dict[str, Field[Any, Any]]" = {
    "key": JobLease._meta.get_field("key"),
    "owner": JobLease._meta.get_field("owner_id"),
    "fence": JobLease._meta.get_field("fence"),
    "now": JobLease._meta.get_field("updated_at"),
    "number": Puzzle._meta.get_field("number"),
    "name": Puzzle._meta.get_field("name"),
    "note": Puzzle._meta.get_field("correction_note"),
    "needs_ready_photo": Puzzle._meta.get_field("photo_ready"),
    "state": PublicationItem._meta.get_field("state"),
    "new_state": PublicationItem._meta.get_field("state"),
    "outcome": PublicationItem._meta.get_field("last_outcome"),
    "due_at": PublicationItem._meta.get_field("due_at"),
    "builds_on": AnswerPost._meta.get_field("content_version"),
    "token": AnswerPost._meta.get_field("commit_token"),
    "bank_version": AnswerPost._meta.get_field("bank_version"),
    "title": AnswerPost._meta.get_field("title"),
    "body": AnswerPost._meta.get_field("body"),
    "price": AnswerPost._meta.get_field("price_cents"),
    "games": AnswerPost._meta.get_field("games"),
    "indexable": AnswerPost._meta.get_field("indexable"),
    "photo": AnswerPost._meta.get_field("photo"),
    "revision_token": SiteState._meta.get_field("revision_token"),
    "revision": PublicationLog._meta.get_field("revision"),
    "kind": PublicationLog._meta.get_field("kind"),
    "reason": PublicationLog._meta.get_field("reason"),
}
SQL: dict[str, Statement] = {}
"""Every statement of every batch, by name."""

for _file in ("commit.sql", "withdraw.sql", "reinstate.sql", "correct.sql"):
    SQL |= statements.load(Path(__file__).parent / "sql" / _file, _BINDS)


class BrokenGuaranteeError(RuntimeError):
    """A statement that must have met one row met none: the transaction was rolled back."""


class _GuardError(Exception):
    """A guard was false; rolls the transaction back."""

    def __init__(self, refused: Refused) -> None:
        super().__init__(refused.guard)
        self.refused = refused


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One batch: its term, its kind, its reason if an operator gave one, its fresh tokens."""

    lease: Lease
    kind: Kind
    reason: str = ""
    token: CommitToken = field(default_factory=lambda: CommitToken(uuid.uuid4()))
    revision_token: uuid.UUID = field(default_factory=uuid.uuid4)

    def term(self) -> dict[str, object]:
        return {"key": self.lease.key, "owner": self.lease.owner, "fence": self.lease.fence}

    def item(self) -> dict[str, object]:
        state = move_of(self.kind).before
        return {"number": self.lease.number, "state": state, "fence": self.lease.fence}

    def landed(self) -> dict[str, object]:
        return {"number": self.lease.number, "token": self.token}


Step = Callable[[Attempt, datetime], Revision]
"""What raises the revision in a batch, and whatever must go with it."""


def run(attempt: Attempt, write: Callable[[datetime], None], step: Step) -> Committed | Refused:
    """Run the batch around `write`, which pins or writes the puzzle and then writes the page."""
    at_commit = False
    try:
        with durable_transaction():
            now = clock.now()
            _pin_term(attempt, now)
            write(now)
            committed = _publish_token(attempt, now, step)
            at_commit = True
    except _GuardError as error:
        return error.refused
    except (DatabaseError, InterfaceError) as error:
        if not at_commit:
            raise
        return _learn_fate(attempt, error)
    return committed


def _pin_term(attempt: Attempt, now: datetime) -> None:
    """Lock the lease, then the item, as this attempt holds them."""
    if not leases.pin(attempt.lease, now):
        raise _GuardError(Refused(outcome=Outcome.LEASE_LOST, guard="pin_lease"))
    expect(SQL["pin_item"], **attempt.item())


def _publish_token(attempt: Attempt, now: datetime, step: Step) -> Committed:
    """Everything that hangs on the commit token: item, revision, log; and the page read back."""
    outcome = PUBLIC_CHANGE[attempt.kind]
    insist(
        SQL["move_item"],
        **attempt.item() | attempt.landed(),
        new_state=move_of(attempt.kind).after,
        outcome=outcome,
        now=now,
    )
    revision = step(attempt, now)
    insist(
        SQL["append_log"],
        **attempt.landed(),
        revision=revision,
        kind=attempt.kind,
        owner=attempt.lease.owner,
        fence=attempt.lease.fence,
        reason=attempt.reason,
        now=now,
    )
    page = insist(SQL["read_page"], **attempt.landed())
    return Committed(outcome=outcome, revision=revision, content_version=ContentVersion(page[0]))


def raise_revision(attempt: Attempt, now: datetime) -> Revision:
    """One step of the revision."""
    raised = insist(
        SQL["raise_revision"], **attempt.landed(), revision_token=attempt.revision_token, now=now
    )
    return Revision(raised[0])


def raise_revision_and_bank(attempt: Attempt, now: datetime) -> Revision:
    """One step of the revision and one of the bank's version, written to puzzle and page."""
    revision, bank_version = insist(
        SQL["raise_revision_and_bank"],
        **attempt.landed(),
        revision_token=attempt.revision_token,
        now=now,
    )
    for statement in (SQL["stamp_puzzle"], SQL["stamp_page"]):
        insist(statement, **attempt.landed(), bank_version=bank_version)
    return Revision(revision)


def _learn_fate(attempt: Attempt, error: Error) -> Committed | Refused:
    """What became of a COMMIT whose answer was lost; re-raises `error` where it did not land."""
    for seconds in _PAUSES_BEFORE_ASKING:
        clock.pause(seconds)
        try:
            connection.close()
            found = _look_up(attempt)
        except (DatabaseError, InterfaceError):
            continue
        if found is None:
            raise error
        return found
    return Refused(outcome=Outcome.UNKNOWN, guard="commit")


def _look_up(attempt: Attempt) -> Committed | None:
    with durable_transaction():
        leases.lock(attempt.lease.number)
        rows = SQL["find_token"].run(token=attempt.token).rows
    if not rows:
        return None
    return Committed(
        outcome=PUBLIC_CHANGE[attempt.kind],
        revision=Revision(rows[0][0]),
        content_version=ContentVersion(rows[0][1]),
    )


def expect(statement: Statement, **values: object) -> None:
    """A guard that contention may make false: anything but one row is a conflict."""
    if statement.run(**values).count != 1:
        raise _GuardError(Refused(outcome=Outcome.CONFLICT, guard=statement.name))


def insist(statement: Statement, **values: object) -> Row:
    """A statement that cannot miss once the page was written; the row it returned, if any."""
    result = statement.run(**values)
    if result.count != 1:
        raise BrokenGuaranteeError(f"{statement.name} met {result.count} rows instead of one")
    return result.rows[0] if result.rows else ()
