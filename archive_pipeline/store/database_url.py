"""URLs of databases: as libpq takes them, and as they may be shown. Nothing here says what a secret is."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urlsplit

import sqlalchemy
from sqlalchemy.engine import URL, make_url

from archive_pipeline.errors import ConfigurationError

# Parameters of libpq that are secrets; `password` becomes part of the URL's authority, which every library hides.
SECRET_PARAMETERS: Final = ("sslpassword", "oauth_client_secret", "scram_client_key", "scram_server_key")
_FORM: Final = "write postgresql://user:password@host:5432/database, special characters in the password as %XX"
_HIDDEN: Final = "***"


def parse_url(value: str, variable: str = "ARCHIVE_DATABASE_URL") -> URL:
    """Return the parts of a PostgreSQL URL, which is the value of a variable.

    Raises:
        ConfigurationError: it is none. The message has nothing of it but the name of another database system: what is
            misread as a host or a port may be a piece of the password.
    """
    try:
        url = make_url(value)
    except (sqlalchemy.exc.ArgumentError, ValueError):
        raise ConfigurationError(f"{variable} is not a URL; {_FORM}") from None
    if url.get_backend_name() not in {"postgresql", "postgres"}:
        scheme = urlsplit(value).scheme
        raise ConfigurationError(f"{variable} names {scheme}; only PostgreSQL works")
    if "@" in (url.host or "") or "@" in urlsplit(value).path:
        raise ConfigurationError(f"{variable} has more than one @; {_FORM}")
    return _with_credentials_in_place(url.set(drivername="postgresql"))


def libpq_url(value: str, variable: str = "ARCHIVE_DATABASE_URL") -> str:
    """Return a URL as libpq takes it; raise ``ConfigurationError``, which names the variable, if it is none."""
    text = parse_url(value, variable).render_as_string(hide_password=False)
    address, mark, query = text.partition("?")
    # SQLAlchemy leaves a space as it is before the query, and writes it as forms do in the query.
    return address.replace(" ", "%20") + mark + query.replace("+", "%20")


def shown_url(value: str) -> str:
    """Return the URL without its secrets."""
    url = parse_url(value)
    hidden = {name: _HIDDEN for name in SECRET_PARAMETERS if name in url.query}
    return url.update_query_dict(hidden).render_as_string(hide_password=True)


def url_without_secrets(value: str) -> str:
    """Return a URL as libpq takes it, without its secrets: libpq finds them in its variables and files, or asks."""
    url, _secrets = split_secrets(parse_url(value))
    return libpq_url(url._replace(password=None).render_as_string())


def split_secrets(url: URL) -> tuple[URL, dict[str, Any]]:
    """Return the URL without the secrets among its parameters, and these: engines show their URL."""
    secrets = {name: str(url.query[name]) for name in SECRET_PARAMETERS if name in url.query}
    return url.difference_update_query(secrets), secrets


def _with_credentials_in_place(url: URL) -> URL:
    # As libpq has it, a parameter wins over what stands before the host.
    password, user = url.query.get("password"), url.query.get("user")
    if password is not None:
        # SQLAlchemy writes no password without a user; libpq takes an empty name for none.
        url = url.set(password=str(password), username=url.username or "").difference_update_query(["password"])
    if user is not None:
        url = url.set(username=str(user)).difference_update_query(["user"])
    return url
