"""A few dialogues computed anew and compared with what is stored, row by row, inside the database."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd
import psycopg
from psycopg import sql
from sqlalchemy import MetaData, Table

from archive_pipeline.derive.registry import ASSETS
from archive_pipeline.settings import Settings
from archive_pipeline.store.batches import load_batch
from archive_pipeline.store.copy import copy_frame
from archive_pipeline.store.database import Database
from archive_pipeline.store.replace import TABLES
from archive_pipeline.store.sql_files import load_sql

# Larger dialogues are left out: the check is to take a second, and it is the code that it checks.
MOST_MESSAGES: Final = 5_000


@dataclass(frozen=True)
class Comparison:
    """What the comparison found.

    Attributes:
        dialogue_ids: the dialogues that were computed anew.
        rows: how many rows that gave.
        differing: per table, rows that are stored or computed but not both.
    """

    dialogue_ids: tuple[str, ...]
    rows: int
    differing: dict[str, int]


def compare_with_rebuild(
    database: Database, settings: Settings, versions: Mapping[str, str], *, number: int, seed: str
) -> Comparison:
    """Compute up to ``number`` dialogues that are up to date anew and compare them with the stored rows.

    One snapshot for the choice and the stored rows: a build meanwhile makes no difference. If an import changes one of
    the dialogues meanwhile, nothing is compared.

    Args:
        database: the archive's.
        settings: the archive's.
        versions: effective version of each asset.
        number: how many dialogues.
        seed: another seed chooses other dialogues.
    """
    with database.session() as connection:
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        chosen = _choose(connection, versions, number, seed)
        batch = load_batch(database, list(chosen))
        if _fingerprints(database, chosen) != chosen:
            return Comparison((), 0, {})
        frames = [(name, frame) for asset in ASSETS.values() for name, frame in asset.derive(batch, settings).items()]
        differing = {name: _difference(connection, TABLES[name], frame, list(chosen)) for name, frame in frames}
    return Comparison(tuple(chosen), sum(len(frame) for _, frame in frames), differing)


def _choose(connection: psycopg.Connection[Any], versions: Mapping[str, str], number: int, seed: str) -> dict[str, str]:
    parameters = {
        "assets": list(versions),
        "code_versions": list(versions.values()),
        "most_messages": MOST_MESSAGES,
        "seed": seed,
        "number": number,
    }
    return dict(connection.execute(load_sql("queries/sample_current_dialogues"), parameters).fetchall())


def _fingerprints(database: Database, dialogue_ids: Iterable[str]) -> dict[str, str]:
    with database.session() as connection:
        query = "SELECT id::text, fingerprint FROM raw.dialogues WHERE id = ANY(%s::uuid[])"
        return dict(connection.execute(query, [list(dialogue_ids)]).fetchall())


def _difference(
    connection: psycopg.Connection[Any], table: Table, rows: pd.DataFrame, dialogue_ids: Sequence[str]
) -> int:
    """Load the computed rows beside the stored ones, the same way they are loaded in a build, and count differences."""
    copy = table.to_metadata(MetaData(), schema="pg_temp", name=f"rebuilt_{table.name}")
    stored, rebuilt = sql.Identifier(str(table.schema), table.name), sql.Identifier("pg_temp", copy.name)
    columns = sql.SQL(", ").join(map(sql.Identifier, rows.columns))
    connection.execute(
        sql.SQL("CREATE TEMPORARY TABLE {} (LIKE {}) ON COMMIT DROP").format(sql.Identifier(copy.name), stored)
    )
    copy_frame(connection, copy, rows)
    of_dialogues = sql.SQL("SELECT {} FROM {} WHERE {}").format(columns, stored, _belongs(table))
    query = sql.SQL(
        "SELECT count(*) FROM (({stored} EXCEPT ALL SELECT {columns} FROM {rebuilt})"
        " UNION ALL (SELECT {columns} FROM {rebuilt} EXCEPT ALL {stored})) AS difference"
    ).format(stored=of_dialogues, columns=columns, rebuilt=rebuilt)
    row = connection.execute(query, {"dialogue_ids": list(dialogue_ids)}).fetchone()
    return 0 if row is None else int(row[0])


def _belongs(table: Table) -> sql.Composable:
    """Return the condition under which a row is of the dialogues; tables without that column follow their parent."""
    if "dialogue_id" in table.columns:
        return sql.SQL("dialogue_id = ANY(%(dialogue_ids)s::uuid[])")
    key = next(column for column in table.columns if column.foreign_keys)
    parent = next(iter(key.foreign_keys)).column.table
    return sql.SQL("{} IN (SELECT id FROM {} WHERE dialogue_id = ANY(%(dialogue_ids)s::uuid[]))").format(
        sql.Identifier(key.name), sql.Identifier(str(parent.schema), parent.name)
    )
