"""How rows of Crush's database are told, and what ``crush session show`` prints of a session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.readers.declaration import Evidence
from archive_pipeline.readers.json.shapes import as_object

SOURCE: Final = "crush"
_OF_META: Final = frozenset({"uuid", "created", "modified"})


def recognise(value: Mapping[str, Any]) -> Evidence:
    """Judges an object by the database that it was read from."""
    if "database" in value:
        is_own = value["database"] == SOURCE and isinstance(value.get("tables"), dict)
        return Evidence(1.0, "rows of its database") if is_own else Evidence(0.0, "no row of its database")
    if as_object(value.get("meta")).keys() >= _OF_META and isinstance(value.get("messages"), list):
        return Evidence(0.2, "what `crush session show --json` prints, which lacks much; import crush.db instead")
    return Evidence(0.0, "no row of its database")
