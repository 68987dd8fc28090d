"""Attached files in ``raw``: which messages point to them, and what is kept of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import psycopg

from archive_pipeline.store.rows import fetch_column, fetch_row, fetch_rows
from archive_pipeline.store.sql_files import load_query

# Pointers are indexed, and an entry of an index holds 2,704 bytes; those of exports have a hundred characters.
MAX_POINTER_CHARACTERS: Final = 500


class Pointer(NamedTuple):
    """What a live message calls a file: by an id or address, and by a name if it has one."""

    message_id: str
    dialogue_id: str
    pointer: str
    file_name: str | None


class KnownFile(NamedTuple):
    """A file that messages point to; hash and size are None while it is missing."""

    file_id: str
    sha256: str | None
    size_bytes: int | None


class Content(NamedTuple):
    """A content that is kept."""

    sha256: str
    size_bytes: int


class MissingFile(NamedTuple):
    """A file that messages point to and no export had, its name if one is known, and how many pointers it has."""

    file_id: str
    file_name: str | None
    messages: int


class TextToRead(NamedTuple):
    """A content with text that is not yet read for some messages."""

    sha256: str
    file_name: str | None
    found_at: str
    message_ids: list[str]


class Totals(NamedTuple):
    """How many contents are kept, their bytes, and how many files are missing."""

    kept: int
    kept_bytes: int
    missing: int


def pointers_of(connection: psycopg.Connection[Any], dialogue_ids: Sequence[str] | None = None) -> list[Pointer]:
    """Return what live messages of some dialogues, or of all, call the files that they came with."""
    wanted = {
        "dialogue_ids": None if dialogue_ids is None else list(dialogue_ids),
        "characters": MAX_POINTER_CHARACTERS,
    }
    return fetch_rows(connection, "attachments/pointers", Pointer, wanted)


def replace_files(
    connection: psycopg.Connection[Any], dialogue_ids: Sequence[str], files: Iterable[tuple[Pointer, str]]
) -> None:
    """Store what live messages of some dialogues point to.

    Args:
        connection: in a transaction.
        dialogue_ids: of the dialogues.
        files: all their pointers with the id in each; of one message and pointer the last counts.
    """
    rows = {(pointer.message_id, pointer.pointer): (pointer, file_id) for pointer, file_id in files}
    parameters = {
        "message_ids": [message_id for message_id, _ in rows],
        "pointers": [text for _, text in rows],
        "dialogue_ids": [pointer.dialogue_id for pointer, _ in rows.values()],
        "file_ids": [file_id for _, file_id in rows.values()],
        "file_names": [pointer.file_name for pointer, _ in rows.values()],
        "all_dialogue_ids": list(dialogue_ids),
    }
    connection.execute(load_query("attachments/delete_gone_files"), parameters)
    connection.execute(load_query("attachments/add_files"), parameters)


def known_files(connection: psycopg.Connection[Any]) -> list[KnownFile]:
    """Return every file that messages point to, once."""
    return fetch_rows(connection, "attachments/known_files", KnownFile)


def give_contents(connection: psycopg.Connection[Any], contents: Sequence[Mapping[str, Any]]) -> None:
    """Store contents, each as that of the files with some ids.

    Args:
        connection: in a transaction.
        contents: of each ``sha256``, ``size_bytes``, ``media_type``, ``file_ids``, ``file_name`` (or None) and
            ``found_at``.
    """
    with connection.cursor() as cursor:
        cursor.executemany(load_query("attachments/add_content"), contents)
        cursor.executemany(load_query("attachments/give_content"), contents)


def note_missing(connection: psycopg.Connection[Any], dialogue_ids: Sequence[str], looked_in: str) -> list[MissingFile]:
    """Store where the missing files of some dialogues were looked for, and return them."""
    wanted = {"dialogue_ids": list(dialogue_ids), "looked_in": looked_in}
    connection.execute(load_query("attachments/note_missing"), wanted)
    return fetch_rows(connection, "attachments/missing_of_dialogues", MissingFile, wanted)


def delete_unreferenced(connection: psycopg.Connection[Any]) -> list[str]:
    """Delete contents that no message points to; return their hashes."""
    return fetch_column(connection, "attachments/delete_unreferenced_contents", str)


def known_contents(connection: psycopg.Connection[Any], hashes: Sequence[str]) -> set[str]:
    """Return those of some hashes whose content is kept."""
    return set(fetch_column(connection, "attachments/known_contents", str, {"hashes": list(hashes)}))


def all_contents(connection: psycopg.Connection[Any]) -> list[Content]:
    """Return every content that is kept, in the order of the hashes."""
    return fetch_rows(connection, "attachments/all_contents", Content)


def places_of(connection: psycopg.Connection[Any], hashes: Sequence[str]) -> list[str]:
    """Return the places in exports where some contents were found, each once."""
    return fetch_column(connection, "attachments/places_of_contents", str, {"hashes": list(hashes)})


def totals(connection: psycopg.Connection[Any]) -> Totals:
    """Return how much is kept and missing."""
    return fetch_row(connection, "attachments/totals", Totals) or Totals(0, 0, 0)


def texts_to_read(
    connection: psycopg.Connection[Any], media_types: Iterable[str], *, reader_version: int
) -> list[TextToRead]:
    """Return contents of some types of which no document of this version of the readers is linked to their messages."""
    wanted = {"media_types": sorted(media_types), "reader_version": reader_version}
    return fetch_rows(connection, "attachments/texts_to_read", TextToRead, wanted)
