"""The lease: the right to publish one puzzle for a short time.

What is authoritative: one row of `job_leases` per key, and the database's clock. Nothing is kept
in this process; a `Lease` is only a claim that every later statement checks again.

What holds (docs/protocol.md):

* G4: a fence never repeats and never falls. A new key starts at 1, every acquisition adds one, and
  a row that was lost by hand starts above every fence that the ledger and the log have seen. The
  row is never deleted; a release only sets its expiry to now.
* G6: a lease changes hands only when it has expired by the database's clock, or was released. An
  operator may let it expire at once; that moves the expiry to now and gives it to nobody.
* G7: a release touches only its own key, owner and fence. Two terms of one owner are two leases.
* G18: no lease outlives the database's clock by more than `LEASE_SECONDS`.

What a zero means: no row from `take_lease` is `Held`, somebody else's term; no row from `pin` is
`False`, and its caller reports `lease_lost`; no row from `release_lease` is nothing to release; no
row from `expire_lease` is a term that has ended already.

Why running twice is safe: taking a key that is held changes nothing, and releasing it a second
time meets no row. An error of any statement here means that there is no lease: the caller forgets
it and at most tries to release the term it knew.

Expiry decides only who may try (liveness). That nothing stale is written rests on the fence, and
on the pin, which locks the row until the writer's COMMIT so that no takeover comes in between.
"""

from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings

from answers.domain import Fence, Held, Lease, Owner, lease_key
from answers.models import JobLease
from costcodle import clock, statements
from costcodle.days import PuzzleNumber
from costcodle.models import Puzzle
from costcodle.statements import durable_transaction

_SQL = statements.load(
    Path(__file__).parent / "sql" / "leases.sql",
    {
        "key": JobLease._meta.get_field("key"),
        "owner": JobLease._meta.get_field("owner_id"),
        "fence": JobLease._meta.get_field("fence"),
        "expires_at": JobLease._meta.get_field("expires_at"),
        "now": JobLease._meta.get_field("updated_at"),
        "number": Puzzle._meta.get_field("number"),
    },
)


def take(number: PuzzleNumber, owner: Owner) -> Lease | Held:
    """Acquire a puzzle's lease for `LEASE_SECONDS`, or tell who holds it.

    Raises `django.db.Error`: then there is no lease, whatever the database may have done.
    """
    key = lease_key(number)
    with durable_transaction():
        now = clock.now()
        expires_at = now + timedelta(seconds=settings.LEASE_SECONDS)
        taken = _SQL["take_lease"].run(
            key=key, owner=owner, number=number, expires_at=expires_at, now=now
        )
        if taken.rows:
            fence = Fence(taken.rows[0][0])
            return Lease(number=number, owner=owner, fence=fence, expires_at=expires_at)
        row = JobLease.objects.get(key=key)
    return Held(owner=Owner(row.owner_id), fence=Fence(row.fence), expires_at=row.expires_at)


def pin(lease: Lease, now: datetime) -> bool:
    """Lock the lease's row for the rest of the transaction; whether the lease is still held."""
    return _SQL["pin_lease"].run(**_term(lease), now=now).count == 1


def lock(number: PuzzleNumber) -> None:
    """Lock the row of a key whoever holds it, and so wait for any transaction that pinned it."""
    _SQL["lock_lease"].run(key=lease_key(number))


def release(lease: Lease) -> None:
    """End this term now; does nothing when it has ended already."""
    with durable_transaction():
        _SQL["release_lease"].run(**_term(lease), now=clock.now())


def expire(key: str, owner: Owner, fence: Fence) -> bool:
    """Let somebody else's term expire now, exactly this one; whether it was still held.

    For an operator who knows that its holder is gone. It costs the holder its work and can break
    nothing: what is pinned commits first, what is not pinned yet is `lease_lost`.
    Raises `django.db.Error`: then the term may have been ended, and asking again is safe.
    """
    with durable_transaction():
        ended = _SQL["expire_lease"].run(key=key, owner=owner, fence=fence, now=clock.now())
    return ended.count == 1


def _term(lease: Lease) -> dict[str, object]:
    return {"key": lease.key, "owner": lease.owner, "fence": lease.fence}
