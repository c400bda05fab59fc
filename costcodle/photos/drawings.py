"""The demonstration's own drawings of packages, without any text.

They are made on a board of 1200 units and scaled down, which smooths their edges.
"""

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from PIL import Image, ImageDraw

EDGE: Final = 600
"""Width and height of a drawing in pixels."""

Colour = tuple[int, int, int]
_Ink = Colour | int
_Outline = Callable[[ImageDraw.ImageDraw, _Ink], None]

_BOARD = 2 * EDGE
_MIDDLE = _BOARD / 2
_FLOOR = 1000
_CREAM: Colour = (253, 248, 236)
_METAL: Colour = (196, 202, 209)

# Background, package, accent (lid and motif).
_PALETTES: Final[tuple[tuple[Colour, Colour, Colour], ...]] = (
    ((253, 236, 214), (224, 122, 95), (61, 64, 91)),
    ((221, 240, 233), (42, 157, 143), (217, 122, 43)),
    ((231, 229, 250), (94, 84, 172), (228, 112, 74)),
    ((252, 228, 232), (201, 76, 99), (38, 84, 124)),
    ((222, 237, 249), (38, 103, 160), (226, 88, 78)),
    ((240, 244, 217), (106, 137, 53), (188, 71, 73)),
    ((255, 243, 205), (228, 160, 38), (109, 76, 65)),
    ((226, 241, 243), (0, 119, 134), (214, 64, 69)),
)


def draw(slug: str, *, shape: str, motif: str) -> Image.Image:
    """A flat drawing of a package, `EDGE` pixels square; its colours follow from the slug.

    Raises `KeyError` for an unknown shape or motif.
    """
    pick = hashlib.sha256(slug.encode()).digest()[0]
    background, body, accent = _PALETTES[pick % len(_PALETTES)]
    image = Image.new("RGB", (_BOARD, _BOARD), background)
    board = _Board(image=image, background=background, body=body, accent=accent)
    board.paint(_shade(background, 0.95), _oval(-300, 780, _BOARD + 300, 1700))
    x, y, radius = SHAPES[shape](board)
    board.paint(_CREAM, _disc(x, y, radius))
    board.paint(accent, *MOTIFS[motif](x, y, radius * 0.62))
    return image.resize((EDGE, EDGE), Image.Resampling.LANCZOS)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Board:
    """What is drawn on, and with which colours."""

    image: Image.Image
    background: Colour
    body: Colour
    accent: Colour

    def paint(self, colour: Colour, *outlines: _Outline) -> None:
        """Fill outlines flatly."""
        pen = ImageDraw.Draw(self.image)
        for outline in outlines:
            outline(pen, colour)

    def model(self, colour: Colour, *outlines: _Outline) -> None:
        """Fill outlines with light from the left and shade on the right."""
        mask = Image.new("1", self.image.size)
        for outline in outlines:
            outline(ImageDraw.Draw(mask), 1)
        left, _, right, _ = mask.getbbox() or (0, 0, 0, 0)
        for start, end, light in ((0, 1, 1), (0.07, 0.17, 1.15), (0.8, 1, 0.86)):
            edges = (left + round(edge * (right - left)) for edge in (start, end))
            stripe = (next(edges), 0, next(edges), _BOARD)
            self.image.paste(_shade(colour, light), stripe, mask.crop(stripe))

    def ground(self, half_width: float) -> None:
        """Paint the shadow that the package stands on."""
        shadow = _oval(_MIDDLE - half_width, _FLOOR - 42, _MIDDLE + half_width, _FLOOR + 48)
        self.paint(_shade(self.background, 0.82), shadow)


def _shade(colour: Colour, light: float) -> Colour:
    red, green, blue = (min(255, round(part * light)) for part in colour)
    return red, green, blue


def _block(left: float, top: float, right: float, bottom: float, radius: float = 0) -> _Outline:
    return lambda pen, ink: pen.rounded_rectangle((left, top, right, bottom), radius, fill=ink)


def _centred(half_width: float, top: float, bottom: float, radius: float = 0) -> _Outline:
    return _block(_MIDDLE - half_width, top, _MIDDLE + half_width, bottom, radius)


def _oval(left: float, top: float, right: float, bottom: float) -> _Outline:
    return lambda pen, ink: pen.ellipse((left, top, right, bottom), fill=ink)


def _disc(x: float, y: float, radius: float) -> _Outline:
    return _oval(x - radius, y - radius, x + radius, y + radius)


def _polygon(*points: tuple[float, float]) -> _Outline:
    return lambda pen, ink: pen.polygon(points, fill=ink)


