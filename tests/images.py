"""Pictures as files, for what takes them in."""

import io
from typing import Any

from PIL import Image

RED, BLUE = (220, 30, 40), (20, 40, 200)


def picture(mode: str = "RGB", size: tuple[int, int] = (320, 240)) -> Image.Image:
    """Red on the left, blue on the right."""
    image = Image.new("RGB", size, RED)
    image.paste(BLUE, (size[0] // 2, 0, *size))
    return image.quantize(4) if mode == "P" else image.convert(mode)


def written(image: Image.Image, kind: str, **options: Any) -> bytes:
    content = io.BytesIO()
    image.save(content, kind, **options)
    return content.getvalue()


def turned(orientation: int) -> bytes:
    exif = Image.Exif()
    exif[0x0112] = orientation
    exif[0x010F] = "SecretCamera"
    exif.get_ifd(0x8825)[1] = "N"
    exif.get_ifd(0x8825)[2] = (52.0, 31.0, 12.0)
    return written(picture(), "JPEG", exif=exif, quality=95)
