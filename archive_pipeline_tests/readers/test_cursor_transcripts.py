"""Transcripts of Cursor's agents: lines without ids, results and times."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.domain.records import DialogueRecord, RejectedRecord
from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline.readers.registry import readers, recognise

NAME = "5f1ce2b1-0c1d-4a52-9b8e-2f60f3a1d001"
AGENT = "6f1ce2b1-0c1d-4a52-9b8e-2f60f3a1d002"
ENDED = {"type": "turn_ended", "status": "success"}


def line(role: str, *blocks: Any) -> dict[str, Any]:
    made = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
    return {"role": role, "message": {"content": made}}


def write(path: Path, *lines: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(each if isinstance(each, str) else json.dumps(each) for each in lines))
    return path


def read(path: Path) -> list[DialogueRecord]:
    items = [item for file in read_paths([path]) for item in file.records()]
    assert not [item for item in items if isinstance(item, RejectedRecord)]
    return [item.record for item in items if isinstance(item, ReadDialogue)]


def parts(record: DialogueRecord) -> list[tuple[str, str, str | None]]:
    return [(each.role, part.part_type.value, part.text) for each in record.messages for part in each.parts]


CALL = {"type": "tool_use", "name": "Read", "input": {"path": "a.csv"}}
ASKED = line("user", "<attached_files>a.csv</attached_files>\n<user_query>\nSum it\n</user_query>")


def test_a_transcript_is_a_dialogue_of_its_own(tmp_path: Path):
    [record] = read(write(tmp_path / f"{NAME}.jsonl", ASKED, line("assistant", "Reading.", CALL), ENDED))
    assert (record.source, record.source_id, record.parent_source_id) == ("cursor", f"{NAME}-transcript", None)
    assert parts(record) == [
        ("user", "context", "<attached_files>a.csv</attached_files>"),
        ("user", "text", "Sum it"),
        ("assistant", "text", "Reading."),
        ("assistant", "tool_use", None),
    ]
    call = record.messages[1].parts[1]
    assert (call.tool_name, call.tool_input) == ("Read", {"path": "a.csv"})
    assert record.source_json["lines"] == {"3": ENDED}
    assert not record.warnings


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Sum it", [("text", "Sum it")]),
        ("<user_query>a</user_query> x\n<user_query>b</user_query>", [("context", "x"), ("text", "a\n\nb")]),
        ("<user_query>a", [("text", "<user_query>a")]),
        ("<user_query>\n</user_query>x", [("text", "<user_query>\n</user_query>x")]),
    ],
)
def test_what_stands_in_tags_is_what_the_user_asked(tmp_path: Path, text: str, found: list[tuple[str, str]]):
    [record] = read(write(tmp_path / "x.jsonl", line("user", text), ENDED))
    assert [(kind, said) for _, kind, said in parts(record)] == found


def test_a_subagent_names_the_transcript_that_it_stands_with(tmp_path: Path):
    folder = tmp_path / "agent-transcripts" / NAME
    write(folder / f"{NAME}.jsonl", line("user", "Sum it"), ENDED)
    write(folder / "subagents" / f"{AGENT}.jsonl", line("user", "Look"), ENDED)
    found = {record.source_id: record.parent_source_id for record in read(tmp_path)}
    assert found == {f"{NAME}-transcript": None, f"{AGENT}-transcript": f"{NAME}-transcript"}


def test_what_is_no_message_is_kept(tmp_path: Path):
    broken = '{"role": "assistant", "mess'
    [record] = read(
        write(tmp_path / "x.jsonl", line("user", "Sum it"), line("assistant", {"type": "hologram"}), broken)
    )
    assert parts(record) == [("user", "text", "Sum it"), ("assistant", "unknown", None)]
    assert dict(record.warnings) == {"unknown_part:hologram": 1, "malformed_message": 1}
    assert broken in str(record.source_json["lines"])


@pytest.mark.parametrize(
    ("lines", "confidence"),
    [
        ([line("user", "a"), ENDED], 1.0),
        ([line("user", "a")], 0.8),
        ([ENDED], 0.0),
        ([{**line("user", "a"), "uuid": "u"}], 0.0),
        ([{"role": "user", "message": {"content": "a"}}], 0.0),
        ([{"role": "user", "message": {"content": [{"type": "text"}], "id": "m"}}], 0.0),
        ([{"role": "user", "message": {"content": [{"type": ["text"]}]}}], 0.0),
    ],
)
def test_what_is_taken_for_a_transcript(lines: list[Any], confidence: float):
    value = {"file": "x.jsonl", "lines": lines}
    assert readers()["cursor"].recognise(value).confidence == confidence
    assert (recognise(value).source == "cursor") == (confidence > 0)
