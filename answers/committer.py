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

from datetime import datetime

from answers.batch import (
    SQL,
    Attempt,
    expect,
    raise_revision,
    raise_revision_and_bank,
    run,
)
from answers.domain import NO_PAGE, Committed, Draft, Kind, Lease, Page, Refused
from costcodle import days
from costcodle.bank_rows import BankVersion
from costcodle.statements import Statement


def commit_page(lease: Lease, draft: Draft) -> Committed | Refused:
    """Publish or update the page of a draft, in one transaction.

    `Committed` with `published` or `updated`; `Refused` with `lease_lost` or `conflict`, and then
    nothing was changed, or with `unknown` where the fate of the COMMIT could not be learned.
    Raises `BrokenGuaranteeError`, and `django.db.Error` when the database failed before or in
    COMMIT and nothing was changed.
    """
    kind = Kind.CREATE if draft.builds_on == NO_PAGE else Kind.UPDATE
    attempt = Attempt(lease=lease, kind=kind)

    def write(now: datetime) -> None:
        expect(SQL["pin_puzzle"], **_bank_facts(draft))
        _write_page(attempt, draft, now)

    return run(attempt, write, raise_revision)


def correct_page(lease: Lease, draft: Draft, note: str) -> Committed | Refused:
    """Write errata into a published puzzle's row and its page, in one transaction.

    The draft is built from the corrected row but names the bank version before it; both rows end
    with the new one. Outcomes and errors as `commit_page`.
    """
    attempt = Attempt(lease=lease, kind=Kind.UPDATE, reason=note)

    def write(now: datetime) -> None:
        expect(
            SQL["correct_puzzle"],
            **_bank_facts(draft),
            name=draft.title,
            price=draft.price,
            note=note,
            fence=lease.fence,
        )
        _write_page(attempt, draft, now)

    return run(attempt, write, raise_revision_and_bank)


def withdraw_page(
    lease: Lease, page: Page, bank_version: BankVersion, reason: str
) -> Committed | Refused:
    """Take a published page back. Outcomes and errors as `commit_page`."""
    attempt = Attempt(lease=lease, kind=Kind.WITHDRAW, reason=reason)
    return _run_over(attempt, page, bank_version, SQL["withdraw_page"])


def reinstate_page(lease: Lease, page: Page, bank_version: BankVersion) -> Committed | Refused:
    """Put a withdrawn page back. Outcomes and errors as `commit_page`."""
    attempt = Attempt(lease=lease, kind=Kind.REINSTATE)
    return _run_over(attempt, page, bank_version, SQL["reinstate_page"])


def _run_over(
    attempt: Attempt, page: Page, bank_version: BankVersion, page_write: Statement
) -> Committed | Refused:
    """A batch that changes whether an existing page is public, and nothing else of it."""
    facts = {"number": attempt.lease.number, "bank_version": bank_version}

    def write(now: datetime) -> None:
        expect(SQL["pin_puzzle"], **facts, needs_ready_photo=False)
        expect(
            page_write,
            **attempt.term() | attempt.item() | attempt.landed() | facts,
            builds_on=page.content_version,
            now=now,
        )

    return run(attempt, write, raise_revision)


def _bank_facts(draft: Draft) -> dict[str, object]:
    return {
        "number": draft.number,
        "bank_version": draft.bank_version,
        "needs_ready_photo": draft.needs_ready_photo,
    }


def _write_page(attempt: Attempt, draft: Draft, now: datetime) -> None:
    expect(
        SQL["write_page"],
        **attempt.term() | attempt.item() | attempt.landed() | _bank_facts(draft),
        now=now,
        due_at=days.due_at(draft.number),
        builds_on=draft.builds_on,
        title=draft.title,
        body=draft.body,
        price=draft.price,
        games=draft.games,
        indexable=draft.indexable,
        photo=draft.photo,
    )
