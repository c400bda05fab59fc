from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from answers import jumps
from answers.jumps import Month, Range
from costcodle import days
from costcodle.days import PuzzleNumber


def test_nothing_published_is_no_way_in() -> None:
    assert jumps.of([], a_page=30) == jumps.Jumps(years=(), ranges=())


def test_a_month_leads_to_its_newest_answer_on_the_page_where_it_stands() -> None:
    numbers = list(range(135, 70, -1))  # 2024-02-02 down to 2023-11-30
    found = jumps.of(numbers, a_page=30)
    assert [(year.year, year.months) for year in found.years] == [
        (
            2024,
            (
                Month(first=date(2024, 1, 1), page=1, number=133),
                Month(first=date(2024, 2, 1), page=1, number=135),
            ),
        ),
        (
            2023,
            (
                Month(first=date(2023, 11, 1), page=3, number=71),
                Month(first=date(2023, 12, 1), page=2, number=102),
            ),
        ),
    ]


def test_a_page_is_named_by_its_newest_and_its_oldest_answer() -> None:
    assert jumps.of([9, 7, 6, 2, 1], a_page=2).ranges == (
        Range(newest=9, oldest=7, page=1),
        Range(newest=6, oldest=2, page=2),
        Range(newest=1, oldest=1, page=3),
    )


@given(st.sets(st.integers(1, days.LAST_NUMBER), max_size=300), st.integers(1, 40))
def test_every_jump_leads_to_an_answer_of_the_list_on_its_page(
    numbers: set[int], a_page: int
) -> None:
    listed = sorted(numbers, reverse=True)
    found = jumps.of(listed, a_page=a_page)
    months = [month for year in found.years for month in year.months]
    assert {month.first for month in months} == {
        days.day_of(PuzzleNumber(number)).replace(day=1) for number in numbers
    }
    for month in months:
        assert listed.index(month.number) // a_page + 1 == month.page
        assert days.day_of(PuzzleNumber(month.number)).replace(day=1) == month.first
    covered = [n for way in found.ranges for n in listed if way.oldest <= n <= way.newest]
    assert covered == listed
