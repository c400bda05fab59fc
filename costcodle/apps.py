"""Wiring: the game's app, and the system checks it registers."""

from django.apps import AppConfig


class CostcodleConfig(AppConfig):
    """The game itself: the question bank and the site's state."""

    name = "costcodle"

    def ready(self) -> None:
        """Register the system checks."""
        from costcodle import checks  # noqa: F401, PLC0415 - importing it, once models are there, registers them
