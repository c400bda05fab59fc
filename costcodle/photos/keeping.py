"""Photos: how one is taken in and kept, in two sizes, under names that tell nothing of the item.

The large one lies under `photos/<32 hex digits>.webp`, which is what the bank and a page hold; the
small one's name follows from it. A photo that was kept before there were two sizes has no small
one: the route gives the large one in its place.
"""

import contextlib
import io
import uuid
from dataclasses import dataclass
from typing import Final

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from PIL import Image

from costcodle.photos.pictures import LARGE, UnusablePhotoError, decoded

__all__ = ["UnusablePhotoError"]

SMALL: Final = 480
"""The longest side, in pixels, of the small size."""

_SUFFIX = ".webp"
_SMALL_SUFFIX = f"-small{_SUFFIX}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Photo:
    """Both sizes as WebP, without metadata."""

    large: bytes
    small: bytes


def take_in(content: bytes) -> str:
    """Check, decode, write anew and keep a photo from elsewhere; gives its name in the storage.

    Raises `UnusablePhotoError`, also when the storage is away.
    """
    photo = prepared(decoded(content))
    try:
        return keep(photo)
    except OSError as error:
        raise UnusablePhotoError("it cannot be stored now: try again later") from error


def store(image: Image.Image) -> str:
    """Keep a picture of our own in both sizes; gives its name. Raises `OSError`."""
    return keep(prepared(image))


def prepared(image: Image.Image) -> Photo:
    """A picture as it will be kept: neither size is larger than the picture."""
    return Photo(large=_webp(image, LARGE), small=_webp(image, SMALL))


def keep(photo: Photo) -> str:
    """Store both sizes under a new random name, or neither; gives the large one's name.

    Raises `OSError` when the storage cannot be used.
    """
    name = f"photos/{uuid.uuid4().hex}{_SUFFIX}"
    try:
        default_storage.save(name, ContentFile(photo.large))
        default_storage.save(small_name(name), ContentFile(photo.small))
    except OSError:
        discard(name)
        raise
    return name


def discard(name: str) -> None:
    """Delete both sizes, as far as they are there and the storage can be used.

    What stays behind all the same is a file that nobody names.
    """
    for each in (small_name(name), name):
        with contextlib.suppress(OSError):
            default_storage.delete(each)


def is_kept(photo: Photo, name: str) -> bool:
    """Whether the photo of this name is the same, byte for byte; not, when it cannot be read."""
    try:
        with default_storage.open(name) as file:
            return bool(file.read() == photo.large)
    except OSError:
        return False


def small_name(name: str) -> str:
    """The name of a photo's small size."""
    return f"{name.removesuffix(_SUFFIX)}{_SMALL_SUFFIX}"


def large_name(name: str) -> str:
    """The name of the photo whose small size has this name; any other name is its own."""
    if not name.endswith(_SMALL_SUFFIX):
        return name
    return f"{name.removesuffix(_SMALL_SUFFIX)}{_SUFFIX}"


def _webp(image: Image.Image, longest: int) -> bytes:
    smaller, content = image.copy(), io.BytesIO()
    smaller.thumbnail((longest, longest), Image.Resampling.LANCZOS)
    smaller.save(content, "WEBP", quality=82, method=4, exif=b"", xmp=b"", icc_profile=b"")
    return content.getvalue()
