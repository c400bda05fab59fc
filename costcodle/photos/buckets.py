"""Photos in an S3-compatible bucket, for `MEDIA_STORE`; imported only where that is set.

Visitors never meet the bucket: addresses stay `/media/…`, and the site reads the bytes for them.
A store that cannot be used is an `OSError`, as a disk that cannot be used is one.
"""

import contextlib
from collections.abc import Iterator
from typing import Any, Final

from boto3.exceptions import Boto3Error
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings
from django.core.files.base import ContentFile, File
from storages.backends.s3 import S3Storage

_LIMITS: Final = {
    "connect_timeout": 3,
    "read_timeout": 10,
    "retries": {"mode": "standard", "total_max_attempts": 2},
}
# Checksums beyond the signature are an addition of Amazon's that other stores refuse.
_CHECKSUMS: Final = {
    "request_checksum_calculation": "when_required",
    "response_checksum_validation": "when_required",
}


class BucketAwayError(OSError):
    """The store cannot be used: it is away, slow, or refuses us."""


class BucketStorage(S3Storage):  # type: ignore[misc] # it ships no types
    """A bucket as Django's storage of whole, small files."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - Django's signature
        style = options.pop("addressing_style")
        config = Config(
            signature_version="s3v4", s3={"addressing_style": style}, **_LIMITS, **_CHECKSUMS
        )
        transfer = TransferConfig(use_threads=False)
        super().__init__(client_config=config, transfer_config=transfer, **options)

    def url(self, name: str, *_: object, **__: object) -> str:
        """The address on this site."""
        return f"{settings.MEDIA_URL}{name}"

    def delete(self, name: str) -> None:
        """Delete a file, if it is there."""
        with _reached():
            super().delete(name)

    def _open(self, name: str, mode: str = "rb") -> "File[bytes]":  # noqa: ARG002 - Django's signature
        """A file, whole, in one request."""
        with _reached():
            try:
                found = self.bucket.Object(self._normalize_name(name)).get()
            except ClientError as error:
                if error.response["Error"]["Code"] == "NoSuchKey":
                    raise FileNotFoundError(name) from None
                raise
            return ContentFile(found["Body"].read(), name=name)

    def _save(self, name: str, content: "File[bytes]") -> str:
        with _reached():
            return str(super()._save(name, content))


@contextlib.contextmanager
def _reached() -> Iterator[None]:
    try:
        yield
    except (ClientError, BotoCoreError, Boto3Error) as error:
        raise BucketAwayError(str(error).splitlines()[0]) from error
