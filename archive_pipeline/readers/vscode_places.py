"""Places that VS Code's values name: files, ranges in files, symbols."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Final

from archive_pipeline.readers.json.shapes import as_object, as_text

_ADDRESS: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\S+")  # and not a text with one in it
_LEVELS: Final = 3  # a symbol has a location, which has an address


def address_of(value: object) -> str | None:
    """Returns the address of a file, of a range in one, or of a symbol; None of anything else."""
    for _ in range(_LEVELS):
        if isinstance(value, str):
            return value if _ADDRESS.fullmatch(value) else None
        fields = as_object(value)
        if "scheme" in fields and "path" in fields:
            return as_text(fields.get("external")) or _written(fields)
        value = fields.get("uri") or fields.get("location")
    return None


def name_of(value: object) -> str | None:
    """Returns what a place is called: a symbol's name, else that of the file."""
    name = as_text(as_object(value).get("name"))
    address = address_of(value)
    return name or (PurePosixPath(address).name or None if address else None)


def _written(fields: dict[str, object]) -> str | None:
    scheme, path = as_text(fields.get("scheme")), as_text(fields.get("path"))
    return f"{scheme}://{as_text(fields.get('authority')) or ''}{path}" if scheme and path else None
