"""Cline's tasks and sessions, and those of its forks: whose words they are, results of tools, ids and times."""

from __future__ import annotations

import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest

from archive_pipeline.domain.records import DialogueRecord, RejectedRecord
from archive_pipeline.readers.cline import READER
from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline_tests.readers.cline_tasks import (
    CONTEXT,
    ENVIRONMENT,
    FILE,
    RESULT,
    TASK,
    TEXT,
    THINKING,
    USE,
    call,
    message,
    read,
    result,
    said,
    session,
    task,
    text,
)
from benchmarks.fuzz import cline
from benchmarks.fuzz.marks import Marks

BEGAN = datetime(2026, 1, 22, 3, 48, 0, 585_000, tzinfo=UTC)

HISTORY = [
    message("user", text("<task>\nMake it safe.\n</task>"), text("\n# task_progress RECOMMENDED"), text(ENVIRONMENT)),
    message(
        "assistant",
        {"type": "thinking", "thinking": "Look first.", "signature": "Er", "summary": []},
        {**text("I will look."), "reasoning_details": [], "call_id": ""},
        call("c1", "read_file", path="a.cs"),
        modelInfo={"modelId": "claude-sonnet-4-5", "providerId": "anthropic", "mode": "act"},
        metrics={"tokens": {"prompt": 10}},
    ),
    message("user", text("[read_file for 'a.cs'] Result:\nusing System;"), text(ENVIRONMENT)),
    message("assistant", text("<attempt_completion>\n<result>Done.</result>\n</attempt_completion>")),
]


def test_a_task_is_read_from_its_folder(tmp_path: Path):
    folder = tmp_path / "saoudrizwan.claude-dev" / "tasks" / TASK
    folder.mkdir(parents=True)
    (folder / "api_conversation_history.json").write_text(json.dumps(HISTORY))
    (folder / "ui_messages.json").write_text(json.dumps([{"ts": 1, "type": "say", "say": "text", "text": "Hi"}]))
    (folder / "task_metadata.json").write_text(json.dumps({"files_in_context": [], "model_usage": []}))
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "taskHistory.json").write_text(json.dumps([{"id": TASK, "ts": 1, "task": "Make it safe."}]))
    (tmp_path / "secrets.json").write_text('{"apiKey": "sk-1"}')

    reading = read_paths([tmp_path])
    [record] = [item.record for file in reading for item in file.records() if isinstance(item, ReadDialogue)]

    assert (record.source, record.source_id, record.created_at) == ("cline", TASK, BEGAN)
    assert (record.project_id, record.title, record.warnings) == ("/work/game", None, {})
    assert said(record) == [
        ("user", [(TEXT, "Make it safe."), (CONTEXT, "\n# task_progress RECOMMENDED"), (CONTEXT, ENVIRONMENT)]),
        ("assistant", [(THINKING, "Look first."), (TEXT, "I will look."), (USE, None)]),
        ("tool", [(RESULT, "using System;")]),
        ("system", [(CONTEXT, ENVIRONMENT)]),
        ("assistant", [(TEXT, "<attempt_completion>\n<result>Done.</result>\n</attempt_completion>")]),
    ]
    assert [m.is_hidden for m in record.messages] == [False, False, False, True, False]
    assert [m.model for m in record.messages] == [None, "claude-sonnet-4-5", None, None, None]
    assert (record.messages[2].parts[0].tool_name, record.messages[2].parts[0].tool_use_id) == ("read_file", "c1")
    skipped = {Path(file.locator).name: file.reason for file in reading.skipped}
    assert skipped == {
        "secrets.json": "private and never opened: secrets.json",
        "task_metadata.json": "a companion of the export: files and models of a task",
        "taskHistory.json": "a companion of the export: list of tasks",
        "ui_messages.json": "a companion of the export: what was shown of a task",
    }


