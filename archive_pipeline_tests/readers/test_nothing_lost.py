"""The law of the readers: every value of an export is in a column, in ``source_json``, or in a rejected record.

Generated conversations of every content type and role are changed at any place, real ones are marked; what is lost
is looked for in the rows that an import would write.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.ingest.prepare import prepare
from archive_pipeline.readers.json.parsing import parse_json
from archive_pipeline.readers.registry import readers, recognise
from archive_pipeline_tests.readers.alone import CASES
from archive_pipeline_tests.readers.alone.case import Case, seeded
from archive_pipeline_tests.trials import trials
from archive_pipeline_tests.variants import every_third_of
from benchmarks.fuzz.inputs import changed_conversations
from benchmarks.fuzz.law import lost
from benchmarks.fuzz.marks import Marks
from benchmarks.fuzz.rows import check_rows

ROOT = Path(os.environ.get("ARCHIVE_REAL_DATA", "/nonexistent"))
REPLACEMENTS = {
    "text": lambda marks: marks.text(),
    "number": lambda marks: marks.number(),
    "list of texts": lambda marks: [marks.text(), marks.text()],
    "list of objects": lambda marks: [{"text": marks.text(), "type": "text"}, {marks.text(): marks.number()}],
    "object": lambda marks: {"text": marks.text(), "content": [marks.text()]},
    "null": lambda _marks: None,
}
ADDED = ("text", "list of objects")
FIELDS = ("text", "parts", "content", "thoughts", "thinking", "files", "fragments", "results", "message", "query")
# To how many of these each value moves where not to all: the more, the longer each case takes.
SOME = 1


def absent(conversation: dict[str, Any], source: str | None = None) -> list[str]:
    """What the rows of a conversation do not have; nothing of one that is rejected.

    One that lost what it is recognised by is read as others of its file may tell: as the source, or as each.
    """
    raw = json.dumps(conversation).encode()
    value, _ = parse_json(raw)
    if (found := recognise(value).source or source) is None:
        return [text for each in readers() for text in absent(conversation, each)]
    record = readers()[found].read(value, "file[0]")
    if isinstance(record, RejectedRecord):
        return []
    dialogue = prepare(record, raw)
    check_rows(dialogue)
    return lost(conversation, dialogue)


def changed_once(value: Any, marks: Marks, random: Random, most: int) -> Iterator[str]:
    """Changes each place below a value once, in every way, and takes the change back; yields what was changed.

    To which other fields something moves, at most so many, differs from case to case.
    """
    names = list(value) if isinstance(value, dict) else range(len(value))
    for name in names:
        kept = value[name]
        for what, make in REPLACEMENTS.items():
            value[name] = make(marks)
            yield f"{name} is {what}"
        value[name] = kept
        if isinstance(kept, dict | list):
            yield from (f"{name}.{change}" for change in changed_once(kept, marks, random, most))
    if isinstance(value, dict):
        yield from changed_keys(value, marks, random, most)


def changed_keys(value: dict[str, Any], marks: Marks, random: Random, most: int) -> Iterator[str]:
    for name in [marks.text(), *others(value, random, most)]:
        for what in ADDED:
            value[name] = REPLACEMENTS[what](marks)
            yield f"{name} added, {what}"
        del value[name]
    for name in list(value):
        kept = value.pop(name)
        yield f"{name} dropped"
        for other in others(value, random, most):
            value[other] = kept
            yield f"{name} moved to {other}"
            del value[other]
        value[name] = kept


def others(value: dict[str, Any], random: Random, most: int) -> list[str]:
    """Fields that an object does not have, at most so many."""
    fields = [field for field in FIELDS if field not in value]
    return random.sample(fields, k=min(most, len(fields)))


def losses(case: Case, most: int) -> dict[str, list[str]]:
    """What is lost of a conversation of one message as it is and by each change of it."""
    source, alone, kind, role = case
    marks = Marks()
    conversation, message = alone(kind, role, marks)
    changes = chain(["nothing"], changed_once(message, marks, seeded(f"{source} {kind} {role}"), most))
    return {change: gone for change in changes if (gone := absent(conversation, source))}


NAMED = {"argnames": "case", "ids": lambda case: f"{case[0]}-{case[2]}-{case[3]}"}


@pytest.mark.slow
@pytest.mark.parametrize(argvalues=every_third_of([(case,) for case in CASES]), **NAMED)
def test_no_change_of_a_message_loses_anything(case: Case):
    assert losses(case, SOME) == {}


@pytest.mark.long
@pytest.mark.parametrize(argvalues=CASES, **NAMED)
def test_no_move_to_any_field_loses_anything(case: Case):
    assert losses(case, len(FIELDS)) == {}


@given(st.integers(0, 2**32), st.integers(0, 8))
@trials(200)
def test_no_value_of_a_changed_conversation_is_lost(seed: int, changes: int):
    for conversation in changed_conversations(seeded(seed), 1, changes):
        assert absent(conversation) == []


VOCABULARY = frozenset({"content_type", "type", "role", "sender", "status", "recipient", "stop_reason"})


OF_LINES = ("uuid", "parentUuid", "sessionId", "timestamp", "id", "parentId")


def marked(value: Any, marks: Marks, ids: frozenset[str]) -> Any:
    """A copy of a real conversation in which every string but ids and words of the format bears a mark."""
    if isinstance(value, dict):
        return {
            name: item if name in VOCABULARY and isinstance(item, str) else marked(item, marks, ids)
            for name, item in value.items()
        }
    if isinstance(value, list):
        return [marked(item, marks, ids) for item in value]
    return f"{value} {marks.text()}" if isinstance(value, str) and value and value not in ids else value


def ids_of(conversation: dict[str, Any]) -> frozenset[str]:
    if "lines" in conversation:
        lines = [line for line in conversation["lines"] if isinstance(line, dict)]
        return frozenset(str(line[name]) for line in lines for name in OF_LINES if name in line)
    messages = [node.get("message") or {} for node in (conversation.get("mapping") or {}).values()]
    entries = [*messages, *(conversation.get("chat_messages") or [])]
    return frozenset([*(conversation.get("mapping") or {}), *(str(e.get("uuid") or e.get("id")) for e in entries)])


REAL_FILES = sorted(path for name in ("chatgpt", "claude_ai") for path in (ROOT / name).rglob("*.json"))
SESSIONS = sorted(path for name in ("claude_code", "codex", "droid", "pi") for path in (ROOT / name).rglob("*.jsonl"))


@pytest.mark.real_data
@pytest.mark.skipif("ARCHIVE_REAL_DATA" not in os.environ, reason="ARCHIVE_REAL_DATA is not set")
@pytest.mark.parametrize("path", REAL_FILES, ids=lambda path: path.stem)
def test_nothing_of_a_real_conversation_is_lost(path: Path):
    content = json.loads(path.read_text(encoding="utf-8-sig"))
    conversations = content if isinstance(content, list) else [content]
    for conversation in conversations:
        assert absent(conversation) == []
        assert absent(marked(conversation, Marks(), ids_of(conversation))) == []


@pytest.mark.real_data
@pytest.mark.skipif("ARCHIVE_REAL_DATA" not in os.environ, reason="ARCHIVE_REAL_DATA is not set")
@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_nothing_of_a_real_session_is_lost(path: Path):
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    session = {"file": path.name, "lines": lines}
    assert absent(session) == []
    assert absent(marked(session, Marks(), ids_of(session))) == []
