"""A PostgreSQL server of the suite's own, which a test may stop, start and pause."""

from collections.abc import Iterator

import pytest
from django.core.management import call_command
from django.db import connection, connections
from pytest_django import DjangoDbBlocker, Settings

from tests import services
from tests.conftest import missing_service
from tests.factories import make_puzzle
from tests.services import Cluster
from tests.sites import LEASE_SECONDS, point_at


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with services.throwaway_cluster() as found:
        if found is None:
            missing_service("PostgreSQL's server binaries")
        assert found is not None
        yield found


@pytest.fixture
def own_site(
    cluster: Cluster, settings: Settings, django_db_blocker: DjangoDbBlocker
) -> Iterator[Cluster]:
    """A site with one due puzzle, on a server that may be stopped."""
    settings.LEASE_SECONDS = LEASE_SECONDS
    with django_db_blocker.unblock():
        point_at(cluster.url)
        call_command("migrate", verbosity=0)
        call_command("flush", interactive=False, verbosity=0)
        connection.cursor().execute(
            "INSERT INTO site_state VALUES (1, 0, gen_random_uuid(), 0, now())"
        )
        make_puzzle(number=1)
        yield cluster
        connections.close_all()
