"""Addresses of object storage: what a user writes in the place of a path. They have neither credentials nor queries."""

from __future__ import annotations

import re
from typing import Final

from archive_pipeline.errors import ConfigurationError

# Schemes by the library that reads them: ``gcs`` is another name of ``gs``, ``s3a`` is Hadoop's of ``s3``.
SCHEMES: Final = {"s3": "s3", "s3a": "s3", "gs": "gcs", "gcs": "gcs"}
_ADDRESS: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://(.*)", re.DOTALL)


def is_address(text: str) -> bool:
    """Tell whether a text is an address and no path: it begins with a scheme and two slashes."""
    return _ADDRESS.match(text) is not None


def checked_address(text: str) -> str:
    """Return an address of object storage as it is shown and stored.

    Raises:
        ConfigurationError: it is of another kind, or has what may be a secret. The message does not repeat that.
    """
    found = _ADDRESS.fullmatch(text)
    scheme, rest = found.groups() if found is not None else ("", "")
    if scheme.lower() not in SCHEMES:
        raise ConfigurationError(
            f"{scheme}:// cannot be read: give a path, s3://BUCKET/KEY or gs://BUCKET/KEY, or download the file"
        )
    bucket = rest.partition("/")[0]
    if "@" in bucket:
        raise ConfigurationError(
            f"{scheme}://: credentials do not belong into an address; they are taken from the environment or profile"
        )
    if not bucket or not text.isprintable():
        raise ConfigurationError(f"{scheme}://: write {scheme}://BUCKET/KEY")
    return f"{scheme.lower()}://{rest}"


def scheme_of(address: str) -> str:
    """Return the name by which fsspec knows the storage of an address."""
    return SCHEMES[address.partition("://")[0]]
