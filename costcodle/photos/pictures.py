"""Pictures from elsewhere: judged by their bytes alone, decoded, made plain. No storage.

A file may be anything. Its name and what a server called it count for nothing, its size in pixels
is read before a pixel is decoded, and whatever a decoder raises is a refusal.
"""

import io
from collections.abc import Callable
from typing import Final

from PIL import Image, ImageCms, ImageOps
from PIL.ImageFile import ImageFile
from PIL.JpegImagePlugin import jpeg_factory
from PIL.PngImagePlugin import PngImageFile
from PIL.WebPImagePlugin import WebPImageFile

MOST_BYTES: Final = 10_000_000
MOST_PIXELS: Final = 25_000_000
LEAST_EDGE: Final = 200
"""Width and height below which a picture is too small to be shown."""
LARGE: Final = 1200
"""The longest side, in pixels, of a photo as it is kept."""

_SCAN = b"\xff\xda"
_MOST_SCANS = 60  # of a progressive JPEG: ten are usual, and each costs a pass over all pixels
_OPENERS: Final[dict[str, Callable[[io.BytesIO], ImageFile]]] = {
    "JPEG": jpeg_factory,
    "PNG": PngImageFile,
    "WebP": WebPImageFile,
}  # not Image.open: it knows formats that we refuse, and warns of a bomb before it refuses one


class UnusablePhotoError(Exception):
    """A file that is no photo that we can show; its text is the reason, for people."""


def decoded(content: bytes) -> Image.Image:
    """The picture in a file: upright, in sRGB, on white where it was transparent.

    Raises `UnusablePhotoError`, for everything that a decoder may stumble over too.
    """
    kind = _kind(content)
    try:
        with _OPENERS[kind](io.BytesIO(content)) as image:
            _check(image, content)
            image.draft(None, (LARGE, LARGE))  # a JPEG need not be decoded at a size never kept
            image.load()
            return _plain(image)
    except UnusablePhotoError:
        raise
    except Image.DecompressionBombError:  # a WebP's, whose canvas is made when it is opened
        raise UnusablePhotoError("it has more than 25 million pixels") from None
    except Exception as error:  # a decoder that is fed with anything may raise anything
        raise UnusablePhotoError(f"it cannot be decoded as {kind}: it is broken") from error


def _kind(content: bytes) -> str:
    """The format that the bytes begin with and end as."""
    if not content:
        raise UnusablePhotoError("it is empty")
    if len(content) > MOST_BYTES:
        raise UnusablePhotoError(f"it is larger than {MOST_BYTES // 1_000_000} MB")
    for kind, (begins, ends) in _SIGNS.items():
        if begins(content):
            if not ends(content):
                raise UnusablePhotoError("it is cut off, or something else hides behind it")
            return kind
    raise UnusablePhotoError("it is no JPEG, PNG or WebP picture, whatever it is called")


def _ends_riff(content: bytes) -> bool:
    return len(content) - 8 == int.from_bytes(content[4:8], "little")


_SIGNS: Final[dict[str, tuple[Callable[[bytes], bool], Callable[[bytes], bool]]]] = {
    "JPEG": (
        lambda content: content.startswith(b"\xff\xd8\xff"),
        lambda content: content.rstrip(b"\0\r\n ").endswith(b"\xff\xd9"),
    ),
    "PNG": (
        lambda content: content.startswith(b"\x89PNG\r\n\x1a\n"),
        lambda content: content.endswith(b"IEND\xaeB`\x82"),
    ),
    "WebP": (lambda content: content[:4] + content[8:12] == b"RIFFWEBP", _ends_riff),
}


def _check(image: ImageFile, content: bytes) -> None:
    """Refuse by what the header says; nothing has been decoded yet."""
    width, height = image.size
    if width * height > MOST_PIXELS:
        raise UnusablePhotoError(f"it has {width} by {height} pixels, more than 25 million")
    if min(width, height) < LEAST_EDGE:
        raise UnusablePhotoError(
            f"it has {width} by {height} pixels, and {LEAST_EDGE} by {LEAST_EDGE} is the least"
        )
    if image.format in ("JPEG", "MPO") and content.count(_SCAN) > _MOST_SCANS:
        raise UnusablePhotoError("it is drawn in too many steps")
    # A camera's MPO is a JPEG with further views behind the first, which alone is taken.
    if image.format != "MPO" and getattr(image, "is_animated", False):
        raise UnusablePhotoError("it is animated")


def _plain(image: Image.Image) -> Image.Image:
    profile = image.info.get("icc_profile")
    upright = ImageOps.exif_transpose(image)
    if upright.mode.startswith("I"):  # 16 bits of grey, which Pillow would clip instead of scale
        upright = upright.point(lambda grey: grey / 256).convert("L")
    if upright.has_transparency_data:
        floor = Image.new("RGBA", upright.size, "white")
        upright = Image.alpha_composite(floor, upright.convert("RGBA"))
    if upright.mode not in ("L", "CMYK"):
        upright = upright.convert("RGB")
    return _in_srgb(upright, profile).convert("RGB")


def _in_srgb(image: Image.Image, profile: bytes | None) -> Image.Image:
    """The same colours in sRGB; a profile that makes no sense is left out of account."""
    if not profile:
        return image
    try:
        source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        target = ImageCms.createProfile("sRGB")
        return ImageCms.profileToProfile(image, source, target, outputMode="RGB") or image
    except (ImageCms.PyCMSError, OSError, ValueError, TypeError):
        return image
