"""Transcripts of Cursor's agents: lines without ids and results, with times of prompts at most."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.domain.records import DialogueRecord, RejectedRecord
from archive_pipeline.readers.cursor.marked_texts import read_marked
from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline.readers.registry import readers, recognise
from archive_pipeline_tests.readers.work import growth

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
        ("<user_query>a</user_query><user_query>b</user_query>", [("text", "a\n\nb")]),
        ("<user_query>\nIs </user_query> its end?\n</user_query>", [("text", "Is </user_query> its end?")]),
        (
            "<user_query>\nIs <user_query>x</user_query> one?\n</user_query>\n<rules>r</rules>",
            [("context", "<rules>r</rules>"), ("text", "Is <user_query>x</user_query> one?")],
        ),
        (
            "<user_query>\na </user_query> b\n</user_query>\n<user_query>\nc\n</user_query>",
            [("text", "a </user_query> b\n\nc")],
        ),
        ("<user_query>a</user_query>\n<user_query>b", [("context", "<user_query>b"), ("text", "a")]),
        ("</user_query> <user_query>", [("text", "</user_query> <user_query>")]),
        ("<user_query>a", [("text", "<user_query>a")]),
        ("<user_query>\n</user_query>x", [("text", "<user_query>\n</user_query>x")]),
    ],
)
def test_what_stands_in_tags_is_what_the_user_asked(tmp_path: Path, text: str, found: list[tuple[str, str]]):
    [record] = read(write(tmp_path / "x.jsonl", line("user", text), ENDED))
    assert [(kind, said) for _, kind, said in parts(record)] == found


NOTIFIED = "<system_notification>\nThe task in the background ended.\n</system_notification>"
REMINDED = "<system_reminder>\nAgent mode is active.\n</system_reminder>"
SENT = "<timestamp>Tuesday, May 26, 2026, 10:57 PM (UTC+2)</timestamp>"


@pytest.mark.parametrize(
    "text",
    [
        f"{NOTIFIED}\n<user_query>\nTell the user about it.\n</user_query>",
        f"{SENT}\n<user_query>\nTell the user about it.\n</user_query>\n{NOTIFIED}",
        NOTIFIED,
        f"{SENT}\n{NOTIFIED}\n",
        f"{REMINDED}\n\n{REMINDED}",
    ],
)
def test_what_cursor_says_by_itself_is_hidden_context(tmp_path: Path, text: str):
    [record] = read(write(tmp_path / "x.jsonl", line("user", text), line("assistant", "Noted."), ENDED))
    assert parts(record) == [("system", "context", text), ("assistant", "text", "Noted.")]
    assert [message.is_hidden for message in record.messages] == [True, False]
    assert not record.warnings


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"{REMINDED}\n<user_query>\nSum it\n</user_query>", [("context", REMINDED), ("text", "Sum it")]),
        (f"<user_query>\nWhat is {NOTIFIED}?\n</user_query>", [("text", f"What is {NOTIFIED}?")]),
        (
            f"<files>{NOTIFIED}</files>\n<user_query>Sum it</user_query>",
            [("context", f"<files>{NOTIFIED}</files>"), ("text", "Sum it")],
        ),
        (f"Sum it\n{REMINDED}", [("text", f"Sum it\n{REMINDED}")]),
        (f"<b>Sum</b>{REMINDED}", [("text", f"<b>Sum</b>{REMINDED}")]),
        (f"<b>{REMINDED}", [("text", f"<b>{REMINDED}")]),
        (SENT, [("text", SENT)]),
    ],
)
def test_the_users_words_beside_what_cursor_says_are_the_users(tmp_path: Path, text: str, found: list[tuple[str, str]]):
    [record] = read(write(tmp_path / "x.jsonl", line("user", text), ENDED))
    assert parts(record) == [("user", kind, said) for kind, said in found]
    assert not record.messages[0].is_hidden


def test_a_reminder_in_a_block_of_its_own_hides_no_prompt(tmp_path: Path):
    [record] = read(write(tmp_path / "x.jsonl", line("user", REMINDED, "Sum it"), ENDED))
    assert parts(record) == [("user", "context", REMINDED), ("user", "text", "Sum it")]


@pytest.mark.parametrize("unit", ["<user_query>", "</user_query>", "\n<user_query>", "<a ", "<a>", "<a></a>", "<"])
def test_tags_are_read_in_linear_time(unit: str):
    def read_many(size: int) -> None:
        read_marked("<user_query>a</user_query>" + unit * (1_000 * size) + "</user_query>", Counter())

    assert growth(read_many, 10) < 5


@pytest.mark.parametrize(
    ("said", "moment"),
    [
        ("Tuesday, May 26, 2026, 10:57 PM (UTC+2)", datetime(2026, 5, 26, 20, 57, tzinfo=UTC)),
        ("Thursday, January 1, 2026, 12:05 AM (UTC+5:30)", datetime(2025, 12, 31, 18, 35, tzinfo=UTC)),
        ("Wednesday, December 31, 2025, 12:30 PM (UTC-03:30)", datetime(2025, 12, 31, 16, 0, tzinfo=UTC)),
        ("Friday, July 3, 2026, 9:00\u202fAM (UTC)", datetime(2026, 7, 3, 9, 0, tzinfo=UTC)),
    ],
)
def test_a_prompt_has_the_time_that_it_names(tmp_path: Path, said: str, moment: datetime):
    text = f"<timestamp>{said}</timestamp>\n<files>a</files>\n<user_query>\nSum it\n</user_query>"
    [record] = read(write(tmp_path / "x.jsonl", line("user", text), line("assistant", "Three."), ENDED))
    assert [message.created_at for message in record.messages] == [moment, None]
    assert (record.created_at, record.updated_at) == (moment, moment)
    assert parts(record)[:2] == [("user", "context", "<files>a</files>"), ("user", "text", "Sum it")]
    assert record.messages[0].parts[1].source == {"text": text}
    assert not record.warnings


@pytest.mark.parametrize(
    "said",
    [
        "Dienstag, Mai 26, 2026, 10:57 PM (UTC+2)",
        "Tuesday, February 30, 2026, 10:57 PM (UTC+2)",
        "Tuesday, May 26, 2026, 10:77 PM (UTC+2)",
        "Tuesday, May 26, 2026, 13:57 PM (UTC+2)",
        "Tuesday, May 26, 2026, 10:57 PM (UTC+99)",
        "yesterday",
    ],
)
def test_a_time_that_cannot_be_read_stays_and_is_counted(tmp_path: Path, said: str):
    stamp = f"<timestamp>{said}</timestamp>"
    [record] = read(write(tmp_path / "x.jsonl", line("user", f"{stamp}\n<user_query>Sum it</user_query>"), ENDED))
    assert parts(record) == [("user", "context", stamp), ("user", "text", "Sum it")]
    assert record.messages[0].created_at is None
    assert dict(record.warnings) == {"bad_timestamp": 1}


def test_what_cursor_says_by_itself_has_its_time_too(tmp_path: Path):
    [record] = read(write(tmp_path / "x.jsonl", line("user", f"{SENT}\n{NOTIFIED}"), line("user", "a"), ENDED))
    assert [message.created_at for message in record.messages] == [datetime(2026, 5, 26, 20, 57, tzinfo=UTC), None]


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