def _mirrored(*half: tuple[float, float]) -> _Outline:
    """A polygon from its right half: distances from the middle, and heights."""
    right = [(_MIDDLE + x, y) for x, y in half]
    left = [(_MIDDLE - x, y) for x, y in reversed(half)]
    return _polygon(*right, *left)


_Label = tuple[float, float, float]


def _jar(board: _Board) -> _Label:
    board.ground(300)
    board.model(board.body, _centred(270, 360, _FLOOR, 90), _centred(210, 300, 480, 40))
    board.model(board.accent, _centred(235, 200, 325, 28))
    return _MIDDLE, 680, 190


def _bottle(board: _Board) -> _Label:
    board.ground(210)
    shoulders = _mirrored((75, 330), (85, 400), (175, 540), (175, 700))
    board.model(board.body, _centred(175, 520, _FLOOR, 50), shoulders, _centred(75, 200, 420))
    board.model(board.accent, _centred(88, 150, 255, 18))
    return _MIDDLE, 750, 145


def _jug(board: _Board) -> _Label:
    board.ground(280)
    board.paint(board.body, _block(770, 360, 930, 760, 70))
    board.paint(board.background, _block(815, 420, 885, 700, 34))
    shoulders = _mirrored((90, 280), (110, 330), (235, 480), (235, 620))
    board.model(board.body, _centred(235, 440, _FLOOR, 60), shoulders)
    board.model(board.accent, _centred(105, 190, 300, 22))
    return _MIDDLE, 730, 165


def _box(board: _Board) -> _Label:
    board.ground(330)
    board.paint(
        _shade(board.body, 0.74), _polygon((850, 290), (930, 240), (930, 950), (850, _FLOOR))
    )
    board.paint(_shade(board.body, 1.2), _polygon((300, 290), (380, 240), (930, 240), (850, 290)))
    board.paint(board.body, _block(300, 290, 850, _FLOOR))
    board.paint(board.accent, _block(300, 850, 850, 920))
    return 575, 570, 190


def _bag(board: _Board) -> _Label:
    board.ground(290)
    side = _mirrored((225, 330), (270, 420), (285, 700), (270, 960), (255, _FLOOR))
    board.model(board.body, side, _centred(225, 250, 360))
    board.paint(board.accent, _centred(240, 200, 290, 14))
    board.paint(_shade(board.body, 0.8), _centred(225, 318, 326))
    return _MIDDLE, 670, 180


def _can(board: _Board) -> _Label:
    board.ground(230)
    body = _oval(400, _FLOOR - 70, 800, _FLOOR + 10), _block(400, 320, 800, _FLOOR - 30)
    board.model(board.body, *body)
    board.model(_METAL, _mirrored((160, 245), (200, 320), (200, 350)), _oval(400, 312, 800, 388))
    board.paint(_shade(_METAL, 1.16), _oval(440, 212, 760, 278))
    board.paint(_shade(_METAL, 0.8), _oval(540, 226, 660, 260))
    return _MIDDLE, 660, 160


def _tub(board: _Board) -> _Label:
    board.ground(270)
    board.model(board.body, _mirrored((310, 470), (250, _FLOOR - 20), (230, _FLOOR)))
    board.model(board.accent, _centred(335, 400, 490, 30))
    board.paint(_shade(board.accent, 1.2), _centred(300, 372, 402, 12))
    return _MIDDLE, 745, 165


def _carton(board: _Board) -> _Label:
    board.ground(270)
    board.paint(
        _shade(board.body, 0.74), _polygon((730, 430), (860, 400), (860, 960), (730, _FLOOR))
    )
    board.paint(_shade(board.body, 0.88), _polygon((730, 430), (790, 270), (860, 400)))
    board.paint(_shade(board.body, 1.14), _polygon((360, 430), (420, 270), (790, 270), (730, 430)))
    board.paint(_shade(board.body, 0.9), _block(420, 205, 790, 272))
    board.paint(board.body, _block(360, 430, 730, _FLOOR))
    board.model(board.accent, _block(530, 318, 640, 372, 16))
    return 545, 700, 145


def _tin(board: _Board) -> _Label:
    board.ground(390)
    rim = _block(210, 530, 990, _FLOOR, 150)
    board.model(_METAL, rim)
    board.model(board.body, _block(236, 506, 964, _FLOOR - 60, 136))
    board.paint(_shade(_METAL, 1.12), _block(790, 690, 900, 770, 38))
    board.paint(board.body, _block(815, 712, 875, 748, 18))
    return 520, 723, 150


