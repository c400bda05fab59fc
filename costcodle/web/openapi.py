"""The description of the API, as data: `/api/openapi.json`.

tests/integration/test_openapi.py holds the API to it.
"""

from typing import Any, Final

from costcodle.days import LAST_NUMBER
from costcodle.game import price_input, token
from costcodle.game.board import Mode, State
from costcodle.game.rules import MOST_GUESSES, Direction, Verdict
from costcodle.web.bodies import MOST_BYTES
from results.domain import MOST_RESULTS, GameOutcome, RecordOutcome

Schema = dict[str, Any]


def _text(description: str, **more: object) -> Schema:
    return {"type": "string", "description": description, **more}


def _count(description: str, **more: object) -> Schema:
    return {"type": "integer", "minimum": 0, "description": description, **more}


def _either(description: str, *schemas: Schema) -> Schema:
    return {"description": description, "anyOf": list(schemas)}


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "required": list(properties), "properties": properties}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _answer(description: str, schema: str, **headers: Schema) -> Schema:
    content = {"application/json": {"schema": _ref(schema)}}
    described = {name.replace("_", "-"): {"schema": value} for name, value in headers.items()}
    return {"description": description, "content": content, "headers": described}


def _operation(summary: str, description: str, **more: object) -> Schema:
    return {"summary": summary, "description": description, **more}


def _body(schema: str) -> Schema:
    return {"required": True, "content": {"application/json": {"schema": _ref(schema)}}}


_NULL: Final[Schema] = {"type": "null"}
_NUMBER: Final[Schema] = {
    "name": "number",
    "in": "path",
    "required": True,
    "description": "The puzzle's number: the UTC date minus 2023-09-21 in days, plus 1.",
    "schema": {"type": "integer", "minimum": 1, "maximum": LAST_NUMBER},
}
_TOO_MUCH: Final = _answer(
    "Too many requests from this session or address.", "Error", Retry_After={"type": "integer"}
)
_UNREADABLE: Final = {
    "413": _answer(f"The body is longer than {MOST_BYTES} bytes.", "Error"),
    "415": _answer("The body is not sent as application/json.", "Error"),
    "429": _TOO_MUCH,
}
_PRICE: Final = _text("US dollars with two decimals.", pattern=r"^[0-9]{1,5}\.[0-9]{2}$")
_DIRECTION: Final = _either(
    "Where the price lies: up when the guess is too low; null where it wins.",
    {"type": "string", "enum": list(Direction)},
    _NULL,
)
_VERDICT: Final = _text(
    "win: within 5 % of the price; near: within 25 %; far: beyond.", enum=list(Verdict)
)
_TOKEN: Final = _text(
    "The game so far, sealed by the server. It holds nothing that the player has not typed.",
    maxLength=token.MOST_CHARACTERS,
)

