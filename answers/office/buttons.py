"""A list of the admin with buttons: read-only rows, and the pages on which an operator acts."""

from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse

from answers.office import views
from answers.office.actions import Action
from costcodle.inspection import ReadOnlyAdmin

Ways = list[tuple[str, str]]
"""Addresses of pages that act, with what stands on their buttons."""


class PublicationAdmin(ReadOnlyAdmin):
    """A list of publication, with the buttons of what an operator can do from it."""

    change_form_template = "admin/answers/change_form.html"
    change_list_template = "admin/answers/change_list.html"
    show_facets = admin.ShowFacets.NEVER
    puzzle_actions: ClassVar[tuple[Action, ...]] = ()

    def get_urls(self) -> list[URLPattern]:
        """The pages of this model's own actions, before Django's."""
        view, name = views.puzzle_view, f"answers_{self.opts.model_name}"
        ours = [
            path(
                f"<number:number>/{action.name}/",
                self.admin_site.admin_view(view(self, action)),
                name=f"{name}_{action.name}",
            )
            for action in self.puzzle_actions
        ]
        return [*ours, *super().get_urls()]

    def ways_from(self, row: Any) -> Ways:  # noqa: ANN401 - a row of whichever model this is
        """What can be done to a row."""
        return [(self.address(action.name, row.pk), action.title) for action in self.puzzle_actions]

    def ways_from_all(self) -> Ways:
        """What can be done from the list."""
        return []

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Django's page, with buttons for whoever may press them."""
        row = self.get_object(request, unquote(object_id))
        ways = self.ways_from(row) if row and views.may_operate(request) else []
        return super().change_view(
            request, object_id, form_url, {**(extra_context or {}), "ways": ways}
        )

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Django's page, with buttons for whoever may press them."""
        ways = self.ways_from_all() if views.may_operate(request) else []
        return super().changelist_view(request, {**(extra_context or {}), "ways": ways})

    def has_operate_permission(self, request: HttpRequest) -> bool:
        """What Django asks before it offers an action on selected rows."""
        return views.may_operate(request)

    def address(self, action: str, *args: object) -> str:
        """Where one of this model's pages that act is."""
        return reverse(f"admin:answers_{self.opts.model_name}_{action}", args=args)
