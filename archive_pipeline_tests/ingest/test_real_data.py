"""Real exports into every table, where ``ARCHIVE_REAL_DATA`` names a folder of them; counts are worked out by hand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.tables import counts, query

ROOT = Path(os.environ.get("ARCHIVE_REAL_DATA", "/nonexistent"))
pytestmark = [
    pytest.mark.postgres,
    pytest.mark.real_data,
    pytest.mark.skipif("ARCHIVE_REAL_DATA" not in os.environ, reason="ARCHIVE_REAL_DATA is not set"),
]

# Hashes are counted as (messages with text x 2 scopes + exchanges x their scopes with text) x 2 normalisations: a
# user's or assistant's message has the scopes full and its role, an exchange full, user and assistant. Every assistant
# message with content is a response, every message with content that is not hidden has a context.
EXPECTED = {
    # S hidden and empty; then U1 A1, and below A1 two user messages:
    #   U2 A2 U3 A3 (A3 in_progress), and U4 A4 U5 with the answers A5 and A6.
    # Leaves A3, A5, A6, all at depth 6. Exchanges: S-U1-A1, U2-A2, U3-A3, U4-A4, U5-A5, U5-A6.
    # Answers: A1 to A6, each right below its prompt. Pairs: all of these but the unfinished U3-A3.
    # Hashes: (11 x 2 + 6 x 3) x 2.
    # Pages are exchanges, here as below. Chunks: question and answer of each pair, all short.
    "chatgpt/librechat-tree.json": {
        "dialogues": 1,
        "messages": 12,
        "dialogue_trees": 1,
        "message_paths": 12,
        "linear_sequences": 3,
        "prompt_responses": 6,
        "prompt_response_content": 6,
        "exchanges": 6,
        "exchange_content": 6,
        "content_hashes": 80,
        "qa_pairs": 5,
        "response_hashes": 6,
        "message_contexts": 11,
        "dialogue_pages": 6,
        "qa_chunks": 10,
    },
    # One chain: 2 empty system messages, 8 of the user, and between them 12 texts of the assistant and 11 pairs of call
    # and output: 2 + 8 + 12 + 22 = 44. Answers are texts and calls: 12 + 11. Exchanges: one a user message.
    # Pairs: 8 turns and 11 traces. Hashes: texts are those of 8 + 12 messages: (20 x 2 + 8 x 3) x 2.
    # Chunks: two a pair, and eight more of the longer calls.
    "chatgpt/code-interpreter.json": {
        "dialogues": 1,
        "messages": 44,
        "dialogue_trees": 1,
        "message_paths": 44,
        "linear_sequences": 1,
        "prompt_responses": 23,
        "prompt_response_content": 23,
        "exchanges": 8,
        "exchange_content": 8,
        "content_hashes": 128,
        "qa_pairs": 19,
        "response_hashes": 23,
        "message_contexts": 42,
        "dialogue_pages": 8,
        "qa_chunks": 45,
    },
    # Seven chains of U A U A U. Each: 2 answers, 3 exchanges of which the last has no answer, 2 pairs.
    # Hashes of each: (5 x 2 + 3 + 3 + 2) x 2 = 36. Chunks: two a pair.
    "chatgpt/convonaut-parent-only.json": {
        "dialogues": 7,
        "messages": 35,
        "dialogue_trees": 7,
        "message_paths": 35,
        "linear_sequences": 7,
        "prompt_responses": 14,
        "prompt_response_content": 14,
        "exchanges": 21,
        "exchange_content": 21,
        "content_hashes": 252,
        "qa_pairs": 14,
        "response_hashes": 14,
        "message_contexts": 35,
        "dialogue_pages": 21,
        "qa_chunks": 28,
    },
    # U A U A, each with a text block. Hashes: (4 x 2 + 2 x 3) x 2.
    # Chunks: two questions, and 17 of answers with much code.
    "claude_ai/claude-bakery-chat.json": {
        "dialogues": 1,
        "messages": 4,
        "dialogue_trees": 1,
        "message_paths": 4,
        "linear_sequences": 1,
        "prompt_responses": 2,
        "prompt_response_content": 2,
        "exchanges": 2,
        "exchange_content": 2,
        "content_hashes": 28,
        "qa_pairs": 2,
        "response_hashes": 2,
        "message_contexts": 4,
        "dialogue_pages": 2,
        "qa_chunks": 19,
    },
}


def load(database: Database, settings: Settings, *names: str):
    summary = import_archive(database, read_paths([ROOT / name for name in names]))
    build_stale(database, settings)
    return summary


@pytest.mark.parametrize("name", EXPECTED)
def test_every_table_has_the_rows_a_person_counts(database: Database, settings: Settings, name: str):
    load(database, settings, name)
    found = counts(database)
    assert {table: found[table] for table in EXPECTED[name]} == EXPECTED[name]


def test_everything_is_loaded_or_rejected(database: Database, settings: Settings):
    summary = load(database, settings, "chatgpt", "claude_ai")
    assert summary.dialogues == {"new": 38, "rejected": 4}
    found = counts(database)
    assert (found["dialogues"], found["messages"], found["rejected_records"]) == (38, 215, 4)
    assert (found["dialogue_trees"], found["message_paths"]) == (38, 215)
    again = load(database, settings, "chatgpt", "claude_ai")
    assert again.dialogues == {"unchanged": 38, "rejected": 4}
    assert not any(again.rows.values())


def test_the_tree_says_why_each_sequence_exists(database: Database, settings: Settings):
    load(database, settings, "chatgpt/librechat-tree.json")
    # The primary leaf is the latest of three at depth 6. The other answer to the same question branches at depth 5, the
    # edited question below A1 at depth 2.
    assert query(
        database,
        "SELECT branch_reason, branched_at_depth, sequence_length, left(m.source_id, 6) "
        "FROM derived.linear_sequences s JOIN raw.messages m ON m.id = s.leaf_message_id ORDER BY m.created_at DESC",
    ) == [("primary", None, 7, "f63b8e"), ("regeneration", 5, 7, "d0d2a7"), ("edit", 2, 7, "ada93f")]
    assert query(
        database,
        "SELECT total_nodes, max_depth, root_count, branch_count, leaf_count, has_regenerations, has_edits, is_linear "
        "FROM derived.dialogue_trees",
    ) == [(12, 6, 1, 2, 3, True, True, False)]
    # The source points to f63b8e: its path is the active one.
    assert query(database, "SELECT count(*) FROM derived.message_paths WHERE is_on_active_path") == [(7,)]


def test_calls_and_texts_of_an_agent_are_paired_by_the_right_rule(database: Database, settings: Settings):
    load(database, settings, "chatgpt/code-interpreter.json")
    # Eight of the 23 answers stand right below a user message.
    statement = "SELECT pairing_rule, count(*) FROM derived.prompt_responses GROUP BY 1 ORDER BY 1"
    assert query(database, statement) == [("ancestor", 15), ("parent", 8)]
    statement = "SELECT pair_type, count(*) FROM derived.qa_pairs GROUP BY 1 ORDER BY 1"
    assert query(database, statement) == [("conversation_turn", 8), ("trace_pair", 11)]
    # The answer is what is said after the last of three tool calls, not the announcement before the first.
    [(answer,)] = query(database, "SELECT answer FROM derived.qa_pairs ORDER BY start_sequence_number LIMIT 1")
    assert answer.startswith("The average distance between")
