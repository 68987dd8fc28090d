"""Sessions of agents that grow over what may be held: what was stored of them stays, and where it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from archive_pipeline.ingest.mirror import why_not_whole
from archive_pipeline.readers.line_budget import LineLimits
from archive_pipeline.store.database import Database
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.ingest.large_sessions import (
    FITTING,
    LARGE,
    LIMITS,
    SESSIONS,
    codex_lines,
    load,
    stored,
    stored_whole,
    time,
)
from archive_pipeline_tests.readers.codex import sessions as codex
from archive_pipeline_tests.tables import query

pytestmark = pytest.mark.postgres


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


@pytest.mark.parametrize("source", ["claude_code", "codex"])
def test_messages_around_a_line_that_is_left_out_follow_each_other(
    database: Database, tmp_path: Path, limits: Callable[[LineLimits], None], source: str
):
    name, lines_of = SESSIONS[source]
    lines = lines_of()
    empty(database)
    load(database, tmp_path, name, lines)
    whole = {message: (parent, *more) for message, parent, *more in stored(database)}
    gone = next(message for message, (_, role, _, texts) in whole.items() if LARGE in texts and role != "user")

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
