"""The batch: one transaction that makes one public change, or none at all.

What is authoritative: the database at the moment of each statement. What an attempt read before
is only what it expects; every expectation is a condition of a statement.

Why it is safe (docs/protocol.md, "The batch"):

* The rows that the change depends on are pinned first, in the lock order lease, item, puzzle. A
  pin is an UPDATE that changes nothing: it takes the row's lock and re-checks its condition after
  waiting for it. A guard in a sub-select takes no lock and sees only its own statement's snapshot,
  so each guarded row is the statement's own target, was pinned by an earlier statement, or is
  immutable. A takeover, a withdrawal or a recorder of results therefore waits for our COMMIT, or
  committed before our pin and is seen by it (G5, G9).
* The page write repeats the whole guard and sets a fresh commit token; the item, the revision and
  the log change only where that token landed. A batch whose guard is false changes nothing even if
  nobody counted rows (first line). And every statement must report exactly one row, or the
  transaction is rolled back (second line) (G2, G3, G8).
* The revision is raised before the log is written, and the log takes the number it returned.

What a zero means: at the lease's pin `lease_lost`; at the item's, the puzzle's and the page write
`conflict`; anywhere behind the page write a broken assumption, `BrokenGuaranteeError`.

Why running twice is safe: a batch expects the content version it builds on. Once it has landed the
version is another, and the second run is a conflict. A COMMIT whose answer was lost is looked up
by its token in the log, behind the lock of the lease's row, which the transaction in doubt holds
until it has ended; only then is it said whether it landed (G16). Where that cannot be learned the
outcome is `unknown`.

An accepted race: expiry is judged at the pin. A lease that expires between the pin and COMMIT is
still ours, because nobody can take it before the COMMIT releases the row.
"""

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from django.db import DatabaseError, Error, InterfaceError, connection

from answers import leases
from answers.domain import (
    NO_PAGE,
    PUBLIC_CHANGE,
    Committed,
    CommitToken,
    ContentVersion,
    Draft,
    Kind,
    Lease,
    Outcome,
    Refused,
    Revision,
)
from answers.models import AnswerPost, JobLease, PublicationItem, PublicationLog
from answers.states import move_of
from costcodle import clock, days, statements
from costcodle.models import Puzzle, SiteState
from costcodle.statements import Row, Statement, durable_transaction

_PAUSES_BEFORE_ASKING = (0.0, 0.5, 2.0)
"""Seconds before each try to learn what became of a COMMIT whose answer was lost."""

_SQL = statements.load(
    Path(__file__).parent / "sql" / "commit.sql",
    {
        "key": JobLease._meta.get_field("key"),
        "owner": JobLease._meta.get_field("owner_id"),
        "fence": JobLease._meta.get_field("fence"),
        "now": JobLease._meta.get_field("updated_at"),
        "number": Puzzle._meta.get_field("number"),
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
    },
)


class BrokenGuaranteeError(RuntimeError):
    """A statement that must have met one row met none: the transaction was rolled back."""


class _GuardError(Exception):
    """A guard was false; rolls the transaction back."""

    def __init__(self, refused: Refused) -> None:
        super().__init__(refused.guard)
        self.refused = refused


@dataclass(frozen=True, slots=True, kw_only=True)
class _Attempt:
    """One batch: its term, its kind, its fresh tokens."""

    lease: Lease
    kind: Kind
    token: CommitToken = field(default_factory=lambda: CommitToken(uuid.uuid4()))
    revision_token: uuid.UUID = field(default_factory=uuid.uuid4)

    def item(self) -> dict[str, object]:
        state = move_of(self.kind).before
        return {"number": self.lease.number, "state": state, "fence": self.lease.fence}

    def landed(self) -> dict[str, object]:
        return {"number": self.lease.number, "token": self.token}


