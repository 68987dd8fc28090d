"""Replacing the derived rows of some dialogues in one transaction, and recording what they were built from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pandas as pd
import psycopg
from psycopg import sql

from archive_pipeline.store import locks
from archive_pipeline.store.copy import EncodedRows, copy_frame, copy_rows, encode_rows, foreign_keys_unchecked
from archive_pipeline.store.tables import DERIVED_TABLES, build_state
from archive_pipeline.store.tables.base import DERIVED

TABLES: Final = {table.name: table for table in DERIVED_TABLES}


class DialoguesGoneError(Exception):
    """Some dialogues were deleted since they were read; the batch has to be read again without them."""


def encode_frames(frames: Mapping[str, pd.DataFrame]) -> dict[str, EncodedRows]:
    """Encode the frames of an asset: table name -> rows."""
    return {name: encode_rows(TABLES[name], frame) for name, frame in frames.items()}


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
        DialoguesGoneError: a dialogue is not there any more; nothing was written.
    """
    dialogue_ids = sorted(fingerprints)
    # A crash may lose the last moment of work, which is then still stale: nobody needs to wait for the disk.
    connection.execute("SET LOCAL synchronous_commit = off")
    connection.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", [locks.ASSET_ROWS, asset])
    _lock_dialogues(connection, dialogue_ids)
    for name in rows:
        if "dialogue_id" in TABLES[name].columns:  # the others follow their parent by its foreign key
            statement = sql.SQL("DELETE FROM {} WHERE dialogue_id = ANY(%s)").format(sql.Identifier(DERIVED, name))
            connection.execute(statement, [dialogue_ids])
    with foreign_keys_unchecked(connection):  # the rows were computed from dialogues that are locked now
        written = {name: copy_rows(connection, encoded) for name, encoded in rows.items()}
        _record(connection, asset, fingerprints, code_version)
    return written


def _lock_dialogues(connection: psycopg.Connection[Any], dialogue_ids: Sequence[str]) -> None:
    rows = connection.execute(
        "SELECT id FROM raw.dialogues WHERE id = ANY(%s) ORDER BY id FOR KEY SHARE", [dialogue_ids]
    ).fetchall()
    if len(rows) != len(dialogue_ids):
        raise DialoguesGoneError


def _record(
    connection: psycopg.Connection[Any], asset: str, fingerprints: Mapping[str, str], code_version: str
) -> None:
    connection.execute(
        sql.SQL("DELETE FROM {} WHERE asset = %s AND dialogue_id = ANY(%s)").format(
            sql.Identifier(DERIVED, build_state.name)
        ),
        [asset, list(fingerprints)],
    )
    state = pd.DataFrame({"dialogue_id": list(fingerprints), "fingerprint": list(fingerprints.values())}, dtype=object)
    copy_frame(connection, build_state, state.assign(asset=asset, code_version=code_version))
