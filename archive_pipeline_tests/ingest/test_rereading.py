"""What an older reader dropped arrives when its exports are imported again, and nothing else changes."""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import archive_pipeline.readers
from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.ingest.summary import ImportSummary
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.readers.registry import readers
from archive_pipeline.settings import Settings
from archive_pipeline.store.annotations import Annotation, annotate, annotations_of
from archive_pipeline.store.database import Database
from archive_pipeline.store.migrate import migrate
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.exports import Said, chain, chatgpt, claude, load
from archive_pipeline_tests.tables import derived_rows, query, raw_rows

pytestmark = pytest.mark.postgres


def talk(name: str = "c1", *, updated: float | None = 2_000.0, model: str = "gpt-5", last: str = "B") -> dict[str, Any]:
    more = {"metadata": {"model_slug": model, "attachments": [{"id": "file-1", "name": "one.txt"}], "kept": [1.5, 1e3]}}
    said = [
        Said(f"{name}-q", None, "user", "A", 1_000.0, more=more),
        Said(f"{name}-a", f"{name}-q", "assistant", last, 1_001.0, more=more),
    ]
    return chatgpt(name, said, updated=updated, is_archived=True)


def as_an_older_reader_left_it(database: Database) -> None:
    """Take away what the older reader did not keep, and what says which reader it was."""
    with database.session() as connection:
        connection.execute("UPDATE raw.messages SET model = NULL, source_json = '{}'")
        connection.execute("UPDATE raw.content_parts SET source_type = NULL")
        connection.execute("DELETE FROM raw.attachments")
        connection.execute("UPDATE raw.dialogue_vintages SET reader_version = NULL")
        connection.execute("UPDATE raw.imports SET reader_version = NULL")


def outcomes(summary: ImportSummary) -> dict[str, int]:
    return {name: count for name, count in summary.dialogues.items() if count}


def versions(database: Database) -> list[tuple[Any, ...]]:
    return query(database, "SELECT DISTINCT reader_version FROM raw.dialogue_vintages ORDER BY 1")


def test_a_later_import_of_the_same_file_brings_what_the_older_reader_dropped(
    database: Database, settings: Settings, tmp_path: Path
):
    path = tmp_path / "conversations.json"
    load(database, path, talk(), chatgpt("c2", chain("x", "y"), updated=5.0))
    build_stale(database, settings)
    whole, built = raw_rows(database), derived_rows(database)
    [(dialogue, message)] = query(
        database, "SELECT dialogue_id::text, id::text FROM raw.messages WHERE source_id = 'c1-a'"
    )
    with database.session() as connection:
        annotate(connection, dialogue, Annotation("chosen", message_id=message))
    as_an_older_reader_left_it(database)
    assert raw_rows(database) != whole
    with database.session() as connection:
        kept = annotations_of(connection, dialogue)

    assert outcomes(import_archive(database, read_paths([path]))) == {"reread": 2}
    assert raw_rows(database) == whole
    with database.session() as connection:
        assert annotations_of(connection, dialogue) == kept
    build_stale(database, settings)
    assert derived_rows(database) == built
    latest = "SELECT reader_version, counts #>> '{dialogues,reread}' FROM raw.imports ORDER BY started_at DESC LIMIT 1"
    assert query(database, latest) == [(readers()["chatgpt"].version, "2")]
    changed = query(database, "SELECT id, changed_at, last_import_id FROM raw.dialogues ORDER BY 1")
    assert outcomes(import_archive(database, read_paths([path]))) == {"unchanged": 2}
    assert query(database, "SELECT id, changed_at, last_import_id FROM raw.dialogues ORDER BY 1") == changed


def test_dialogues_that_lack_nothing_are_noted_as_read_and_not_written(database: Database, tmp_path: Path):
    path = tmp_path / "conversations.json"
    load(database, path, talk(), claude("l1", "x", "y"))
    with database.session() as connection:
        connection.execute("UPDATE raw.dialogue_vintages SET reader_version = NULL")
    before = query(database, "SELECT xmin, ctid FROM raw.messages ORDER BY id")
    summary = import_archive(database, read_paths([path]))
    assert outcomes(summary) == {"unchanged": 2}
    assert summary.rows.total() == 0
    assert query(database, "SELECT xmin, ctid FROM raw.messages ORDER BY id") == before
    read = {readers()[source].version for source in ("chatgpt", "claude_ai")}
    assert versions(database) == [(version,) for version in sorted(read)]


def test_an_older_export_never_replaces_what_an_older_reader_read_of_a_newer_one(database: Database, tmp_path: Path):
    path = tmp_path / "conversations.json"
    load(database, path, talk(updated=3_000.0))
    as_an_older_reader_left_it(database)
    left = raw_rows(database)
    for older in (talk(updated=2_000.0, model="gpt-4"), talk(updated=2_000.0, last="another")):
        load(database, path, older)
        assert raw_rows(database) == left
    assert versions(database) == [(None,)]
    assert outcomes(load(database, path, talk(updated=3_000.0))) == {"reread": 1}


