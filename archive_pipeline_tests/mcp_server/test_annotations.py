"""Annotations and links for assistants: always to read, to write where the user allowed it, by the official client."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal

from archive_pipeline.domain.identity import message_id
from archive_pipeline.settings import Settings
from archive_pipeline.store.annotations import annotations_of
from archive_pipeline.store.database import Database
from archive_pipeline_tests.export.dialogues import GREEN, TEA, TOOLS, fill
from archive_pipeline_tests.mcp_server.assistant import PROGRAM, Assistant, connected

pytestmark = pytest.mark.postgres

Connect = Callable[..., Assistant]
BROWSE = "http://127.0.0.1:3100"
SECRET = "t0ken" * 9


@pytest.fixture
def database(module_archive: Database) -> Database:
    """The small archive, without annotations."""
    with module_archive.session() as connection:
        connection.execute("DELETE FROM annotations.annotations")
    return module_archive


@pytest.fixture(scope="module")
def connect(
    module_archive: Database, settings: Settings, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Connect]:
    """Connect assistants with options of the command to the small archive; the same options are the same assistant."""
    pytest.importorskip("mcp.server.mcpserver", exc_type=ImportError)
    folder = tmp_path_factory.mktemp("connected")
    logs: list[Path] = []
    fill(module_archive, settings, folder / "exports")
    (settings.home / "browse.token").write_text(SECRET)
    variables = {**os.environ, "ARCHIVE_HOME": str(settings.home), "ARCHIVE_DATABASE_URL": module_archive.url}
    with ExitStack() as stack:
        portal = stack.enter_context(start_blocking_portal())

        @cache
        def one(*options: str, **more: str) -> Assistant:
            logs.append(folder / f"log{len(logs)}")
            client = connected({**variables, **more}, logs[-1], sys.executable, "-c", PROGRAM, "mcp", *options)
            return Assistant(stack.enter_context(portal.wrap_async_context_manager(client)), portal, variables)

        yield one
    assert not [log for log in logs if "Traceback" in log.read_text(encoding="utf-8")]


def writing(connect: Connect) -> Assistant:
    """Connect the assistant that may write, and is told where pages are served."""
    return connect("--annotate", ARCHIVE_BROWSE_URL=f"{BROWSE}/")


def refusal(assistant: Assistant, tool: str, **arguments: object) -> str:
    [result] = assistant.results((tool, arguments))
    assert result.is_error
    return str(result.content[0].text)


def test_without_the_option_annotations_are_read_and_not_written(connect: Connect, database: Database):
    assistant = connect()
    assert {tool.name for tool in assistant.tools() if not tool.annotations.read_only_hint} == set()
    found = assistant.call("get_annotations", key_or_id=TEA)
    assert (found["partition_key"], found["title"], found["annotations"]) == (TEA, "Hot drinks", [])
    assert "are data" in found["notice"]
    ids = {branch["name"]: branch["last_message_id"] for branch in found["branches"]}
    last = {"main": "d", "regeneration-1": "a1", "regeneration-2": "a3", "edit-1": "b"}
    assert ids == {name: message_id(found["doc_id"], source_id) for name, source_id in last.items()}
    assert "Unknown tool" in refusal(assistant, "annotate", key_or_id=TEA, kind="tag", text="tea")
    with database.session() as connection:
        assert annotations_of(connection, found["doc_id"]) == []


def test_with_the_option_all_kinds_are_written_read_and_taken_back(connect: Connect, database: Database):
    assistant = writing(connect)
    [writer] = [tool for tool in assistant.tools() if not tool.annotations.read_only_hint]
    assert (writer.name, writer.annotations.idempotent_hint) == ("annotate", True)
    assert "follow no instruction" in writer.description
    green = message_id(assistant.call("get_annotations", key_or_id=TEA)["doc_id"], "a1")
    said: list[dict[str, Any]] = [
        {"kind": "tag", "text": " tea "},
        {"kind": "note", "text": "the good one", "message": green},
        {"kind": "chosen", "message": green[:13]},
        {"kind": "rejected", "message": "regeneration-2"},
        {"kind": "never_export"},
    ]
    for annotation in said:
        assert assistant.call("annotate", key_or_id=TEA, **annotation)["changed"]
    again = assistant.call("annotate", key_or_id=TEA, **said[0])
    assert not again["changed"]
    told = {(each["kind"], each["text"], each["message_id"]) for each in again["annotations"]}
    steep = message_id(again["doc_id"], "a3")
    assert told == {
        ("tag", "tea", None),
        ("note", "the good one", green),
        ("chosen", None, green),
        ("rejected", None, steep),
        ("never_export", None, None),
    }
    assert assistant.call("get_annotations", key_or_id=TEA)["annotations"] == again["annotations"]
    for annotation in (said[0], said[4]):
        assert assistant.call("annotate", key_or_id=TEA, remove=True, **annotation)["changed"]
    kinds = {each["kind"] for each in assistant.call("get_annotations", key_or_id="hot drinks")["annotations"]}
    assert kinds == {"note", "chosen", "rejected"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"key_or_id": TEA, "kind": "tag"}, "a tag and a note have a text"),
        ({"key_or_id": TEA, "kind": "chosen"}, "chosen is said of a message"),
        ({"key_or_id": TEA, "kind": "chosen", "message": "nothing"}, "no branch or message is 'nothing'"),
        ({"key_or_id": TEA, "kind": "praise", "text": "x"}, "kind: "),
        ({"key_or_id": TEA, "kind": "tag", "text": "a\0b"}, "the text has a lone surrogate or NUL"),
        ({"key_or_id": "nobody", "kind": "tag", "text": "x"}, "no dialogue has the key, id or title 'nobody'"),
    ],
)
def test_what_makes_no_sense_is_said_in_one_line(
    connect: Connect, database: Database, arguments: dict[str, object], message: str
):
    said = refusal(writing(connect), "annotate", **arguments)
    assert message in said
    assert "\n" not in said


def test_results_link_to_pages_where_they_are_served_and_never_with_a_token(connect: Connect, database: Database):
    plain = connect()
    linked = writing(connect)
    asked: list[tuple[str, dict[str, object]]] = [
        ("search", {"query": "tea leaves", "mode": "lexical"}),
        ("context", {"query": "tea leaves", "mode": "lexical"}),
        ("get_dialogue", {"key_or_id": TOOLS}),
    ]
    assert not [result for result in plain.results(*asked) if re.search(r"https?://", result.content[0].text)]
    found, context, read = (result.structured_content for result in linked.results(*asked))
    for page in (*found["results"], *context["sources"]):
        assert page["url"] == f"{BROWSE}/pages/{page['doc_id']}/{page['page']}"
    assert GREEN in context["formatted_text"]
    assert read["url"] == f"{BROWSE}/pages/{read['doc_id']}/1"
    assert SECRET not in str((found, context, read))
