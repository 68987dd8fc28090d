"""Is an object a conversation of a database of ``llm``?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.readers.declaration import Evidence

SOURCE: Final = "llm"


def recognise(value: Mapping[str, Any]) -> Evidence:
    """Judges an object by the name of the database that it was read from."""
    if value.get("database") != SOURCE:
        return Evidence(0.0, "no row of its database")
    if not isinstance(value.get("tables"), dict):
        return Evidence(0.0, "no tables")
    return Evidence(1.0, "rows of its database")
