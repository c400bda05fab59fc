"""Every setting, read once from the environment (and from .env beside manage.py, if there is one).

docs/operations.md lists the variables. A wrong or missing value stops the program with one line
that names the variable and says how to mend it.
"""

import hashlib
import os
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qsl, unquote, urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured
from psycopg import IsolationLevel

from costcodle import logs

T = TypeVar("T")

BASE_DIR = Path(__file__).resolve().parent.parent
_ENVIRONMENTS = ("development", "test", "staging", "production")
_LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"]
_SWITCH = {"on": True, "true": True, "yes": True, "1": True}
_SWITCH |= {"off": False, "false": False, "no": False, "0": False}
_DEVELOPMENT_KEY = "development-only-key-that-production-refuses-to-start-with"

env = environ.Env()
if os.environ.get("ENVIRONMENT") != "test":
    environ.Env.read_env(str(BASE_DIR / ".env"))


def _read(
    name: str, default: str, cast: Callable[[str], T], mend: str, *, is_secret: bool = False
) -> T:
    raw = env.str(name, default=default).strip() or default
    try:
        return cast(raw)
    except (ValueError, KeyError, TypeError, ImproperlyConfigured):
        shown = name if is_secret else f"{name}={raw!r}"
        message = f"{shown} cannot be used: {mend}."
        raise ImproperlyConfigured(message) from None


def _one_of(*allowed: str) -> Callable[[str], str]:
    return lambda raw: allowed[allowed.index(raw)]


def _switch(name: str, default: str) -> bool:
    return _read(name, default, lambda raw: _SWITCH[raw.lower()], "say on or off")


def _whole_number(low: int, high: int) -> Callable[[str], int]:
    def cast(raw: str) -> int:
        number = int(raw)
        if not low <= number <= high:
            raise ValueError(raw)
        return number

    return cast


def _origin(raw: str) -> str:
    parts = urlsplit(raw)
    plain = f"{parts.scheme}://{parts.netloc}"
    if parts.scheme not in ("http", "https") or not parts.hostname or raw.rstrip("/") != plain:
        raise ValueError(raw)
    if parts.username or (parts.port is not None and parts.port < 1):
        raise ValueError(raw)
    return plain


def _instant(raw: str) -> datetime | None:
    if not raw:
        return None
    instant = datetime.fromisoformat(raw)
    if instant.tzinfo is None:
        raise ValueError(raw)
    return instant.astimezone(UTC)


def _seconds(raw: str) -> float:
    seconds = float(raw)
    if not abs(seconds) < 10**9:
        raise ValueError(raw)
    return seconds


def _web_address(raw: str) -> str:
    if raw and (urlsplit(raw).scheme not in ("http", "https") or not urlsplit(raw).hostname):
        raise ValueError(raw)
    return raw


