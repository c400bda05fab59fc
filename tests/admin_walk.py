"""A walk through everything that can be pressed in the admin, whatever models are registered.

Every address of the resolver and every link is read, every form is posted: empty, silly and
plausible. After each request the whole database is compared with what it was before.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import urldefrag, urljoin, urlsplit

import lxml.html
from django.contrib import admin
from django.contrib.admin.utils import quote
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.urls import NoReverseMatch, URLPattern, URLResolver, get_resolver, reverse

from tests.admin_judge import judge
from tests.admins import superuser
from tests.interleaving import Rows, snapshot

ROOT = "/admin/"
MAY_ALWAYS_CHANGE = {"django_session", "django_admin_log"}
MOST_QUERIES_A_PATH = 6
SILLY = ("", "\0", "-1", "9" * 30, "x" * 5000, "<script>alert(1)</script>", "nonsense 🙂 ' \" %00")
PLAUSIBLE = {
    "action": "",
    "email": "a@example.com",
    "date": "2026-11-02",
    "number": "7",
    "password": "correct-horse-7",
    "price": "7.77",
    "note": "Misread.",
    "reason": "wrong item",
    "username": "somebody",
    "url": "https://example.com/a.jpg",
}


def everything() -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table, but for those that reading may write."""
    with connection.cursor() as cursor:
        tables = set(connection.introspection.table_names(cursor)) - MAY_ALWAYS_CHANGE
        found = {}
        for table in sorted(tables):
            cursor.execute(f'SELECT * FROM "{table}"')  # noqa: S608 - a table's own name
            found[table] = sorted(cursor.fetchall(), key=repr)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A form as it stands on a page; what a button or an action adds comes one at a time."""

    path: str
    method: str
    given: dict[str, Any]
    kinds: dict[str, str]
    choices: dict[str, list[str]]
    buttons: tuple[tuple[str, str], ...]

    @property
    def signature(self) -> tuple[object, ...]:
        path = urlsplit(self.path).path
        return (path, self.method, tuple(sorted(self.kinds)), self.buttons)

    def filled(self) -> Iterator[dict[str, Any]]:
        """Empty, silly, plausible: with every button, and every action on all rows."""
        fixed = {name: value for name, value in self.given.items() if self.kinds[name] == "hidden"}
        yield fixed
        for silly in SILLY:
            yield {name: fixed.get(name, self._silly(name, silly)) for name in self.kinds}
        yield dict.fromkeys(self.kinds, "nonsense")
        plausible = {name: self._plausible(name) for name in self.kinds}
        if "action" in self.choices:
            for action in filter(None, self.choices["action"]):
                rows = self.choices.get("_selected_action", [])
                yield {**plausible, "action": action, "_selected_action": rows[:1]}
                across = {"_selected_action": rows, "select_across": "1"}
                yield {**plausible, "action": action, **across}
        for name, value in self.buttons or (("", ""),):
            yield {**plausible, name: value} if name else plausible

    def _silly(self, name: str, silly: str) -> str:
        """A choice that is none stays a word: Django's own lists of rows end at great numbers."""
        return "nonsense" if self.kinds[name] == "select" else silly

    def _plausible(self, name: str) -> Any:
        given, kind = self.given.get(name), self.kinds[name]
        if given not in (None, ""):
            return given
        chosen = [choice for choice in self.choices.get(name, []) if choice]
        hints = [value for hint, value in PLAUSIBLE.items() if hint in name or hint == kind]
        return chosen[0] if chosen else [*hints, "Plausible words"][0]


def forms_of(path: str, page: lxml.html.HtmlElement) -> Iterator[Form]:
    for element in page.forms:
        action, _ = urldefrag(urljoin(path, element.get("action") or path))
        form = Form(
            path=action,
            method=(element.method or "GET").upper(),
            given={},
            kinds={},
            choices={},
            buttons=tuple(
                (button.get("name"), button.get("value") or "")
                for button in element.xpath(".//input[@type='submit'][@name] | .//button[@name]")
            ),
        )
        for control in element.inputs:
            _read(form, control)
        yield form


def _read(form: Form, control: Any) -> None:
    name, kind = control.name, (control.get("type") or "text")
    if not name or kind in ("submit", "button", "reset") or control.tag == "button":
        return
    if control.tag == "select":
        form.choices.setdefault(name, []).extend(control.value_options)
        form.kinds[name] = "select"
        form.given[name] = list(control.value) if control.multiple else control.value
        return
    form.kinds[name] = kind
    if kind in ("checkbox", "radio"):
        form.choices.setdefault(name, []).append(control.get("value") or "on")
        return
    form.given[name] = control.value


