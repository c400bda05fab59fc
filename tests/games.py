"""Playing through the site as a client does: by the API, and by the plain form."""

import re
import uuid
from typing import TYPE_CHECKING, Any

from django.test import Client

from costcodle.days import PuzzleNumber
from costcodle.game import token
from costcodle.game.board import Mode, Play
from costcodle.game.rules import Cents

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Response

SESSION = "2f1c9a54-8f0e-4b0e-9a55-0a1b2c3d4e5f"


def make_play(
    *cents: int, number: int = 1121, mode: Mode = Mode.DAILY, session: uuid.UUID | None = None
) -> Play:
    guesses = tuple(Cents(guess) for guess in cents)
    return Play(
        number=PuzzleNumber(number), mode=mode, session=session or uuid.uuid4(), guesses=guesses
    )


def sealed(
    *cents: int, number: int = 1121, mode: Mode = Mode.DAILY, session: str | None = None
) -> str:
    """The token of a game with these guesses; its session is random, or the one given."""
    known = uuid.UUID(session) if session else None
    return token.seal(make_play(*cents, number=number, mode=mode, session=known))


def post(path: str, body: Any, **headers: str) -> "Response":
    """Send a body as JSON; bytes and text go as they are."""
    client = Client(enforce_csrf_checks=True)
    return client.post(path, data=body, content_type="application/json", headers=headers)


def guess(
    text: Any,
    sealed: Any = None,
    *,
    number: int = 1121,
    session: Any = SESSION,
) -> "Response":
    body = {"guess": text, "token": sealed, "session": session}
    return post(f"/api/play/{number}/guess", body)


def report(sealed: Any) -> "Response":
    return post("/api/results", {"token": sealed})


def error_code(response: "Response") -> str:
    document = response.json()
    assert document["error"].keys() == {"code", "message"}
    assert document["error"]["message"].endswith(".")
    code: str = document["error"]["code"]
    return code


class Form:
    """The plain form of a page, as a browser without script sends it."""

    def __init__(self, path: str = "/") -> None:
        self.client = Client(enforce_csrf_checks=True)
        self.take(self.client.get(path))

    def take(self, response: "Response") -> "Response":
        self.page = response.content.decode()
        form = re.search(r"<form.*?</form>", self.page, re.DOTALL)
        markup = form[0] if form else ""
        action = re.search(r'action="([^"#]*)', markup)
        self.action = action[1] if action else ""
        self.hidden = dict(re.findall(r'type="hidden"\s+name="(\w+)"\s+value="([^"]*)"', markup))
        return response

    def guess(self, text: str) -> "Response":
        return self.take(self.send(text))

    def send(self, text: str) -> "Response":
        """Send a guess, and stay on the page as if its answer had been lost."""
        return self.client.post(self.action, {**self.hidden, "guess": text})

    @property
    def rows(self) -> list[str]:
        return re.findall(r'data-verdict="(\w+)"', self.page)
