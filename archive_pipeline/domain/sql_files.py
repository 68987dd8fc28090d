"""The SQL in ``sql/``, code like any other: of PostgreSQL and of SQLite. Files are read once per process."""

from __future__ import annotations

from functools import cache
from pathlib import Path

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
