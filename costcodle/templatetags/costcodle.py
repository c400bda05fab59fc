"""What templates need to write prices, days, instants and photos."""

import json
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Final

from django import template
from django.core.files.storage import default_storage
from django.utils.dateformat import format as in_words
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from costcodle.game.money import decimal, dollars
from costcodle.game.rules import Cents, Direction
from costcodle.photos import keeping

register = template.Library()

_AS_DATA: Final = str.maketrans({"<": r"\u003C", ">": r"\u003E", "&": r"\u0026"})
_ARROWS: Final = {Direction.UP: "↑", Direction.DOWN: "↓"}


@register.filter
def money(cents: int) -> str:
    """Cents as `$1,299.99`."""
    return dollars(Cents(cents))


@register.filter
def plain_money(cents: int) -> str:
    """Cents as a form takes them: `1299.99`."""
    return decimal(Cents(cents))


@register.filter
def day(value: date, style: str = "l, F j, Y") -> SafeString:
    """A date in words, as a `<time>` element; `style` is one of Django's date formats."""
    return format_html('<time datetime="{}">{}</time>', value.isoformat(), in_words(value, style))


@register.filter
def instant(value: datetime, style: str = r"F j, Y, H:i \U\T\C") -> SafeString:
    """An aware instant in words of UTC, as a `<time>` element; `style` as for `day`."""
    words = in_words(value.astimezone(UTC), style)
    return format_html('<time datetime="{}">{}</time>', iso(value), words)


@register.filter
def iso(value: datetime) -> str:
    """An aware instant for programs, to the second of UTC: `2026-10-16T00:10:00Z`."""
    return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@register.filter
def lines(text: str) -> int:
    """How many lines a text has."""
    return text.count("\n") + 1


@register.filter
def arrow(direction: Direction | None) -> str:
    """Where the price lies as seen from a guess, as a sign; a tick for a win."""
    return "✓" if direction is None else _ARROWS[direction]


@register.filter
def photo_url(name: str) -> str:
    """The address of a stored photo."""
    return default_storage.url(name)


@register.filter
def small_photo_url(name: str) -> str:
    """The address of its small size."""
    return default_storage.url(keeping.small_name(name))


@register.filter
def json_ld(value: Mapping[str, object]) -> SafeString:
    """A mapping as a JSON-LD data block, which no browser executes, whatever the texts in it.

    Without `<`, `>` and `&` nothing in it can end the element (HTML, section 4.12.1.3).
    """
    text = json.dumps(value).translate(_AS_DATA)
    return mark_safe(f'<script type="application/ld+json">{text}</script>')  # noqa: S308 - escaped above
