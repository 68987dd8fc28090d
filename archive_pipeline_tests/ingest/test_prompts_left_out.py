"""Prompts of sessions that are too large to be read whole: no other prompt gets their answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.export.choices import Choices
from archive_pipeline.export.run import export
from archive_pipeline.readers.line_budget import LineLimits
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.ingest.large_sessions import FITTING, LIMITS, PROMPTS, load, stored, stored_whole
from archive_pipeline_tests.tables import query

pytestmark = pytest.mark.postgres


@pytest.mark.parametrize("source", sorted(PROMPTS))
def test_a_prompt_that_is_left_out_is_a_message_and_no_other_gets_its_answer(
    database: Database, settings: Settings, tmp_path: Path, limits: Callable[[LineLimits], None], source: str
):
    name, lines_of = PROMPTS[source]
    empty(database)
    limits(LIMITS)
    summary = load(database, tmp_path, name, lines_of())
    assert [record.locator for record in summary.rejected] == [f"{tmp_path / name} @ line 4"]
    build_stale(database, settings)
    pairs = query(database, "SELECT question, left(answer, 4) FROM derived.qa_pairs WHERE answer_rule = 'final'")
    assert min(pairs) == ("", "One.")
    assert [answer for question, answer in pairs if question == "list"] == ["I lo"]
    prompts = query(database, "SELECT prompt_text FROM derived.prompt_response_content WHERE response_text = 'One.'")
    assert prompts == [(None,)]
    assert query(database, "SELECT user_text FROM derived.exchange_content WHERE assistant_text = 'One.'") == [(None,)]
    parts = query(database, "SELECT part_type, text_content FROM raw.content_parts WHERE source_type = 'left_out_line'")
    assert parts == [("unknown", None)]


@pytest.mark.parametrize("is_partial", [False, True])
@pytest.mark.parametrize("source", sorted(PROMPTS))
def test_a_prompt_that_is_left_out_takes_the_place_of_none_that_was_read(
    database: Database, tmp_path: Path, limits: Callable[[LineLimits], None], source: str, is_partial: bool
):
    name, lines_of = PROMPTS[source]
    lines = lines_of()
    whole = stored_whole(database, tmp_path, name, lines)
    load(database, tmp_path, name, lines[:FITTING], is_partial=is_partial)
    limits(LIMITS)
    assert load(database, tmp_path, name, lines).anomalies["left_out_line"] == 1
    assert stored(database) == whole
    load(database, tmp_path, name, lines)
    assert stored(database) == whole


@pytest.mark.parametrize("source", sorted(PROMPTS))
def test_a_prompt_that_was_left_out_is_read_of_a_whole_file(
    database: Database, tmp_path: Path, limits: Callable[[LineLimits], None], source: str
):
    name, lines_of = PROMPTS[source]
    lines = lines_of()
    whole = stored_whole(database, tmp_path, name, lines)
    limits(LIMITS)
    load(database, tmp_path, name, lines)
    limits(LineLimits())
    load(database, tmp_path, name, lines)
    assert stored(database) == whole


def test_an_export_has_a_mark_in_the_place_of_a_prompt_that_was_left_out(
    database: Database, settings: Settings, tmp_path: Path, limits: Callable[[LineLimits], None]
):
    name, lines_of = PROMPTS["pi"]
    empty(database)
    limits(LIMITS)
    load(database, tmp_path, name, lines_of())
    build_stale(database, settings)
    exported = export(database, settings, "openai", tmp_path / "out", Choices())
    (row,) = map(json.loads, (exported.path / "data.jsonl").read_text().splitlines())
    assert [message["content"] for message in row["messages"]][:4] == ["list", "I look.", "[not read]", "One."]