def commit_page(lease: Lease, draft: Draft) -> Committed | Refused:
    """Publish or update the page of a draft, in one transaction.

    `Committed` with `published` or `updated`; `Refused` with `lease_lost` or `conflict`, and then
    nothing was changed, or with `unknown` where the fate of the COMMIT could not be learned.
    Raises `BrokenGuaranteeError`, and `django.db.Error` when the database failed before or in
    COMMIT and nothing was changed.
    """
    kind = Kind.CREATE if draft.builds_on == NO_PAGE else Kind.UPDATE
    attempt = _Attempt(lease=lease, kind=kind)

    def write(now: datetime) -> None:
        facts = {
            "number": draft.number,
            "bank_version": draft.bank_version,
            "needs_ready_photo": draft.needs_ready_photo,
        }
        _expect(_SQL["pin_puzzle"], **facts)
        _expect(
            _SQL["write_page"],
            **attempt.item() | facts,
            key=lease.key,
            owner=lease.owner,
            now=now,
            due_at=days.due_at(draft.number),
            builds_on=draft.builds_on,
            token=attempt.token,
            title=draft.title,
            body=draft.body,
            price=draft.price,
            games=draft.games,
            indexable=draft.indexable,
            photo=draft.photo,
        )

    return _run(attempt, write)


def _run(attempt: _Attempt, write: Callable[[datetime], None]) -> Committed | Refused:
    """Run the batch around `write`, which pins the puzzle and writes the page."""
    at_commit = False
    try:
        with durable_transaction():
            now = clock.now()
            _pin_term(attempt, now)
            write(now)
            committed = _publish_token(attempt, now)
            at_commit = True
    except _GuardError as error:
        return error.refused
    except (DatabaseError, InterfaceError) as error:
        if not at_commit:
            raise
        return _learn_fate(attempt, error)
    return committed


def _pin_term(attempt: _Attempt, now: datetime) -> None:
    """Lock the lease, then the item, as this attempt holds them."""
    if not leases.pin(attempt.lease, now):
        raise _GuardError(Refused(outcome=Outcome.LEASE_LOST, guard="pin_lease"))
    _expect(_SQL["pin_item"], **attempt.item())


def _publish_token(attempt: _Attempt, now: datetime) -> Committed:
    """Everything that hangs on the commit token: item, revision, log; and the page read back."""
    outcome = PUBLIC_CHANGE[attempt.kind]
    landed = attempt.landed()
    _insist(
        _SQL["move_item"],
        **attempt.item() | landed,
        new_state=move_of(attempt.kind).after,
        outcome=outcome,
        now=now,
    )
    raised = _insist(
        _SQL["raise_revision"], **landed, revision_token=attempt.revision_token, now=now
    )
    revision = Revision(raised[0])
    _insist(
        _SQL["append_log"],
        **landed,
        revision=revision,
        kind=attempt.kind,
        owner=attempt.lease.owner,
        fence=attempt.lease.fence,
        now=now,
    )
    page = _insist(_SQL["read_page"], **landed)
    return Committed(outcome=outcome, revision=revision, content_version=ContentVersion(page[0]))


def _learn_fate(attempt: _Attempt, error: Error) -> Committed | Refused:
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


def _look_up(attempt: _Attempt) -> Committed | None:
    with durable_transaction():
        leases.lock(attempt.lease.number)
        rows = _SQL["find_token"].run(token=attempt.token).rows
    if not rows:
        return None
    return Committed(
        outcome=PUBLIC_CHANGE[attempt.kind],
        revision=Revision(rows[0][0]),
        content_version=ContentVersion(rows[0][1]),
    )


def _expect(statement: Statement, **values: object) -> None:
    """A guard that contention may make false: anything but one row is a conflict."""
    if statement.run(**values).count != 1:
        raise _GuardError(Refused(outcome=Outcome.CONFLICT, guard=statement.name))


def _insist(statement: Statement, **values: object) -> Row:
    """A statement that cannot miss once the page was written; the row it returned, if any."""
    result = statement.run(**values)
    if result.count != 1:
        raise BrokenGuaranteeError(f"{statement.name} met {result.count} rows instead of one")
    return result.rows[0] if result.rows else ()
