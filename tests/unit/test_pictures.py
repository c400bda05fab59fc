"""Files that are no photo that we can show, each with its reason; what becomes of the others."""

import struct
import warnings
import zlib
from collections.abc import Callable, Sequence

import pytest
from PIL import Image, ImageCms, PngImagePlugin

from costcodle.photos.pictures import LARGE, MOST_BYTES, UnusablePhotoError, decoded
from tests.images import BLUE, RED, picture, turned, written


def chunk(kind: bytes, content: bytes) -> bytes:
    checksum = struct.pack(">I", zlib.crc32(kind + content))
    return struct.pack(">I", len(content)) + kind + content + checksum


def png(width: int, height: int, *chunks: bytes) -> bytes:
    """A PNG whose header says what it likes."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + b"".join(chunks) + chunk(b"IEND", b"")


JPEG = written(picture(), "JPEG")
PNG = written(picture(), "PNG")
WEBP = written(picture(), "WEBP")
NOISE = written(Image.effect_noise((400, 400), 90).convert("RGB"), "PNG")


def rows(count: int, width: int) -> bytes:
    return zlib.compress((b"\0" + bytes(3 * width)) * count)


def animated(kind: str) -> bytes:
    return written(picture(), kind, save_all=True, append_images=[picture().rotate(180)])


def bomb_in_a_text() -> bytes:
    """A compressed text of 200 MB in a few kilobytes."""
    text = zlib.compress(bytes(200_000_000), 9)
    return png(300, 300, chunk(b"zTXt", b"Comment\0\0" + text), chunk(b"IDAT", rows(300, 300)))


def bomb_in_a_profile() -> bytes:
    profile = zlib.compress(bytes(200_000_000), 9)
    return png(300, 300, chunk(b"iCCP", b"x\0\0" + profile), chunk(b"IDAT", rows(300, 300)))


def scans_without_end() -> bytes:
    """A progressive JPEG that draws its last scan a thousand times over."""
    jpeg = written(picture(), "JPEG", progressive=True)
    last = jpeg.rindex(b"\xff\xda")
    return jpeg[:last] + jpeg[last:-2] * 1000 + b"\xff\xd9"


def vast(content: bytes, width: int, height: int) -> bytes:
    """A lossless WebP whose header says that it is larger."""
    size = (width - 1) | (height - 1) << 14
    return content[:21] + struct.pack("<I", size) + content[25:]


LOSSLESS = written(picture(), "WEBP", lossless=True)
NOT_A_PICTURE = "no JPEG, PNG or WebP picture"
CUT = "cut off, or something else hides behind it"
HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "nothing": (lambda: b"", "it is empty"),
    "too large": (lambda: JPEG + bytes(MOST_BYTES), "it is larger than 10 MB"),
    "SVG": (lambda: b'<svg xmlns="http://www.w3.org/2000/svg"/>', NOT_A_PICTURE),
    "HTML that is called .jpg": (lambda: b"<!doctype html><script>x()</script>", NOT_A_PICTURE),
    "GIF": (lambda: written(picture(), "GIF"), NOT_A_PICTURE),
    "animated GIF": (lambda: animated("GIF"), NOT_A_PICTURE),
    "GIF that is a script too": (lambda: b"GIF89a=1;alert(1)//" + bytes(99), NOT_A_PICTURE),
    "TIFF": (lambda: written(picture(), "TIFF"), NOT_A_PICTURE),
    "BMP": (lambda: written(picture(), "BMP"), NOT_A_PICTURE),
    "EPS, which starts a program": (lambda: written(picture(), "EPS"), NOT_A_PICTURE),
    "PDF": (lambda: written(picture(), "PDF"), NOT_A_PICTURE),
    "white space before it": (lambda: b"\n" + JPEG, NOT_A_PICTURE),
    "truncated JPEG": (lambda: JPEG[: len(JPEG) // 2], CUT),
    "truncated PNG": (lambda: NOISE[: len(NOISE) // 2], CUT),
    "truncated WebP": (lambda: WEBP[: len(WEBP) // 2], CUT),
    "truncated PNG with an end": (
        lambda: NOISE[: len(NOISE) // 2] + chunk(b"IEND", b""),
        "it is broken",
    ),
    "JPEG with an archive behind": (lambda: JPEG + b"PK\x03\x04" + bytes(99) + b"x", CUT),
    "JPEG with a page behind": (lambda: JPEG + b"<script>x()</script>", CUT),
    "PNG with a page behind": (lambda: PNG + b"<script>x()</script>", CUT),
    "WebP with a page behind": (lambda: WEBP + b"<script>x()</script>", CUT),
    "a signature alone": (lambda: b"\xff\xd8\xff\xd9", "decoded as JPEG: it is broken"),
    "a PNG without pixels": (lambda: png(300, 300), "decoded as PNG: it is broken"),
    "a WebP of nothing": (lambda: b"RIFF\4\0\0\0WEBP", "decoded as WebP: it is broken"),
    "a header of 50000 by 50000": (
        lambda: png(50_000, 50_000, chunk(b"IDAT", rows(1, 1))),
        "it has 50000 by 50000 pixels, more than 25 million",
    ),
    "a header of two billions": (
        lambda: png(2**31 - 1, 2**31 - 1, chunk(b"IDAT", rows(1, 1))),
        "more than 25 million",
    ),
    "a WebP of 268 million": (lambda: vast(LOSSLESS, 16_383, 16_383), "more than 25 million"),
    "a WebP of 100 million": (lambda: vast(LOSSLESS, 10_000, 10_000), "more than 25 million"),
    "pixels that are there": (
        lambda: written(Image.new("1", (5001, 5000)), "PNG"),
        "it has 5001 by 5000 pixels",
    ),
    "a bomb in a text": (bomb_in_a_text, "it is broken"),
    "a bomb in a profile": (bomb_in_a_profile, "it is broken"),
    "scans without end": (scans_without_end, "it is drawn in too many steps"),
    "tiny": (lambda: written(picture(size=(300, 100)), "PNG"), "it has 300 by 100 pixels, and"),
    "animated WebP": (lambda: animated("WEBP"), "it is animated"),
    "animated PNG": (lambda: animated("PNG"), "it is animated"),
    "a broken checksum": (lambda: PNG.replace(b"IDAT", b"IDAX"), "it is broken"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_that_is_no_photo_is_refused_with_its_reason(name: str) -> None:
    build, reason = HOSTILE[name]
    with pytest.raises(UnusablePhotoError) as refusal:
        decoded(build())
    assert reason in str(refusal.value)


@pytest.mark.parametrize(
    "error",
    [MemoryError(), RecursionError(), struct.error("x"), zlib.error("x"), KeyError("x")],
    ids=repr,
)
def test_whatever_a_decoder_raises_is_a_refusal(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_down(_: object) -> None:
        raise error

    monkeypatch.setattr(PngImagePlugin.PngImageFile, "load", break_down)
    with pytest.raises(UnusablePhotoError, match="cannot be decoded as PNG"):
        decoded(PNG)


@pytest.mark.parametrize("whole", [PNG, JPEG, WEBP], ids=["PNG", "JPEG", "WebP"])
def test_a_damaged_byte_anywhere_is_a_picture_or_a_refusal_never_a_crash(whole: bytes) -> None:
    ends = set()
    for place in range(0, len(whole), max(1, len(whole) // 150)):
        damaged = bytearray(whole)
        damaged[place] ^= 0xFF
        try:
            ends.add(decoded(bytes(damaged)).mode)
        except UnusablePhotoError:
            ends.add("refused")
    assert ends == {"RGB", "refused"}


def colours(image: Image.Image) -> list[tuple[int, ...]]:
    """Near its left and its right edge, in the middle."""
    width, height = image.size
    return [
        tuple(image.crop((x, height // 2, x + 1, height // 2 + 1)).tobytes())
        for x in (width // 8, width * 7 // 8)
    ]


def assert_close(
    found: Sequence[tuple[int, ...]], wanted: Sequence[tuple[int, ...]], most: int = 8
) -> None:
    pairs = [
        (one, other)
        for left, right in zip(found, wanted, strict=True)
        for one, other in zip(left, right, strict=True)
    ]
    assert all(abs(one - other) <= most for one, other in pairs), (found, wanted)


@pytest.mark.parametrize(
    ("kind", "mode"),
    [("JPEG", mode) for mode in ("RGB", "L", "CMYK")]
    + [("PNG", mode) for mode in ("RGB", "L", "P", "1", "RGBA", "LA")]
    + [("WEBP", mode) for mode in ("RGB", "RGBA")],
)
def test_every_way_to_hold_colours_becomes_the_same_picture(mode: str, kind: str) -> None:
    image = decoded(written(picture(mode), kind))
    assert (image.mode, image.size) == ("RGB", (320, 240))
    assert_close(colours(image), colours(picture(mode).convert("RGB")), most=14)


def test_sixteen_bits_of_grey_are_scaled() -> None:
    image = decoded(written(Image.new("I;16", (300, 300), 0x8000), "PNG"))
    assert colours(image) == [(128, 128, 128)] * 2


def test_what_is_transparent_becomes_white() -> None:
    image = picture("RGBA")
    image.putalpha(Image.new("L", image.size, 0))
    image.paste((*RED, 255), (0, 0, 160, 240))
    assert_close(colours(decoded(written(image, "PNG"))), [RED, (255, 255, 255)])


def test_a_transparent_colour_of_a_palette_becomes_white() -> None:
    image = picture().quantize(2)
    blue = image.getpixel((300, 120))
    content = written(image, "PNG", transparency=blue)
    assert_close(colours(decoded(content)), [RED, (255, 255, 255)])


def test_a_picture_stands_as_its_camera_was_held() -> None:
    assert b"SecretCamera" in turned(6)
    upright = decoded(turned(3))
    assert_close(colours(upright), [BLUE, RED])
    assert decoded(turned(6)).size == (240, 320)


def test_colours_are_brought_to_srgb_by_the_files_profile() -> None:
    srgb = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    swapped = srgb.replace(b"rXYZ", b"....").replace(b"bXYZ", b"rXYZ").replace(b"....", b"bXYZ")
    for profile, wanted in ((srgb, [RED, BLUE]), (swapped, [RED[::-1], BLUE[::-1]])):
        image = decoded(written(picture(), "PNG", icc_profile=profile))
        assert_close(colours(image), wanted, most=3)


@pytest.mark.parametrize("profile", [b"no profile", bytes(200)])
def test_a_profile_that_makes_no_sense_is_left_out_of_account(profile: bytes) -> None:
    image = decoded(written(picture(), "PNG", icc_profile=profile))
    assert colours(image) == [RED, BLUE]


def test_a_cameras_file_of_several_views_is_its_first() -> None:
    content = written(picture(), "MPO", save_all=True, append_images=[picture().rotate(180)])
    assert_close(colours(decoded(content)), [RED, BLUE])


def test_a_large_jpeg_is_not_decoded_at_a_size_that_is_never_kept() -> None:
    image = decoded(written(picture(size=(4800, 3600)), "JPEG"))
    assert image.size == (2 * LARGE, 2 * LARGE * 3 // 4)


def test_no_picture_warns() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for build, _ in HOSTILE.values():
            with pytest.raises(UnusablePhotoError):
                decoded(build())
    assert caught == []
