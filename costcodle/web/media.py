"""Photos, under names that are random and never used twice: kept by browsers for ever."""

import logging
from typing import Any, Final

from django.core.files.base import File
from django.core.files.storage import default_storage
from django.http import FileResponse, HttpRequest, HttpResponseBase

from costcodle import http
from costcodle.photos import keeping

logger = logging.getLogger(__name__)

PHOTO_NAME: Final = r"photos/[0-9a-f]{32}(?:-[a-z0-9]+)?\.webp"
"""The storage names that are served; no other file of the storage is."""


@http.read_only
def photo(request: HttpRequest, name: str) -> HttpResponseBase:
    """A stored photo; 404 where there is none of this name, 503 while the storage is away."""
    try:
        file = _opened(name)
    except FileNotFoundError:
        return http.error(404)
    except OSError as error:
        return _unavailable(request, error)
    return FileResponse(file, content_type="image/webp", headers={"Cache-Control": http.IMMUTABLE})


def _opened(name: str) -> "File[Any]":
    """The file, or the large size of a photo that was kept before there was a small one."""
    try:
        return default_storage.open(name)
    except FileNotFoundError:
        if (large := keeping.large_name(name)) == name:
            raise
        return default_storage.open(large)


def _unavailable(request: HttpRequest, error: OSError) -> HttpResponseBase:
    logger.error("%r cannot be read from the photos' store: %s", request.path, error)
    response = http.error(503)
    response["Retry-After"] = str(http.RETRY_AFTER_SECONDS)
    return response
