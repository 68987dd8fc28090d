"""Writes ``docs/tables.md`` from the table declarations and from the views a real server makes of ``sql/views``.

Run by ``make docs``. The descriptions are the comments of the declarations and of the SQL files; only columns that a
view computes have their description here. A column without one is an error.
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
from archive_pipeline.store.sql_files import load_sql, view_names
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
from archive_pipeline.store.tables.base import DIALOGUE

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

# What a view computes: (view, column) -> meaning.
COMPUTED: Final = {
    ("message_paths_v", "ancestor_path"): "Ids of all ancestors, root first; `{}` for a root",
    ("sequence_messages", "sequence_id"): "The sequence",
    ("sequence_messages", "position"): "Place in the sequence, from 0",
    ("exchange_messages", "exchange_id"): "The exchange",
    ("exchange_messages", "position"): "Place in the exchange, from 0",
    ("sequence_exchanges", "sequence_id"): "The sequence",
    ("sequence_exchanges", "exchange_id"): "The exchange",
    ("sequence_exchanges", "position"): "Place in the sequence, from 0",
    ("all_documents", "doc_id"): "Id of the dialogue or document",
    ("all_documents", "source"): "Source of the dialogue; `document`",
    ("all_documents", "filename"): "Title of the dialogue, its partition key if it has none; name of the file",
    ("all_documents", "heading"): "Heading that all its pages stand below: the title; NULL for documents",
    ("all_documents", "extension"): "`md` for dialogues; what the document is",
    ("all_documents", "source_path"): "`<source>/<partition key>`; where the document came from",
    ("all_documents", "created_at"): "When the dialogue began; when the document was added",
    ("all_pages", "doc_id"): "The dialogue or document",
    ("all_pages", "page"): "Number of the page, from 1",
    ("all_pages", "exchange_id"): "The exchange; NULL for documents",
    ("all_pages", "markdown"): "Text of the page; NULL for dialogues",
    ("all_chunks", "chunk_id"): "Id of the chunk",
    ("all_chunks", "doc_id"): "The dialogue or document",
    ("all_chunks", "page"): "The page; of a dialogue, the first one with the pair's answer",
    ("all_chunks", "pair_id"): "The pair; NULL for documents",
    ("all_chunks", "side"): "question or answer; NULL for documents",
    ("all_chunks", "chunk_index"): "Place among the chunks of the side or page, from 0",
    ("all_chunks", "start_offset"): "Where it begins in the text of the side or page, in characters",
    ("all_chunks", "text"): "The text between the offsets",
    ("searchable_chunks", "chunk_id"): "Id of the chunk",
    ("searchable_chunks", "side"): "question or answer; NULL for documents",
    ("text_entries", "doc_id"): "The dialogue or document",
    ("searchable_chunks", "doc_id"): "The dialogue or document",
    ("searchable_chunks", "page"): "The page; of a dialogue, the first one with the pair's answer",
    ("searchable_chunks", "pair_id"): "The pair; NULL for documents, as all that belongs to it",
    ("searchable_chunks", "start_offset"): "Where it begins in the text of the side or page, in characters",
    ("searchable_chunks", "text"): "The text between the offsets",
    ("searchable_chunks", "happened_at"): "When the answer was written; when the document was added",
    ("searchable_chunks", "source"): "Source of the dialogue; `document`",
    ("searchable_chunks", "title"): "Title of the dialogue; name of the file",
    ("searchable_chunks", "filename"): "Title of the dialogue, its partition key if it has none; name of the file",
    ("searchable_chunks", "extension"): "`md` for dialogues; what the document is",
    ("searchable_chunks", "created_at"): "When the dialogue began; when the document was added",
    ("searchable_chunks", "section_path"): "Title of the dialogue; headings that the page's beginning stands below",
    ("searchable_chunks", "parent_heading"): "Title of the dialogue; the last of the headings",
    ("text_entries", "section_path"): "Title of the dialogue; headings that the page's beginning stands below",
    ("text_entries", "parent_heading"): "Title of the dialogue; the last of the headings",
    ("text_entries", "entry_id"): "Id of the entry: the chunk's",
    ("text_entries", "entry_hash"): "Another one means that the entry has to be written again",
    ("page_entries", "section_path"): "Title of the dialogue; headings that the page's beginning stands below",
    ("page_entries", "parent_heading"): "Title of the dialogue; the last of the headings",
    ("page_entries", "entry_id"): "Id of the entry: `<document>:<page>`",
    ("page_entries", "entry_hash"): "Another one means that the entry has to be written again",
    ("searchable_chunks", "role"): "Who says it: user, assistant or tool",
    ("searchable_chunks", "question_message_id"): "Message that asks what the page answers; regenerations share it",
    ("searchable_chunks", "answer_message_id"): "Last message of the page",
    ("prompt_exchanges", "response_ids"): "Ids of all assistant messages paired with the prompt, in order",
    ("prompt_exchanges", "response_count"): "How many there are",
    ("prompt_exchanges", "has_regenerations"): "More than one; steps of one turn with tools count too",
    ("match_rates", "day"): "The day, in the session's time zone",
    ("match_rates", "asked"): "Look-ups",
    ("match_rates", "hits"): "How many the archive answered",
    ("match_rates", "generated_equal"): "How many brought an answer that the archive had, of any model",
    ("match_rates", "generated_new"): "How many brought an answer that the archive had not",
    ("match_rates", "stored"): "How many stored something",
    ("match_rates", "hit_rate"): "Share of hits",
    ("copied_messages", "original_id"): "The dialogue that they were copied from",
    ("duplicate_clusters_v", "content_copies"): "Members that say again what was said before",
    ("duplicate_clusters_v", "prefix_copies"): "Members that came with a fork or resumed chat",
    ("duplicate_clusters_v", "dialogue_count"): "Dialogues that its members are in",
    ("duplicate_clusters_v", "lowest_similarity"): "Of any member to the kept one",
    ("duplicate_clusters_v", "kept_entity_id"): "The member to keep",
    ("duplicate_clusters_v", "kept_dialogue_id"): "Its dialogue",
    ("duplicate_clusters_v", "text_length"): "Characters of the text of the member to keep",
    ("duplicate_clusters_v", "is_widest"): "No method that is wider has a cluster with its kept member",
}
_VIEW: Final = re.compile(r"CREATE(?: OR REPLACE)? VIEW (\w+)\.(\w+) AS")
_SPECIFICATION: Final = re.compile(r" \(seed \d+\)")  # which specification a table follows is said in decisions.md
_DIALECT: Final = postgresql.dialect()
_COLUMNS_OF_VIEW: Final = """
SELECT attribute.attname, format_type(attribute.atttypid, attribute.atttypmod)
FROM pg_attribute AS attribute
WHERE attribute.attrelid = %s::regclass AND attribute.attnum > 0
ORDER BY attribute.attnum
"""
_TABLES_OF_VIEW: Final = """
SELECT table_schema || '.' || table_name
FROM information_schema.view_table_usage
WHERE view_schema = %s AND view_name = %s
ORDER BY 1
"""


def document(database: Database) -> str:
    """Return the text of ``docs/tables.md`` for the schema of a migrated database."""
    built = (*DERIVED_TABLES, build_state, build_errors, *SEARCH_TABLES, *LEXICAL_TABLES, *DERIVED_DOCUMENT_TABLES)
    tables = (*RAW_TABLES, *ATTACHMENT_TABLES, *DOCUMENT_TABLES, *ANNOTATION_TABLES, *built)
    described = {str(table): table for table in tables}
    views = list(_views(database, described))
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
        yield f"{kind}: {_names(index.columns)}" + (f" where `{where}`" if where is not None else "")


def _views(database: Database, described: dict[str, Table]) -> Iterator[tuple[str, str]]:
    meanings: dict[str, dict[str, str]] = {}
    with database.session() as connection:
        for file in view_names():
            sql = load_sql(f"views/{file}")
            for schema, view in _VIEW.findall(sql):
                columns = connection.execute(_COLUMNS_OF_VIEW, [f"{schema}.{view}"]).fetchall()
                names = [name for (name,) in connection.execute(_TABLES_OF_VIEW, [schema, view])]
                used = [described[name] for name in names if name in described]
                known = {column: text for name in names for column, text in meanings.get(name, {}).items()}
                rows = [
                    (
                        name,
                        kind.replace("timestamp with time zone", "timestamptz"),
                        _view_meaning(view, name, used, known),
                    )
                    for name, kind in columns
                ]
                meanings[f"{schema}.{view}"] = {name: meaning for name, _, meaning in rows}
                comment = " ".join(line.removeprefix("--").strip() for line in _leading_comment(sql))
                name = f"{schema}.{view}"
                yield name, "\n".join([f"## {name}", "", f"View. {_plain(comment)}", "", *_grid(rows)]) + "\n"


def _view_meaning(view: str, column: str, used: list[Table], known: dict[str, str]) -> str:
    """Return what a column means: as said here, as in a view that the view is made of, or as in a table."""
    if (view, column) in COMPUTED:
        return COMPUTED[view, column]
    if column in known:
        return known[column]
    origin = next((table for table in used if column in table.columns), None)
    if origin is None and column.endswith("_id"):
        return _escaped(next(table for table in used if "id" in table.columns).columns["id"].comment)
    if origin is None:
        raise SystemExit(f"{view}.{column} has no description: add it to COMPUTED in {__file__}")
    return _escaped(origin.columns[column].comment)


def _leading_comment(sql: str) -> Iterator[str]:
    for line in sql.splitlines():
        if not line.startswith("--"):
            return
        yield line


def _grid(rows: list[tuple[str, str, str]]) -> list[str]:
    return ["| column | type | meaning |", "|---|---|---|", *(f"| `{a}` | {b} | {c} |" for a, b, c in rows)]


def _names(columns: Any) -> str:
    return ", ".join(f"`{column.name}`" for column in columns)


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
