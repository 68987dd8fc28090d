"""Dialogues that were deleted for good: imports leave them out until they are readmitted.

They are known by what they are: the source, and the id there or the hash of the beginning that stands for one. The row
is written in the transaction that deletes the dialogue, so none comes back in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import psycopg

from archive_pipeline.domain import identity
from archive_pipeline.store.rows import fetch_rows
from archive_pipeline.store.sql_files import load_query


class DeletedDialogue(NamedTuple):
    """A dialogue that was deleted for good."""

    source: str
    source_id: str

    @property
    def id(self) -> str:
        """The id that its row had."""
        return identity.dialogue_id(self.source, self.source_id)

    @property
    def partition_key(self) -> str:
        """The key of its partition."""
        return identity.partition_key(self.source, self.source_id)

    def is_called(self, name: str) -> bool:
        """Tell whether a name is its partition key, its id, or its id in the source."""
        return name in {self.partition_key, self.source_id} or identity.as_uuid(name) == self.id


def delete_for_good(connection: psycopg.Connection[Any], ids: Sequence[str]) -> None:
    """Note that imports leave some stored dialogues out; the same transaction deletes them."""
    connection.execute(load_query("raw/delete_for_good"), {"ids": list(ids)})


def deleted_dialogues(connection: psycopg.Connection[Any]) -> list[DeletedDialogue]:
    """Return the dialogues that were deleted for good, in order."""
    return fetch_rows(connection, "raw/deleted_dialogues", DeletedDialogue)


def readmit(connection: psycopg.Connection[Any], dialogue: DeletedDialogue) -> None:
    """Let later imports bring a dialogue back."""
    connection.execute(load_query("raw/readmit_dialogue"), dialogue._asdict())
