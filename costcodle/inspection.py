"""What the admin's pages have in common: rows that are read and never written from here.

A row that the public sees is changed by a guarded batch alone. So no model of this site has an
admin that adds, changes or deletes; what an operator may do is a view of its own over the same
functions as the commands.
"""

from typing import TYPE_CHECKING

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Model]
else:
    ModelAdmin = admin.ModelAdmin  # Django's own is not generic


class ReadOnlyAdmin(ModelAdmin):
    """Rows as they are: listed, searched and read by staff who may view them, written by nobody."""

    actions = None

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002 - Django's signature
        """Nobody adds a row."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002 - Django's signature
        """Nobody changes a row."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002 - Django's signature
        """Nobody deletes a row."""
        return False
