"""Writes ``docs/tables.md`` from the table declarations and from the views a real server makes of ``sql/views``.

Run by ``make docs``. The descriptions are the comments of the declarations and of the SQL files, and what
``archive_pipeline/store/view_columns.py`` says of columns that a view computes. A column without one is an error.
"""
# ruff: noqa: INP001 (a folder of documents, not a package)

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from sqlalchemy import CheckConstraint, Column, Table, UniqueConstraint
from sqlalchemy.dialects import postgresql

from archive_pipeline.derive.registry import ASSETS
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.duplicates import DUPLICATES
from archive_pipeline.store.migrate import migrate
from archive_pipeline.store.server.embedded import release
from archive_pipeline.store.tables import (
    ANNOTATION_TABLES,
    ATTACHMENT_TABLES,
    DERIVED_DOCUMENT_TABLES,
    DERIVED_TABLES,
    DOCUMENT_TABLES,
    LEXICAL_TABLES,
    RAW_TABLES,
    SEARCH_TABLES,
    build_errors,
    build_state,
    document_chunks,
    page_vectors,
)
from archive_pipeline.store.tables.base import DERIVED, DIALOGUE
from archive_pipeline.store.view_columns import COMPUTED, ViewColumn, view_columns
from archive_pipeline.store.views import sentence_of, view_name, view_texts

TARGET: Final = Path(__file__).with_name("tables.md")
HEAD: Final = """\
# Tables

Written by `make docs` from `archive_pipeline/store/tables` and `sql/views`; not edited by hand.

- Schema `raw`: what the exports say. Written by imports. `raw.schema_version` holds the version of the schema.
- Schema `derived`: what is computed from `raw`. Every row can be thrown away and built again.
- Schema `annotations`: what a person says about dialogues and messages. No import and no build touches it; a deleted
  dialogue takes its rows along.
- Schema `dagster`: Dagster's own tables (runs, events, partitions).

Ids are UUID version 5 and the same on every machine, but for those of imports. Times are in UTC. Rules behind the
columns: [decisions.md](decisions.md).
"""

_SPECIFICATION: Final = re.compile(r" \(seed \d+\)")  # which specification a table follows is said in decisions.md
_DIALECT: Final = postgresql.dialect()


def document(database: Database) -> str:
    """Return the text of ``docs/tables.md`` for the schema of a migrated database."""
    built = (*DERIVED_TABLES, build_state, build_errors, *SEARCH_TABLES, *LEXICAL_TABLES, *DERIVED_DOCUMENT_TABLES)
    tables = (*RAW_TABLES, *ATTACHMENT_TABLES, *DOCUMENT_TABLES, *ANNOTATION_TABLES, *built)
    views = list(_views(database))
    contents = [*(str(table) for table in tables), *(name for name, _ in views)]
    links = "\n".join(f"- [{name}](#{_anchor(name)})" for name in contents)
    return "\n".join([HEAD, links, "", *(_table(table) for table in tables), *(text for _, text in views)])


def _anchor(name: str) -> str:
    return name.replace(".", "").lower()


def _table(table: Table) -> str:
    rows = [(column.name, _type(column), _meaning(column)) for column in table.columns]
    lines = [f"## {table}", "", f"{_plain(table.comment)}.{_asset(table)}", "", *_grid(rows), ""]
    lines += [f"- {line}" for line in _constraints(table)]
    return "\n".join(lines) + "\n"


def _asset(table: Table) -> str:
    names = [name for name, asset in ASSETS.items() if table.name in asset.tables and table.schema == "derived"]
    names += [table.name] if table.name in (DUPLICATES, document_chunks.name, page_vectors.name) else []
    return f" Written by the asset `{names[0]}`." if names else ""


def _type(column: Column[Any]) -> str:
    kind = str(column.type.compile(dialect=_DIALECT)).lower().replace("timestamp with time zone", "timestamptz")
    return kind if column.nullable else f"{kind} not null"


def _meaning(column: Column[Any]) -> str:
    targets = [key.target_fullname for key in column.foreign_keys if key.column.name != DIALOGUE]  # beside the id's own
    keys = "".join(f"; references `{name}`" for name in sorted(targets))
    return f"{_escaped(column.comment)}{keys}"


def _constraints(table: Table) -> Iterator[str]:
    yield f"primary key: {_names(table.primary_key.columns)}"
    single = [column.name for column in table.columns if column.unique]
    for constraint in sorted(table.constraints, key=lambda item: str(item.name)):
        if isinstance(constraint, UniqueConstraint) and [*constraint.columns.keys()] not in [[name] for name in single]:
            yield f"unique: {_names(constraint.columns)}"
        elif isinstance(constraint, CheckConstraint):
            yield f"check: `{constraint.sqltext}`"
    if single:
        yield "unique: " + ", ".join(f"`{name}`" for name in single)
    for index in sorted(table.indexes, key=lambda item: str(item.name)):
        where = index.dialect_options["postgresql"].get("where")
        kind = "unique index" if index.unique else "index"
        yield f"{kind}: {_names(index.expressions)}" + (f" where `{where}`" if where is not None else "")


def _views(database: Database) -> Iterator[tuple[str, str]]:
    with database.session() as connection:
        described = view_columns(connection)
    texts = {view_name(file): text for file, text in view_texts().items()}
    for view, columns in described.items():
        name = f"{DERIVED}.{view}"
        rows = [
            (column.name, column.type.replace("timestamp with time zone", "timestamptz"), _view_meaning(name, column))
            for column in columns
        ]
        sentence = _plain(sentence_of(texts[view]))
        yield name, "\n".join([f"## {name}", "", f"View. {sentence}", "", *_grid(rows)]) + "\n"


def _view_meaning(view: str, column: ViewColumn) -> str:
    if column.meaning is None:
        raise SystemExit(f"{view}.{column.name} has no description: add it to COMPUTED in store/view_columns.py")
    return column.meaning if column.meaning in COMPUTED.values() else _escaped(column.meaning)


def _grid(rows: list[tuple[str, str, str]]) -> list[str]:
    return ["| column | type | meaning |", "|---|---|---|", *(f"| `{a}` | {b} | {c} |" for a, b, c in rows)]


def _names(columns: Any) -> str:
    """Return the names of columns, and the expressions of an index."""
    return ", ".join(f"`{getattr(column, 'name', column)}`" for column in columns)


def _escaped(text: str | None) -> str:
    return _plain(text).replace("|", "\\|").replace("<", "\\<")


def _plain(text: str | None) -> str:
    return _SPECIFICATION.sub("", text or "")


def main() -> None:
    """Write the file, from a schema made on an embedded server of its own."""
    with tempfile.TemporaryDirectory(prefix="docs-", dir="/tmp") as home:  # a socket's path has to be short
        settings = Settings(home=Path(home))
        database = Database.open(settings)
        try:
            migrate(database)
            TARGET.write_text(document(database), encoding="utf-8")
        finally:
            database.engine.dispose()
            release(settings.postgres_folder)


if __name__ == "__main__":
    sys.exit(main())
