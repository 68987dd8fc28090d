"""Fingerprints see content and nothing else; what has no id gets one that stays."""

from __future__ import annotations

import zlib
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from archive_pipeline.domain.identity import dialogue_id, message_id
from archive_pipeline.domain.records import AttachmentRecord, DialogueRecord, MessageRecord, PartRecord, PartType
from archive_pipeline.ingest.dialogue_values import fingerprint_of
from archive_pipeline.ingest.prepare import PreparedDialogue, prepare

TIME = datetime(2024, 1, 1, tzinfo=UTC)
CALL = PartRecord(PartType.TOOL_USE, tool_name="search", tool_use_id="c1", tool_input={"q": 1})
ASKED = MessageRecord("a", None, "user", (PartRecord(PartType.TEXT, "Why?"),), created_at=TIME)
TOLD = MessageRecord("b", "a", "assistant", (PartRecord(PartType.TEXT, "Because é."), CALL), created_at=TIME)
RECORD = DialogueRecord("chatgpt", "d", "file[0]", title="Title", messages=(ASKED, TOLD), active_source_id="b")


def fingerprint(record: DialogueRecord) -> str:
    return fingerprint_of(prepare(record, b"{}"))


def with_told(**changes) -> DialogueRecord:
    return replace(RECORD, messages=(ASKED, replace(TOLD, **changes)))


SAME = {
    "times": replace(with_told(created_at=None, updated_at=TIME), created_at=TIME, updated_at=TIME),
    "metadata": replace(with_told(source={"x": 1}), source_json={"y": 2}),
    "model": with_told(model="other", channel="final", recipient="all", author_name="n"),
    "order of messages": replace(RECORD, messages=(TOLD, ASKED)),
    "an attachment": with_told(attachments=(AttachmentRecord("f", "x.png"),)),
    "the part's own copy": with_told(parts=(TOLD.parts[0], replace(CALL, source={"raw": 1}, language="json"))),
    "warnings and place": replace(RECORD, locator="other[9]", warnings={"bad_timestamp": 1}),
    "decomposed letters": with_told(parts=(PartRecord(PartType.TEXT, "Because e\u0301."), CALL)),
    "a root node without message": replace(
        RECORD,
        messages=(replace(ASKED, parent_source_id="root"), TOLD),
        message_less_nodes={"root": None},
    ),
}
OTHER = {
    "text": with_told(parts=(PartRecord(PartType.TEXT, "Because e."), CALL)),
    "role": with_told(role="tool"),
    "parent": with_told(parent_source_id=None),
    "title": replace(RECORD, title="Other"),
    "no title": replace(RECORD, title=None),
    "tool call": with_told(parts=(TOLD.parts[0], replace(CALL, tool_input={"q": 2}))),
    "tool name": with_told(parts=(TOLD.parts[0], replace(CALL, tool_name="find"))),
    "tool error": with_told(parts=(TOLD.parts[0], replace(CALL, is_error=True))),
    "order of parts": with_told(parts=(CALL, TOLD.parts[0])),
    "kind of part": with_told(parts=(replace(TOLD.parts[0], part_type=PartType.THINKING), CALL)),
    "one part less": with_told(parts=TOLD.parts[:1]),
    "one message less": replace(RECORD, messages=(ASKED,), active_source_id="a"),
    "hidden": with_told(is_hidden=True),
    "unfinished": with_told(state="in_progress"),
    "the pointer": replace(RECORD, active_source_id="a"),
    "a pasted text": with_told(attachments=(AttachmentRecord(extracted_text="long"),)),
    "its id": with_told(source_id="c"),
}


@pytest.mark.parametrize("what", SAME)
def test_what_is_volatile_does_not_change_the_fingerprint(what: str):
    assert fingerprint(SAME[what]) == fingerprint(RECORD)


@pytest.mark.parametrize("what", OTHER)
def test_content_changes_the_fingerprint(what: str):
    assert fingerprint(OTHER[what]) != fingerprint(RECORD)


def test_all_of_these_changes_differ_from_each_other():
    assert len({fingerprint(record) for record in OTHER.values()}) == len(OTHER)


def test_ids_follow_from_the_sources_ids():
    prepared = prepare(RECORD, b"{}")
    assert prepared.id == dialogue_id("chatgpt", "d")
    assert [message.id for message in prepared.messages] == [message_id(prepared.id, name) for name in "ab"]
    assert prepared.partition_key == "chatgpt-d"
    assert prepared.active == "b"
    assert prepared.raw is None


