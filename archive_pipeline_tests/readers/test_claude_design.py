"""What chats of Claude Design become, and how they are told."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.domain.records import DialogueRecord, MessageRecord, RejectedRecord
from archive_pipeline.readers.claude_design import READER, read_chat
from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline.readers.registry import recognise

ASKED = {
    "uuid": "m1",
    "role": "user",
    "created_at": "2026-08-01T10:00:00Z",
    "content": {
        "kind": "chat",
        "content": "Draw a lock.",
        "authorAccountUuid": "a1",
        "authorName": "Ada",
        "attachments": [
            {"id": "t1", "name": "brief.md", "type": "text/markdown", "content": "Wood."},
            {"id": "t2", "name": "gate.png", "type": "image", "path": "images/gate.png"},
        ],
    },
}
BLOCKS: list[dict[str, Any]] = [
    {"type": "thinking", "text": "Gates."},
    {"type": "thinking", "text": ""},
    {"type": "tool_call", "toolCall": {"id": "c1", "name": "write", "input": {"path": "a.html"}, "status": "done"}},
    {"type": "user_interjection", "message": {"role": "user", "content": "Make it red."}},
    {"type": "error", "message": "upstream returned 429"},
    {"type": "text", "text": "Here it is."},
    {"type": "hologram", "depth": 3},
]
ANSWERED = {"uuid": "m2", "role": "assistant", "content": {"content": "Here it is.", "contentBlocks": BLOCKS}}
CHAT = {
    "uuid": "d1",
    "title": "Lock",
    "project": {"uuid": "p1", "name": "Canal"},
    "created_at": "2026-08-01T10:00:00Z",
    "updated_at": "2026-08-01T11:00:00Z",
    "messages": [ASKED, ANSWERED],
}


def dialogue(**fields: Any) -> DialogueRecord:
    record = read_chat({**CHAT, **fields}, "d.json")
    assert isinstance(record, DialogueRecord)
    return record


def parts_of(message: MessageRecord) -> list[tuple[str, str | None]]:
    return [(part.part_type.value, part.text) for part in message.parts]


def test_a_chat_has_its_title_project_and_messages_one_after_the_other():
    record = dialogue()
    assert (record.source, record.source_id, record.title, record.project_id) == ("claude_design", "d1", "Lock", "p1")
    assert record.is_linear_source
    asked = record.messages[0]
    assert (asked.source_id, asked.role, asked.author_name, parts_of(asked)) == (
        "m1",
        "user",
        "Ada",
        [("text", "Draw a lock.")],
    )
    assert [
        (file.source_id, file.file_name, file.mime_type, file.extracted_text, file.uri) for file in asked.attachments
    ] == [
        ("t1", "brief.md", "text/markdown", "Wood.", None),
        ("t2", "gate.png", None, None, "images/gate.png"),
    ]
    assert asked.source["content"] == {"kind": "chat", "authorAccountUuid": "a1"}


def test_what_the_user_says_while_the_assistant_works_is_a_message_of_the_user():
    record = dialogue()
    assert [(message.source_id, message.role, parts_of(message)) for message in record.messages[1:]] == [
        ("m2", "assistant", [("thinking", "Gates."), ("tool_use", None)]),
        ("m2/1", "user", [("text", "Make it red.")]),
        ("m2/2", "assistant", [("error", "upstream returned 429"), ("text", "Here it is."), ("unknown", None)]),
    ]
    call = record.messages[1].parts[1]
    assert (call.tool_name, call.tool_use_id, call.tool_input) == ("write", "c1", {"path": "a.html"})
    assert call.source == {"toolCall": {"status": "done"}}
    assert record.messages[1].source["content"] == {"content": "Here it is.", "contentBlocks": [BLOCKS[1]]}
    assert record.warnings == {"unknown_part:hologram": 1}


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ({"contentBlocks": [BLOCKS[0]], "content": "Flat."}, [("thinking", "Gates."), ("text", "Flat.")]),
        ({"content": [{"type": "text", "text": "In blocks."}]}, [("text", "In blocks.")]),
        ("Bare.", [("text", "Bare.")]),
        ({"contentBlocks": [BLOCKS[3]]}, []),
        (None, []),
    ],
)
def test_a_text_is_found_beside_the_blocks_and_in_place_of_them(content: Any, parts: list[Any]):
    message = {"uuid": "m1", "role": "assistant", "content": content}
    assert parts_of(dialogue(messages=[message]).messages[0]) == parts


def test_messages_that_are_none_or_come_again_are_kept_beside_the_others():
    again = {**ANSWERED, "content": {"content": "Other."}}
    record = dialogue(messages=[ANSWERED, again, 7, None])
    assert [message.source_id for message in record.messages] == ["m2", "m2/1", "m2/2"]
    assert record.source_json["messages"] == [7, again]
    assert record.warnings == {"unknown_part:hologram": 1, "malformed_message": 1, "duplicate_message": 1}
    assert isinstance(read_chat({**CHAT, "messages": {}}, "d.json"), RejectedRecord)


@pytest.mark.parametrize(
    ("value", "confidence"),
    [
        (CHAT, 1.0),
        ({"uuid": "d", "messages": [None, {"role": "user", "content": {"content": "x"}}]}, 0.6),
        ({**CHAT, "messages": []}, 0.6),
        ({"uuid": "d", "messages": [{"role": "user", "content": "x"}]}, 0.0),
        ({"messages": CHAT["messages"]}, 0.0),
    ],
)
def test_a_chat_is_told_by_the_contents_of_its_messages(value: dict[str, Any], confidence: float):
    assert READER.recognise(value).confidence == confidence
    if confidence:
        assert recognise(value).source == "claude_design"


def test_the_folder_of_design_chats_is_read_and_a_zip_of_them_that_is_missing_is_named(tmp_path: Path):
    files = [{"category": "design_chats", "filename": f"design_chats-00{number}.zip"} for number in range(2)]
    (tmp_path / "manifest-1.json").write_text(json.dumps({"data_files": files}))
    with zipfile.ZipFile(tmp_path / "design_chats-000.zip", "w") as export:
        export.writestr("design_chats/d1.json", json.dumps(CHAT))
    reading = read_paths([tmp_path])
    records = [item for file in reading for item in file.records()]
    assert [item.record.title for item in records if isinstance(item, ReadDialogue)] == ["Lock"]
    assert len(records) == 1
    assert [line.partition(":")[0] for line in reading.missing] == ["design_chats-001.zip"]
