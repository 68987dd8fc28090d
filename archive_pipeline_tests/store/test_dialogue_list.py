"""Lists of dialogues: one row for the command line and for pages in a browser, each with its own order and times."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.dialogue_list import (
    ListedDialogue,
    ListFilters,
    list_dialogues,
    page_of_dialogues,
    sources_of_dialogues,
)
from archive_pipeline_tests.export.dialogues import TEA, TOOLS, WALK, fill
from archive_pipeline_tests.exports import Said, chain, chatgpt, load

pytestmark = pytest.mark.postgres

EVERYTHING = ListFilters()


def test_a_page_has_the_rows_of_the_list(database: Database, settings: Settings, tmp_path: Path):
    fill(database, settings, tmp_path / "exports")
    with database.session() as connection:
        listed = {row.partition_key: row for row in list_dialogues(connection, EVERYTHING, "date", 10)}
        page = page_of_dialogues(connection, EVERYTHING, limit=10)
        assert sources_of_dialogues(connection) == ["chatgpt", "claude_ai"]
    assert [row.partition_key for row in page.dialogues] == [WALK, TOOLS, TEA]
    assert {row.partition_key: row for row in page.dialogues} == listed
    assert (listed[TEA].messages, listed[TEA].branches, listed[TEA].models) == (10, 4, ["gpt-4o", "o3"])
    assert not page.has_more


def test_a_model_of_which_no_message_is_left_is_none_of_the_dialogues(database: Database, tmp_path: Path):
    answer = Said("m1", "m0", "assistant", "b", 2.0, more={"metadata": {"model_slug": "o3"}})
    load(database, tmp_path / "a.json", chatgpt("c", [*chain("a"), answer]))
    of_model = ListFilters(model="o3")
    with database.session() as connection:
        assert [row.models for row in list_dialogues(connection, of_model, "date", 10)] == [["o3"]]
        connection.execute("UPDATE raw.messages SET deleted_at = now() WHERE model = 'o3'")
        assert list_dialogues(connection, of_model, "date", 10) == []
        assert [row.models for row in list_dialogues(connection, EVERYTHING, "date", 10)] == [[]]


def test_pages_have_each_dialogue_once_also_of_one_time_and_of_none(database: Database, tmp_path: Path):
    times = [None, 100.0, 300.0, None, 300.0, 200.0, 300.0]
    load(
        database,
        tmp_path / "a.json",
        *(chatgpt(f"c{number}", chain("a", start=None), updated=time) for number, time in enumerate(times)),
    )
    seen: list[ListedDialogue] = []
    after = None
    with database.session() as connection:
        while True:
            page = page_of_dialogues(connection, EVERYTHING, limit=2, after=after)
            seen += page.dialogues
            if not page.has_more:
                break
            after = (seen[-1].shown_at, seen[-1].dialogue_id)
    assert len({row.partition_key for row in seen}) == len(seen) == len(times)
    assert [row.shown_at for row in seen] == sorted((row.shown_at for row in seen), reverse=True)
    # Those without a time are shown by when they were imported: now, so first.
    assert {row.partition_key for row in seen[:2]} == {"chatgpt-c0", "chatgpt-c3"}
    assert [row.updated_at for row in seen[-2:]] == [datetime.fromtimestamp(time, UTC) for time in (200.0, 100.0)]


def test_times_of_a_list_are_beginnings_and_those_of_a_page_what_is_shown(database: Database, tmp_path: Path):
    load(database, tmp_path / "a.json", chatgpt("c", chain("a"), create_time=1_000.0, updated=5_000.0))
    began, changed = (datetime.fromtimestamp(time, UTC) for time in (1_000.0, 5_000.0))
    second = timedelta(seconds=1)
    with database.session() as connection:
        for filters, in_list, on_page in (
            (ListFilters(since=began, until=began + second), 1, 0),
            (ListFilters(since=changed, until=changed + second), 0, 1),
            (ListFilters(until=began), 0, 0),
            (ListFilters(until=changed), 1, 0),
        ):
            assert len(list_dialogues(connection, filters, "date", 10)) == in_list
            assert len(page_of_dialogues(connection, filters, limit=10).dialogues) == on_page
