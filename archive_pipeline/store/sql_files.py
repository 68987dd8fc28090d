"""Loading of the SQL in ``sql/``: views, named queries, checks. Files are read once per process."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final

_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_CHECKOUT = Path(__file__).resolve().parents[2] / "sql"
_INSTALLED = Path(__file__).resolve().parents[1] / "_sql"


def sql_folder() -> Path:
    """Return the folder of SQL files: the checkout's, or the copy inside an installed wheel."""
    return _CHECKOUT if (_CHECKOUT / "views").is_dir() else _INSTALLED


@cache
def load_sql(name: str) -> str:
    """Return the text of ``sql/<name>.sql``; ``name`` is like ``checks/qa_pairs_have_sources``."""
    return (sql_folder() / f"{name}.sql").read_text(encoding="utf-8")


def load_query(name: str) -> str:
    """Return the text of ``sql/queries/<name>.sql``; ``name`` is like ``staleness/stale_dialogues``."""
    return load_sql(f"queries/{name}")


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
