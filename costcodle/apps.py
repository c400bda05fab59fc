"""Wiring: the game's app, and the system checks it registers."""

from django.apps import AppConfig
from django.db.backends.signals import connection_created

from costcodle import clock


class CostcodleConfig(AppConfig):
    """The game itself: the question bank and the site's state."""

    name = "costcodle"

    def ready(self) -> None:
        """Register the system checks, and lend SQLite a clock."""
        from costcodle import checks  # noqa: F401, PLC0415 - importing it, once models are there, registers them

        connection_created.connect(clock.lend_to_sqlite)
