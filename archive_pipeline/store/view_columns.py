"""What the columns of the views mean: as said here, as in a view that the view reads, or as in a table.

The database has it in its comments, and ``docs/tables.md`` has it too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import psycopg

from archive_pipeline.store.rows import fetch_rows
from archive_pipeline.store.sql_files import view_names
from archive_pipeline.store.tables.base import DERIVED, metadata

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
    ("first_prompts", "first_prompt"): "How the user's first text begins: one line of at most 240 characters",
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
    ("all_chunks", "page"): "The page; of a dialogue, the first one with the pair's answer, or the message",
    ("all_chunks", "pair_id"): "The pair; NULL for messages in none, and documents",
    ("all_chunks", "side"): "question or answer; NULL without a pair",
    ("all_chunks", "chunk_index"): "Place among the chunks of the side, message or page, from 0",
    ("all_chunks", "start_offset"): "Where it begins in the text of the side, message or page, in characters",
    ("all_chunks", "text"): "The text between the offsets",
    ("all_chunks", "is_near_duplicate"): "Other chunks of the dialogue say nearly all of it; it is not searched",
    ("searchable_chunks", "chunk_id"): "Id of the chunk",
    ("searchable_chunks", "side"): "question or answer; NULL without a pair",
    ("text_entries", "doc_id"): "The dialogue or document",
    ("searchable_chunks", "doc_id"): "The dialogue or document",
    ("searchable_chunks", "page"): "The page; of a dialogue, the first one with the pair's answer, or the message",
    ("searchable_chunks", "pair_id"): "The pair; NULL for messages in none, and documents, as all that belongs to it",
    ("searchable_chunks", "start_offset"): "Where it begins in the text of the side, message or page, in characters",
    ("searchable_chunks", "text"): "The text between the offsets",
    ("searchable_chunks", "happened_at"): "When the answer or message was written; when the document was added",
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
    ("searchable_chunks", "question_message_id"): (
        "User message that the page answers, of a page without one its first message; regenerations share it"
    ),
    ("searchable_chunks", "answer_message_id"): "Last message of the page",
    ("searchable_chunks", "message_id"): "Message that says it; of several results of a call, the last one",
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


class ViewColumn(NamedTuple):
    """A column of a view; ``meaning`` is None if nothing says it."""

    name: str
    type: str
    meaning: str | None


class _Found(NamedTuple):
    name: str
    columns: list[str]
    types: list[str]
    reads: list[str]


def view_columns(connection: psycopg.Connection[Any]) -> dict[str, list[ViewColumn]]:
    """Return the columns of each of the project's views, by the view's name, in the order of ``sql/views``."""
    found = {view.name: view for view in fetch_rows(connection, "relations/views", _Found)}
    described: dict[str, list[ViewColumn]] = {}
    for name in (file.split("_", 1)[1] for file in view_names()):
        if name in found:
            described[name] = _columns(found[name], described)
    return described


def _columns(view: _Found, described: Mapping[str, Sequence[ViewColumn]]) -> list[ViewColumn]:
    reads = sorted(view.reads)
    of_views = {
        column.name: column.meaning for name in reads for column in described.get(name.removeprefix(f"{DERIVED}."), ())
    }
    return [
        ViewColumn(name, kind, COMPUTED.get((view.name, name)) or of_views.get(name) or _meaning_of_tables(name, reads))
        for name, kind in zip(view.columns, view.types, strict=True)
    ]


def _meaning_of_tables(column: str, names: Sequence[str]) -> str | None:
    """Return what a column of one of the tables means; one named for the table whose id it is means that id."""
    tables = [metadata.tables[name] for name in names if name in metadata.tables]
    found = next((table.columns[column] for table in tables if column in table.columns), None)
    if found is None and column.endswith("_id"):
        found = next((table.columns["id"] for table in tables if "id" in table.columns), None)
    return None if found is None else found.comment
