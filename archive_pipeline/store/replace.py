"""Replacing the derived rows of some dialogues in one transaction, and recording what they were built from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import psycopg
from psycopg import sql
from sqlalchemy import Table

from archive_pipeline.store.by_index import TRANSACTION_BY_INDEX
from archive_pipeline.store.copy import (
    EncodedRows,
    copy_rows,
    encode_long_rows,
    encode_rows,
    encode_values_of,
    foreign_keys_unchecked,
)
from archive_pipeline.store.lexical_index import EncodedChunks, copy_chunks, encode_chunks, is_indexed
from archive_pipeline.store.lexical_segments import tidy_index
from archive_pipeline.store.rows import fetch_column
from archive_pipeline.store.tables import DERIVED_TABLES, build_errors, build_state, document_chunks
from archive_pipeline.store.tables.base import DERIVED, has_long_texts, says_own_dialogue
from archive_pipeline.store.tables.lexical import CHUNK_NUMBER

if TYPE_CHECKING:
    import pandas as pd

TABLES: Final = {table.name: table for table in (*DERIVED_TABLES, document_chunks)}


class ItemsChangedError(Exception):
    """Some dialogues or documents were deleted or, documents, read again; their batch has to be read again, too."""


def encode_frames(frames: Mapping[str, pd.DataFrame]) -> dict[str, EncodedRows]:
    """Encode the frames of an asset: table name -> rows."""
    return {name: _encode(TABLES[name], frame) for name, frame in frames.items()}


def replace_rows(
    connection: psycopg.Connection[Any],
    asset: str,
    rows: Mapping[str, EncodedRows],
    *,
    fingerprints: Mapping[str, str],
    code_version: str,
) -> dict[str, int]:
    """Replace an asset's rows of the given dialogues, in the caller's transaction.

    Args:
        connection: a connection with a transaction of its own.
        asset: name of the asset.
        rows: table name -> new rows, parents before children; all of them belong to the given dialogues.
        fingerprints: dialogue id -> fingerprint of the content the rows were computed from.
        code_version: version of the code that computed them.

    Returns:
        Rows written per table.

    Raises:
        ItemsChangedError: a dialogue is not there any more; nothing was written.
    """
    dialogue_ids = sorted(fingerprints)
    _begin(connection)
    if len(_lock_dialogues(connection, dialogue_ids)) != len(dialogue_ids):
        raise ItemsChangedError
    deleted = _delete_rows(connection, asset, rows, dialogue_ids)
    with foreign_keys_unchecked(connection):  # the rows were computed from dialogues that are locked now
        written = {name: copy_encoded(connection, encoded) for name, encoded in rows.items()}
        state = _columns(asset, code_version, dialogue_id=dialogue_ids, fingerprint=map(fingerprints.get, dialogue_ids))
        copy_rows(connection, encode_values_of(build_state, state))
    if any(isinstance(encoded, EncodedChunks) for encoded in rows.values()):
        tidy_index(connection, deleted)
    return written


def _encode(table: Table, frame: pd.DataFrame) -> EncodedRows:
    if is_indexed(table):
        return encode_chunks(table, frame)
    return encode_long_rows(table, frame) if has_long_texts(table) else encode_rows(table, frame)


def copy_encoded(connection: psycopg.Connection[Any], rows: EncodedRows) -> int:
    """Append rows, those of chunks with what the lexical index says of them; return how many there were."""
    return copy_chunks(connection, rows) if isinstance(rows, EncodedChunks) else copy_rows(connection, rows)


def quarantine(
    connection: psycopg.Connection[Any],
    asset: str,
    tables: Iterable[str],
    errors: Mapping[str, str],
    *,
    fingerprints: Mapping[str, str],
    code_version: str,
) -> None:
    """Record that an asset cannot be built for some dialogues and delete its rows of them, in the caller's transaction.

    Dialogues that are not there any more are passed over.

    Args:
        connection: a connection with a transaction of its own.
        asset: name of the asset.
        tables: names of its tables.
        errors: dialogue id -> what happened.
        fingerprints: dialogue id -> fingerprint of the content it happened with, of those dialogues at least.
        code_version: version of the code it happened to.
    """
    _begin(connection)
    dialogue_ids = _lock_dialogues(connection, sorted(errors))
    deleted = _delete_rows(connection, asset, tables, dialogue_ids)
    failed = _columns(
        asset,
        code_version,
        dialogue_id=dialogue_ids,
        fingerprint=map(fingerprints.get, dialogue_ids),
        error=map(errors.get, dialogue_ids),
    )
    copy_rows(connection, encode_values_of(build_errors, failed))
    if deleted:
        tidy_index(connection, deleted)


def _begin(connection: psycopg.Connection[Any]) -> None:
    # A crash may lose the last moment of work, which is then still stale: nobody needs to wait for the disk.
    connection.execute("SET LOCAL synchronous_commit = off")
    # In a first build the tables that are written to were never analyzed.
    connection.execute(TRANSACTION_BY_INDEX)


def _lock_dialogues(connection: psycopg.Connection[Any], dialogue_ids: Sequence[str]) -> list[str]:
    """Be the only one to work with the dialogues until the transaction ends; return those that are there, sorted."""
    return fetch_column(connection, "raw/lock_dialogues", str, {"ids": list(dialogue_ids)})


def _delete_rows(
    connection: psycopg.Connection[Any], asset: str, tables: Iterable[str], dialogue_ids: Sequence[str]
) -> list[int]:
    """Delete the asset's rows of the dialogues, and what is recorded of how they were built.

    Returns:
        The numbers of the deleted chunks that the lexical index knows.
    """
    deleted: list[int] = []
    for name in tables:
        if says_own_dialogue(TABLES[name]):  # the others follow their parent by its foreign key
            statement = sql.SQL("DELETE FROM {} WHERE dialogue_id = ANY(%s)").format(sql.Identifier(DERIVED, name))
            if is_indexed(TABLES[name]):
                statement += sql.SQL(" RETURNING {}").format(sql.Identifier(CHUNK_NUMBER))
            cursor = connection.execute(statement, [dialogue_ids])
            deleted += [row[0] for row in cursor] if is_indexed(TABLES[name]) else []
    for record in (build_state, build_errors):
        connection.execute(
            sql.SQL("DELETE FROM {} WHERE asset = %s AND dialogue_id = ANY(%s)").format(
                sql.Identifier(DERIVED, record.name)
            ),
            [asset, dialogue_ids],
        )
    return deleted


def _columns(asset: str, code_version: str, **columns: Iterable[str | None]) -> dict[str, Sequence[str | None]]:
    """Return columns of a record of dialogues, at least one, with what is the same of all."""
    own = {name: list(values) for name, values in columns.items()}
    count = len(own["dialogue_id"])
    return {**own, "asset": [asset] * count, "code_version": [code_version] * count}
