from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from django.template import Context, Template

from costcodle.game.money import dollars
from costcodle.game.rules import LEAST_CENTS, MOST_CENTS, Cents
from costcodle.templatetags.costcodle import day, instant, photo_url


@pytest.mark.parametrize(
    ("cents", "written"),
    [
        (LEAST_CENTS, "$0.01"),
        (99, "$0.99"),
        (100, "$1.00"),
        (949, "$9.49"),
        (4180, "$41.80"),
        (99_999, "$999.99"),
        (129_999, "$1,299.99"),
        (MOST_CENTS, "$99,999.99"),
    ],
)
def test_an_amount_has_two_decimals_and_its_thousands_separated(cents: int, written: str) -> None:
    assert dollars(Cents(cents)) == written
    filtered = Template("{% load costcodle %}{{ cents|money }}").render(Context({"cents": cents}))
    assert filtered == written


def test_a_day_is_written_in_words_with_its_date_for_machines() -> None:
    expected = '<time datetime="2026-10-05">Monday, October 5, 2026</time>'
    assert day(date(2026, 10, 5)) == expected
    assert day(date(2026, 10, 5), "M j, Y") == '<time datetime="2026-10-05">Oct 5, 2026</time>'


@pytest.mark.parametrize("zone", [UTC, timezone(timedelta(hours=-7))])
def test_an_instant_is_written_in_utc_whatever_its_zone(zone: timezone) -> None:
    value = datetime(2026, 10, 16, 0, 10, tzinfo=UTC).astimezone(zone)
    expected = '<time datetime="2026-10-16T00:10:00Z">October 16, 2026, 00:10 UTC</time>'
    assert instant(value) == expected


def test_a_photo_is_linked_below_media() -> None:
    name = f"photos/{'0a' * 16}.webp"
    assert photo_url(name) == f"/media/{name}"
