import os
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from costcodle import days
from costcodle.days import LAST_NUMBER, Phase, PuzzleNumber

MICROSECOND = timedelta(microseconds=1)
EPOCH_DAY_OF_THE_FIRST = 19_621
SECONDS_A_DAY = 86_400
SWITCHES = [
    ("Europe/Berlin", datetime(2026, 3, 29, 1, tzinfo=UTC), timedelta(hours=1)),
    ("Europe/Berlin", datetime(2026, 10, 25, 1, tzinfo=UTC), timedelta(hours=-1)),
    ("America/New_York", datetime(2026, 3, 8, 7, tzinfo=UTC), timedelta(hours=1)),
    ("America/New_York", datetime(2026, 11, 1, 6, tzinfo=UTC), timedelta(hours=-1)),
    ("Australia/Lord_Howe", datetime(2026, 4, 4, 15, tzinfo=UTC), timedelta(minutes=-30)),
    ("Australia/Lord_Howe", datetime(2026, 10, 3, 15, 30, tzinfo=UTC), timedelta(minutes=30)),
]

numbers = st.integers(1, LAST_NUMBER).map(PuzzleNumber)
instants = st.datetimes(
    min_value=datetime.fromisoformat("2023-09-22"),
    max_value=datetime.fromisoformat("2050-01-01"),
    timezones=st.just(UTC),
)


def counted_by_seconds(instant: datetime) -> int:
    return int(instant.timestamp()) // SECONDS_A_DAY - EPOCH_DAY_OF_THE_FIRST + 1


@pytest.fixture(params=SWITCHES, ids=lambda switch: f"{switch[0]}-{switch[1]:%m-%d}")
def switch(request: pytest.FixtureRequest) -> Iterator[datetime]:
    """The instant at which the process's own zone, set for the test, changes its offset."""
    zone, instant, jump = request.param
    before = os.environ.get("TZ")
    os.environ["TZ"] = zone
    time.tzset()
    try:
        assert _offset(instant) - _offset(instant - MICROSECOND) == jump
        yield instant
    finally:
        if before is None:
            del os.environ["TZ"]
        else:
            os.environ["TZ"] = before
        time.tzset()


def _offset(instant: datetime) -> timedelta:
    offset = instant.astimezone().utcoffset()
    assert offset is not None
    return offset


@pytest.mark.parametrize(
    ("number", "day"),
    [(1, date(2023, 9, 21)), (2, date(2023, 9, 22)), (1121, date(2026, 10, 15))],
)
def test_a_known_number_belongs_to_its_known_day(number: int, day: date) -> None:
    assert days.day_of(PuzzleNumber(number)) == day
    assert days.number_on(day) == number


@given(numbers)
def test_a_number_and_its_day_lead_to_each_other(number: PuzzleNumber) -> None:
    assert days.number_on(days.day_of(number)) == number


def test_the_day_before_the_first_has_no_number_that_a_puzzle_can_have() -> None:
    assert days.number_on(date(2023, 9, 20)) == 0
    assert [days.is_number(number) for number in (-1, 0, 1, 9999, 10_000)] == [
        False,
        False,
        True,
        True,
        False,
    ]


def test_a_puzzle_starts_at_midnight_and_is_due_ten_minutes_after_the_next() -> None:
    assert days.starts_at(PuzzleNumber(1121)) == datetime(2026, 10, 15, tzinfo=UTC)
    assert days.due_at(PuzzleNumber(1121)) == datetime(2026, 10, 16, 0, 10, tzinfo=UTC)


@given(numbers)
def test_an_answer_is_due_at_its_instant_and_not_a_microsecond_earlier(
    number: PuzzleNumber,
) -> None:
    due = days.due_at(number)
    assert days.last_due(due) == number
    assert days.last_due(due - MICROSECOND) == number - 1


def test_nothing_is_due_before_the_first_answer_is() -> None:
    assert days.last_due(datetime(2023, 9, 22, 0, 9, 59, 999_999, tzinfo=UTC)) == 0
    assert days.last_due(datetime(2023, 9, 22, 0, 10, tzinfo=UTC)) == 1


