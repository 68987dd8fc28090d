"""Pi's sessions: the tree of entries, whose words a message has, ids that forks share, and files without ids."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.domain.records import DialogueRecord, RejectedRecord
from archive_pipeline.ingest.prepare import prepare
from archive_pipeline.readers.pi.content import split_prompt
from archive_pipeline.readers.pi.dialogue import read_session
from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline.readers.registry import is_session_line, recognise

SESSION = "4293a326-81ca-4327-b450-85275e1ca645"
HEAD = {"type": "session", "version": 3, "id": SESSION, "timestamp": "2026-01-16T02:00:00.000Z", "cwd": "/work/shop"}
Line = dict[str, Any]


def entry(name: str, parent: str | None, kind: str, /, **more: Any) -> Line:
    """An entry, at the second that its id is as a number."""
    stamp = f"2026-01-16T02:00:{int(name, 16) % 60:02}.000Z"
    return {"type": kind, "id": name, "parentId": parent, "timestamp": stamp, **more}


def said(name: str, parent: str | None, role: str, content: Any, **more: Any) -> Line:
    return entry(name, parent, "message", message={"role": role, "content": content, **more})


def text(words: str) -> Line:
    return {"type": "text", "text": words}


def answer(name: str, parent: str | None, *blocks: Line, reason: str = "stop", **more: Any) -> Line:
    about = {"api": "anthropic-messages", "provider": "anthropic", "model": "claude-opus-4-5", "stopReason": reason}
    return said(name, parent, "assistant", list(blocks), **about, **more)


def result(name: str, parent: str, call: str, *blocks: Line, **more: Any) -> Line:
    return said(name, parent, "toolResult", list(blocks), toolCallId=call, toolName="bash", isError=False, **more)


def read(*lines: Any, head: Line | None = None) -> DialogueRecord:
    value = {"file": "s.jsonl", "lines": [HEAD if head is None else head, *lines]}
    record = read_session(value, "s.jsonl")
    assert isinstance(record, DialogueRecord)
    return record


def names(record: DialogueRecord) -> dict[str | None, str]:
    """What the file calls each message."""
    return {message.source_id: message.source["id"] for message in record.messages}


def tree(record: DialogueRecord) -> list[tuple[str, str | None]]:
    """Messages with their parents as they are stored, by the names of the file."""
    called = names(record)
    return [(called[each.source_id], called.get(each.link.parent)) for each in prepare(record, b"").messages]


def parts(record: DialogueRecord, place: int) -> list[tuple[str, str | None]]:
    return [(part.part_type.value, part.text) for part in record.messages[place].parts]


def test_a_session_is_read_whole():
    call = {"type": "toolCall", "id": "c1", "name": "bash", "arguments": {"command": "ls"}, "thoughtSignature": "x"}
    picture = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
    record = read(
        entry("01", None, "model_change", provider="anthropic", modelId="claude-opus-4-5"),
        entry("02", "01", "session_info", name="First name"),
        said("03", "02", "user", "List the files.", timestamp=1768528803000),
        answer("04", "03", {"type": "thinking", "thinking": "ls will do"}, text("I look."), call, reason="toolUse"),
        result("05", "04", "c1", text("a.txt"), picture, details={"exit": 0}),
        answer("06", "05", text("There is one."), usage={"input": 8}),
        entry("07", "06", "session_info", name="Files of the shop"),
    )
    about = (record.source, record.source_id, record.title, record.project_id, record.parent_source_id)
    assert about == ("pi", SESSION, "Files of the shop", "/work/shop", None)
    assert record.created_at is not None
    assert record.updated_at is not None
    assert (record.created_at.second, record.updated_at.second) == (0, 7)
    assert tree(record) == [("03", None), ("04", "03"), ("05", "04"), ("06", "05")]
    assert [(m.role, m.model, m.state, m.is_hidden) for m in record.messages] == [
        ("user", None, "complete", False),
        ("assistant", "claude-opus-4-5", "complete", False),
        ("tool", None, "complete", False),
        ("assistant", "claude-opus-4-5", "complete", False),
    ]
    assert parts(record, 1) == [("thinking", "ls will do"), ("text", "I look."), ("tool_use", None)]
    use = record.messages[1].parts[2]
    assert (use.tool_name, use.tool_use_id, use.tool_input) == ("bash", "c1", {"command": "ls"})
    assert use.source == {"thoughtSignature": "x"}
    given, image = record.messages[2].parts
    assert (given.text, given.tool_name, given.tool_use_id, given.is_error) == ("a.txt", "bash", "c1", False)
    digest = "8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4"
    assert (image.part_type.value, image.mime_type, image.content_sha256) == ("image", "image/png", digest)
    assert image.tool_use_id == "c1"
    assert record.messages[2].source["message"] == {"role": "toolResult", "details": {"exit": 0}}
    assert record.messages[3].source["message"]["usage"] == {"input": 8}
    assert sorted(record.source_json["lines"]) == ["1", "2", "3", "8"]
    assert record.source_json["lines"]["1"] == HEAD
    assert not record.warnings


def test_going_back_begins_a_branch_behind_entries_that_are_no_message():
    record = read(
        said("01", None, "user", "one"),
        answer("02", "01", text("1")),
        entry("03", "02", "thinking_level_change", thinkingLevel="high"),
        entry("04", "03", "label", targetId="02", label="here"),
        said("05", "04", "user", "two"),
        answer("06", "05", text("2")),
        entry("07", "04", "branch_summary", fromId="04", summary="Two was tried."),
        said("08", "07", "user", "three"),
        said("09", None, "user", "anew"),
        entry("0a", "03", "custom", customType="x", data={}),
    )
    assert tree(record) == [
        ("01", None),
        ("02", "01"),
        ("05", "02"),
        ("06", "05"),
        ("07", "02"),
        ("08", "07"),
        ("09", None),
    ]
    assert prepare(record, b"").active == record.messages[1].source_id  # from the last entry on the session goes on
    assert (record.messages[4].role, record.messages[4].is_hidden, parts(record, 4)) == (
        "system",
        True,
        [("context", "Two was tried.")],
    )


@pytest.mark.parametrize(("target", "active"), [("01", 0), ("02", 0), (None, None), ("ff", 1)])
def test_a_leaf_says_where_the_session_goes_on(target: str | None, active: int | None):
    lines = [
        said("01", None, "user", "one"),
        entry("02", "01", "custom", customType="x"),
        answer("03", "02", text("1")),
    ]
    record = read(*lines, entry("04", "03", "leaf", targetId=target))
    ids = [message.source_id for message in record.messages]
    assert prepare(record, b"").active == (None if active is None else ids[active])


def test_what_openclaw_puts_beside_leads_nowhere():
    sent = answer("02", "01", text("sent by a tool"))
    record = read(
        said("01", None, "user", "one"),
        sent | {"appendMode": "side"},
        said("03", "02", "user", "two"),
        answer("04", "03", text("sent too")),
        entry("05", "04", "metadata"),
        entry("06", "05", "leaf", targetId="03", appendParentId="05", appendMode="side"),
        answer("07", "05", text("2")),
        said("08", "07", "user", "put beside") | {"appendMode": "side"},
        said("09", "08", "user", "put beside that") | {"appendMode": "side"},
    )
    links = [("01", None), ("02", "01"), ("03", "01"), ("04", "03"), ("07", "03"), ("08", "07"), ("09", "08")]
    assert tree(record) == links
    assert names(record)[prepare(record, b"").active] == "07"


def test_what_pi_puts_in_is_not_the_users():
    skill = '<skill name="review" location="/s/SKILL.md">\nLook closely.\n</skill>\n\n'
    named = '<file name="/a.txt">\n1 < 2\n</file>\n'
    record = read(
        said("01", None, "user", [text(f"{skill}the new file")]),
        said("02", "01", "user", f"{named}{named}what is in it"),
        said("03", "02", "user", skill.rstrip()),
        said("04", "03", "user", 'say <file name="x"> to me'),
        entry("05", "04", "compaction", summary="So far.", firstKeptEntryId="03", tokensBefore=9),
        entry("06", "05", "custom_message", customType="todo", content="2 left", display=False),
        entry("07", "06", "custom_message", customType="plan", content=[text("step 1")], display=True),
        said("08", "07", "bashExecution", None, command="ls", output="a.txt", exitCode=0),
        said("09", "08", "hookMessage", "from a hook", customType="h", display=False),
    )
    assert [parts(record, place) for place in range(4)] == [
        [("context", skill), ("text", "the new file")],
        [("context", named), ("context", named), ("text", "what is in it")],
        [("context", skill.rstrip())],
        [("text", 'say <file name="x"> to me')],
    ]
    assert record.messages[0].parts[0].source == {"text": f"{skill}the new file"}
    assert [(m.role, m.is_hidden) for m in record.messages[:4]] == [
        ("user", False),
        ("user", False),
        ("system", True),
        ("user", False),
    ]
    assert [(m.role, m.is_hidden, parts(record, 4 + at)) for at, m in enumerate(record.messages[4:])] == [
        ("system", True, [("context", "So far.")]),
        ("system", True, [("context", "2 left")]),
        ("system", False, [("context", "step 1")]),
        ("system", True, [("context", "ls"), ("context", "a.txt")]),
        ("system", True, [("context", "from a hook")]),
    ]
    assert record.messages[5].parts[0].source_type == "todo"


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        (
            '<file name="a">\nx </file> y\n</file>\nwords',
            [("file", '<file name="a">\nx </file> y\n</file>\n'), (None, "words")],
        ),
        ('<file name="a">\nx\n</file>', [("file", '<file name="a">\nx\n</file>')]),
        (
            '<file name="a.png">a picture</file>\nwords',
            [("file", '<file name="a.png">a picture</file>\n'), (None, "words")],
        ),
        ('<file name="a">\nx</file>words', [("file", '<file name="a">\nx</file>'), (None, "words")]),
        ('<file name="a">\nx', [(None, '<file name="a">\nx')]),
    ],
)
def test_what_is_given_ends_with_a_line_of_its_own(prompt: str, expected: list[tuple[str | None, str]]):
    """A file may have the closing tag in it."""
    assert split_prompt(prompt) == expected


@given(st.lists(st.sampled_from(['<skill name="a">', "</skill>", '<file name="b">', "</file>", "\n", "words"])))
def test_pieces_of_a_prompt_are_the_prompt(pieces: list[str]):
    whole = "".join(pieces)
    split = split_prompt(whole)
    assert "".join(piece for _, piece in split) == whole
    assert [tag for tag, _ in split[:-1]].count(None) == 0


def test_an_answer_that_failed_or_was_stopped_says_so():
    record = read(
        answer("01", None, text("half"), reason="aborted", errorMessage="Operation aborted"),
        answer("02", "01", reason="error", errorMessage="429"),
        answer("03", "02", text("cut"), reason="length"),
    )
    assert [(m.state, parts(record, at)) for at, m in enumerate(record.messages)] == [
        ("aborted", [("text", "half"), ("error", "Operation aborted")]),
        ("error", [("error", "429")]),
        ("complete", [("text", "cut")]),
    ]


def test_files_that_came_with_a_prompt_are_attachments():
    file = {"id": "f1", "type": "document", "fileName": "a.pdf", "mimeType": "application/pdf", "size": 2}
    record = read(said("01", None, "user", "read", attachments=[{**file, "content": "aGk=", "extractedText": "hi"}]))
    [kept] = record.messages[0].attachments
    assert (kept.source_id, kept.file_name, kept.mime_type, kept.size_bytes, kept.extracted_text) == (
        "f1",
        "a.pdf",
        "application/pdf",
        2,
        "hi",
    )
    assert kept.content_sha256 == "8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4"


def test_a_fork_has_the_ids_of_what_it_copies_and_short_ids_alone_are_no_copy():
    lines = [said("01", None, "user", "one"), answer("02", "01", text("1"))]
    fork = read(*lines, head={**HEAD, "id": str(uuid.UUID(int=1)), "parentSession": "/s/a.jsonl"})
    one = [message.source_id for message in read(*lines).messages]
    assert [message.source_id for message in fork.messages] == one
    assert all(str(uuid.UUID(name)) == name for name in one if name is not None)
    later = [{**line, "timestamp": "2026-02-01T00:00:00.000Z"} for line in lines]
    assert not {message.source_id for message in read(*later).messages} & {*one}
    assert fork.source_json["lines"]["1"]["parentSession"] == "/s/a.jsonl"


def test_a_fork_is_one_way_though_pi_leaves_out_labels_that_lines_follow():
    """`/fork` copies the lines to a place but not labels, and leaves pointers as they are."""
    lines = [
        said("01", None, "user", "one"),
        answer("02", "01", text("1")),
        said("04", "03", "user", "two"),  # 03 was a label
        answer("05", "04", text("2")),
    ]
    label = entry("03", "02", "label", targetId="02", label="good")
    session = read(*lines[:2], label, *lines[2:])
    fork = read(*lines, head={**HEAD, "id": str(uuid.UUID(int=1)), "parentSession": "/s/a.jsonl"})
    chain = [("01", None), ("02", "01"), ("04", "02"), ("05", "04")]
    assert tree(fork) == tree(session) == chain
    assert [message.source_id for message in fork.messages] == [message.source_id for message in session.messages]
    assert not fork.warnings
    assert fork.messages[2].source["parentId"] == "03"
    assert read(*lines).messages[2].parent_source_id == "03"  # of no fork: told as a pointer to nowhere


def test_a_long_id_is_kept_as_it_is():
    name = str(uuid.UUID(int=7))
    line = {**said("01", None, "user", "one"), "id": name}
    assert [message.source_id for message in read(line, line).messages] == [name]


def test_a_file_without_ids_is_a_chain():
    lines = [
        {name: value for name, value in line.items() if name not in ("id", "parentId")}
        for line in (
            said("01", None, "user", "one"),
            entry("02", None, "model_change", provider="p", modelId="m"),
            answer("03", None, text("1")),
            said("04", None, "user", "two"),
        )
    ]
    record = read(*lines)
    links = [each.link.parent for each in prepare(record, b"").messages]
    ids = [message.source_id for message in record.messages]
    assert links == [None, *ids[:-1]]
    assert [message.source_id for message in read(*lines[:-1]).messages] == ids[:-1]
    assert recognise({"file": "s", "lines": [HEAD, *lines]}).source == "pi"
    alone = read_session({"file": "s", "lines": lines}, "s")
    assert isinstance(alone, DialogueRecord)
    assert [message.source_id for message in alone.messages] == ["line-1", "line-3", "line-4"]


def test_an_id_that_is_there_twice_is_one_message_if_the_line_is_the_same_and_two_if_not():
    one, other = said("01", None, "user", "one"), said("01", None, "user", "other")
    record = read(one, answer("02", "01", text("1")), one, other, answer("03", "01", text("2")), other)
    first, answered, second, last = (message.source_id for message in record.messages)
    assert first != second
    assert [message.parent_source_id for message in record.messages] == [None, first, None, second]
    assert record.warnings == {"duplicate_message": 2}
    assert record.active_source_id == last != answered


def test_a_pointer_to_nowhere_is_counted_and_what_is_no_message_is_kept():
    record = read(said("01", "ff", "user", "one"), "not JSON", {"unreadable_line": "{"}, entry("02", "01", "message"))
    assert record.messages[0].parent_source_id == "ff"
    assert record.warnings == {"malformed_message": 3}
    assert record.source_json["lines"]["3"] == "not JSON"
    assert record.source_json["lines"]["4"] == {"unreadable_line": "{"}
    assert record.source_json["lines"]["5"] == entry("02", "01", "message")


def test_unknown_content_is_kept_and_counted():
    hologram = {"type": "hologram", "depth": 3}
    record = read(said("01", None, "user", [hologram]), said("02", "01", "robot", "beep"))
    part = record.messages[0].parts[0]
    assert (part.part_type.value, part.source_type, part.source) == ("unknown", "hologram", hologram)
    assert (record.messages[1].role, record.messages[1].is_hidden) == ("system", True)
    assert record.warnings == {"unknown_part:hologram": 1, "unknown_role": 1}


@pytest.mark.parametrize(
    ("lines", "confidence"),
    [
        ([HEAD, answer("01", None, text("1"))], 1.0),
        ([HEAD], 0.6),
        ([answer("01", None, text("1"))], 0.9),
        ([entry("01", None, "model_change", provider="p", modelId="m")], 0.9),
        ([said("01", None, "user", "one")], 0.0),
        ([{**HEAD, "type": ["session"]}, {"type": ["message"], "id": 1, "parentId": 2}], 0.0),
    ],
)
def test_a_session_is_told_by_its_header_and_its_entries(lines: list[Line], confidence: float):
    verdict = recognise({"file": "s.jsonl", "lines": lines})
    assert verdict.evidence.confidence == confidence
    assert verdict.source == ("pi" if confidence else None)
    assert is_session_line(lines[0]) is bool(confidence)


def test_a_file_of_lines_is_one_dialogue(tmp_path: Path):
    path = tmp_path / "2026-01-16T02-00-00-000Z_4293a326.jsonl"
    lines = [HEAD, said("01", None, "user", "one"), answer("02", "01", text("1"))]
    path.write_text("\n".join(map(json.dumps, lines)) + '\n{"type":"message","id":"0')
    [item] = [item for file in read_paths([tmp_path]) for item in file.records()]
    assert isinstance(item, ReadDialogue)
    assert (item.record.source, len(item.record.messages)) == ("pi", 2)
    assert item.record.warnings == {"malformed_message": 1}


def test_a_session_without_lines_is_rejected():
    assert isinstance(read_session({"file": "s"}, "s"), RejectedRecord)


NAMES = st.sampled_from(["01", "02", "03", "04", None])
ENTRIES = st.lists(
    st.builds(
        lambda name, parent, kind, role: (
            {"type": kind, "id": name, "parentId": parent, "summary": "s", "message": {"role": role, "content": "c"}}
        ),
        NAMES,
        NAMES,
        st.sampled_from(["message", "compaction", "custom", "session_info"]),
        st.sampled_from(["user", "assistant", "toolResult"]),
    ),
    max_size=12,
)


@given(ENTRIES)
def test_whatever_the_ids_are_each_message_has_its_own_and_the_order_is_that_of_the_file(lines: list[Line]):
    record = read(*lines)
    ids = [message.source_id for message in record.messages]
    assert len({*ids}) == len(ids)
    assert not {*ids} & record.message_less_nodes.keys()
    assert len(ids) + len(record.message_less_nodes) + record.warnings.get("duplicate_message", 0) == len(lines)
    for size in range(len(lines)):
        begun = [message.source_id for message in read(*lines[:size]).messages]
        assert begun == ids[: len(begun)]


def test_a_session_of_openclaw_is_one_of_pi(tmp_path: Path):
    folder = tmp_path / "agents" / "main" / "sessions"
    folder.mkdir(parents=True)
    head = {"type": "session", "version": 3, "id": "s", "timestamp": "2026-02-18T11:21:00Z", "cwd": "/home/u/clawd"}
    lines = [
        head,
        entry("a", None, "custom", customType="model-snapshot", data={"provider": "anthropic"}),
        said("b", "a", "user", [text("[Wed 2026-02-18 11:21 GMT+1] Is it wet?")]),
        answer("c", "b", text("Yes.")),
    ]
    (folder / "s.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (folder / "sessions.json").write_text(json.dumps({"agent:main:main": {"sessionId": "s"}}))
    reading = read_paths([tmp_path])
    [record] = [item.record for file in reading for item in file.records() if isinstance(item, ReadDialogue)]
    assert (record.source, record.source_id, record.project_id) == ("pi", "s", "/home/u/clawd")
    assert [part.text for m in record.messages for part in m.parts] == [
        "[Wed 2026-02-18 11:21 GMT+1] Is it wet?",
        "Yes.",
    ]
    assert [file.reason for file in reading.skipped] == ["a companion of the export: list of sessions"]
