"""Dialogues as the engine builds them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

import psycopg

from archive_pipeline.building.source import Read, Source
from archive_pipeline.derive.asset import DerivedAsset
from archive_pipeline.derive.registry import ASSETS
from archive_pipeline.domain.batch import DialogueBatch
from archive_pipeline.store.batches import read_batch
from archive_pipeline.store.copy import EncodedRows
from archive_pipeline.store.database import Database
from archive_pipeline.store.replace import quarantine, replace_rows
from archive_pipeline.store.rows import fetch_column
from archive_pipeline.store.sql_files import load_query
from archive_pipeline.store.staleness import DialogueRef, stale_dialogues, text_bytes


class DialogueSource(Source[DialogueRef, DialogueBatch]):
    """The description of dialogues: read as Arrow, recorded in ``derived.build_state`` and ``derived.build_errors``."""

    noun = "dialogues"
    unit = "messages"
    owner = "dialogue_id"
    max_items = 1_000
    # Larger chunks are no faster, and what is computed of one takes some twenty times the bytes of its texts.
    max_size = 2_000
    max_bytes = 2_000_000
    max_sampled_size = 5_000

    @property
    def assets(self) -> Mapping[str, DerivedAsset[DialogueBatch]]:
        """The derived assets."""
        return ASSETS

    def size(self, item: DialogueRef) -> int:
        """Return how many live messages a dialogue has."""
        return item.message_count

    def text_bytes(self, database: Database, items: Sequence[DialogueRef]) -> Mapping[str, int]:
        """Return the bytes of the texts of dialogues, those of calls and deleted messages among them."""
        with database.session() as connection:
            return text_bytes(connection, [item.id for item in items])

    def label(self, item: DialogueRef) -> str:
        """Return its partition key."""
        return item.partition_key

    def ids(self, batch: DialogueBatch) -> Sequence[str]:
        """Return the dialogues of a batch."""
        return batch.dialogue_ids

    @contextmanager
    def reader(self, database: Database) -> Iterator[Read[DialogueBatch]]:
        """Yield what reads batches on one connection."""
        with database.arrow() as connection:
            yield partial(read_batch, connection)

    def present(self, database: Database, items: Sequence[DialogueRef]) -> list[DialogueRef]:
        """Return all: a batch leaves out those that are gone, and those that changed since are stale again."""
        del database
        return list(items)

    def replace(
        self,
        connection: psycopg.Connection[Any],
        asset: DerivedAsset[DialogueBatch],
        rows: Mapping[str, EncodedRows],
        items: Sequence[DialogueRef],
        version: str,
    ) -> Mapping[str, int]:
        """Replace rows (`replace_rows`)."""
        return replace_rows(connection, asset.name, rows, fingerprints=fingerprints_of(items), code_version=version)

    def set_aside(
        self,
        connection: psycopg.Connection[Any],
        asset: DerivedAsset[DialogueBatch],
        errors: Mapping[str, str],
        items: Sequence[DialogueRef],
        version: str,
    ) -> None:
        """Quarantine the dialogues: they have no rows and are tried again when content or code change."""
        fingerprints = fingerprints_of(items)
        quarantine(connection, asset.name, asset.tables, errors, fingerprints=fingerprints, code_version=version)

    def everything(self, connection: psycopg.Connection[Any]) -> list[DialogueRef]:
        """Return every dialogue: nothing was ever built by that name."""
        return stale_dialogues(connection, "", "")

    def sample(
        self, connection: psycopg.Connection[Any], versions: Mapping[str, str], *, number: int, seed: str
    ) -> list[str]:
        """Return dialogues that are up to date for every asset."""
        parameters = {
            "assets": list(versions),
            "code_versions": list(versions.values()),
            "max_messages": self.max_sampled_size,
            "seed": seed,
            "number": number,
        }
        return fetch_column(connection, "verify/sample_current_dialogues", str, parameters)

    def fingerprints(self, connection: psycopg.Connection[Any], ids: Sequence[str]) -> dict[str, Hashable]:
        """Return the fingerprints of the dialogues that are there."""
        return dict(connection.execute(load_query("verify/fingerprints"), {"dialogue_ids": list(ids)}).fetchall())

    def current(
        self, connection: psycopg.Connection[Any], versions: Mapping[str, str], ids: Sequence[str]
    ) -> Mapping[str, Sequence[str]]:
        """Return, per asset, the dialogues whose rows are up to date."""
        parameters = {
            "assets": list(versions),
            "code_versions": list(versions.values()),
            "dialogue_ids": list(ids),
        }
        found: defaultdict[str, list[str]] = defaultdict(list)
        for asset, dialogue in connection.execute(load_query("verify/current_dialogues"), parameters):
            found[asset].append(dialogue)
        return found


DIALOGUES: Final = DialogueSource()


def fingerprints_of(dialogues: Sequence[DialogueRef]) -> dict[str, str]:
    """Return id -> fingerprint."""
    return {dialogue.id: dialogue.fingerprint for dialogue in dialogues}
