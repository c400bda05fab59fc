"""What machines are told about an answer: its address, a sentence, an image, an article."""

from django.conf import settings
from django.core.files.storage import default_storage
from django.urls import reverse

from answers.pages import Answer
from costcodle import http
from costcodle.days import PuzzleNumber
from costcodle.game.money import dollars
from costcodle.templatetags.costcodle import iso

SITE_NAME = "Costcodle"


def address(number: PuzzleNumber) -> str:
    """The canonical address of an answer."""
    return http.absolute(reverse("answer", args=[number]))


def title(answer: Answer) -> str:
    """What an answer is called where its page is not at hand."""
    return f"{SITE_NAME} #{answer.number}: {answer.title}"


def description(answer: Answer) -> str:
    """An answer in two sentences."""
    cost, low, high = (dollars(cents) for cents in (answer.price, answer.low, answer.high))
    return f"{answer.title} cost {cost}. Anything from {low} to {high} won."


def image(answer: Answer) -> str:
    """The absolute address of its photo; empty without one: a stand-in is nobody's picture."""
    return http.absolute(default_storage.url(answer.photo)) if answer.photo else ""


def article(answer: Answer) -> dict[str, object]:
    """The page as a schema.org Article about the item. It offers nothing for sale."""
    site = {"@type": "Organization", "name": SITE_NAME, "url": f"{settings.SITE_ORIGIN}/"}
    found: dict[str, object] = {
        "@context": "https://schema.org",
        "@type": "Article",
        "headline": title(answer),
        "description": description(answer),
        "url": address(answer.number),
        "mainEntityOfPage": address(answer.number),
        "datePublished": iso(answer.published_at),
        "dateModified": iso(answer.updated_at),
        "inLanguage": "en",
        "isAccessibleForFree": True,
        "author": site,
        "publisher": site,
        "about": {"@type": "Thing", "name": answer.title},
    }
    if answer.photo:
        found["image"] = image(answer)
    if answer.correction_note:
        found["correction"] = answer.correction_note
    return found
