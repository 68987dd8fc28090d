"""What a value of the environment means to a setting: each function returns the value, or raises ``ValueError``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

from pydantic import SecretStr

from archive_pipeline.domain.addresses import checked_address
from archive_pipeline.domain.choices import Normalization
from archive_pipeline.errors import ConfigurationError

_FEWEST_TOKEN_CHARACTERS: Final = 32
_TOKEN: Final = re.compile(r"[0-9A-Za-z_-]+")
_HEADER_TEXT: Final = re.compile(r"[\x21-\x7e]+")
_CRON_FIELDS: Final = 5
_WEB_SCHEMES: Final = ("http://", "https://")


def plain_text(value: Any) -> Any:
    """Return the URL or text that a secret hides: checks need it."""
    return value.get_secret_value() if isinstance(value, SecretStr) else value


def header_key(value: Any) -> Any:
    """Return a key as a header of HTTP can have it: what a copy brought along around it is taken away."""
    text = plain_text(value)
    if text is None:
        return None
    key = str(text).strip()
    if _HEADER_TEXT.fullmatch(key):
        return key
    raise ValueError("no key")


def access_token(value: Any) -> Any:
    """Return a token that cannot be guessed and needs no quotes in an address or a cookie."""
    text = plain_text(value)
    if text is None or is_access_token(text):
        return value
    raise ValueError("no token")


def is_access_token(text: str) -> bool:
    """Tell whether a text is long enough for a token and has the characters of one only."""
    return len(text) >= _FEWEST_TOKEN_CHARACTERS and _TOKEN.fullmatch(text) is not None


def home_path(value: Any) -> Any:
    """Return a folder as a whole path."""
    if not isinstance(value, str):
        return value
    try:
        return Path(value).expanduser().resolve()
    except RuntimeError as error:
        raise ValueError("no such user") from error


def digits(value: Any) -> Any:
    """Return a whole number that is written in digits."""
    if not isinstance(value, str):
        return value
    if not (value.isascii() and value.isdigit()):
        raise ValueError("not a whole number")
    return int(value)


def normalizations(value: Any) -> Any:
    """Return a list as a tuple in the order of the declaration: the order of the list says nothing."""
    if not isinstance(value, str):
        return value
    names = {name.strip() for name in value.split(",") if name.strip()}
    if not names or names - set(Normalization):
        raise ValueError("unknown normalisation")
    return tuple(normalization for normalization in Normalization if normalization in names)


def cron_expression(value: Any) -> str:
    """Return a cron expression with one space between its fields."""
    fields = str(value).split()
    # Whether the fields make sense is for Dagster to say, which takes seconds to import.
    if len(fields) != _CRON_FIELDS and not "".join(fields).startswith("@"):
        raise ValueError("not five fields")
    return " ".join(fields)


def time_zone(value: Any) -> str:
    """Return the IANA name of a time zone."""
    try:
        return ZoneInfo(value).key
    except (KeyError, OSError) as error:  # unknown ones are KeyErrors; some names are folders of the time zone database
        raise ValueError("unknown time zone") from error


def web_address(value: Any) -> Any:
    """Return the address of a server."""
    if value is not None and not plain_text(value).startswith(_WEB_SCHEMES):
        raise ValueError("not a web address")
    return value


def endpoint_address(value: Any) -> Any:
    """Return the address of an endpoint, which messages show: it may have no token or password."""
    if value is not None and (not value.startswith(_WEB_SCHEMES) or "@" in value or "?" in value or "#" in value):
        raise ValueError("not the address of an endpoint")
    return value


def page_address(value: Any) -> Any:
    """Return the address of a server's pages; it is stored and shown, so it may have no token or password."""
    if value is None:
        return None
    address = str(value).rstrip("/")
    if not web_address(address) or any(sign in address for sign in "?#@") or not address.isprintable():
        raise ValueError("not the address of a server")
    return address


def storage_address(value: Any) -> Any:
    """Return the address of a prefix in an object storage."""
    try:
        return None if value is None else checked_address(str(value))
    except ConfigurationError as error:
        raise ValueError(str(error)) from error


def model_name(value: Any) -> Any:
    """Return the name of a model, which is stored and shown: it may have no token or password."""
    if str(value).startswith(_WEB_SCHEMES) and ("@" in value.partition("#")[0] or "?" in value):
        raise ValueError("a secret in the name of a model")
    return value