def _code_digest() -> str:
    """A short digest of what this build would send: code, templates, styles, scripts."""
    digest = hashlib.sha256()
    for folder in ("costcodle", "answers", "results"):
        for path in sorted((BASE_DIR / folder).rglob("*")):
            if path.suffix in {".py", ".html", ".xml", ".txt", ".css", ".js", ".svg", ".sql"}:
                digest.update(str(path.relative_to(BASE_DIR)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


ENVIRONMENT = _read(
    "ENVIRONMENT", "development", _one_of(*_ENVIRONMENTS), f"say one of {', '.join(_ENVIRONMENTS)}"
)
_IN_PRODUCTION = ENVIRONMENT == "production"


def _required_in_production(name: str, default: str, mend: str) -> str:
    value: str = env.str(name, default="").strip()
    if value and (value != default or not _IN_PRODUCTION):
        return value
    if _IN_PRODUCTION:
        message = f"{name} is needed when ENVIRONMENT=production: {mend}."
        raise ImproperlyConfigured(message)
    return default


def _refused_in_production(name: str, *, is_set: bool) -> None:
    if is_set and _IN_PRODUCTION:
        message = f"{name} is refused when ENVIRONMENT=production: remove it."
        raise ImproperlyConfigured(message)


SECRET_KEY = _required_in_production(
    "SECRET_KEY", _DEVELOPMENT_KEY, "set it to 50 or more random characters and keep it"
)
DEBUG = _switch("DEBUG", "off")
BUILD_VERSION = _required_in_production(
    "BUILD_VERSION", _code_digest(), "set it to the release's name, for example a commit id"
)
SITE_ORIGIN = _read(
    "SITE_ORIGIN",
    "http://127.0.0.1:8000",
    _origin,
    "say scheme and host alone, for example https://costcodle.com",
)
ALLOWED_HOSTS = [
    urlsplit(SITE_ORIGIN).hostname or "",
    *(
        [host.strip() for host in env.str("ALLOWED_HOSTS", default="").split(",") if host.strip()]
        or ([] if _IN_PRODUCTION else _LOOPBACK_NAMES)
    ),
]
TRUSTED_PROXY_HOPS = _read(
    "TRUSTED_PROXY_HOPS", "0", _whole_number(0, 10), "say how many proxies stand in front, 0 to 10"
)

LEASE_SECONDS = _read(
    "LEASE_SECONDS", "60", _whole_number(1, 3600), "say a whole number of seconds, 1 to 3600"
)
PUBLISH_WITHOUT_PHOTO = _switch("PUBLISH_WITHOUT_PHOTO", "on")
INDEXABLE_MIN_GAMES = _read(
    "INDEXABLE_MIN_GAMES", "0", _whole_number(0, 50_000), "say a whole number, 0 to 50000"
)
PING_URL = _read("PING_URL", "", _web_address, "say an http or https address, or nothing")
RATE_LIMITS = _switch("RATE_LIMITS", "on")
FETCH_PRIVATE_ADDRESSES = _switch("FETCH_PRIVATE_ADDRESSES", "off")
METRICS_OPEN = _switch("METRICS_OPEN", "off")
LOG_FORMAT = _read("LOG_FORMAT", "line", _one_of("line", "json"), "say line or json")
LOG_LEVEL = _read(
    "LOG_LEVEL",
    "warning",
    _one_of("debug", "info", "warning", "error"),
    "say debug, info, warning or error",
)
CLOCK_FIXED = _read(
    "CLOCK_FIXED", "", _instant, "say an instant with its offset, for example 2026-10-16T00:10:00Z"
)
CLOCK_OFFSET = _read("CLOCK_OFFSET", "0", _seconds, "say a number of seconds, for example -3.5")
_refused_in_production("RATE_LIMITS=off", is_set=not RATE_LIMITS)
_refused_in_production("FETCH_PRIVATE_ADDRESSES=on", is_set=FETCH_PRIVATE_ADDRESSES)
_refused_in_production("CLOCK_FIXED", is_set=CLOCK_FIXED is not None)
_refused_in_production("CLOCK_OFFSET", is_set=CLOCK_OFFSET != 0)


def database(url: str, lease_seconds: int) -> dict[str, Any]:
    """The settings of the one database behind `url`; raises ValueError where it cannot serve.

    What docs/protocol.md relies on is set here: on SQLite IMMEDIATE transactions, WAL and full
    synchronisation; on PostgreSQL READ COMMITTED, and time limits below the lease's lifetime, so
    that a client that vanished inside its transaction does not hold its locks past its lease.
    """
    scheme = urlsplit(url).scheme
    if scheme not in ("sqlite", "postgres", "postgresql"):
        raise ValueError(url)
    config: dict[str, Any] = dict(environ.Env.db_url_config(url))
    options = config.setdefault("OPTIONS", {})
    if scheme != "sqlite":
        lease = lease_seconds * 1000
        limits = {
            "lock_timeout": lease // 4,
            "statement_timeout": lease // 2,
            "idle_in_transaction_session_timeout": lease // 2,
        }
        options.setdefault("connect_timeout", 3)
        options.setdefault("application_name", "costcodle")
        options["isolation_level"] = IsolationLevel.READ_COMMITTED
        options["options"] = " ".join(f"-c {name}={ms}" for name, ms in limits.items())
        options |= {"keepalives": 1, "keepalives_idle": 10, "keepalives_interval": 5}
        options |= {"keepalives_count": 3}
        options.setdefault("target_session_attrs", "read-write")  # never a standby
        return config | {"CONN_MAX_AGE": 600}
    if config["NAME"] in ("", ":memory:"):
        raise ValueError(url)
    config["NAME"] = str(BASE_DIR / config["NAME"])
    options["transaction_mode"] = "IMMEDIATE"
    options["timeout"] = lease_seconds / 4
    options["init_command"] = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
    return config | {"CONN_MAX_AGE": 600}


DATABASES = {
    "default": _read(
        "DATABASE_URL",
        "sqlite:///costcodle.sqlite3",
        lambda raw: database(raw, LEASE_SECONDS),
        "say sqlite:///FILE or postgresql://USER:PASSWORD@HOST:PORT/NAME",
    )
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"


def _cache(url: str) -> dict[str, Any]:
    if not url:
        return {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    scheme, _, rest = url.partition("://")
    redis_scheme = {"redis": "redis", "rediss": "rediss", "valkey": "redis", "valkeys": "rediss"}
    return {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": f"{redis_scheme[scheme]}://{rest}",
        "KEY_PREFIX": f"costcodle:{ENVIRONMENT}",
        "OPTIONS": {"socket_connect_timeout": 1, "socket_timeout": 1},
    }


WEB_CONCURRENCY = _read(  # gunicorn reads it too, as its number of processes
    "WEB_CONCURRENCY", "1", _whole_number(1, 256), "say how many server processes run, 1 to 256"
)
CACHE_URL = env.str("CACHE_URL", default="").strip()
CACHES = {
    "default": _read("CACHE_URL", "", _cache, "say redis://HOST:PORT/N (or valkey://…), or nothing")
}
if CACHE_URL:  # the shared tier of the edge cache; one process alone needs none
    CACHES["edge"] = CACHES["default"] | {
        "KEY_PREFIX": "costcodle:edge",
        "OPTIONS": {
            "socket_connect_timeout": 0.25,
            "socket_timeout": 0.25,
            "serializer": "answers.edge.tier.PlainBytes",
        },
    }

INSTALLED_APPS = [
    "costcodle",
    "results",
    "answers",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "axes",
    "csp",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
]
MIDDLEWARE = [
    "answers.edge.middleware.EdgeCache",
    "costcodle.web.middleware.ExplicitCacheControl",
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "costcodle.web.middleware.OrderedPolicy",
    "django_permissions_policy.PermissionsPolicyMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "costcodle.web.middleware.ListedSpelling",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "axes.middleware.AxesMiddleware",
]
ROOT_URLCONF = "costcodle.urls"
WSGI_APPLICATION = "costcodle.wsgi.application"
ADMIN_URL = env.str("ADMIN_URL", default="admin/").strip().strip("/") + "/"
APPEND_SLASH = False  # costcodle.web.middleware.ListedSpelling does both directions
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "string_if_invalid": "",
        },
    }
]

LANGUAGE_CODE = "en-us"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "/static/"
STATIC_ROOT = BASE_DIR / env.str("STATIC_ROOT", default="staticfiles")
MEDIA_URL = "/media/"
MEDIA_ROOT = BASE_DIR / env.str("MEDIA_ROOT", default="media")


def media_store(url: str) -> dict[str, Any]:
    """The storage of photos: a folder, or the bucket behind `url`; raises ValueError, KeyError."""
    if not url:
        return {"BACKEND": "django.core.files.storage.FileSystemStorage"}
    parts, bucket = urlsplit(url), urlsplit(url).path.removeprefix("/")
    options = {"region": "us-east-1", "tls": "on", "addressing": "path"}
    given = dict(parse_qsl(parts.query, strict_parsing=True)) if parts.query else {}
    key, secret = unquote(parts.username or ""), unquote(parts.password or "")
    is_known = given.keys() <= options.keys()
    if parts.scheme != "s3" or not (parts.hostname and key and secret and is_known):
        raise ValueError(url)
    if not re.fullmatch(r"[a-z0-9.-]{3,63}", bucket):
        raise ValueError(url)
    options |= given
    scheme = "https" if _SWITCH[options["tls"]] else "http"
    host = parts.hostname if parts.port is None else f"{parts.hostname}:{parts.port}"
    return {
        "BACKEND": "costcodle.photos.buckets.BucketStorage",
        "OPTIONS": {
            "access_key": key,
            "secret_key": secret,
            "security_token": None,  # else the backend takes one from the environment
            "bucket_name": bucket,
            "endpoint_url": f"{scheme}://{host}",
            "region_name": options["region"],
            "addressing_style": _one_of("path", "virtual")(options["addressing"]),
        },
    }


STORAGES = {
    "default": _read(
        "MEDIA_STORE",
        "",
        media_store,
        "say s3://KEY:SECRET@HOST/BUCKET (with ?region=… if need be), special characters"
        " percent-encoded, or nothing",
        is_secret=True,
    ),
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if ENVIRONMENT == "test"
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}

WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = ENVIRONMENT == "test"

_HTTPS = SITE_ORIGIN.startswith("https://")
SILENCED_SYSTEM_CHECKS = [
    "security.W005",  # whether the other names of the domain speak https is not ours to promise
    "security.W021",  # nor is a browser's preload list ours to ask for
]
CSRF_TRUSTED_ORIGINS = [SITE_ORIGIN]
CSRF_COOKIE_SECURE = SESSION_COOKIE_SECURE = SECURE_SSL_REDIRECT = _HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if _HTTPS else 0
CONTENT_SECURITY_POLICY = {  # no nonce: the bytes of a page are the same for everyone
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'"],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
    }
}
PERMISSIONS_POLICY: dict[str, list[str]] = {
    feature: []
    for feature in (
        "accelerometer",
        "camera",
        "display-capture",
        "encrypted-media",
        "fullscreen",
        "geolocation",
        "gyroscope",
        "magnetometer",
        "microphone",
        "midi",
        "payment",
        "screen-wake-lock",
        "usb",
        "xr-spatial-tracking",
    )
}
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
X_FRAME_OPTIONS = "DENY"
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
if TRUSTED_PROXY_HOPS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

SESSION_COOKIE_AGE = 12 * 60 * 60  # only the admin has sessions: a working day, in seconds
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]  # by name alone anybody could lock us out
AXES_RESET_ON_SUCCESS = True
AXES_CLIENT_IP_CALLABLE = "costcodle.web.logins.address"
AXES_LOCKOUT_CALLABLE = "costcodle.web.logins.locked_out"
AXES_SENSITIVE_PARAMETERS = ["username", "ip_address", "csrfmiddlewaretoken"]
AXES_DISABLE_ACCESS_LOG = True  # who logged in when is kept nowhere beside the admin's own log
AXES_ENABLE_ADMIN = AXES_VERBOSE = False
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}", "OPTIONS": options}
    for name, options in (
        ("UserAttributeSimilarityValidator", {}),
        ("MinimumLengthValidator", {"min_length": 12}),
        ("CommonPasswordValidator", {}),
        ("NumericPasswordValidator", {}),
    )
]
LOGGING = logs.configured(LOG_FORMAT, LOG_LEVEL)
