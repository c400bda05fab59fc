"""Photos: how one is taken in and stored. Its name and its bytes tell nothing about the item."""

import io
import uuid

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from PIL import Image, UnidentifiedImageError


class UnusablePhotoError(Exception):
    """A file that is no photo that we would show; its text is the reason, for people."""


def take_in(content: bytes) -> str:
    """Check, decode, write anew and store a photo from elsewhere; gives its name in the storage.

    Raises `UnusablePhotoError`.
    """
    try:
        image = Image.open(io.BytesIO(content))
        image.load()
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError) as error:
        raise UnusablePhotoError("it cannot be decoded") from error
    return store(image.convert("RGB"))


def store(image: Image.Image) -> str:
    """Store an image as WebP under a random name, without metadata; gives the name."""
    content = io.BytesIO()
    image.save(content, "WEBP", quality=82, method=4, exif=b"", icc_profile=b"")
    return default_storage.save(f"photos/{uuid.uuid4().hex}.webp", ContentFile(content.getvalue()))