def without_ids(*texts: str, title: str | None = None) -> DialogueRecord:
    messages = tuple(MessageRecord(None, None, "user", (PartRecord(PartType.TEXT, text),)) for text in texts)
    return DialogueRecord("claude_ai", None, "file[0]", title=title, messages=messages, is_linear_source=True)


def ids(prepared: PreparedDialogue) -> list[str]:
    return [message.id for message in prepared.messages]


def test_ids_made_of_content_stay_when_messages_are_added():
    short, long = prepare(without_ids("a", "b"), b""), prepare(without_ids("a", "b", "c"), b"")
    assert short.id == long.id
    assert short.source_id.startswith("made-")
    assert ids(long)[:2] == ids(short)
    assert [message.link.parent for message in long.messages] == [None, *(m.source_id for m in long.messages[:2])]


def test_equal_messages_without_ids_have_different_ones():
    assert len(set(ids(prepare(without_ids("go on", "go on", "go on"), b"")))) == 3


def test_dialogues_with_the_same_beginning_are_told_apart_by_their_occurrence():
    made = {prepare(without_ids("a"), b"", occurrence=number).id for number in range(3)}
    assert len(made) == 3
    assert prepare(without_ids("a", title="x"), b"").id == prepare(without_ids("a", title="y"), b"").id
    assert prepare(without_ids(title="x"), b"").id != prepare(without_ids(title="y"), b"").id


def test_a_beginning_with_half_a_character_makes_an_id_too():
    assert prepare(without_ids("a\ud800"), b"").id == prepare(without_ids("a\ud800"), b"").id
    assert prepare(without_ids(title="\ud800"), b"").source_id.startswith("made-")


def test_what_sanitising_changed_stays_recoverable():
    raw = rb'{"title": "a\u0000b"}'
    prepared = prepare(replace(RECORD, title="a\0b"), raw)
    assert prepared.record.title == "ab"
    assert zlib.decompress(prepared.raw) == raw
    assert prepared.counts == {"sanitized_nul": 1}


@pytest.mark.parametrize("liberty", ["lenient_json", "invalid_utf8"])
def test_what_the_parser_changed_stays_recoverable(liberty: str):
    assert zlib.decompress(prepare(replace(RECORD, warnings={liberty: 1}), b"{}").raw) == b"{}"
    assert prepare(replace(RECORD, warnings={"bad_timestamp": 1}), b"{}").raw is None


def test_names_of_surprises_are_clean_and_short():
    warnings = {"unknown_part:a\0b": 1, "unknown_part:ab": 2, "unknown_part:" + "x" * 500: 1}
    prepared = prepare(replace(RECORD, warnings=warnings), b"{}")
    names = {name: count for name, count in prepared.counts.items() if name.startswith("unknown_part")}
    assert names == {"unknown_part:ab": 3, "unknown_part:" + "x" * 87: 1}
    assert prepared.counts["sanitized_nul"] == 1


def test_messages_whose_ids_become_the_same_are_one_and_the_others_recoverable():
    messages = (ASKED, replace(TOLD, source_id="a\0"))
    prepared = prepare(replace(RECORD, messages=messages, active_source_id=None), b"{}")
    assert [message.source_id for message in prepared.messages] == ["a"]
    assert prepared.counts == {"sanitized_nul": 1, "duplicate_message": 1}
    assert prepared.raw is not None


def test_ids_and_pointers_are_cleaned_alike():
    messages = (replace(ASKED, source_id="a\0"), replace(TOLD, parent_source_id="a\0"))
    prepared = prepare(replace(RECORD, messages=messages, active_source_id="b\ud800"), b"")
    assert prepared.messages[1].link.parent == "a"
    assert prepared.active is None
    assert prepared.counts["bad_current_pointer"] == 1


@pytest.mark.parametrize(
    ("pointer", "active", "counted"),
    [("b", "b", 0), ("node", "a", 0), ("gone", None, 1), ("loop", None, 1), (None, None, 0)],
)
def test_the_sources_pointer_leads_to_a_message_or_nowhere(pointer: str | None, active: str | None, counted: int):
    nodes = {"node": "a", "loop": "pool", "pool": "loop"}
    prepared = prepare(replace(RECORD, active_source_id=pointer, message_less_nodes=nodes), b"")
    assert prepared.active == active
    assert prepared.counts["bad_current_pointer"] == counted


def test_surprises_are_counted_with_the_readers():
    messages = (replace(ASKED, parent_source_id="gone"), replace(TOLD, parent_source_id="b"))
    prepared = prepare(replace(RECORD, messages=messages, warnings={"unknown_part": 2}), b"")
    assert prepared.counts == Counter(unknown_part=2, missing_parent=1, cycle=1)
