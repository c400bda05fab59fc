"""Photos in a bucket: kept there, served from here, and a store that is away is a 503."""

import socket
import subprocess
import sys
import uuid
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from django.core.files.storage import default_storage
from django.test import Client
from moto.server import ThreadedMotoServer
from pytest_django import Settings

from costcodle.http import IMMUTABLE, NO_STORE
from costcodle.models import Puzzle
from costcodle.photos import keeping
from costcodle.photos.buckets import BucketAwayError
from costcodle.settings import BASE_DIR, media_store
from tests.factories import make_puzzle
from tests.hostile import answer, hostile_server
from tests.images import picture, written
from tests.sites import Site

NAME = f"photos/{'0a' * 16}.webp"
ADDRESS = "s3://key:a%2Bsecret%2F@{place}/{bucket}?tls=off"


@pytest.fixture(scope="module")
def store() -> Iterator[str]:
    """Host and port of a server that speaks S3."""
    server = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    server.start()
    yield "{}:{}".format(*server.get_host_and_port())
    server.stop()


@pytest.fixture
def bucket(store: str) -> Any:
    resource = boto3.resource(
        "s3",
        endpoint_url=f"http://{store}",
        aws_access_key_id="key",
        aws_secret_access_key="a+secret/",  # noqa: S106 - of the test's own server
        region_name="us-east-1",
    )
    return resource.create_bucket(Bucket=f"photos-{uuid.uuid4().hex}")


@pytest.fixture
def address(store: str, bucket: Any, settings: Settings) -> str:
    address = ADDRESS.format(place=store, bucket=bucket.name)
    keep_at(address, settings)
    return address


def keep_at(address: str, settings: Settings) -> None:
    settings.STORAGES = settings.STORAGES | {"default": media_store(address)}


def keys(bucket: Any) -> set[str]:
    return {each.key for each in bucket.objects.all()}


@pytest.mark.usefixtures("address")
def test_a_photo_is_kept_in_the_bucket_and_served_from_here(bucket: Any) -> None:
    name = keeping.take_in(written(picture(), "JPEG"))
    assert keys(bucket) == {name, keeping.small_name(name)}
    assert default_storage.url(name) == f"/media/{name}"
    response = Client().get(f"/media/{name}")
    kept = bucket.Object(name).get()["Body"].read()
    assert (response.status_code, b"".join(response)) == (200, kept)
    assert response["Content-Type"] == "image/webp"
    assert response["Cache-Control"] == IMMUTABLE
    assert response["Content-Length"] == str(len(kept))
    assert "Set-Cookie" not in response
    head = Client().head(f"/media/{name}")
    assert (b"".join(head), head["Content-Length"]) == (b"", str(len(kept)))
    assert keeping.is_kept(keeping.prepared(picture()), name) is False
    keeping.discard(name)
    assert keys(bucket) == set()


@pytest.mark.usefixtures("address")
def test_what_is_not_in_the_bucket_is_a_404_and_a_missing_small_size_the_large_one(
    bucket: Any,
) -> None:
    for name in (NAME, keeping.small_name(NAME)):
        response = Client().get(f"/media/{name}")
        assert (response.status_code, response["Cache-Control"]) == (404, NO_STORE)
    bucket.put_object(Key=NAME, Body=b"large")
    small = Client().get(f"/media/{keeping.small_name(NAME)}")
    assert (small.status_code, b"".join(small)) == (200, b"large")
    keeping.discard(keeping.small_name(NAME))  # what is not there may be discarded


def assert_away() -> None:
    """Whatever is asked of the store is an error that says so, and a visitor may come back."""
    for name in (NAME, keeping.small_name(NAME)):
        for asked in (Client().get, Client().head):
            response = asked(f"/media/{name}")
            assert (response.status_code, response["Cache-Control"]) == (503, NO_STORE)
            assert response["Retry-After"] == "30"
    with pytest.raises(BucketAwayError):
        default_storage.open(NAME)
    with pytest.raises(keeping.UnusablePhotoError, match="it cannot be stored now"):
        keeping.take_in(written(picture(), "PNG"))
    assert not keeping.is_kept(keeping.prepared(picture()), NAME)
    keeping.discard(NAME)


def test_a_store_that_is_away_is_a_503(settings: Settings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        place = "{}:{}".format(*gone.getsockname())
    keep_at(ADDRESS.format(place=place, bucket="photos"), settings)
    assert_away()
    with pytest.raises(BucketAwayError):
        default_storage.delete(NAME)


@pytest.mark.parametrize("status", [403, 500, 503])
def test_a_store_that_refuses_or_breaks_is_a_503(status: int, settings: Settings) -> None:
    with hostile_server() as server:
        refused = answer(b"", status=status)
        for path in (NAME, keeping.small_name(NAME)):
            server.answers[f"/photos/{path}"] = refused
        server.answers["*"] = refused
        keep_at(ADDRESS.format(place=f"127.0.0.1:{server.port}", bucket="photos"), settings)
        assert_away()


def test_a_bucket_that_is_not_there_is_a_503_not_a_missing_photo(
    store: str, settings: Settings
) -> None:
    keep_at(ADDRESS.format(place=store, bucket="nowhere"), settings)
    assert_away()


def test_a_photo_is_fetched_into_the_bucket_by_a_process_that_has_the_variable(
    site: Site, address: str, bucket: Any
) -> None:
    with hostile_server() as server:
        make_puzzle(photo_source=server.give("/a.jpg", written(picture(), "JPEG")))
        environment = {"MEDIA_STORE": address, "FETCH_PRIVATE_ADDRESSES": "on"}
        result = site.run("fetch_photos", **environment)
    assert (result.returncode, result.stderr) == (0, "")
    name = Puzzle.objects.get().photo
    assert keys(bucket) == {name, keeping.small_name(name)}
    assert not (site.folder / "media").exists()
    response = Client().get(f"/media/{name}")
    assert response.status_code == 200
    response.close()


def test_without_the_variable_nothing_of_amazons_is_loaded() -> None:
    program = (
        "import sys, costcodle.wsgi\n"
        "from django.core.files.storage import default_storage\n"
        "default_storage.exists('photos/x')\n"
        "print({'boto3', 'botocore', 'storages'} & set(sys.modules))"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], cwd=BASE_DIR, capture_output=True, text=True, check=False
    )
    assert (result.stdout, result.stderr) == ("set()\n", "")
