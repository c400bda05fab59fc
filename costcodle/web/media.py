"""Photos, under names that are random and never used twice: kept by browsers for ever."""

from typing import Final

from django.core.files.storage import default_storage
from django.http import FileResponse, HttpRequest, HttpResponseBase

from costcodle import http

PHOTO_NAME: Final = r"photos/[0-9a-f]{32}(?:-[a-z0-9]+)?\.webp"
"""The storage names that are served; no other file of the storage is."""


@http.read_only
def photo(request: HttpRequest, name: str) -> HttpResponseBase:  # noqa: ARG001 - Django's signature
    """A stored photo; 404 where there is none of this name."""
    try:
        file = default_storage.open(name)
    except FileNotFoundError:
        return http.error(404)
    return FileResponse(file, content_type="image/webp", headers={"Cache-Control": http.IMMUTABLE})
