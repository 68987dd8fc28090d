"""What a person says about dialogues, from Python: what is stored, and what is refused and how."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest

from archive_pipeline.annotations import Annotation, annotate, annotations_of
from archive_pipeline.errors import ConfigurationError, UnknownDialogueError
from archive_pipeline.store.database import Database
from archive_pipeline_tests.exports import chain, chatgpt, load
from archive_pipeline_tests.tables import query


@pytest.mark.parametrize(
    ("kind", "text", "reason"),
    [
        ("zzz", "x", "zzz is no annotation; there are tag, note"),
        ("note", "a\0b", "note: its text has a NUL or half a character"),
        ("note", "a\ud800", "note: its text has a NUL or half a character"),
        ("tag", " ", "a tag and a note have a text"),
        ("chosen", "x", "a tag and a note have a text, nothing else has"),
        ("chosen", None, "chosen is said of a message"),
    ],
)
def test_what_makes_no_annotation_is_said(kind: str, text: str | None, reason: str):
    with pytest.raises(ConfigurationError, match=reason):
        Annotation(kind, text)  # type: ignore[arg-type]


@pytest.mark.postgres
def test_what_is_not_there_cannot_be_annotated(database: Database, tmp_path: Path):
    load(database, tmp_path / "a.json", chatgpt("a", chain("Oats?", "Oats.")))
    [(dialogue,)] = query(database, "SELECT id::text FROM raw.dialogues")
    nobody = str(uuid4())
    with database.session() as connection:
        for unknown in ("nope", "chatgpt-a", nobody):
            with pytest.raises(UnknownDialogueError, match=f"no dialogue has the id {unknown}"):
                annotate(connection, unknown, Annotation("tag", "python"))
        with pytest.raises(UnknownDialogueError, match=f"or it has no message {nobody}"):
            annotate(connection, dialogue, Annotation("chosen", message_id=nobody))
        # What failed has ended nothing that the caller began.
        assert annotate(connection, dialogue, Annotation("tag", "python"))
        assert [each.text for each in annotations_of(connection, dialogue)] == ["python"]


@pytest.mark.postgres
def test_what_was_said_first_comes_first(database: Database, tmp_path: Path):
    load(database, tmp_path / "a.json", chatgpt("a", chain("Oats?", "Oats.")))
    [(dialogue,)] = query(database, "SELECT id::text FROM raw.dialogues")
    for each in (Annotation("tag", "python"), Annotation("note", "Good.")):
        with database.session() as connection:
            annotate(connection, dialogue, each)
    with database.session() as connection:
        assert [each.kind for each in annotations_of(connection, dialogue)] == ["tag", "note"]
