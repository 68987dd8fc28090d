"""What is stale: dialogues whose derived rows were built from other content, by other code, or not at all.

Dialogues that an asset could not be built for are quarantined: not stale until their content or the code changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import psycopg
from psycopg.rows import class_row

from archive_pipeline.domain.choices import Partitioning
from archive_pipeline.domain.identity import as_uuid
from archive_pipeline.store.by_index import by_index
from archive_pipeline.store.database import Database
from archive_pipeline.store.rows import fetch_row, fetch_rows
from archive_pipeline.store.sql_files import load_query

# Of ``raw.dialogues``.
KEY_COLUMNS: Final = {Partitioning.PER_DIALOGUE: "partition_key", Partitioning.SHARDED: "shard_key"}
# In what order partitions are built. Keys of derived tables begin with the dialogue's id: a first build in its order
# appends to their indexes, where one in the order of partition keys changes pages all over them. Dialogues of a source
# stay together, so that people can name them as one range of partitions.
_PLACES: Final = {
    Partitioning.PER_DIALOGUE: "dialogue.source || '-' || dialogue.id::text",
    Partitioning.SHARDED: "dialogue.shard_key",
}
# Less than every id, none of which is the nil UUID.
_BEFORE_ALL: Final = "00000000-0000-0000-0000-000000000000"


@dataclass(frozen=True, slots=True)
class DialogueRef:
    """A dialogue to build.

    Attributes:
        id: the dialogue.
        partition_key, shard_key: its key in either partitioning.
        fingerprint: of its content now.
        message_count: its live messages.
    """

    id: str
    partition_key: str
    shard_key: str
    fingerprint: str
    message_count: int


@dataclass(frozen=True, slots=True)
class _DialogueOfKey(DialogueRef):
    is_current: bool
    is_quarantined: bool


@dataclass(frozen=True, slots=True)
class QuarantinedDialogue:
    """A dialogue that an asset cannot be built for, with its present content by the present code.

    Attributes:
        dialogue_id: the dialogue.
        partition_key, shard_key: its key in either partitioning.
        asset: the asset.
        error: type and message, on one line.
    """

    dialogue_id: str
    partition_key: str
    shard_key: str
    asset: str
    error: str


def load_key_query(name: str, partitioning: Partitioning) -> str:
    """Return the text of a query about partition keys, in the given partitioning and the order to build them."""
    query = load_query(name).replace("{key_column}", KEY_COLUMNS[partitioning])
    return query.replace("{place}", _PLACES[partitioning])


def stale_dialogues(connection: psycopg.Connection[Any], asset: str, code_version: str) -> list[DialogueRef]:
    """Return the stale dialogues of an asset in the whole archive, ordered by id."""
    parameters = {"asset": asset, "code_version": code_version, "after": _BEFORE_ALL, "limit": None}
    return fetch_rows(connection, "staleness/stale_dialogues", DialogueRef, parameters)


def stale_in_batches(database: Database, asset: str, code_version: str, batch_size: int) -> Iterator[list[DialogueRef]]:
    """Yield the stale dialogues of an asset, ``batch_size`` at a time, ordered by id; each once.

    A batch is read when it is asked for, in a transaction of its own, so that memory and transactions do not grow with
    the archive, and what was built meanwhile changes nothing. The asset ``""`` was never built: all are stale.
    """
    after = _BEFORE_ALL
    while True:
        parameters = {"asset": asset, "code_version": code_version, "after": after, "limit": batch_size}
        with database.session() as connection:
            found = fetch_rows(connection, "staleness/stale_dialogues", DialogueRef, parameters)
        if found:
            yield found
        if len(found) < batch_size:
            return
        after = found[-1].id


def dialogues_of_keys(
    connection: psycopg.Connection[Any],
    asset: str,
    code_version: str,
    keys: Sequence[str],
    *,
    partitioning: Partitioning,
    include_current: bool = False,
    include_quarantined: bool = False,
) -> list[DialogueRef]:
    """Return the stale dialogues of the given partition keys, ordered by id; with others that are asked for."""
    query = load_key_query("raw/dialogues_by_key", partitioning)
    with connection.cursor(row_factory=class_row(_DialogueOfKey)) as cursor:
        cursor.execute(query, {"asset": asset, "code_version": code_version, "keys": list(keys)})
        rows = cursor.fetchall()
    return [
        DialogueRef(row.id, row.partition_key, row.shard_key, row.fingerprint, row.message_count)
        for row in rows
        if (include_current or not row.is_current) and (include_quarantined or not row.is_quarantined)
    ]


def quarantined_dialogues(
    connection: psycopg.Connection[Any], code_versions: Mapping[str, str]
) -> list[QuarantinedDialogue]:
    """Return what is quarantined in the whole archive, ordered by key.

    Args:
        connection: to the archive.
        code_versions: the assets to ask for, each with its effective version.
    """
    parameters = {"assets": list(code_versions), "code_versions": list(code_versions.values())}
    return fetch_rows(connection, "staleness/quarantined_dialogues", QuarantinedDialogue, parameters)


def archive_keys(connection: psycopg.Connection[Any], partitioning: Partitioning) -> list[str]:
    """Return every partition key that the dialogues have in the given partitioning, in the order to build them."""
    return [key for (key,) in connection.execute(load_key_query("raw/archive_keys", partitioning))]


def current_keys(
    connection: psycopg.Connection[Any], asset: str, code_version: str, *, partitioning: Partitioning
) -> list[str]:
    """Return the partition keys of which no dialogue is stale for an asset, sorted."""
    query = load_key_query("verify/current_keys", partitioning)
    return [key for (key,) in connection.execute(query, {"asset": asset, "code_version": code_version})]


def key_of(dialogue: DialogueRef | QuarantinedDialogue, partitioning: Partitioning) -> str:
    """Return the Dagster partition key of a dialogue in the given partitioning."""
    return dialogue.shard_key if partitioning is Partitioning.SHARDED else dialogue.partition_key


def text_bytes(connection: psycopg.Connection[Any], dialogue_ids: Sequence[str]) -> dict[str, int]:
    """Return the bytes of the texts and tool calls of dialogues; those without any are left out."""
    with by_index(connection):
        rows = connection.execute(load_query("staleness/text_bytes"), {"dialogue_ids": list(dialogue_ids)})
        return dict(rows.fetchall())


def find_dialogue(connection: psycopg.Connection[Any], name: str) -> DialogueRef | None:
    """Return the dialogue with the given partition key, else the one with the given id, None if there is none."""
    return fetch_row(connection, "raw/find_dialogue", DialogueRef, {"name": name, "id": as_uuid(name)})
