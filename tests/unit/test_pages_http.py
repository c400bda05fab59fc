from datetime import UTC, datetime

import pytest
from django.test import RequestFactory

from costcodle import clock, http

EARLY = datetime(2026, 10, 16, 0, 9, 59, tzinfo=UTC)
LATE = datetime(2026, 10, 16, 0, 10, tzinfo=UTC)


def test_the_instant_of_a_request_does_not_move(monkeypatch: pytest.MonkeyPatch) -> None:
    request = RequestFactory().get("/")
    monkeypatch.setattr(clock, "now", lambda: EARLY)
    assert http.instant(request) == EARLY
    monkeypatch.setattr(clock, "now", lambda: LATE)
    assert http.instant(request) == EARLY
    assert http.instant(RequestFactory().get("/")) == LATE


def test_a_request_at_a_given_instant_asks_no_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    request = RequestFactory().get("/")
    monkeypatch.setattr(clock, "now", None)
    http.fix_instant(request, EARLY)
    assert http.instant(request) == EARLY


@pytest.mark.parametrize("written", ["1", "30", "9999"])
def test_a_number_in_a_route_is_read_and_written_the_same(written: str) -> None:
    converter = http.CanonicalNumber()
    assert converter.to_url(converter.to_python(written)) == written
