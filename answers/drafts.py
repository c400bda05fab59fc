"""From what was read to what a page should say. Pure: facts in, facts out."""

from answers.domain import NO_PAGE, BankRow, Draft, Page, Reading
from costcodle import days
from costcodle.game.rules import winning_range
from results.domain import Distribution


def build(reading: Reading, *, least_games: int) -> Draft:
    """The page's whole public content, and the facts it rests on.

    It never asks for less than the page has: what is indexable stays so, a photo is kept until a
    new one is ready. `least_games` is how many finished games a page needs, beside its photo, to
    become indexable.
    """
    bank, page = reading.bank, reading.page
    photo = _ready_photo(bank) or (page.photo if page else "")
    return Draft(
        number=bank.number,
        title=bank.name,
        body=_body(bank, reading.results),
        price=bank.price,
        indexable=(page is not None and page.indexable)
        or _earned(photo, reading.results.games, least_games),
        photo=photo,
        games=reading.results.games,
        bank_version=bank.bank_version,
        needs_ready_photo=photo != (page.photo if page else ""),
        builds_on=page.content_version if page else NO_PAGE,
    )


def is_out_of_date(page: Page, bank: BankRow, *, least_games: int) -> bool:
    """Whether a published page needs an update; `ledger.out_of_date` asks the same of all pages.

    It does when the bank's row changed since, when a photo is ready that the page lacks, or when
    it has earned being indexable. Another wording in a newer build is no reason.
    """
    photo = _ready_photo(bank) or page.photo
    return (
        page.bank_version != bank.bank_version
        or photo != page.photo
        or (not page.indexable and _earned(photo, page.games, least_games))
    )


def _ready_photo(bank: BankRow) -> str:
    return bank.photo if bank.photo_ready else ""


def _earned(photo: str, games: int, least_games: int) -> bool:
    return photo != "" and games >= least_games


def _body(bank: BankRow, results: Distribution) -> dict[str, object]:
    low, high = winning_range(bank.price)
    return {
        "date": days.day_of(bank.number).isoformat(),
        "size": bank.size,
        "low_cents": low,
        "high_cents": high,
        "won": list(results.won),
        "lost": results.lost,
        "correction_note": bank.correction_note,
    }