@pytest.mark.parametrize(
    ("at", "number", "phase"),
    [
        (datetime(2026, 10, 15, 23, 59, 59, 999_999, tzinfo=UTC), 1121, Phase.SETTLED),
        (datetime(2026, 10, 16, tzinfo=UTC), 1122, Phase.GRACE),
        (datetime(2026, 10, 16, 0, 9, 59, 999_999, tzinfo=UTC), 1122, Phase.GRACE),
        (datetime(2026, 10, 16, 0, 10, tzinfo=UTC), 1122, Phase.SETTLED),
        (datetime(2026, 10, 16, 0, 10, 0, 1, tzinfo=UTC), 1122, Phase.SETTLED),
    ],
)
def test_the_number_turns_at_midnight_and_the_phase_ten_minutes_later(
    at: datetime, number: int, phase: Phase
) -> None:
    assert days.today(at) == number
    assert days.phase(at) is phase


@given(numbers)
def test_a_puzzle_is_playable_from_its_first_microsecond_until_just_before_it_is_due(
    number: PuzzleNumber,
) -> None:
    starts, due = days.starts_at(number), days.due_at(number)
    assert not days.is_playable(number, starts - MICROSECOND)
    assert days.is_playable(number, starts)
    assert days.is_playable(number, due - MICROSECOND)
    assert not days.is_playable(number, due)


@given(instants)
def test_todays_puzzle_is_playable_and_yesterdays_exactly_while_in_grace(now: datetime) -> None:
    today = days.today(now)
    playable = [n for n in range(today - 3, today + 4) if days.is_playable(PuzzleNumber(n), now)]
    in_grace = days.phase(now) is Phase.GRACE
    assert playable == ([today - 1, today] if in_grace else [today])
    assert in_grace == (now.hour == 0 and now.minute < 10)


@given(instants)
def test_every_answer_is_either_due_or_still_ahead(now: datetime) -> None:
    last = days.last_due(now)
    assert days.due_at(last) <= now < days.due_at(PuzzleNumber(last + 1))


@given(instants, st.timezones())
def test_one_instant_has_one_number_and_one_phase_in_every_zone(
    now: datetime, zone: ZoneInfo
) -> None:
    there = now.astimezone(zone)
    assert days.today(there) == days.today(now) == counted_by_seconds(now)
    assert days.phase(there) is days.phase(now)
    assert days.last_due(there) == days.last_due(now)
    assert days.is_playable(days.today(now), there)


def test_every_hour_of_a_daylight_saving_weekend_belongs_to_its_utc_date(
    switch: datetime,
) -> None:
    midnight = switch.replace(hour=0, minute=0) - timedelta(days=2)
    seen = []
    for hour in range(5 * 24):
        local = (midnight + timedelta(hours=hour)).astimezone()
        assert days.today(local) == counted_by_seconds(local)
        seen.append(days.today(local))
    first = days.today(midnight)
    assert seen == [first + hour // 24 for hour in range(5 * 24)]
    days_seen = [days.day_of(PuzzleNumber(first + passed)) for passed in range(5)]
    assert days_seen == [(midnight + timedelta(days=passed)).date() for passed in range(5)]


def test_every_minute_around_a_daylight_saving_switch_belongs_to_its_utc_date(
    switch: datetime,
) -> None:
    for minute in range(-180, 181):
        local = (switch + timedelta(minutes=minute)).astimezone()
        assert days.today(local) == counted_by_seconds(local)
        utc = local.astimezone(UTC)
        in_grace = utc.hour == 0 and utc.minute < 10
        assert (days.phase(local) is Phase.GRACE) == in_grace


def test_the_boundaries_of_a_puzzle_stay_put_while_the_zone_switches(switch: datetime) -> None:
    number = days.number_on(switch.date())
    assert days.starts_at(number).timestamp() % SECONDS_A_DAY == 0
    assert days.due_at(number) - days.starts_at(number) == timedelta(days=1, minutes=10)