_SCHEMAS: Final[Schema] = {
    "Guess": {
        "type": "object",
        "required": ["guess"],
        "properties": {
            "guess": _text("What was typed, for example 9.99 or $1,299."),
            "token": _either("The token of the answer before; null at first.", _TOKEN, _NULL),
            "session": _either(
                "A random UUID that the page made up and keeps; needed where token is null.",
                {"type": "string", "format": "uuid"},
                _NULL,
            ),
        },
        "example": {
            "guess": "9.99",
            "token": None,
            "session": "2f1c9a54-8f0e-4b0e-9a55-0a1b2c3d4e5f",
        },
    },
    "Turn": _object(
        puzzle={"type": "integer"},
        mode=_text("What the game counts for.", enum=list(Mode)),
        turn=_count("How many guesses were taken.", minimum=1, maximum=MOST_GUESSES),
        verdict=_VERDICT,
        direction=_DIRECTION,
        guesses={
            "type": "array",
            "minItems": 1,
            "maxItems": MOST_GUESSES,
            "items": _object(
                guess=_PRICE,
                verdict=_VERDICT,
                direction=_DIRECTION,
                words=_text("The same in words, for example: too low, far."),
            ),
        },
        state=_text("How far the game is.", enum=list(State)),
        token=_TOKEN,
        result=_either("Null while the game is being played.", _ref("Result"), _NULL),
    ),
    "Result": _object(
        price=_PRICE,
        winning_range=_object(low=_PRICE, high=_PRICE),
        share=_text("The text to share, in signs."),
        share_in_words=_text("The text to share, in words."),
    ),
    "Report": _object(token=_TOKEN),
    "Recording": _object(
        outcome=_text("What became of the report.", enum=list(RecordOutcome)),
        slot=_either(
            "The place of this result among the day's.",
            {"type": "integer", "minimum": 1, "maximum": MOST_RESULTS},
            _NULL,
        ),
        result=_either(
            "The result that is kept of this session.",
            _object(
                state={"type": "string", "enum": list(GameOutcome)},
                guesses_used={"type": "integer", "minimum": 1, "maximum": MOST_GUESSES},
            ),
            _NULL,
        ),
        distribution=_either("The day's results so far.", _ref("Distribution"), _NULL),
    ),
    "Distribution": _object(
        won={
            "type": "array",
            "minItems": MOST_GUESSES,
            "maxItems": MOST_GUESSES,
            "items": _count("Games won with this many guesses."),
        },
        lost=_count("Games lost."),
        games=_count("All finished games."),
    ),
    "Error": _object(
        error=_object(
            code=_text("For programs."), message=_text("For the player: what to do about it.")
        )
    ),
}
_SCHEMAS["Stats"] = {
    "allOf": [_object(puzzle={"type": "integer"}), _ref("Distribution")],
}
_SCHEMAS["NotRecorded"] = {"allOf": [_ref("Recording"), _ref("Error")]}

DESCRIPTION: Final[Schema] = {
    "openapi": "3.1.0",
    "info": {
        "title": "Costcodle",
        "version": "1",
        "description": (
            "A daily price-guessing game. No cookie and no account: a game is a token that goes"
            " back and forth. Every request may be repeated; a repeated guess costs no turn."
            f" A guess is at most {price_input.MOST_CHARACTERS} characters."
        ),
    },
    "paths": {
        "/api/play/{number}/guess": {
            "parameters": [_NUMBER],
            "post": _operation(
                "Judge one guess",
                "Today's puzzle, yesterday's until 00:10 UTC, or a published one for practice.",
                operationId="guess",
                requestBody=_body("Guess"),
                responses={
                    "200": _answer("The game after this guess.", "Turn"),
                    "400": _answer("Refused; it cost no turn.", "Error"),
                    "404": _answer("This puzzle cannot be played now.", "Error"),
                    "410": _answer("Withdrawn, or its daily window has closed.", "Error"),
                    **_UNREADABLE,
                },
            ),
        },
        "/api/results": {
            "post": _operation(
                "Report a finished game of the day",
                "Once a session; reported again, it is answered with what was recorded.",
                operationId="results",
                requestBody=_body("Report"),
                responses={
                    "200": _answer("Recorded before, or the day is full.", "Recording"),
                    "201": _answer("Recorded.", "Recording"),
                    "400": _answer("Not a finished game of a day.", "NotRecorded"),
                    "410": _answer("The day's statistics have closed.", "NotRecorded"),
                    **_UNREADABLE,
                },
            ),
        },
        "/api/puzzles/{number}/stats": {
            "parameters": [_NUMBER],
            "get": _operation(
                "The final results of a published puzzle",
                "What its answer page shows.",
                operationId="stats",
                responses={
                    "200": _answer("Every result of its day.", "Stats"),
                    "404": _answer("Its answer is not public.", "Error"),
                    "410": _answer("Its answer was withdrawn.", "Error"),
                },
            ),
        },
    },
    "components": {"schemas": _SCHEMAS},
}
