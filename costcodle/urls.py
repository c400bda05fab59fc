"""Every route of the site."""

from django.conf import settings
from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path, re_path

from answers import sitemaps
from costcodle.web import api
from costcodle.web.about import about
from costcodle.web.health import healthz, readyz
from costcodle.web.home import home
from costcodle.web.logins import login
from costcodle.web.media import PHOTO_NAME, photo
from costcodle.web.metrics import metrics
from costcodle.web.practice import practice

handler400 = "costcodle.web.errors.bad_request"
handler403 = "costcodle.web.errors.forbidden"
handler404 = "costcodle.web.errors.not_found"
handler500 = "costcodle.web.errors.server_error"

urlpatterns: list[URLPattern | URLResolver] = [
    path("", home, name="home"),
    path("answers/", include("answers.urls")),
    path("sitemap.xml", sitemaps.sitemap, name="sitemap"),
    path("sitemap-<number:part>.xml", sitemaps.part, name="sitemap_part"),
    path("robots.txt", sitemaps.robots, name="robots"),
    path("play/<number:number>", practice, name="play"),
    path("about", about, name="about"),
    path("api/play/<number:number>/guess", api.guess, name="api_guess"),
    path("api/results", api.results, name="api_results"),
    path("api/puzzles/<number:number>/stats", api.stats, name="api_stats"),
    path("api/openapi.json", api.openapi, name="api_openapi"),
    re_path(rf"^media/(?P<name>{PHOTO_NAME})\Z", photo, name="photo"),
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
    path(f"{settings.ADMIN_URL}login/", login, name="login"),  # before the admin's own
    path(settings.ADMIN_URL, admin.site.urls),
]
