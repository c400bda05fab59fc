"""`bank_report`: how long the bank lasts, and what in it wants mending."""

from typing import Any, Final

from costcodle import clock, days
from costcodle.bank_reading import bank_report
from costcodle.bank_report import SECTIONS, BankReport, Finding, findings
from costcodle.commands import Exit, SiteCommand

MOST_NAMED: Final = 10


class Command(SiteCommand):
    """Reads and writes nothing; the planner in the admin mends what lies ahead."""

    help = "Say how long the bank lasts, and list gaps, look-alikes, repeats and what items lack."

    def work(self, options: dict[str, Any]) -> Exit:
        """Report on the bank as it is today."""
        report = bank_report(clock.now())
        self.answer(options, _document(report), [_summary(report), *_lists(report)])
        return Exit.ATTENTION if report.wants_attention else Exit.DONE


def _document(report: BankReport) -> dict[str, object]:
    """The whole report; of a gap `puzzles` holds the first and the last day."""
    head = {"today": report.today, "date": days.day_of(report.today), "items": report.items}
    lists = {section: [_entry(each) for each in findings(report, section)] for section in SECTIONS}
    return {**head, "last": report.last, "days_left": report.days_left, **lists}


def _entry(finding: Finding) -> dict[str, object]:
    return {"puzzles": finding.numbers, "ahead": finding.ahead, "about": finding.words}


def _summary(report: BankReport) -> str:
    last = "none" if report.last is None else f"{report.last} ({days.day_of(report.last)})"
    today = f"{report.today} ({days.day_of(report.today)})"
    return f"today={today} items={report.items} last={last} days_left={report.days_left}"


def _lists(report: BankReport) -> list[str]:
    lines: list[str] = []
    for section, title in SECTIONS.items():
        found = findings(report, section)
        ahead = sum(finding.ahead for finding in found)
        lines.append(f"{section}: ahead={ahead} past={len(found) - ahead} ({title})")
        lines += [_line(finding) for finding in found[:MOST_NAMED]]
        if len(found) > MOST_NAMED:
            lines.append(f"  and {len(found) - MOST_NAMED} more (--json names every one)")
    return lines


def _line(finding: Finding) -> str:
    numbers = ",".join(str(number) for number in dict.fromkeys(finding.numbers))
    return f"  {'ahead' if finding.ahead else 'past'} puzzle={numbers} {finding.words}"
