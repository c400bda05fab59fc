"""`load_demo_bank`: a made-up bank around today, for a site that has no bank of its own yet."""

import dataclasses
import json
from functools import cache
from pathlib import Path
from typing import Any, Final

import costcodle
from costcodle import clock, days
from costcodle.bank import DEMO_SOURCE, DemoRefusal, add_demo_items, holds_another_bank
from costcodle.bank_rows import BankItem, size_in
from costcodle.commands import Exit, SiteCommand
from costcodle.days import PuzzleNumber
from costcodle.game.rules import Cents
from costcodle.models import Puzzle
from costcodle.photos import drawings, keeping

DAYS_BACK: Final = 33
DAYS_AHEAD: Final = 30


class Command(SiteCommand):
    """Adds what the window around today lacks, and nothing beside another bank."""

    help = "Load or top up the demonstration bank, while the bank holds nothing else."

    def work(self, options: dict[str, Any]) -> Exit:
        """Draw the photos first: a file is no part of a transaction."""
        if holds_another_bank():
            return self._leave(options)
        items = [_with_photo(number) for number in _absent_numbers()]
        report = add_demo_items(items)
        _drop_unused_photos(items)
        if isinstance(report, DemoRefusal):
            return self._leave(options)
        line = f"demonstration bank: added={report.added} bank_version={report.bank_version}"
        self.answer(options, {"outcome": "loaded", **dataclasses.asdict(report)}, [line])
        return Exit.DONE

    def _leave(self, options: dict[str, Any]) -> Exit:
        line = "demonstration bank: left alone, the bank holds other puzzles"
        self.answer(options, {"outcome": DemoRefusal.OTHER_BANK}, [line])
        return Exit.DONE


@cache
def _catalogue() -> list[dict[str, str]]:
    path = Path(costcodle.__file__).with_name("demo_bank.json")
    catalogue: list[dict[str, str]] = json.loads(path.read_text(encoding="utf-8"))
    return catalogue


def _absent_numbers() -> list[PuzzleNumber]:
    """What the days around today lack, and every day since the last one that the bank holds."""
    today = days.today(clock.now())
    held = set(Puzzle.objects.values_list("number", flat=True))
    first = min(today - DAYS_BACK, max(held, default=today) + 1)
    window = range(max(first, 1), min(today + DAYS_AHEAD, days.LAST_NUMBER) + 1)
    return [PuzzleNumber(number) for number in window if number not in held]


def _with_photo(number: PuzzleNumber) -> BankItem:
    """The item that this number always gets, with a new drawing if it is one that is drawn."""
    entry = _catalogue()[number % len(_catalogue())]
    photo = ""
    if "shape" in entry:
        drawing = drawings.draw(entry["slug"], shape=entry["shape"], motif=entry["motif"])
        photo = keeping.store(drawing)
    return BankItem(
        number=number,
        name=entry["name"],
        size=size_in(entry["name"]),
        price=Cents(int(entry["price"].replace(".", ""))),
        photo_source=DEMO_SOURCE + entry["slug"],
        photo=photo,
    )


def _drop_unused_photos(items: list[BankItem]) -> None:
    """Delete the drawings of items that another load was quicker to add."""
    used = set(Puzzle.objects.values_list("photo", flat=True))
    for item in items:
        if item.photo and item.photo not in used:
            keeping.discard(item.photo)
