"""Wiring of the answers app."""

from django.apps import AppConfig


class AnswersConfig(AppConfig):
    """Publication of answer pages."""

    name = "answers"
