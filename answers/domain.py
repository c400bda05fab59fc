"""The vocabulary of publication: the words of docs/protocol.md as types. Pure."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NewType
from uuid import UUID

from costcodle.bank_rows import BankVersion
from costcodle.days import PuzzleNumber
from costcodle.game.rules import Cents
from results.domain import Distribution

Fence = NewType("Fence", int)
Revision = NewType("Revision", int)
ContentVersion = NewType("ContentVersion", int)
CommitToken = NewType("CommitToken", UUID)
Owner = NewType("Owner", str)

NO_PAGE = ContentVersion(0)
"""The content version that stands for a page that does not exist."""


class Outcome(StrEnum):
    """How one attempt ended. One spelling everywhere: code, output, admin, documents."""

    PUBLISHED = "published"
    UPDATED = "updated"
    WITHDRAWN = "withdrawn"
    REINSTATED = "reinstated"
    UNCHANGED = "unchanged"
    LEASE_HELD = "lease_held"
    LEASE_LOST = "lease_lost"
    NOT_DUE = "not_due"
    NOT_READY = "not_ready"
    CONFLICT = "conflict"
    FAILED = "failed"
    UNKNOWN = "unknown"


class Kind(StrEnum):
    """What a log row says happened to a page."""

    CREATE = "create"
    UPDATE = "update"
    WITHDRAW = "withdraw"
    REINSTATE = "reinstate"


class ItemState(StrEnum):
    """How far the publication of one puzzle is; answers/states.py has the legal moves."""

    PENDING = "pending"
    PROCESSING = "processing"
    PUBLISHED = "published"
    WITHDRAWN = "withdrawn"
    FAILED = "failed"


PUBLIC_CHANGE = {
    Kind.CREATE: Outcome.PUBLISHED,
    Kind.UPDATE: Outcome.UPDATED,
    Kind.WITHDRAW: Outcome.WITHDRAWN,
    Kind.REINSTATE: Outcome.REINSTATED,
}
"""The outcome that a log row of each kind is reported as."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """One term of the right to publish one puzzle; every later call takes the whole lease."""

    number: PuzzleNumber
    owner: Owner
    fence: Fence
    expires_at: datetime

    @property
    def key(self) -> str:
        """The primary key of its row."""
        return lease_key(self.number)


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """Somebody else's term, as it was seen when the lease was asked for."""

    owner: Owner
    fence: Fence
    expires_at: datetime


def lease_key(number: PuzzleNumber) -> str:
    """The key under which a puzzle's publication is leased."""
    return f"publication:{number}"


def number_of(key: str) -> PuzzleNumber | None:
    """The puzzle whose publication a key leases; `None` for a key of another kind."""
    kind, _, number = key.partition(":")
    return PuzzleNumber(int(number)) if kind == "publication" and number.isdecimal() else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """An answer page as it stands: what a draft is compared with and may not take away."""

    content_version: ContentVersion
    bank_version: BankVersion
    indexable: bool
    photo: str
    games: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BankRow:
    """The facts of a puzzle that a page shows, at one bank version."""

    number: PuzzleNumber
    name: str
    size: str
    price: Cents
    photo: str
    photo_ready: bool
    correction_note: str
    bank_version: BankVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A page's whole public content as facts, and the facts that it was built on."""

    number: PuzzleNumber
    title: str
    body: dict[str, object]
    price: Cents
    indexable: bool
    photo: str
    games: int
    bank_version: BankVersion
    needs_ready_photo: bool
    builds_on: ContentVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Everything an attempt read before it wrote: the item, the bank, the page, the results."""

    state: ItemState
    bank: BankRow
    page: Page | None
    results: Distribution


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed:
    """A batch that landed."""

    outcome: Outcome
    revision: Revision
    content_version: ContentVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """An attempt that changed nothing public, and which guard or fact said so."""

    outcome: Outcome
    guard: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What became of one puzzle in one run."""

    number: PuzzleNumber
    outcome: Outcome
    owner: Owner
    revision: Revision | None = None
    fence: Fence | None = None
    seconds: float = 0.0
    detail: str = field(default="")
