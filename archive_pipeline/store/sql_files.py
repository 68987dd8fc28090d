"""The SQL of the archive's database: what is loaded by name, and ids for statements without parameters."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from archive_pipeline.domain.sql_files import load_query, load_sql, sql_folder

__all__ = ["load_query", "load_sql", "sql_folder", "uuid_array", "view_names"]

_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def uuid_array(ids: Iterable[str]) -> str:
    """Return ids as the text of an array, for statements that cannot have parameters.

    ADBC streams a result in binary form, by COPY, only for those.

    Raises:
        ValueError: one is no id.
    """
    known = list(ids)
    for row_id in known:
        if not _UUID.fullmatch(row_id):
            raise ValueError(f"not an id: {row_id!r}")
    return "{" + ",".join(known) + "}"


def view_names() -> list[str]:
    """Return the names of all views in the order in which they are created (files are numbered)."""
    return [path.stem for path in sorted((sql_folder() / "views").glob("*.sql"))]