def _rolls(board: _Board) -> _Label:
    board.ground(400)
    for left in (215, 475, 735):
        board.model(
            _CREAM, _block(left, 440, left + 250, _FLOOR - 30), _oval(left, 900, left + 250, _FLOOR)
        )
        board.paint(_shade(_CREAM, 0.94), _oval(left, 385, left + 250, 495))
        board.paint(board.accent, _oval(left + 80, 415, left + 170, 463))
    board.model(board.body, _block(215, 600, 985, 860))
    return _MIDDLE, 730, 108


SHAPES: Final[dict[str, Callable[[_Board], _Label]]] = {
    "bag": _bag,
    "bottle": _bottle,
    "box": _box,
    "can": _can,
    "carton": _carton,
    "jar": _jar,
    "jug": _jug,
    "rolls": _rolls,
    "tin": _tin,
    "tub": _tub,
}


def _around(x: float, y: float, away: float, count: int) -> list[tuple[float, float]]:
    """Points evenly around a centre, the first straight up."""
    turns = [math.tau * step / count for step in range(count)]
    return [(x + away * math.sin(turn), y - away * math.cos(turn)) for turn in turns]


def _lens(x: float, y: float, along: float, across: float, turn: float) -> _Outline:
    """A leaf's outline: two arcs, `turn` radians from upright."""
    steps = [math.pi * step / 20 for step in range(20)]
    half = [(across * math.sin(step), along * math.cos(step)) for step in steps]
    points = half + [(-side, -end) for side, end in half]
    cosine, sine = math.cos(turn), math.sin(turn)
    return _polygon(*((x + s * cosine + e * sine, y + s * sine - e * cosine) for s, e in points))


def _leaf(x: float, y: float, size: float) -> list[_Outline]:
    blades = [
        _lens(x + side * size / 2, y - size / 6, size * 0.8, size / 3, side * 0.7)
        for side in (-1, 1)
    ]
    return [*blades, _block(x - size / 16, y, x + size / 16, y + size)]


def _drop(x: float, y: float, size: float) -> list[_Outline]:
    tip = _polygon(
        (x, y - size), (x + size * 0.58, y + size * 0.1), (x - size * 0.58, y + size * 0.1)
    )
    return [_disc(x, y + size * 0.33, size * 0.64), tip]


def _bean(x: float, y: float, size: float) -> list[_Outline]:
    return [_lens(x + side * size * 0.42, y, size * 0.9, size * 0.34, 0.5) for side in (-1, 1)]


def _berries(x: float, y: float, size: float) -> list[_Outline]:
    low = y + size / 5
    discs = [_disc(at, up, size * 0.38) for at, up in _around(x, low, -size * 0.45, 3)]
    return [*discs, _lens(x + size * 0.3, y - size * 0.72, size * 0.34, size * 0.15, 0.9)]


def _fish(x: float, y: float, size: float) -> list[_Outline]:
    tail = _polygon((x + size * 0.45, y), (x + size, y - size * 0.5), (x + size, y + size * 0.5))
    return [_lens(x - size * 0.15, y, size * 0.85, size * 0.45, math.pi / 2), tail]


def _nut(x: float, y: float, size: float) -> list[_Outline]:
    cap = _block(x - size * 0.7, y - size * 0.62, x + size * 0.7, y - size * 0.1, size * 0.25)
    shell = _lens(x, y + size * 0.1, size * 0.85, size * 0.58, 0)
    return [shell, cap, _block(x - size * 0.08, y - size, x + size * 0.08, y - size * 0.5)]


def _wheat(x: float, y: float, size: float) -> list[_Outline]:
    grains = [
        _lens(x + side * size * 0.3, y + step * size * 0.42, size * 0.32, size * 0.15, side * 0.7)
        for side in (-1, 1)
        for step in (-1, 0, 1)
    ]
    top = _lens(x, y - size * 0.8, size * 0.3, size * 0.14, 0)
    return [*grains, top, _block(x - size / 20, y - size * 0.6, x + size / 20, y + size)]


def _sun(x: float, y: float, size: float) -> list[_Outline]:
    return [
        _disc(x, y, size / 2),
        *(_disc(*ray, size * 0.12) for ray in _around(x, y, size * 0.8, 10)),
    ]


def _bubbles(x: float, y: float, size: float) -> list[_Outline]:
    places = ((-0.3, 0.35, 0.48), (0.45, 0.0, 0.32), (-0.1, -0.62, 0.24), (0.5, 0.72, 0.18))
    return [_disc(x + size * right, y + size * down, size * wide) for right, down, wide in places]


MOTIFS: Final[dict[str, Callable[[float, float, float], list[_Outline]]]] = {
    "bean": _bean,
    "berries": _berries,
    "bubbles": _bubbles,
    "drop": _drop,
    "fish": _fish,
    "leaf": _leaf,
    "nut": _nut,
    "sun": _sun,
    "wheat": _wheat,
}