@pytest.mark.parametrize(
    ("folder", "own", "left"),
    [
        ("d2b1f5d0-0000-4000-8000-2f6a3d6e8b11", "d2b1f5d0-0000-4000-8000-2f6a3d6e8b11", None),
        ("my copies", None, "my copies"),
    ],
)
def test_only_a_folder_that_a_task_is_named_by_is_its_id(folder: str, own: str | None, left: str | None):
    record = read(task(*HISTORY, folder=folder))
    assert (record.source_id, record.source_json.get("folder"), record.created_at) == (own, left, None)


def test_a_session_is_read_with_its_ids_times_and_results():
    given = {"query": "a.md", "result": "# A", "success": True}
    record = read(
        session(
            message("user", text('<user_input mode="act">Sum it up.</user_input>'), id="m1"),
            message(
                "assistant",
                call("c1", "read_files"),
                id="m2",
                ts=1_745_343_730_123,
                modelInfo={"id": "claude-sonnet-4-6", "provider": "anthropic"},
            ),
            message("user", result("c1", [given], is_error=False), id="m3"),
            message("user", {"type": "file", "path": "/a.md", "content": "# A"}, text("And this."), id="m4"),
            sessionId="1745343700000_abcde",
            updated_at="2025-04-22T17:42:10.123Z",
            system_prompt="Be brief.",
        )
    )
    assert (record.source_id, record.source_json["system_prompt"]) == ("1745343700000_abcde", "Be brief.")
    assert record.created_at == datetime(2025, 4, 22, 17, 41, 40, tzinfo=UTC)
    assert record.updated_at == datetime(2025, 4, 22, 17, 42, 10, 123_000, tzinfo=UTC)
    assert said(record) == [
        ("user", [(TEXT, "Sum it up.")]),
        ("assistant", [(USE, None)]),
        ("tool", [(RESULT, "# A")]),
        ("user", [(FILE, None), (TEXT, "And this.")]),
    ]
    assert [m.source_id for m in record.messages] == ["m1", "m2", "m3-result-1", "m4"]
    assert record.messages[1].model == "claude-sonnet-4-6"


def test_a_session_of_a_subagent_names_the_one_that_started_it():
    about = {"agent": "teammate", "origin": {"parentThreadId": "s0", "subagent": "tester"}}
    assert read(session(*HISTORY, **about)).parent_source_id == "s0"
    assert read(session(*HISTORY, origin={"parentThreadId": "s"})).parent_source_id is None


def test_an_agent_that_a_session_started_is_a_dialogue_of_its_own_wherever_its_file_lies(tmp_path: Path):
    root = "1745343700000_abcde"
    folder = tmp_path / root
    folder.mkdir()
    agents = {root: "lead", "agent_1": "subagent", "0-tester__Ab1": "teammate", f"{root}__agent_2": "subagent"}
    for name, agent in {**agents, "renamed": "teammate"}.items():
        said = session(message("user", text(f"I am {name}.")), agent=agent, sessionId=root)
        ending = "json" if name == "renamed" else "messages.json"
        (folder / f"{name}.{ending}").write_text(json.dumps(said))
    (folder / f"{root}.compaction.json").write_text(
        json.dumps({"version": 1, "source_message_count": 1, "messages": [message("user", text("So far."), id="m1")]})
    )
    with zipfile.ZipFile(tmp_path / "sessions.zip", "w") as archive:
        archive.write(folder / "agent_1.messages.json", "agent_1.messages.json")

    def ids(*paths: Path) -> dict[str, tuple[str | None, str | None]]:
        found = [item for file in read_paths(paths) for item in file.records()]
        records = [item.record for item in found if isinstance(item, ReadDialogue)]
        assert len(found) == len(records)
        return {str(r.messages[0].parts[0].text): (r.source_id, r.parent_source_id) for r in records}

    assert ids(folder) == {
        f"I am {root}.": (root, None),
        "I am agent_1.": (f"{root}__agent_1", root),
        "I am 0-tester__Ab1.": (f"{root}__teamtask__0-tester__Ab1", root),
        f"I am {root}__agent_2.": (f"{root}__agent_2", root),
        "I am renamed.": (None, root),
    }
    alone = {"I am agent_1.": (f"{root}__agent_1", root)}
    assert ids(folder / "agent_1.messages.json") == ids(tmp_path / "sessions.zip") == alone


