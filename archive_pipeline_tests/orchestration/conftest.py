"""A real archive in a temporary home, shared by the session; each test has dialogues of its own."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from itertools import count

import dagster as dg
import pytest
from sqlalchemy import insert

from archive_pipeline.building.batch_cache import BatchCache
from archive_pipeline.building.executors.local import LocalExecutor
from archive_pipeline.domain.identity import dialogue_id, message_id, partition_key, row_id, shard_key
from archive_pipeline.domain.progress import no_progress
from archive_pipeline.orchestration.instance.opening import instance_for
from archive_pipeline.orchestration.resources import Archive
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.migrate import migrate
from archive_pipeline.store.server.embedded import release
from archive_pipeline.store.tables.raw import content_parts, dialogues, messages
from archive_pipeline_tests.conftest import empty, opened_without_fsync

_numbers = count()


@pytest.fixture(scope="session")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return Settings(home=tmp_path_factory.mktemp("archive"))


@pytest.fixture(scope="session")
def database(settings: Settings) -> Iterator[Database]:
    database = opened_without_fsync(settings)
    migrate(database)
    yield database
    database.engine.dispose()
    release(settings.postgres_folder)


@pytest.fixture(scope="session")
def instance(settings: Settings, database: Database) -> Iterator[dg.DagsterInstance]:
    with instance_for(settings) as instance:
        yield instance


@pytest.fixture
def empty_archive(database: Database) -> Database:
    """The session's archive without dialogues, imports and documents, for tests of what looks at all of it."""
    empty(database)
    return database


@pytest.fixture
def archive(settings: Settings, database: Database) -> Archive:
    """The resource as a run, a sensor or a schedule has it."""
    return Archive(database, settings, BatchCache(), LocalExecutor(database), no_progress)


def add_dialogues(database: Database, number: int, *, turns: int = 2, is_answered: bool = True) -> list[str]:
    """Insert dialogues of alternating prompts and responses; return their partition keys in the order to build them.

    Args:
        database: the archive.
        number: of dialogues.
        turns: of each.
        is_answered: the last prompt has a response.
    """
    rows: dict[str, list[dict[str, object]]] = {"dialogues": [], "messages": [], "parts": []}
    for _ in range(number):
        _add_dialogue(rows, f"t{next(_numbers):06d}-{uuid.uuid4().hex[:6]}", 2 * turns - (not is_answered))
    with database.engine.begin() as connection:
        for table, name in ((dialogues, "dialogues"), (messages, "messages"), (content_parts, "parts")):
            connection.execute(insert(table), rows[name])
    return [str(row["partition_key"]) for row in sorted(rows["dialogues"], key=lambda row: str(row["id"]))]


def _add_dialogue(rows: dict[str, list[dict[str, object]]], source_id: str, count: int) -> None:
    dialogue = dialogue_id("chatgpt", source_id)
    rows["dialogues"].append(
        {
            "id": dialogue,
            "source": "chatgpt",
            "source_id": source_id,
            "partition_key": partition_key("chatgpt", source_id),
            "shard_key": shard_key(dialogue),
            "title": source_id,
            "fingerprint": f"fingerprint of {source_id}",
            "message_count": count,
            "source_json": {},
        }
    )
    parent = None
    for position in range(count):
        message = message_id(dialogue, str(position))
        role = "assistant" if position % 2 else "user"
        rows["messages"].append(
            {
                "id": message,
                "dialogue_id": dialogue,
                "source_id": str(position),
                "parent_id": parent,
                "role": role,
                "sequence_number": position,
                "content_hash": f"{position:064x}",
                "state": "complete",
                "is_hidden": False,
            }
        )
        rows["parts"].append(
            {
                "id": row_id("part", message, "0"),
                "message_id": message,
                "dialogue_id": dialogue,
                "sequence": 0,
                "part_type": "text",
                "text_content": f"{role} says {position} in {source_id}",
            }
        )
        parent = message
