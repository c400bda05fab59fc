"""The first tier by itself: bounded, and of one generation."""

from datetime import UTC, datetime, timedelta

from answers.edge.policy import Encoding
from answers.edge.store import Entry, Store
from answers.edge.tier import PlainBytes, decoded, encoded

NOON = datetime(2026, 10, 15, 12, tzinfo=UTC)


def entry(body: bytes = b"x" * 100, *, seconds: int = 60) -> Entry:
    return Entry(
        status=200,
        headers=(("Content-Type", "text/html"),),
        bodies={Encoding.IDENTITY: body, Encoding.GZIP: body[:10]},
        tags={Encoding.IDENTITY: '"a"', Encoding.GZIP: '"b"'},
        deadline=NOON + timedelta(seconds=seconds),
    )


def test_an_entry_is_served_until_its_deadline_and_not_at_it() -> None:
    store = Store()
    store.put("r1", "k", entry())
    last = NOON + timedelta(seconds=59.999999)
    assert store.get("r1", "k", last) == entry()
    assert store.get("r1", "k", NOON + timedelta(seconds=60)) is None
    assert store.figures() == (0, 0)


def test_a_new_generation_drops_the_old_one() -> None:
    store = Store()
    store.put("r1", "k", entry())
    assert store.get("r2", "k", NOON) is None
    store.put("r2", "other", entry())
    assert store.get("r1", "k", NOON) is None
    assert store.figures()[0] == 1


def test_bytes_and_entries_are_bounded_and_the_least_used_goes_first() -> None:
    store = Store(most_bytes=1000, most_entries=3)
    for name in "abc":
        store.put("r1", name, entry())
    store.get("r1", "a", NOON)
    store.put("r1", "d", entry())
    assert [bool(store.get("r1", name, NOON)) for name in "abcd"] == [True, False, True, True]
    store.put("r1", "big", entry(b"x" * 2000))
    assert store.get("r1", "big", NOON) is None
    store.put("r1", "half", entry(b"x" * 900))
    assert store.figures() == (1, entry(b"x" * 900).size)
    store.put("r1", "half", entry())
    assert store.figures() == (1, entry().size)


def test_a_million_keys_keep_it_flat() -> None:
    store = Store(most_entries=50)
    small = entry(b"x")
    for turn in range(1_000_000):
        store.put("r1", str(turn), small)
    assert store.figures() == (50, 50 * small.size)


def test_an_entry_comes_back_from_plain_bytes_as_it_was() -> None:
    data = PlainBytes().dumps(encoded(entry(b"\x00\xff" * 50)))
    assert decoded(PlainBytes().loads(data)) == entry(b"\x00\xff" * 50)
