"""Two writers that met: which errors of the database say so, whatever statement met them."""

from typing import Final

from django.db import Error

_SQLSTATES: Final = frozenset(
    {
        "40001",  # serialization_failure
        "40P01",  # deadlock_detected
        "55P03",  # lock_not_available: lock_timeout
        "57014",  # query_canceled: statement_timeout
    }
)
_SQLITE_NAMES: Final = ("SQLITE_BUSY", "SQLITE_LOCKED")


def is_contention(error: Error) -> bool:
    """Whether nothing was written because of another writer: the same again may work at once."""
    cause = error.__cause__
    sqlstate = getattr(cause, "sqlstate", None)
    sqlite_name = str(getattr(cause, "sqlite_errorname", None))
    return sqlstate in _SQLSTATES or sqlite_name.startswith(_SQLITE_NAMES)
