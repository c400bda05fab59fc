"""What templates need to write prices, days, instants and photos."""

from datetime import UTC, date, datetime

from django import template
from django.core.files.storage import default_storage
from django.utils.dateformat import format as in_words
from django.utils.html import format_html
from django.utils.safestring import SafeString

from costcodle.game.money import dollars
from costcodle.game.rules import Cents

register = template.Library()


@register.filter
def money(cents: int) -> str:
    """Cents as `$1,299.99`."""
    return dollars(Cents(cents))


@register.filter
def day(value: date, style: str = "l, F j, Y") -> SafeString:
    """A date in words, as a `<time>` element; `style` is one of Django's date formats."""
    return format_html('<time datetime="{}">{}</time>', value.isoformat(), in_words(value, style))


@register.filter
def instant(value: datetime) -> SafeString:
    """An aware instant in words, to the minute of UTC, as a `<time>` element."""
    utc = value.astimezone(UTC)
    return format_html(
        '<time datetime="{}">{}</time>',
        utc.strftime("%Y-%m-%dT%H:%M:%SZ"),
        in_words(utc, r"F j, Y, H:i \U\T\C"),
    )


@register.filter
def photo_url(name: str) -> str:
    """The address of a stored photo."""
    return default_storage.url(name)
