"""Sessions of Claude Code in the database: files that grow, copies of sessions, and what derived tables say of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.ingest.summary import ImportSummary
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.settings.variables import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.readers.claude_code.lines import SESSION, answer, call, result, said, text
from archive_pipeline_tests.tables import query

pytestmark = pytest.mark.postgres

FORK = "99999999-2222-4333-8444-555555555555"
LINES = [
    said("u1", None, 0, "count the files"),
    answer("a1", "u1", 1, "m1", text("I look.")),
    answer("a2", "a1", 2, "m1", call("t1", "Bash", command="ls")),
    result("r1", "a2", 3, "t1", "3"),
    answer("a3", "r1", 4, "m2", text("There are three.")),
    said("n1", "a3", 5, "<local-command-stdout>cost</local-command-stdout>"),
    said("u2", "n1", 6, "which?"),
    answer("a4", "u2", 7, "m3", text("a, b and c.")),
]

LINKS = (
    "SELECT c.source_id, o.source_id, l.kind, l.shared_messages FROM raw.dialogue_links l "
    "JOIN raw.dialogues c ON c.id = l.dialogue_id JOIN raw.dialogues o ON o.id = l.original_id"
)


def load(database: Database, folder: Path, lines: list[Any], session: str = SESSION, end: str = "\n") -> ImportSummary:
    path = folder / f"{session}.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines) + end)
    return import_archive(database, read_paths([path]))


def messages(database: Database) -> list[tuple[Any, ...]]:
    return query(
        database,
        "SELECT d.source_id, m.role, m.deleted_at IS NULL FROM raw.messages m JOIN raw.dialogues d "
        "ON d.id = m.dialogue_id ORDER BY d.source_id, m.sequence_number",
    )


def test_a_file_with_more_lines_updates_its_session(database: Database, tmp_path: Path):
    empty(database)
    for length in range(1, len(LINES) + 1):
        summary = load(database, tmp_path, LINES[:length], end='\n{"type": "us')
        assert sum(summary.dialogues.get(name, 0) for name in ("new", "changed")) == 1
    assert [role for _, role, is_live in messages(database) if is_live] == [
        "user", "assistant", "tool", "assistant", "system", "user", "assistant",
    ]  # fmt: skip
    assert load(database, tmp_path, LINES).dialogues == {"unchanged": 1}
    before = messages(database)
    load(database, tmp_path, LINES[:3])
    assert messages(database) == before


def test_a_forked_and_a_resumed_session_are_linked_with_the_one_they_copy(database: Database, tmp_path: Path):
    empty(database)
    copied = [line | {"sessionId": FORK, "forkedFrom": {"sessionId": SESSION}} for line in LINES[:5]]
    own = said("x1", "a3", 60, "and folders?") | {"sessionId": FORK}
    load(database, tmp_path, [*copied, own], FORK)
    load(database, tmp_path, LINES)
    assert query(database, LINKS) == [(FORK, SESSION, "fork", 4)]


def test_a_resumed_session_that_says_nothing_of_the_one_it_copies_is_linked_with_it(database: Database, tmp_path: Path):
    resumed = "00000000-2222-4333-8444-555555555555"
    more = [*LINES, said("x1", "a4", 60, "and folders?"), answer("x2", "x1", 61, "m4", text("None."))]
    renamed = {"type": "custom-title", "customTitle": "Files", "timestamp": "2026-05-01T00:00:00.000Z"}
    sessions = [([*LINES, renamed], SESSION), ([line | {"sessionId": resumed} for line in more], resumed)]
    for order in (sessions, sessions[::-1]):
        empty(database)
        for lines, session in order:
            load(database, tmp_path, lines, session)
        assert query(database, LINKS) == [(resumed, SESSION, "resume", 7)]


def test_questions_are_the_users_and_answers_the_models_last_words(
    database: Database, settings: Settings, tmp_path: Path
):
    empty(database)
    load(database, tmp_path, LINES)
    build_stale(database, settings)
    pairs = "SELECT pair_type, question, answer FROM derived.qa_pairs ORDER BY start_sequence_number, pair_type"
    assert query(database, pairs) == [
        ("conversation_turn", "count the files", "There are three."),
        ("trace_pair", 'Tool: Bash({"command":"ls"})', "3"),
        ("conversation_turn", "which?", "a, b and c."),
    ]
    assert query(database, "SELECT leaf_count FROM derived.dialogue_trees") == [(1,)]
    exchanges = "SELECT user_text, assistant_text FROM derived.exchange_content ORDER BY user_text"
    assert query(database, exchanges) == [
        ("count the files", "I look.\n\nThere are three."),
        ("which?", "a, b and c."),
    ]
