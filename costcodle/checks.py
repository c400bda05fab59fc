"""System checks for combinations of settings that would break a guarantee."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register  # noqa: A004 - Django's name
from django.db import Error as DatabaseFault
from django.db import connection


@register(Tags.compatibility)
def check_database(
    app_configs: Sequence[AppConfig] | None,  # noqa: ARG001 - Django's signature
    **_options: Any,  # noqa: ANN401 - Django's signature
) -> list[CheckMessage]:
    """What docs/protocol.md asks of the database's settings."""
    database = settings.DATABASES["default"]
    found: list[CheckMessage] = []
    if (
        "sqlite3" in database["ENGINE"]
        and database.get("OPTIONS", {}).get("transaction_mode") != "IMMEDIATE"
    ):
        found.append(
            Error(
                "SQLite without IMMEDIATE transactions fails at once with 'database is locked'.",
                hint="Build DATABASES with costcodle.settings.database.",
                id="costcodle.E001",
            )
        )
    if database.get("ATOMIC_REQUESTS"):
        found.append(
            Error(
                "ATOMIC_REQUESTS opens a snapshot before the revision is read.",
                hint="Remove ATOMIC_REQUESTS.",
                id="costcodle.E002",
            )
        )
    if settings.DATABASE_ROUTERS:
        found.append(
            Error(
                "A database router may read content from a replica that lags behind the revision.",
                hint="Remove DATABASE_ROUTERS: content comes from the primary.",
                id="costcodle.E004",
            )
        )
    return found


@register(Tags.compatibility)
def check_settings(
    app_configs: Sequence[AppConfig] | None,  # noqa: ARG001 - Django's signature
    **_options: Any,  # noqa: ANN401 - Django's signature
) -> list[CheckMessage]:
    """What the calendar and the cache key ask of the settings."""
    in_production = settings.ENVIRONMENT == "production"
    found: list[CheckMessage] = []
    if settings.TIME_ZONE != "UTC" or not settings.USE_TZ:
        found.append(
            Error(
                "The game counts UTC dates and nothing else.",
                hint="Set TIME_ZONE = 'UTC' and USE_TZ = True.",
                id="costcodle.E003",
            )
        )
    if in_production and not settings.BUILD_VERSION:
        found.append(
            Error(
                "An empty build version lets two builds share cache entries.",
                hint="Set BUILD_VERSION to the release's name.",
                id="costcodle.E005",
            )
        )
    if in_production and (settings.CLOCK_FIXED is not None or settings.CLOCK_OFFSET):
        found.append(
            Error(
                "A replaced clock publishes at the wrong time.",
                hint="Remove CLOCK_FIXED and CLOCK_OFFSET.",
                id="costcodle.E006",
            )
        )
    if in_production and settings.WEB_CONCURRENCY > 1 and not settings.CACHE_URL:
        found.append(
            Error(
                "Several processes without CACHE_URL each count their own rate limits.",
                hint="Set CACHE_URL to a Redis or Valkey server.",
                id="costcodle.E007",
            )
        )
    return found


@register(Tags.database)
def check_versions(databases: Sequence[str] | None = None, **_options: Any) -> list[CheckMessage]:  # noqa: ANN401 - Django's signature
    """SQLite 3.35 (RETURNING) or PostgreSQL 14; asked only where a command names a database."""
    if not databases:
        return []
    least = {"sqlite": (3, 35), "postgresql": (14,)}[connection.vendor]
    try:
        version = connection.get_database_version()
    except DatabaseFault:  # no reason not to serve: pages are a 503 until it is there
        return [Warning("The database cannot be asked for its version now.", id="costcodle.W001")]
    if version >= least:
        return []
    wanted = ".".join(map(str, least))
    return [
        Error(
            f"{connection.display_name} {wanted} or newer is needed.",
            hint="Upgrade the database server, or Python on SQLite.",
            id="costcodle.E008",
        )
    ]
