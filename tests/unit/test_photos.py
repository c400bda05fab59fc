"""What is kept of a photo: two sizes, random names, nothing of what the file told besides."""

import io
import re
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from PIL import Image
from pytest_django import Settings

from costcodle.photos import keeping
from tests.images import picture, turned, written


@pytest.fixture(autouse=True)
def media(tmp_path: Path, settings: Settings) -> Path:
    settings.MEDIA_ROOT = str(tmp_path)
    return tmp_path


def files(media: Path) -> set[str]:
    return {str(path.relative_to(media)) for path in media.rglob("*") if path.is_file()}


def sizes(name: str, media: Path) -> list[tuple[int, int]]:
    found = []
    for each in (name, keeping.small_name(name)):
        with Image.open(media / each) as image:
            assert image.format == "WEBP"
            found.append(image.size)
    return found


@pytest.mark.parametrize(
    ("size", "kept"),
    [
        ((4000, 3000), [(1200, 900), (480, 360)]),
        ((900, 1500), [(720, 1200), (288, 480)]),
        ((600, 600), [(600, 600), (480, 480)]),
        ((300, 200), [(300, 200), (300, 200)]),
    ],
)
def test_a_photo_is_kept_in_two_sizes_and_never_enlarged(
    size: tuple[int, int], kept: list[tuple[int, int]], media: Path
) -> None:
    name = keeping.take_in(written(picture(size=size), "JPEG"))
    assert re.fullmatch(r"photos/[0-9a-f]{32}\.webp", name)
    assert sizes(name, media) == kept
    assert files(media) == {name, f"{name[:-5]}-small.webp"}


def test_nothing_of_the_files_metadata_is_kept(media: Path) -> None:
    name = keeping.take_in(turned(6))
    for each in (name, keeping.small_name(name)):
        content = (media / each).read_bytes()
        assert b"Secret" not in content
        with Image.open(io.BytesIO(content)) as image:
            assert image.size == (240, 320)
            assert not image.getexif()
            assert not {"exif", "xmp", "icc_profile", "comment"} & image.info.keys()


def test_the_same_file_twice_is_two_names_and_the_same_bytes(media: Path) -> None:
    content = written(picture(), "PNG")
    first, second = (keeping.take_in(content) for _ in range(2))
    assert first != second
    assert (media / first).read_bytes() == (media / second).read_bytes()
    prepared = keeping.prepared(picture())
    assert keeping.is_kept(prepared, first)
    assert not keeping.is_kept(keeping.prepared(picture().rotate(180)), first)
    assert not keeping.is_kept(prepared, "photos/gone.webp")


def test_one_size_without_the_other_is_never_kept(
    media: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = default_storage.save

    def fill_the_disk(name: str, content: "ContentFile[bytes]") -> str:
        if "small" in name:
            raise OSError(28, "No space left on device")
        return save(name, content)

    monkeypatch.setattr(default_storage, "save", fill_the_disk)
    with pytest.raises(keeping.UnusablePhotoError, match="it cannot be stored now"):
        keeping.take_in(written(picture(), "PNG"))
    assert files(media) == set()


def test_a_discarded_photo_is_gone_in_both_sizes_and_may_be_discarded_again(media: Path) -> None:
    name = keeping.take_in(written(picture(), "PNG"))
    for _ in range(2):
        keeping.discard(name)
        assert files(media) == set()


def test_the_name_of_one_size_gives_the_others() -> None:
    large = f"photos/{'0a' * 16}.webp"
    small = keeping.small_name(large)
    assert small == f"photos/{'0a' * 16}-small.webp"
    assert keeping.large_name(small) == keeping.large_name(large) == large