@pytest.mark.parametrize(
    "about",
    [{"kind": "recovery_notice", "displayRole": "system"}, {"kind": "compaction_summary"}, {"displayRole": "status"}],
)
def test_a_notice_of_a_session_is_hidden(about: dict[str, str]):
    notice = message("user", text("Stopped after 3 mistakes."), metadata=about)
    answer = message("assistant", text("Done."), metadata=about)
    record = read(session(notice, answer, message("user", text("Go."), metadata={"kind": "other"})))
    assert said(record) == [
        ("system", [(CONTEXT, "Stopped after 3 mistakes.")]),
        ("assistant", [(TEXT, "Done.")]),
        ("user", [(TEXT, "Go.")]),
    ]
    assert record.messages[0].is_hidden


def test_the_folder_of_a_session_is_the_line_below_its_heading():
    environment = "<environment_details>\n# Current Working Directory\n/work/game\n\n# Current Mode\nACT MODE\n"
    words = f'<user_input mode="act">Go.</user_input>\n\n{environment}</environment_details>'
    assert read(session(message("user", text(words)))).project_id == "/work/game"


def test_what_roo_code_puts_in_the_place_of_messages_is_hidden_and_nothing_is_left_out():
    record = read(
        task(
            message("user", text("<user_message>\nGo.\n</user_message>"), ts=1_769_053_680_600),
            message("assistant", type="reasoning", summary=[text("Hm.")], encrypted_content="e"),
            message("assistant", text("One."), ts=1_769_053_680_700, condenseParent="k", reasoning_content="So."),
            message("user", text("All so far."), ts=1_769_053_680_700, isSummary=True, condenseId="k"),
            message("assistant", text("Two."), ts=1_769_053_680_800),
        )
    )
    assert said(record) == [
        ("user", [(TEXT, "Go.")]),
        ("assistant", [(THINKING, "Hm.")]),
        ("assistant", [(THINKING, "So."), (TEXT, "One.")]),
        ("system", [(CONTEXT, "All so far.")]),
        ("assistant", [(TEXT, "Two.")]),
    ]
    assert [m.source_id for m in record.messages] == [
        f"{TASK}-1769053680600",
        None,
        f"{TASK}-1769053680700",
        f"{TASK}-1769053680700-again-2",
        f"{TASK}-1769053680800",
    ]
    assert record.messages[3].is_hidden


def test_a_file_that_is_cut_off_or_is_no_array_of_messages_is_rejected(tmp_path: Path):
    path = tmp_path / "api_conversation_history.json"
    for content in (json.dumps(HISTORY)[:-20], '[1, "a"]'):
        path.write_text(content)
        found = [item for file in read_paths([path]) for item in file.records()]
        assert found
        assert all(isinstance(item, RejectedRecord) for item in found)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_task_is_read_in_other_encodings_and_an_array_of_another_name_as_before(tmp_path: Path, encoding: str):
    folder = tmp_path / TASK
    folder.mkdir()
    (folder / "api_conversation_history.json").write_text(json.dumps(HISTORY), encoding=encoding)
    (tmp_path / "x.json").write_text(json.dumps([{"messages": [message("user", text("Hi"))]}]))
    items = [item for file in read_paths([tmp_path]) for item in file.records()]
    found = {item.record.source: item.record.source_id for item in items if isinstance(item, ReadDialogue)}
    assert found.keys() == {"cline", "openai_messages"}
    assert found["cline"] == TASK


def test_an_id_is_there_once_and_results_follow_one_another_in_their_order():
    for seed in range(60):
        value = cline.conversation(Random(seed), Marks())  # noqa: S311 - a test's
        record = READER.read(value, "x.json")
        assert isinstance(record, DialogueRecord)
        ids = [m.source_id for m in record.messages if m.source_id is not None]
        assert len(ids) == len(set(ids))
        assert len(record.messages) >= len(value["messages"])
