"""Sessions of agents whose file was read while a line was being written, and again when it was whole."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.ingest.summary import ImportSummary
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.store.database import Database
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.readers.claude_code import lines as claude_code
from archive_pipeline_tests.readers.codex import sessions as codex
from archive_pipeline_tests.tables import query
from archive_pipeline_tests.variants import some_of

pytestmark = pytest.mark.postgres

_HEAD: Final = {"sessionId": "s", "projectHash": "p", "startTime": "2026-03-04T10:00:00Z"}


class Session(NamedTuple):
    """A file of one session: its name and its lines."""

    name: str
    lines: Sequence[Mapping[str, Any]]


def codex_session(*, is_at_once: bool) -> Session:
    lines = [
        codex.meta(),
        codex.turn(),
        codex.said("user", "list"),
        codex.thought(),
        codex.called("c1"),
        codex.answered("c1"),
        codex.said("assistant", "one"),
    ]
    times = [codex.TIME if is_at_once else f"2026-05-13T06:03:0{at}Z" for at in range(len(lines))]
    return Session("rollout-1.jsonl", [line | {"timestamp": time} for line, time in zip(lines, times, strict=True)])


def claude_code_session(*, is_at_once: bool) -> Session:
    at = [0] * 4 if is_at_once else [0, 1, 2, 3]
    lines = [
        claude_code.said("u1", None, at[0], "list"),
        claude_code.answer("a1", "u1", at[1], "m1", claude_code.text("I look.")),
        claude_code.answer("a2", "a1", at[2], "m1", claude_code.call("t1", "Bash", command="ls")),
        claude_code.result("r1", "a2", at[3], "t1", "a.txt"),
    ]
    return Session(f"{claude_code.SESSION}.jsonl", lines)


def gemini_cli_session(*, is_at_once: bool) -> Session:
    lines: list[dict[str, Any]] = [{**_HEAD, "lastUpdated": "2026-03-04T10:00:00Z"}]
    for at, (name, kind) in enumerate([("u1", "user"), ("a1", "gemini"), ("u2", "user")], 1):
        time = f"2026-03-04T10:00:0{0 if is_at_once else at}Z"
        lines.append({"id": name, "timestamp": time, "type": kind, "content": name})
        if not is_at_once:
            lines.append({"$set": {"lastUpdated": time}})
    return Session("session-1.jsonl", lines)


def pi_session(*, is_at_once: bool) -> Session:
    at = [0] * 4 if is_at_once else [0, 1, 2, 3]
    lines: list[dict[str, Any]] = [
        {"type": "session", "version": 3, "id": "s", "cwd": "/work"},
        {"type": "message", "id": "01", "parentId": None, "message": {"role": "user", "content": "list"}},
        {"type": "session_info", "id": "02", "parentId": "01", "name": "Lists"},
        {"type": "message", "id": "03", "parentId": "02", "message": {"role": "assistant", "content": "one"}},
    ]
    timed = [line | {"timestamp": f"2026-03-04T10:00:0{second}Z"} for second, line in zip(at, lines, strict=True)]
    return Session("2026_s.jsonl", timed)


def droid_session(*, is_at_once: bool) -> Session:
    at = [0] * 4 if is_at_once else [0, 1, 2, 3]
    thought = {"type": "thinking", "thinking": "ls will do"}
    lines: list[dict[str, Any]] = [
        {"type": "session_start", "id": "s", "title": "list", "owner": "me", "version": 2, "cwd": "/work"},
        {"type": "message", "id": "u1", "message": {"role": "user", "content": [{"type": "text", "text": "list"}]}},
        {"type": "message", "id": "a1", "parentId": "u1", "message": {"role": "assistant", "content": [thought]}},
        {"type": "compaction_state", "id": "k1", "summaryText": "So far."},
    ]
    timed = [line | {"timestamp": f"2026-03-04T10:00:0{second}Z"} for second, line in zip(at, lines, strict=True)]
    return Session("s.jsonl", timed)


def qwen_code_session(*, is_at_once: bool) -> Session:
    at = [0] * 4 if is_at_once else [0, 1, 2, 3]
    lines: list[dict[str, Any]] = [
        {"type": "user", "message": {"role": "user", "parts": [{"text": "list"}]}},
        {"type": "assistant", "message": {"role": "model", "parts": [{"text": "ls will do", "thought": True}]}},
        {"type": "system", "subtype": "custom_title", "systemPayload": {"customTitle": "Lists"}},
        {"type": "assistant", "message": {"role": "model", "parts": [{"text": "one"}]}},
    ]
    for number, line in enumerate(lines):
        line |= {"uuid": f"m{number}", "parentUuid": f"m{number - 1}" if number else None, "sessionId": "s"}
        line["timestamp"] = f"2026-03-04T10:00:0{at[number]}Z"
    return Session("s.jsonl", lines)


def copilot_chat_session(*, is_at_once: bool) -> Session:
    start = 1_772_618_400_000
    at = [start + 1_000 * (0 if is_at_once else second) for second in range(4)]
    requests = [
        {"requestId": f"r{n}", "message": {"text": f"q{n}"}, "response": [], "timestamp": at[n]} for n in (1, 3)
    ]
    lines = [
        {"kind": 0, "v": {"sessionId": "s", "creationDate": start, "responderUsername": "c", "requests": []}},
        {"kind": 2, "k": ["requests"], "v": requests[:1]},
        {"kind": 2, "k": ["requests", 0, "response"], "v": [{"value": "one"}]},
        {"kind": 1, "k": ["requests", 0, "modelState"], "v": {"value": 1, "completedAt": at[2]}},
        {"kind": 2, "k": ["requests"], "v": requests[1:]},
    ]
    return Session("s.jsonl", lines)


SESSIONS: Final = {
    "codex": codex_session,
    "claude_code": claude_code_session,
    "copilot_chat": copilot_chat_session,
    "droid": droid_session,
    "gemini_cli": gemini_cli_session,
    "pi": pi_session,
    "qwen_code": qwen_code_session,
}


def load(database: Database, folder: Path, session: Session, length: int, cut: int = 0) -> ImportSummary:
    """Import the first lines of a session, the last of them without what stands at its end."""
    text = "\n".join(json.dumps(line) for line in session.lines[:length])
    path = folder / session.name
    path.write_text(text[: len(text) - cut])
    return import_archive(database, read_paths([path]))


def stored(database: Database) -> tuple[Any, ...]:
    """What is said of a dialogue, and its live messages with their parts."""
    dialogues = query(database, "SELECT source_json, diagnostics, active_message_id, fingerprint FROM raw.dialogues")
    messages = (
        "SELECT m.source_id, m.role, p.part_type, p.text_content FROM raw.messages m JOIN raw.content_parts p "
        "ON p.message_id = m.id WHERE m.deleted_at IS NULL ORDER BY 1, 3, 4"
    )
    return dialogues, query(database, messages)


def vintages(database: Database) -> list[tuple[Any, ...]]:
    return query(database, "SELECT vintage, layer FROM raw.dialogue_vintages")


# Each source with all lines at once, or one after another: half of them for one test, the others for the next.
AT_ONCE: Final = [(name, place % 2 == 0) for place, name in enumerate(sorted(SESSIONS))]
IN_TURN: Final = [(name, not is_at_once) for name, is_at_once in AT_ONCE]


@pytest.mark.parametrize(("name", "is_at_once"), some_of([*AT_ONCE, *IN_TURN], len(SESSIONS)))
def test_nothing_is_left_of_a_cut_off_line_once_the_file_is_whole(
    database: Database, tmp_path: Path, name: str, is_at_once: bool
):
    session = SESSIONS[name](is_at_once=is_at_once)
    size = len(session.lines)
    empty(database)
    load(database, tmp_path, session, size)
    whole = stored(database)
    for length in range(2, size + 1):
        empty(database)
        assert load(database, tmp_path, session, length, cut=9).anomalies["malformed_message"] == 1
        assert not load(database, tmp_path, session, size).anomalies["malformed_message"]
        assert (stored(database), vintages(database)) == (whole, [("full", None)])


@pytest.mark.parametrize(("name", "is_at_once"), some_of([*IN_TURN, *AT_ONCE], len(SESSIONS)))
def test_cut_off_files_take_nothing_back_in_any_order(database: Database, tmp_path: Path, name: str, is_at_once: bool):
    session = SESSIONS[name](is_at_once=is_at_once)
    size = len(session.lines)
    empty(database)
    load(database, tmp_path, session, size)
    whole = stored(database)
    for order in itertools.permutations([(size, 0), (size, 9), (size - 1, 9)]):
        empty(database)
        for length, cut in order:
            load(database, tmp_path, session, length, cut)
        assert (stored(database), vintages(database)) == (whole, [("full", None)])
