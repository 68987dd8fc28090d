"""Batches of an export: which dialogues are read together, and what is read of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from archive_pipeline.export.choices import Choices
from archive_pipeline.export.selection import read_batches
from archive_pipeline.store.database import Database
from archive_pipeline.store.snapshot import read_snapshot
from archive_pipeline_tests.export.dialogues import GREEN, alike
from archive_pipeline_tests.exports import load

pytestmark = pytest.mark.postgres


def test_batches_grow_from_an_eighth_to_the_limit(database: Database, tmp_path: Path):
    load(database, tmp_path / "a.json", *map(alike, range(1_000)))
    with read_snapshot(database) as snapshot:
        batches = [*read_batches(snapshot, Choices())]
    # Of 500 dialogues an eighth, a quarter, a half, all, and what is left.
    assert [len(batch.headings) for batch in batches] == [63, 125, 250, 500, 62]
    ids = [heading.dialogue_id for batch in batches for heading in batch.headings]
    assert ids == sorted(set(ids))


def test_what_is_read_becomes_dialogues_without_the_database(database: Database, tmp_path: Path):
    load(database, tmp_path / "a.json", alike(1))
    with read_snapshot(database) as snapshot:
        [batch] = read_batches(snapshot, Choices())
    [dialogue] = batch.group(Choices()).dialogues
    assert dialogue.heading.title == "Alike 1"
    assert [message.text for message in dialogue.messages if message.text] == ["How do I make tea?", GREEN]
