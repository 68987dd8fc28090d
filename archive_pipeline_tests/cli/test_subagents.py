"""Subagents where dialogues are shown: each names the one that started it, and that one names its subagents."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from starlette.testclient import TestClient

from archive_pipeline.browse.app import build_app
from archive_pipeline.domain.identity import dialogue_id
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.orchestration.assets.dialogue_view import dialogue_headings
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.retrieval.reading import subagents
from archive_pipeline.retrieval.search.engine import SearchEngine
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.cli.command_line import CommandLine
from archive_pipeline_tests.readers.claude_code.lines import SESSION, session_file

pytestmark = pytest.mark.postgres

PARENT = f"claude_code-{SESSION}"
AGENTS = [f"{PARENT}-agent-{name}" for name in ("a1", "a2")]
MISSING = "99999999-2222-4333-8444-555555555555"
ORPHAN = f"claude_code-{MISSING}-agent-a1"


@pytest.fixture(scope="module")
def sessions(
    module_archive: Database, settings: Settings, environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> CommandLine:
    folder = tmp_path_factory.mktemp("projects")
    files = [session_file(folder), *(session_file(folder, agent=name) for name in ("a1", "a2"))]
    import_archive(module_archive, read_paths([*files, session_file(folder, MISSING, "a1")]))
    return CommandLine(settings.home, {**environment, "ARCHIVE_DATABASE_URL": module_archive.url})


def test_show_names_the_parent_and_the_subagents(sessions: CommandLine):
    assert f"subagent of count · {PARENT}" in sessions("show", AGENTS[0]).out.splitlines()
    lines = sessions("show", PARENT, "--tree").out.splitlines()
    assert [line for line in lines if "subagent" in line] == [f"subagent: count · {key}" for key in AGENTS]
    assert f"subagent of {MISSING}, which is not in the archive" in sessions("show", ORPHAN).out.splitlines()


def test_programs_get_the_parent_and_the_subagents(sessions: CommandLine):
    linked = {"source_id": SESSION, "partition_key": PARENT, "title": None, "first_prompt": "count"}
    agent, parent, orphan = (sessions("show", key, "--json").json for key in (AGENTS[0], PARENT, ORPHAN))
    assert (agent["parent"], agent["subagents"]) == (linked, [])
    assert agent["parent_dialogue_id"] == dialogue_id("claude_code", SESSION)
    assert (parent["parent"], [each["partition_key"] for each in parent["subagents"]]) == (None, AGENTS)
    assert parent["subagent_count"] == 2
    assert (orphan["parent"]["source_id"], orphan["parent"]["partition_key"]) == (MISSING, None)


def test_lists_tell_subagents_apart(sessions: CommandLine):
    listed = {each["partition_key"]: each["is_subagent"] for each in sessions("list", "--json").json}
    assert listed == {PARENT: False, AGENTS[0]: True, AGENTS[1]: True, ORPHAN: True}
    assert sessions("list").out.count("subagent · 2 messages") == 3


def test_pages_link_both_ways(
    sessions: CommandLine, module_archive: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
):
    with TestClient(build_app(SearchEngine(module_archive, settings))) as client:
        agent, parent = (client.get(f"/dialogues/{key}").text for key in (AGENTS[0], PARENT))
        assert f'Subagent of <a href="/dialogues/{PARENT}" dir="auto">count</a>' in agent
        assert "<summary>2 subagents</summary>" in parent
        assert all(f'<li><a href="/dialogues/{key}" dir="auto">count</a></li>' in parent for key in AGENTS)
        assert f"<code>{MISSING}</code>, which is not in the archive" in client.get(f"/dialogues/{ORPHAN}").text
        assert client.get("/").text.count("subagent ·") == 3
        monkeypatch.setattr(subagents, "MOST_SUBAGENTS", 1)
        assert "<li>and 1 more</li>" in client.get(f"/dialogues/{PARENT}").text
    assert "and 1 more subagents" in sessions("show", PARENT).out


def test_the_table_of_dialogues_has_the_parent(sessions: CommandLine, tmp_path: Path):
    assert sessions("export", "parquet", "--out", tmp_path / "out").code == 0
    [path] = (tmp_path / "out").rglob("dialogues*.parquet")
    parents = {row["partition_key"]: row["parent_dialogue_id"] for row in pq.read_table(path).to_pylist()}
    assert parents == {PARENT: None, ORPHAN: None} | dict.fromkeys(AGENTS, dialogue_id("claude_code", SESSION))


def test_dagster_shows_what_a_partition_is_a_subagent_of(sessions: CommandLine, module_archive: Database):
    ids = [dialogue_id("claude_code", name) for name in (SESSION, f"{MISSING}-agent-a1")]
    session, orphan = (dialogue_headings(module_archive, ids)[each] for each in ids)
    assert "subagent_of" not in session
    assert orphan["subagent_of"].value == f"claude_code-{MISSING}"
