"""Wiring of the results app."""

from django.apps import AppConfig


class ResultsConfig(AppConfig):
    """What players did: the day's shared results."""

    name = "results"
