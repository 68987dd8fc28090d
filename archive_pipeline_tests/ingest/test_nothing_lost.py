"""The law in the database: every value of an import is in a row; no text of any column costs its dialogue."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.text.sanitize import SANITIZED_NUL, SANITIZED_SURROGATE
from archive_pipeline_tests.exports import chain, chatgpt, load
from archive_pipeline_tests.tables import query
from benchmarks.fuzz import chatgpt as fuzz_chatgpt
from benchmarks.fuzz import claude_ai, grok
from benchmarks.fuzz.inputs import Maker, changed
from benchmarks.fuzz.marks import Values, missing

pytestmark = pytest.mark.postgres

ROWS = (
    "SELECT to_jsonb(d) - 'source_bytes' FROM raw.dialogues d",
    "SELECT to_jsonb(m) FROM raw.messages m",
    "SELECT to_jsonb(p) FROM raw.content_parts p",
    "SELECT to_jsonb(a) FROM raw.attachments a",
)


def imported(database: Database, path: Path, *conversations: Any) -> Mapping[str, int]:
    path.write_text(json.dumps(conversations), encoding="utf-8")
    return import_archive(database, read_paths([path])).dialogues


def kept(database: Database) -> Values:
    """The values of all rows."""
    values = Values()
    for statement in ROWS:
        for (row,) in query(database, statement):
            values.add(row)
    return values


# Sources whose conversations have ids: none is taken for another one.
@pytest.mark.parametrize("make", [fuzz_chatgpt.conversation, claude_ai.conversation, grok.conversation])
def test_every_value_of_changed_conversations_is_in_a_row(database: Database, tmp_path: Path, make: Maker):
    conversations = changed(make, random.Random(10), 60, 4)  # noqa: S311 - a test's
    done = imported(database, tmp_path / "conversations.json", *conversations)
    locators = [locator for (locator,) in query(database, "SELECT locator FROM raw.rejected_records")]
    read = [value for place, value in enumerate(conversations) if not any(x.endswith(f"[{place}]") for x in locators)]
    assert done["new"] == len(read) > 40
    given = Values()
    given.add(read)
    given.strings.discard("text")  # the type of a block that is in a column for texts
    assert missing(given, kept(database)) == []


def chatgpt_places() -> dict[str, Any]:
    """A conversation whose every text is the name of the column that it reaches."""
    content = {"content_type": "code", "text": "@call", "language": "@language"}
    pointer = {"content_type": "image_asset_pointer", "asset_pointer": "@uri"}
    attachment = {"id": "@attachment id", "name": "@attachment name", "mime_type": "@attachment type"}
    messages = {
        "@node": {"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["@text"]}},
        "call": {"author": {"role": "assistant"}, "content": content, "recipient": "@tool"},
        "answer": {
            "author": {"role": "tool", "name": "@author"},
            "content": {"content_type": "multimodal_text", "parts": ["@result", pointer, {"content_type": "@item"}]},
            "channel": "@channel",
            "metadata": {"attachments": [attachment]},
        },
        "last": {
            "author": {"role": "assistant"},
            "content": {"content_type": "@content type"},
            "metadata": {"model_slug": "@model", "@key": "@value"},
            "status": "@status",
        },
        "odd": {"author": {"role": "@role"}, "content": {"content_type": "text", "parts": ["x"]}},
    }
    nodes: dict[str, Any] = {}
    parent = None
    for key, message in messages.items():
        nodes[key] = {"id": key, "parent": parent, "message": message}
        parent = key
    return {"conversation_id": "@id", "title": "@title", "mapping": nodes, "current_node": "@node"}


def claude_places() -> dict[str, Any]:
    """The same as Claude.ai writes it."""
    blocks = [
        {"type": "thinking", "thinking": "@thought"},
        {"type": "tool_use", "id": "@call", "name": "@tool", "input": {"@argument": "@value"}},
        {"type": "tool_result", "tool_use_id": "@call", "name": "@tool", "content": "@result"},
        {"type": "image", "source": {"url": "@uri", "media_type": "@media type"}},
        {"type": "@type", "text": "@other"},
        {"type": "text", "text": "@text"},
    ]
    paste = {"id": "@paste id", "file_name": "@paste name", "file_type": "a/@type", "extracted_content": "@paste"}
    file = {"file_uuid": "@file id", "file_name": "@file name", "preview_url": "@preview"}
    question = {"uuid": "@question", "sender": "human", "text": "Why?", "attachments": [paste], "files": [file]}
    answer = {"uuid": "@answer", "parent_message_uuid": "@question", "sender": "assistant", "content": blocks}
    odd = {"uuid": "odd", "parent_message_uuid": "@answer", "sender": "@sender", "text": "x", "stop_reason": "@stop"}
    return {"uuid": "@id", "name": "@title", "model": "@model", "chat_messages": [question, answer, odd]}


def each_place(template: dict[str, Any], odd: str) -> Iterator[dict[str, Any]]:
    """A conversation for each text of the template, in which that text is odd."""
    text = json.dumps(template)
    for place in sorted({part.split('"')[0] for part in text.split('"@')[1:]}):
        own = text if place == "id" else text.replace('"@id"', json.dumps(f"id of {place}"))
        yield json.loads(own.replace(f'"@{place}"', json.dumps(odd)))


LONG = f"{random.Random(1).getrandbits(24_000):06000x}"  # noqa: S311 - a text that does not compress


@pytest.mark.parametrize(
    ("odd", "surprise"),
    [("a\0b", SANITIZED_NUL), ("\0", SANITIZED_NUL), ("a\ud800b", SANITIZED_SURROGATE), (LONG, None)],
    ids=["NUL", "nothing but NUL", "half a character", "long"],
)
@pytest.mark.parametrize("template", [chatgpt_places, claude_places])
def test_no_text_of_any_column_costs_its_dialogue(
    database: Database, settings: Settings, tmp_path: Path, template: Any, odd: str, surprise: str | None
):
    conversations = list(each_place(template(), odd))
    assert imported(database, tmp_path / "conversations.json", *conversations) == {"new": len(conversations)}
    given = Values()
    given.add(conversations)
    given.strings.discard("text")
    assert missing(given, kept(database)) == []
    if surprise is not None:
        counted = query(database, "SELECT count(*) FROM raw.dialogues WHERE diagnostics ? %s", surprise)
        assert counted == [(len(conversations),)]
        assert query(database, "SELECT count(*) FROM raw.dialogues WHERE source_bytes IS NULL") == [(0,)]
    build_stale(database, settings)
    assert query(database, "SELECT asset, error FROM derived.build_errors") == []


def test_partial_exports_of_dialogues_without_ids_go_on_below_their_own(database: Database, tmp_path: Path):
    path = tmp_path / "conversations.json"
    load(database, path, chatgpt(None, chain("x", "one")), chatgpt(None, chain("x", "two")))
    longer = [chatgpt(None, chain("x", *texts)) for texts in (("one",), ("two", "three"))]
    assert load(database, path, *longer, is_partial=True).dialogues == {"unchanged": 1, "changed": 1}
    statement = """
        SELECT array_agg(part.text_content ORDER BY message.sequence_number)
        FROM raw.messages AS message INNER JOIN raw.content_parts AS part ON message.id = part.message_id
        GROUP BY message.dialogue_id ORDER BY 1
    """
    assert query(database, statement) == [(["x", "one"],), (["x", "two", "three"],)]