def test_a_part_of_an_export_brings_what_it_has_and_is_done_when_it_has_all(database: Database, tmp_path: Path):
    path = tmp_path / "conversations.json"
    whole, part = talk(), talk()
    del part["mapping"]["c1-a"]
    load(database, path, whole)
    as_an_older_reader_left_it(database)
    load(database, path, part, is_partial=True)
    lacking = "SELECT source_id FROM raw.messages WHERE source_json = '{}'"
    assert query(database, lacking) == [("c1-a",)]
    assert versions(database) == [(None,)]
    assert outcomes(load(database, path, whole, is_partial=True)) == {"reread": 1}
    assert query(database, lacking) == []
    assert versions(database) == [(readers()["chatgpt"].version,)]


def slim(conversation: dict[str, Any]) -> dict[str, Any]:
    value = json.loads(json.dumps(conversation))
    for node in value["mapping"].values():
        node["message"].pop("status")
    return value


def test_vintages_of_one_dialogue_are_read_again_one_by_one(database: Database, tmp_path: Path):
    path = tmp_path / "conversations.json"
    full, other = talk(updated=2_000.0), slim(talk(updated=3_000.0, model="gpt-4"))
    load(database, path, full)
    load(database, path, other)
    whole = raw_rows(database)
    # An older reader that read the fuller export dropped the models of its layer.
    empty(database)
    dropped = json.loads(json.dumps(talk(updated=2_000.0)))
    for node in dropped["mapping"].values():
        del node["message"]["metadata"]["model_slug"]
    load(database, path, dropped)
    load(database, path, other)
    with database.session() as connection:
        connection.execute("UPDATE raw.dialogue_vintages SET reader_version = NULL WHERE vintage = 'full'")
    assert raw_rows(database) != whole
    assert outcomes(load(database, path, full)) == {"reread": 1}
    assert raw_rows(database) == whole
    assert outcomes(load(database, path, full)) == {"unchanged": 1}
    assert versions(database) == [(readers()["chatgpt"].version,)]
    # That one was found as it is stored says nothing of the other.
    query(database, "UPDATE raw.dialogue_vintages SET reader_version = NULL RETURNING 1")
    assert outcomes(load(database, path, full)) == {"unchanged": 1}
    assert query(database, "SELECT vintage FROM raw.dialogue_vintages WHERE reader_version IS NULL") == [("slim",)]


TOY = """
from archive_pipeline.domain.records import DialogueRecord, MessageRecord, PartRecord, PartType
from archive_pipeline.readers.declaration import Evidence, Reader
from datetime import datetime, timezone


def recognise(value):
    return Evidence(1.0, "a toy") if "toy" in value else Evidence(0.0, "no toy")


def read(value, locator):
    texts = [value["toy"]] + ([value["more"]] if VERSION > 2 else [])
    parts = tuple(PartRecord(PartType.TEXT, text) for text in texts)
    model = value["model"] if VERSION > 1 else None
    message = MessageRecord("m", None, "user", parts, model=model)
    updated = datetime.fromtimestamp(value["time"], timezone.utc)
    return DialogueRecord("toy", "one", locator, messages=(message,), updated_at=updated, is_linear_source=True)


READER = Reader("toy", "A toy", VERSION, recognise, read)
"""


@pytest.fixture
def toy_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], None]]:
    """Puts a version of a reader into the package while the test runs."""
    monkeypatch.setattr(archive_pipeline.readers, "__path__", list(archive_pipeline.readers.__path__))

    def forget() -> None:
        readers.cache_clear()
        sys.modules.pop("archive_pipeline.readers.toy", None)

    def put(version: int) -> None:
        folder = tmp_path / f"version_{version}"
        folder.mkdir(exist_ok=True)
        (folder / "toy.py").write_text(f"VERSION = {version}\n{TOY}", encoding="utf-8")
        archive_pipeline.readers.__path__[:] = [*archive_pipeline.readers.__path__[:1], str(folder)]
        forget()

    yield put
    forget()


def test_any_order_of_readers_and_exports_ends_with_the_newest_export_as_the_newest_reader_reads_it(
    database: Database, tmp_path: Path, toy_reader: Callable[[int], None]
):
    exports = [{"toy": "text", "more": "more", "model": model, "time": at} for at, model in ((1, "a"), (2, "b"))]
    path = tmp_path / "toys.json"

    def bring(version: int, export: dict[str, Any]) -> dict[str, int]:
        toy_reader(version)
        return outcomes(load(database, path, export))

    toy_reader(3)
    migrate(database)  # has the source from now on
    bring(3, exports[1])
    newest = raw_rows(database)
    for first, second in itertools.permutations(exports):
        for old in ((1, 1), (1, 2), (2, 2), (2, 3), (3, 3)):
            for again in itertools.permutations(exports):
                empty(database)
                bring(old[0], first)
                bring(old[1], second)
                for export in again:
                    bring(3, export)
                assert raw_rows(database) == newest, (first, second, old, again)
    # What changes the content is a change; what does not is not.
    empty(database)
    assert [bring(version, exports[1]) for version in (1, 2, 3)] == [{"new": 1}, {"reread": 1}, {"changed": 1}]
