"""Sessions of agents that grow over what may be held: what was stored of them stays, and where it was."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.ingest.mirror import why_not_whole
from archive_pipeline.ingest.summary import ImportSummary
from archive_pipeline.readers.json_lines import as_one_object
from archive_pipeline.readers.line_budget import LineLimits
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.store.database import Database
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.readers.claude_code import lines as claude_code
from archive_pipeline_tests.readers.codex import sessions as codex
from archive_pipeline_tests.tables import query

pytestmark = pytest.mark.postgres

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


def gemini_cli_lines() -> Lines:
    head = {"sessionId": "s", "projectHash": "p", "startTime": time(0), "lastUpdated": time(0)}
    said = [
        {"id": line["id"], "timestamp": line["timestamp"], "type": kind, "content": line["message"]["content"]}
        for line, kind in zip(pi_lines()[1:], ["user", "gemini"] * 3, strict=True)
    ]
    behind = [[line, {"$set": {"lastUpdated": line["timestamp"]}}] for line in said[4:]]
    return [head, *said[:4], *(line for pair in behind for line in pair)]


SESSIONS: Final[Mapping[str, tuple[str, Callable[[], Lines]]]] = {
    "claude_code": (f"{claude_code.SESSION}.jsonl", claude_code_lines),
    "codex": ("rollout-1.jsonl", codex_lines),
    "droid": ("s.jsonl", droid_lines),
    "gemini_cli": ("session-1.jsonl", gemini_cli_lines),
    "pi": ("2026_s.jsonl", pi_lines),
}


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[LineLimits], None]]:
    def limit(limits: LineLimits) -> None:
        monkeypatch.setattr(as_one_object, "__kwdefaults__", {"limits": limits})

    return limit


def load(database: Database, folder: Path, name: str, lines: Lines) -> ImportSummary:
    path = folder / name
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return import_archive(database, read_paths([path]))


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


@pytest.mark.parametrize("source", sorted(SESSIONS))
def test_a_session_that_grows_over_the_bound_loses_nothing(
    database: Database, tmp_path: Path, limits: Callable[[LineLimits], None], source: str
):
    name, lines_of = SESSIONS[source]
    lines = lines_of()
    whole = stored_whole(database, tmp_path, name, lines)
    limits(LIMITS)
    assert load(database, tmp_path, name, lines[:FITTING]).dialogues["rejected"] == 0
    grown = load(database, tmp_path, name, lines)
    assert (grown.dialogues["changed"], grown.dialogues["rejected"]) == (1, 1)
    assert grown.anomalies["left_out_line"] == 1
    assert not grown.anomalies["messages_deleted"]
    assert why_not_whole(grown) is not None
    assert [record.locator for record in grown.rejected] == [f"{tmp_path / name} @ line 4"]
    assert stored(database) == whole
    again = load(database, tmp_path, name, lines)
    assert (again.dialogues["unchanged"], again.dialogues["rejected"]) == (1, 1)
    assert stored(database) == whole


@pytest.mark.parametrize("source", sorted(SESSIONS))
def test_of_a_session_that_goes_on_growing_one_layer_is_kept_beside_the_whole_one(
    database: Database, tmp_path: Path, limits: Callable[[LineLimits], None], source: str
):
    name, lines_of = SESSIONS[source]
    lines = lines_of()
    whole = stored_whole(database, tmp_path, name, lines)
    load(database, tmp_path, name, lines[:FITTING])
    for length in range(FITTING, len(lines) + 1):
        limits(replace(LIMITS, session_bytes=len(json.dumps(lines[:length])) - 100))
        load(database, tmp_path, name, lines[:length])
    assert stored(database) == whole
    vintages = query(database, "SELECT split_part(vintage, ' ', 1) FROM raw.dialogue_vintages ORDER BY 1")
    assert vintages == [("full",), ("partial",)]


@pytest.mark.parametrize("source", sorted(SESSIONS))
def test_messages_around_a_line_that_is_left_out_follow_each_other(
    database: Database, tmp_path: Path, limits: Callable[[LineLimits], None], source: str
):
    name, lines_of = SESSIONS[source]
    lines = lines_of()
    empty(database)
    load(database, tmp_path, name, lines)
    whole = {message: (parent, *more) for message, parent, *more in stored(database)}
    gone = next(message for message, (_, _, _, texts) in whole.items() if LARGE in texts)

    empty(database)
    limits(LIMITS)
    assert load(database, tmp_path, name, lines).dialogues["new"] == 1
    found = {message: (parent, *more) for message, parent, *more in stored(database)}
    above = whole.pop(gone)[0]
    assert found == {
        message: (above if parent == gone else parent, *more) for message, (parent, *more) in whole.items()
    }


@pytest.mark.parametrize("is_first_small", [False, True])
def test_a_session_without_its_copies_is_whole(
    database: Database, tmp_path: Path, limits: Callable[[LineLimits], None], is_first_small: bool
):
    copy = codex.line("compacted", message="", replacement_history=[{"type": "message", "content": LARGE}])
    lines = [
        codex.meta(),
        codex.turn(),
        codex.said("user", "list"),
        codex.called("c1"),
        copy,
        codex.called("c2"),
        codex.said("assistant", "one " + "y" * 1_500),
    ]
    timed = [line | {"timestamp": time(at)} for at, line in enumerate(lines)]
    empty(database)
    load(database, tmp_path, "rollout-1.jsonl", timed)
    whole = stored(database)

    empty(database)
    limits(LineLimits(session_bytes=5_000, copy_bytes=0))
    if is_first_small:
        load(database, tmp_path, "rollout-1.jsonl", timed[:-1])
    summary = load(database, tmp_path, "rollout-1.jsonl", timed)
    assert (summary.anomalies["left_out_copy"], summary.anomalies["left_out_line"]) == (1, 0)
    assert summary.dialogues["rejected"] == 1
    assert stored(database) == whole
    assert query(database, "SELECT vintage, layer FROM raw.dialogue_vintages") == [("full", None)]


def test_what_comes_behind_the_bound_takes_nothing_back(
    database: Database, tmp_path: Path, limits: Callable[[LineLimits], None]
):
    lines = [*codex_lines()[:3], *codex_lines()[4:]]
    limits(LineLimits(session_bytes=3_000))
    empty(database)
    load(database, tmp_path, "rollout-1.jsonl", lines[:5])
    before = stored(database)
    summary = load(database, tmp_path, "rollout-1.jsonl", lines)
    assert [record.locator for record in summary.rejected] == [f"{tmp_path}/rollout-1.jsonl @ line 6"]
    assert stored(database) == before
    empty(database)
    load(database, tmp_path, "rollout-1.jsonl", lines)
    assert stored(database) == before
    (source_json,) = query(database, "SELECT source_json FROM raw.dialogues")[0]
    assert "and all that follows" in source_json["lines"]["6"]["left_out_line"]
