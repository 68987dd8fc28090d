"""Sessions of agents with a line that is left out where they grow over a bound, and what is stored of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.ingest.summary import ImportSummary
from archive_pipeline.readers.line_budget import LineLimits
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.store.database import Database
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.readers.claude_code import lines as claude_code
from archive_pipeline_tests.readers.codex import sessions as codex
from archive_pipeline_tests.tables import query

LIMITS: Final = LineLimits(session_bytes=6_000, large_bytes=0, copy_bytes=0, large_line_bytes=2_000)
LARGE: Final = "x" * 3_000
# So many of the lines of a session fit with the large one among them; all of them do without it.
FITTING: Final = 5

Lines = Sequence[Mapping[str, Any]]


def time(second: int) -> str:
    return f"2026-03-04T10:00:{second:02}Z"


def codex_lines() -> Lines:
    lines = [
        codex.meta(),
        codex.said("user", "list"),
        codex.called("c1"),
        codex.answered("c1", LARGE),
        codex.said("assistant", "one"),
        codex.said("user", "again " + "y" * 1_000),
        codex.said("assistant", "two " + "y" * 1_000),
        codex.said("user", "more " + "y" * 1_000),
    ]
    return [line | {"timestamp": time(at)} for at, line in enumerate(lines)]


def claude_code_lines() -> Lines:
    return [
        claude_code.said("u1", None, 0, "list"),
        claude_code.answer("a1", "u1", 1, "m1", claude_code.text("I look.")),
        claude_code.answer("a2", "a1", 2, "m1", claude_code.call("t1", "Bash", command="ls")),
        claude_code.result("r1", "a2", 3, "t1", LARGE),
        claude_code.answer("a3", "r1", 4, "m2", claude_code.text("One.")),
        claude_code.said("u2", "a3", 5, "again " + "y" * 1_000),
        claude_code.answer("a4", "u2", 6, "m3", claude_code.text("Two.")),
    ]


def pi_lines() -> Lines:
    def message(name: str, parent: str | None, second: int, role: str, content: str) -> Mapping[str, Any]:
        said = {"role": role, "content": content}
        return {"type": "message", "id": name, "parentId": parent, "timestamp": time(second), "message": said}

    return [
        {"type": "session", "version": 3, "id": "s", "cwd": "/work", "timestamp": time(0)},
        message("01", None, 1, "user", "list"),
        message("02", "01", 2, "assistant", "I look."),
        message("03", "02", 3, "user", LARGE),
        message("04", "03", 4, "assistant", "One."),
        message("05", "04", 5, "user", "again " + "y" * 1_000),
        message("06", "05", 6, "assistant", "two " + "y" * 1_500),
    ]


def droid_lines() -> Lines:
    first = {"type": "session_start", "id": "s", "title": "list", "owner": "me", "version": 2, "cwd": "/work"}
    return [
        first | {"timestamp": time(0)},
        *(
            line | {"message": {"role": line["message"]["role"], "content": [{"type": "text", "text": text}]}}
            for line in pi_lines()[1:]
            for text in [line["message"]["content"]]
        ),
    ]


def qwen_code_lines() -> Lines:
    about = {"sessionId": "s", "cwd": "/work", "version": "0.25.0"}
    begun = {
        "type": "system",
        "subtype": "session_source",
        "systemPayload": {"sourceType": "cli"},
        "timestamp": time(0),
    }
    said = [
        {"type": line["message"]["role"], "message": {"parts": [{"text": line["message"]["content"]}]}}
        | {"uuid": line["id"], "parentUuid": line["parentId"], "timestamp": line["timestamp"]}
        for line in pi_lines()[1:]
    ]
    return [about | line for line in ({"uuid": "00", "parentUuid": None} | begun, *said)]


def gemini_cli_lines() -> Lines:
    head = {"sessionId": "s", "projectHash": "p", "startTime": time(0), "lastUpdated": time(0)}
    said = [
        {"id": line["id"], "timestamp": line["timestamp"], "type": kind, "content": line["message"]["content"]}
        for line, kind in zip(pi_lines()[1:], ["user", "gemini"] * 3, strict=True)
    ]
    behind = [[line, {"$set": {"lastUpdated": line["timestamp"]}}] for line in said[4:]]
    return [head, *said[:4], *(line for pair in behind for line in pair)]


def claude_code_prompt_lines() -> Lines:
    lines = claude_code_lines()
    return [
        *lines[:3],
        claude_code.said("u3", "a2", 3, LARGE),
        claude_code.answer("a3", "u3", 4, "m2", claude_code.text("One.")),
        *lines[5:],
    ]


def codex_prompt_lines() -> Lines:
    said = [codex.said("assistant", "I look."), codex.said("user", LARGE), codex.said("assistant", "One.")]
    lines = codex_lines()
    return [*lines[:2], *(line | {"timestamp": time(at)} for at, line in enumerate(said, 2)), *lines[5:]]


def trace_lines() -> Lines:
    return [{"type": "session", "id": "s", "harness": "one", "timestamp": time(0)}, *pi_lines()[1:]]


# Of each the fourth line is a prompt.
PROMPTS: Final[Mapping[str, tuple[str, Callable[[], Lines]]]] = {
    "claude_code": (f"{claude_code.SESSION}.jsonl", claude_code_prompt_lines),
    "codex": ("rollout-1.jsonl", codex_prompt_lines),
    "droid": ("s.jsonl", droid_lines),
    "gemini_cli": ("session-1.jsonl", gemini_cli_lines),
    "pi": ("2026_s.jsonl", pi_lines),
    "qwen_code": ("s.jsonl", qwen_code_lines),
    "session_trace": ("s.jsonl", trace_lines),
}
SESSIONS: Final[Mapping[str, tuple[str, Callable[[], Lines]]]] = {
    "claude_code": (f"{claude_code.SESSION}.jsonl", claude_code_lines),
    "codex": ("rollout-1.jsonl", codex_lines),
    "droid": ("s.jsonl", droid_lines),
    "gemini_cli": ("session-1.jsonl", gemini_cli_lines),
    "pi": ("2026_s.jsonl", pi_lines),
    "qwen_code": ("s.jsonl", qwen_code_lines),
}


def load(database: Database, folder: Path, name: str, lines: Lines, *, is_partial: bool = False) -> ImportSummary:
    path = folder / name
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return import_archive(database, read_paths([path]), is_partial=is_partial)


def stored(database: Database) -> list[tuple[Any, ...]]:
    """Live messages with their parents and texts."""
    return query(
        database,
        "SELECT m.source_id, above.source_id, m.role, m.parent_flag, array_agg(p.text_content ORDER BY p.sequence)"
        " FROM raw.messages m LEFT JOIN raw.messages above ON above.id = m.parent_id"
        " JOIN raw.content_parts p ON p.message_id = m.id WHERE m.deleted_at IS NULL GROUP BY 1, 2, 3, 4 ORDER BY 1",
    )


def stored_whole(database: Database, folder: Path, name: str, lines: Lines) -> list[tuple[Any, ...]]:
    """What an empty archive has of a session that is read whole; it is empty again behind that."""
    empty(database)
    load(database, folder, name, lines)
    whole = stored(database)
    empty(database)
    return whole
