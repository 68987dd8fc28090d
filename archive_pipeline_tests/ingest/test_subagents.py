"""Links of subagents with the sessions that started them: in any order, after every change, of each source."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from archive_pipeline.domain.identity import dialogue_id
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.ingest.summary import ImportSummary
from archive_pipeline.orchestration.assets.summary import summarize, summary_metadata
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.store.archive_stats import archive_stats
from archive_pipeline.store.database import Database
from archive_pipeline.store.links import find_all_links
from archive_pipeline.store.raw_writes import delete_dialogues
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.readers.claude_code.lines import SESSION, lines_of, session_file
from archive_pipeline_tests.readers.codex import sessions as codex
from archive_pipeline_tests.tables import query
from archive_pipeline_tests.trials import trials

pytestmark = pytest.mark.postgres

FORK = "99999999-2222-4333-8444-555555555555"
HEAD = {"projectHash": "p", "startTime": "2026-03-04T10:00:00Z", "lastUpdated": "2026-03-04T10:01:00Z"}


def load(database: Database, *paths: Path) -> ImportSummary:
    return import_archive(database, read_paths(paths))


def links(database: Database) -> list[tuple[Any, ...]]:
    return query(
        database,
        "SELECT agent.source_id, session.source_id, link.kind, link.shared_messages FROM raw.dialogue_links link "
        "JOIN raw.dialogues agent ON agent.id = link.dialogue_id "
        "JOIN raw.dialogues session ON session.id = link.original_id ORDER BY 1, 2",
    )


def delete(database: Database, name: str) -> None:
    with database.session() as connection:
        delete_dialogues(connection, [dialogue_id("claude_code", name)])


@pytest.mark.parametrize("is_parent_first", [True, False])
def test_a_subagent_is_linked_with_its_session_whichever_comes_first(
    database: Database, tmp_path: Path, is_parent_first: bool
):
    empty(database)
    files = [session_file(tmp_path), session_file(tmp_path, agent="a1")]
    for path in files if is_parent_first else files[::-1]:
        load(database, path)
    assert links(database) == [(f"{SESSION}-agent-a1", SESSION, "subagent", 0)]


def test_a_link_goes_with_either_side_and_comes_back_with_the_session(database: Database, tmp_path: Path):
    empty(database)
    session, agent = session_file(tmp_path), session_file(tmp_path, agent="a1")
    load(database, agent)
    assert links(database) == []
    assert query(database, "SELECT source_parent_id FROM raw.dialogues") == [(SESSION,)]
    linked = [(f"{SESSION}-agent-a1", SESSION, "subagent", 0)]
    for name in (SESSION, f"{SESSION}-agent-a1"):
        load(database, session, agent)
        assert links(database) == linked
        delete(database, name)
        assert query(database, "SELECT count(*) FROM raw.dialogue_links") == [(0,)]
    load(database, agent)
    assert links(database) == linked


def test_a_copied_subagent_is_linked_with_its_original_and_with_its_own_session(database: Database, tmp_path: Path):
    empty(database)
    load(database, *(session_file(tmp_path, name, agent) for name in (FORK, SESSION) for agent in (None, "a1")))
    assert links(database) == [
        (SESSION + "-agent-a1", SESSION, "subagent", 0),
        (FORK + "-agent-a1", SESSION + "-agent-a1", "copy", 2),
        (FORK + "-agent-a1", FORK, "subagent", 0),
    ]  # fmt: skip
    [source] = archive_stats(database, {}, "").sources
    assert (source["dialogues"], source["messages"], source["copied_messages"]) == (4, 6, 2)
    metadata = summary_metadata(summarize(database, {}))
    assert (metadata["dialogues"], metadata["messages"], metadata["links_subagent"]) == (4, 6, 2)


EVENTS = st.lists(
    st.tuples(st.sampled_from([SESSION, FORK]), st.sampled_from([None, "a1", "a2"]), st.booleans()),
    min_size=1,
    max_size=8,
)


@trials(15)
@given(history=EVENTS)
@example(history=[(SESSION, "a1", True), (SESSION, None, True), (SESSION, None, False), (SESSION, "a1", True)])
def test_any_history_of_imports_and_deletions_leaves_the_links_of_what_is_stored(
    database: Database, tmp_path: Path, history: list[tuple[str, str | None, bool]]
):
    empty(database)
    stored: set[tuple[str, str | None]] = set()
    for name, agent, is_import in history:
        if is_import:
            load(database, session_file(tmp_path, name, agent))
            stored.add((name, agent))
        else:
            delete(database, name if agent is None else f"{name}-agent-{agent}")
            stored.discard((name, agent))
    kept = links(database)
    assert [row[:2] for row in kept if row[2] == "subagent"] == sorted(
        (f"{name}-agent-{agent}", name) for name, agent in stored if agent is not None and (name, None) in stored
    )
    with database.session() as connection:
        find_all_links(connection)
    assert links(database) == kept


def test_sessions_that_were_read_before_subagents_were_known_are_linked_when_read_again(
    database: Database, tmp_path: Path
):
    empty(database)
    files = [session_file(tmp_path), session_file(tmp_path, agent="a1")]
    load(database, *files)
    with database.session() as connection:
        connection.execute("UPDATE raw.dialogues SET source_parent_id = NULL")
        connection.execute("UPDATE raw.dialogue_vintages SET reader_version = 1")
        find_all_links(connection)
    assert links(database) == []
    assert load(database, *files).dialogues == {"unchanged": 1, "reread": 1}
    assert links(database) == [(f"{SESSION}-agent-a1", SESSION, "subagent", 0)]


def test_a_sub_agent_of_codex_that_repeats_its_parent_has_one_link_with_it(database: Database, tmp_path: Path):
    empty(database)
    asked, answered = codex.said("user", "Go"), codex.said("assistant", "Done.")
    fresh, forked = (f"019a0000-9999-7000-8000-00000000000{number}" for number in (1, 2))
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": codex.SESSION, "depth": 1}}}
    own = codex.turn("019a0000-0000-7000-8000-0000000000ff")
    parent = [codex.meta(), codex.turn(), asked, answered]
    load(
        database,
        lines_of(tmp_path / "rollout-1.jsonl", codex.meta(fresh, source=spawn), own, codex.said("user", "Look")),
        lines_of(
            tmp_path / "rollout-2.jsonl",
            codex.meta(forked, parent_thread_id=codex.SESSION, forked_from_id=codex.SESSION),
            *parent,
            own,
            codex.said("user", "Look again"),
        ),
        lines_of(tmp_path / "rollout-3.jsonl", *parent),
    )
    assert links(database) == [(fresh, codex.SESSION, "subagent", 0), (forked, codex.SESSION, "subagent", 2)]


def test_a_subagent_of_gemini_cli_stands_in_the_folder_of_its_session(database: Database, tmp_path: Path):
    empty(database)
    message = {"id": "m", "timestamp": "2026-03-04T10:00:05Z", "type": "user", "content": "Look"}
    agent = [{**HEAD, "sessionId": "researcher-1", "kind": "subagent"}, message]
    alone = lines_of(tmp_path / "elsewhere" / "researcher-1.jsonl", *agent)
    chats = tmp_path / "chats"
    session = lines_of(chats / "session-2026.jsonl", {**HEAD, "sessionId": SESSION, "kind": "main"}, message)
    load(database, session, alone)
    assert links(database) == []
    load(database, lines_of(chats / SESSION / "researcher-1.jsonl", *agent))
    linked = [("researcher-1", SESSION, "subagent", 0)]
    assert links(database) == linked
    # It says less: and nothing else, something else beside the content, or one more message.
    moved = agent[0] | {"projectHash": "another"}
    later = [agent[0] | {"lastUpdated": "2026-03-04T10:05:00Z"}, message, message | {"id": "n"}]
    for lines in (agent, [moved, message], later):
        load(database, lines_of(alone, *lines))
        assert links(database) == linked


def test_a_subagent_of_droid_names_the_session_that_started_it(database: Database, tmp_path: Path):
    empty(database)
    head = {"type": "session_start", "title": "Look", "owner": "me", "version": 2, "cwd": "/work"}
    message = {"type": "message", "id": "m", "message": {"role": "user", "content": [{"type": "text", "text": "Look"}]}}
    agent = {**head, "id": FORK, "callingSessionId": SESSION, "callingToolUseId": "c"}
    load(database, lines_of(tmp_path / f"{FORK}.jsonl", agent, message))
    assert links(database) == []
    load(database, lines_of(tmp_path / f"{SESSION}.jsonl", {**head, "id": SESSION}, message | {"id": "n"}))
    assert links(database) == [(FORK, SESSION, "subagent", 0)]


def test_a_subagent_inside_of_a_trajectory_is_linked_with_it(database: Database, tmp_path: Path):
    empty(database)
    steps = [{"step_id": 1, "source": "user", "message": "Look"}]
    agent = {"schema_version": "ATIF-v1.7", "trajectory_id": FORK, "agent": {}, "steps": steps}
    whole = {**agent, "trajectory_id": SESSION, "subagent_trajectories": [agent]}
    load(database, lines_of(tmp_path / "trajectory.json", whole))
    assert links(database) == [(FORK, SESSION, "subagent", 0)]


def test_a_fork_of_pi_is_linked_by_what_it_copies(database: Database, tmp_path: Path):
    empty(database)
    head = {"type": "session", "version": 3, "cwd": "/work"}
    first, second = ({"timestamp": f"2026-01-16T02:00:0{at}.000Z"} for at in (1, 2))
    asked = {"type": "message", "id": "01", "parentId": None, "message": {"role": "user", "content": "Go"}, **first}
    answered = {"type": "message", "id": "02", "parentId": "01", "message": {"role": "assistant", "content": "Yes"}}
    other = {"type": "message", "id": "03", "parentId": "01", "message": {"role": "assistant", "content": "No"}}
    session = {**head, "id": SESSION, "timestamp": "2026-01-16T02:00:00.000Z"}
    fork = {**head, "id": FORK, "timestamp": "2026-01-17T02:00:00.000Z", "parentSession": "/s/a.jsonl"}
    load(database, lines_of(tmp_path / "fork.jsonl", fork, asked, other | second))
    load(database, lines_of(tmp_path / "session.jsonl", session, asked, answered | second))
    assert links(database) == [(FORK, SESSION, "fork", 1)]


def test_a_subagent_of_opencode_names_the_session_that_started_it(database: Database, tmp_path: Path):
    empty(database)
    for name, more in (("ses_agent", {"parentID": "ses_1"}), ("ses_1", {})):
        assert links(database) == []
        info = {"id": name, "projectID": "p", "directory": "/work", "title": "Look", **more}
        said = {"id": f"msg_{name}", "sessionID": name, "role": "user", "time": {"created": 1_767_225_600_000}}
        message = {"info": said, "parts": [{"type": "text", "text": "Look"}]}
        (tmp_path / f"{name}.json").write_text(json.dumps({"info": info, "messages": [message]}))
        load(database, tmp_path / f"{name}.json")
    assert links(database) == [("ses_agent", "ses_1", "subagent", 0)]
