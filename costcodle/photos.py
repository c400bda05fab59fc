"""Photos: how one is stored. Its name and its bytes tell nothing about the item."""

import io
import uuid

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from PIL import Image


def store(image: Image.Image) -> str:
    """Store an image as WebP under a random name, without metadata; gives the name."""
    content = io.BytesIO()
    image.save(content, "WEBP", quality=82, method=4, exif=b"", icc_profile=b"")
    return default_storage.save(f"photos/{uuid.uuid4().hex}.webp", ContentFile(content.getvalue()))