@dataclass(kw_only=True)
class Walk:
    """One walk of a superuser; `seen` counts what each address answered."""

    client: Client = field(default_factory=superuser)
    seen: dict[tuple[str, str], int] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    kept: "Counter[str]" = field(default_factory=Counter)
    posted: set[tuple[object, ...]] = field(default_factory=set)
    people: int = 0
    before: dict[str, list[tuple[Any, ...]]] | None = None
    rows: Rows = field(default_factory=snapshot)

    def everywhere(self) -> None:
        """Read all there is, then post all there is, until nothing new turns up."""
        ahead = [ROOT, *addresses()]
        forms: list[Form] = []
        while ahead or forms:
            while ahead:
                forms += self._read_page(ahead.pop(), ahead)
            if forms:
                self._post_form(forms.pop(0), ahead, forms)

    def press(self, method: str, path: str, data: dict[str, Any] | None = None) -> Any:
        """One request, and the judgement over what it did."""
        before = self.before or everything()
        response = getattr(self.client, method.lower())(path, data or {})
        assert response.status_code < 500, (method, path, data, response.content[:500])
        if method == "GET":
            self.before = everything()
            assert self.before == before, (path, "was changed by reading it")
        else:
            rows, self.rows, self.before = self.rows, snapshot(), None
            judge(rows, self.rows)
        self.seen[method, path] = response.status_code
        if response.resolver_match and response.resolver_match.url_name:
            self.names.add(f"{method} {response.resolver_match.url_name}")
        if response.headers.get("Location", "").startswith("/admin/login/") or (
            response.resolver_match and response.resolver_match.url_name == "logout"
        ):
            self.people += 1
            self.client, self.before = superuser(f"walker-{self.people}"), None
        return response

    def _read_page(self, path: str, ahead: list[str]) -> list[Form]:
        if ("GET", path) in self.seen or not self._is_wanted(path):
            return []
        response = self.press("GET", path)
        if "?" not in path and response.status_code != HTTPStatus.FOUND:
            self.press("POST", path, {"post": "yes", "_save": "Save"})
        return self._found(path, response, ahead)

    def _found(self, path: str, response: Any, ahead: list[str]) -> list[Form]:
        ahead += [urljoin(path, response["Location"])] if response.has_header("Location") else []
        if not response.headers["Content-Type"].startswith("text/html") or not response.content:
            return []
        page = lxml.html.document_fromstring(response.content)
        assert b"<script>alert" not in response.content, path
        ahead += [_target(path, link) for link in page.xpath("//a/@href")]
        return [form for form in forms_of(path, page) if form.signature not in self.posted]

    def _post_form(self, form: Form, ahead: list[str], forms: list[Form]) -> None:
        if form.signature in self.posted or not urlsplit(form.path).path.startswith(ROOT):
            return
        self.posted.add(form.signature)
        each = {repr(data): data for data in form.filled()}
        for data in each.values():
            response = self.press(form.method, form.path, data)
            if response.status_code == 200 and form.method == "POST":
                forms += self._found(form.path, response, ahead)

    def _is_wanted(self, path: str) -> bool:
        """Within the admin, and of each path only so many queries: filters can be combined."""
        parts = urlsplit(path)
        if parts.netloc or not parts.path.startswith(ROOT):
            return False
        self.kept[parts.path] += 1
        return self.kept[parts.path] <= MOST_QUERIES_A_PATH


def _target(path: str, link: str) -> str:
    """Where a link leads, without the way back that Django's own links to rows carry along."""
    return urldefrag(urljoin(path, link))[0].split("?_changelist_filters=")[0]


def patterns(
    resolver: URLResolver | None = None,
) -> Iterator[URLPattern]:
    """Every pattern of the admin, whoever registered it."""
    if resolver is None:
        of_the_admin = [
            found
            for found in get_resolver().url_patterns
            if isinstance(found, URLResolver) and found.namespace == "admin"
        ]
        resolver = of_the_admin[0]
    for found in resolver.url_patterns:
        if isinstance(found, URLResolver):
            yield from patterns(found)
        else:
            yield found


def addresses() -> Iterator[str]:
    """Each pattern with every argument that could make sense, and some that do not."""
    for pattern in patterns():
        if not pattern.name:
            continue
        converters = pattern.pattern.converters
        for value in _values(pattern.name) if converters else [None]:
            try:
                kwargs = dict.fromkeys(converters, value)
                yield reverse(f"admin:{pattern.name}", kwargs=kwargs)
            except NoReverseMatch:
                continue
    for model in admin.site._registry:
        yield from _popups(model)


def _values(name: str) -> Iterable[object]:
    """The keys of the rows of the model that a pattern is named after, and what is no key."""
    models = [
        model
        for model in admin.site._registry
        if name.startswith(f"{model._meta.app_label}_{model._meta.model_name}")
    ]
    keys = [quote(row.pk) for model in models for row in model._default_manager.all()[:2]]
    return [*keys, "a\0b", "9" * 30, 1115, 1116, 1117, 1121]


def _popups(model: type[Model]) -> Iterator[str]:
    name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
    row = model._default_manager.first()
    yield f"{reverse(f'{name}_changelist')}?_popup=1&_to_field={model._meta.pk.name}"
    yield f"{reverse(f'{name}_changelist')}?e=1&o=1.-2&all=&p=7&_facets=True&q=%00"
    yield f"{reverse(f'{name}_add')}?_popup=1"
    if row is not None:
        yield f"{reverse(f'{name}_change', args=[quote(row.pk)])}?_popup=1&_to_field=x"
    for relation in model._meta.get_fields():
        query = f"term=x&app_label={model._meta.app_label}&model_name={model._meta.model_name}"
        yield f"{reverse('admin:autocomplete')}?{query}&field_name={relation.name}"
