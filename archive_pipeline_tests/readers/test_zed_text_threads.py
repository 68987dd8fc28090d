"""Zed's text threads: a text, the places in it where messages begin, and sections that are no text of a message."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline_tests.readers.said import said
from archive_pipeline_tests.readers.zed_threads import CONTEXT, ERROR, TEXT, THINKING, items, read

# 9 bytes, since é has two of them; then 14, and 4.
TEXTS = ("Is é ok?\n", "Think.\nIt is.\n", "Bye\n")


def placed(name: Any, start: int, role: str, status: Any = "Done") -> dict[str, Any]:
    kind = {"role": role, "status": status, "timestamp": {"replica_id": 0, "value": 3}, "cache": None}
    return {"id": name, "start": start, "metadata": kind}


def at(value: int, replica: int = 0) -> dict[str, int]:
    return {"replica_id": replica, "value": value}


def text_thread(*messages: dict[str, Any], text: str = "".join(TEXTS), **more: Any) -> dict[str, Any]:
    about = {"id": "c", "zed": "context", "version": "0.4.0", "text": text, "messages": list(messages)}
    return {**about, "summary": "Accents", "slash_command_output_sections": [], **more}


THREE = (placed(at(0), 0, "user"), placed(at(2), 10, "assistant"), placed(at(3, 1), 24, "user"))


def test_messages_are_pieces_of_the_text_by_bytes_of_utf_8(tmp_path: Path):
    section = {"range": {"start": 10, "end": 16}}
    (tmp_path / "Accents - 1.zed.json").write_text(
        json.dumps(text_thread(*THREE, thought_process_output_sections=[section]))
    )
    [record], rejected = items(tmp_path)
    assert (record.source, record.source_id, record.title, rejected) == ("zed", "c", "Accents", [])
    assert said(record) == [
        ("user", [(TEXT, "Is é ok?")]),
        ("assistant", [(THINKING, "Think."), (TEXT, "It is.")]),
        ("user", [(TEXT, "Bye")]),
    ]
    assert [item.source_id for item in record.messages] == ["c-0", "c-2", "c-1.3"]
    assert "text" not in record.source_json
    assert (record.is_linear_source, record.warnings) == (True, {})


def test_what_a_command_put_into_a_prompt_is_context_and_of_sections_in_others_the_outer_one_counts():
    outer = {"range": {"start": 0, "end": 8}, "icon_name": "file", "label": "a.rs", "metadata": None}
    inner = {"range": {"start": 2, "end": 4}, "icon_name": "code", "label": "main"}
    given = text_thread(placed(at(0), 0, "user"), text="fn a() {\nWhy?\n", slash_command_output_sections=[inner, outer])
    record = read(given)
    assert said(record) == [("user", [(CONTEXT, "fn a() {"), (TEXT, "Why?")])]
    assert record.source_json["slash_command_output_sections"] == [inner, outer]
    assert "text" not in record.source_json
    record = read(text_thread(placed(at(0), 0, "user"), text="fn a() {\nWhy?\n", slash_command_output_sections=[inner]))
    assert said(record) == [("user", [(TEXT, "fn"), (CONTEXT, " a"), (TEXT, "() {\nWhy?")])]
    assert record.source_json["text"] == "fn a() {\nWhy?"  # which messages have in pieces of lines


@pytest.mark.parametrize(
    ("status", "state", "more"),
    [
        ("Done", "complete", []),
        ("Pending", "in_progress", []),
        ("Canceled", "aborted", []),
        ({"Error": "no credit"}, "error", [(ERROR, "no credit")]),
        ("Melted", "complete", []),
    ],
)
def test_the_status_of_a_message_is_its_state(status: Any, state: str, more: list[Any]):
    record = read(text_thread(placed(at(0), 0, "assistant", status), text="Hm\n"))
    assert (record.messages[0].state, said(record)) == (state, [("assistant", [(TEXT, "Hm"), *more])])


@pytest.mark.parametrize("kind", ["context", "conversation"])
def test_versions_before_0_4_0_have_what_is_known_of_messages_beside_them(kind: str):
    metadata = {"role": "user", "sent_at": "2023-06-01T10:00:00+02:00", "status": "Done"}
    answer = {**metadata, "role": "assistant", "sent_at": "2023-06-01T10:00:05+02:00"}
    record = read(
        {
            "id": "c",
            "zed": kind,
            "version": "0.1.0",
            "text": "".join(TEXTS[:2]),
            "summary": "",
            "model": "gpt-4-0613",
            "messages": [{"id": 1, "start": 10}, {"id": 0, "start": 0}],
            "message_metadata": {"0": metadata, "1": answer, "9": metadata},
        }
    )
    assert [(item.source_id, item.role, item.model) for item in record.messages] == [
        ("c-0", "user", None),
        ("c-1", "assistant", "gpt-4-0613"),
    ]
    assert record.created_at == datetime(2023, 6, 1, 8, tzinfo=UTC)
    assert record.updated_at == datetime(2023, 6, 1, 8, 0, 5, tzinfo=UTC)
    assert (record.title, record.source_json["message_metadata"]) == (None, {"9": metadata})


def test_what_is_no_message_and_what_says_nothing_is_kept_by_its_number():
    empty = placed(at(5), 4, "user")
    record = read(text_thread(placed(at(4), 4, "user"), empty, {"id": 7}, text="Hey\nYou\n"))
    assert said(record) == [("user", [(TEXT, "You")])]
    assert record.source_json["text"] == "Hey"
    assert set(record.source_json["messages"]) == {"1", "3"}
    assert record.warnings == {"malformed_message": 1}


def test_places_outside_of_the_text_and_inside_of_a_character_lose_nothing():
    record = read(
        text_thread(placed(at(0), -5, "user"), placed(at(1), 4, "assistant"), placed(at(2), 99, "user"), text="Is é")
    )
    assert said(record) == [("user", [(TEXT, "Is ")]), ("assistant", [(TEXT, "é")])]
    assert record.source_json["text"] == "Is é"
    assert read(text_thread(text="")).messages == ()
