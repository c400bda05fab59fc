"""States, outcomes, changes and owners in words, for a person who has read no code. Pure."""

from datetime import timedelta
from typing import Final, NamedTuple

from answers.domain import ItemState, Kind, Outcome

STATES: Final = {
    ItemState.PENDING: "waits for its first publication",
    ItemState.PROCESSING: "somebody works on it, or died at it",
    ItemState.PUBLISHED: "its page is public",
    ItemState.WITHDRAWN: "its page was taken back",
    ItemState.FAILED: "an error; every run tries it again",
}

KINDS: Final = {
    Kind.CREATE: "published",
    Kind.UPDATE: "updated",
    Kind.WITHDRAW: "withdrawn",
    Kind.REINSTATE: "reinstated",
}

OUTCOMES: Final = {
    Outcome.PUBLISHED: "the page is public now",
    Outcome.UPDATED: "the page was brought up to date",
    Outcome.WITHDRAWN: "the page was taken back; visitors get a 410 from now on",
    Outcome.REINSTATED: "the page is public again, as it was",
    Outcome.UNCHANGED: "nothing public had to change, and nothing did",
    Outcome.LEASE_HELD: "another publisher is at this puzzle; nothing was changed, try again later",
    Outcome.LEASE_LOST: "another took the puzzle over, or broke its lease; nothing was changed",
    Outcome.NOT_DUE: "it can still be played, and its answer is not due; nothing was changed",
    Outcome.NOT_READY: "its photo is not ready, and the site does not publish without one",
    Outcome.CONFLICT: "others kept changing the same facts; nothing was changed, do it again",
    Outcome.FAILED: "an error of this puzzle; nothing was changed, and every run tries it again",
    Outcome.UNKNOWN: "the database went away in the commit; do it again, which settles it safely",
}
"""What each outcome means, and what follows from it."""

_MINUTE: Final = 60
_HOUR: Final = 60 * _MINUTE
_DAY: Final = 24 * _HOUR


class Signature(NamedTuple):
    """Who an owner is: a label for people, if there is one, and the run's random id."""

    label: str
    run: str


def outcome(word: str) -> str:
    """What a stored outcome means; a word that is none stands for itself."""
    return OUTCOMES[Outcome(word)] if word in OUTCOMES else word


def signature(owner: str) -> Signature:
    """An owner's label and run."""
    label, _, run = owner.rpartition("/")
    return Signature(label=label or "no label", run=run)


def lasting(time: timedelta) -> str:
    """A stretch of time in words, to its two largest units; what is negative is none."""
    seconds = max(0, int(time.total_seconds()))
    for size, name, smaller, its_name in (
        (_DAY, "d", _HOUR, "h"),
        (_HOUR, "h", _MINUTE, "min"),
        (_MINUTE, "min", 1, "s"),
    ):
        if seconds >= size:
            rest = seconds % size // smaller
            return (
                f"{seconds // size} {name} {rest} {its_name}"
                if rest
                else f"{seconds // size} {name}"
            )
    return f"{seconds} s"
