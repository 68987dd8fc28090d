"""Le Chat: versions as branches in the order of times, chunks, documents, files of a chat, and what is damaged."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.domain.records import AttachmentRecord, DialogueRecord, JsonText, PartRecord, PartType
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.drift import Drift
from archive_pipeline.readers.le_chat import READER
from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline.readers.registry import recognise
from archive_pipeline.store.database import Database
from archive_pipeline_tests.tables import query

CHAT = "bda873f6-e352-4b55-9d77-398dd4ba6446"


def message(own: str, role: str, at: int, said: Any = "", *chunks: Any, **more: Any) -> dict[str, Any]:
    """A message as the account's export has it, said so many seconds after the chat began."""
    return {
        "id": own,
        "version": 0,
        "chatId": CHAT,
        "content": said,
        "contentChunks": list(chunks) or None,
        "role": role,
        "createdAt": f"2026-08-26T20:45:{at:02}.594Z",
        "reaction": "neutral",
        "reactionDetail": None,
        "context": None,
        "canvas": [],
        "quotes": [],
        "files": [],
        **more,
    }


def user(own: str, at: int, said: Any = "q", **more: Any) -> dict[str, Any]:
    return message(own, "user", at, said, **more)


def answer(own: str, at: int, said: Any = "a", *chunks: Any, **more: Any) -> dict[str, Any]:
    return message(own, "assistant", at, said, *chunks, **more)


def read(*messages: Any) -> DialogueRecord:
    record = READER.read({"tree": CHAT, "messages": list(messages)}, "chat.json")
    assert isinstance(record, DialogueRecord)
    return record


def parents(*messages: Any) -> dict[str | None, str | None]:
    return {item.source_id: item.parent_source_id for item in read(*messages).messages}


def parts(*chunks: Any, said: Any = "", **more: Any) -> list[PartRecord]:
    [found] = read(answer("a", 1, said, *chunks, **more)).messages
    return list(found.parts)


def test_messages_follow_each_other_in_the_order_of_their_times():
    record = read(answer("a", 2), user("q2", 3), user("q1", 1, "who?", context={"openCanvaId": None}))
    assert (record.source, record.source_id, record.title, record.vintage) == ("le_chat", CHAT, None, "partial full")
    assert record.created_at == datetime(2026, 8, 26, 20, 45, 1, 594000, tzinfo=UTC)
    assert record.updated_at == datetime(2026, 8, 26, 20, 45, 3, 594000, tzinfo=UTC)
    assert [(m.source_id, m.parent_source_id, m.role) for m in record.messages] == [
        ("q1", None, "user"),
        ("a", "q1", "assistant"),
        ("q2", "a", "user"),
    ]
    assert record.messages[0].parts == (PartRecord(PartType.TEXT, "who?", "content"),)
    assert record.messages[0].source == {
        "version": 0,
        "createdAt": "2026-08-26T20:45:01.594Z",
        "reaction": "neutral",
        "context": {"openCanvaId": None},
    }
    assert record.source_json == {}
    assert not record.warnings


def test_of_one_time_the_prompt_comes_first():
    assert parents(answer("a", 1), user("q", 1), user("q2", 2)) == {"q": None, "a": "q", "q2": "a"}


def test_an_edited_prompt_and_an_answer_that_is_made_anew_are_branches():
    made_anew = (user("q", 1), answer("a", 2), answer("a", 3, version=1), user("q2", 4))
    assert parents(*made_anew) == {"q": None, "a": "q", "a-v1": "q", "q2": "a-v1"}
    edited = (user("q", 1), answer("a", 2), user("q", 3, version=1), answer("b", 4), user("q2", 5))
    assert parents(*edited) == {"q": None, "a": "q", "q-v1": None, "b": "q-v1", "q2": "b"}
    with_it = (user("q", 1), answer("a", 2), user("q", 3, version=1), answer("a", 4, version=1))
    assert parents(*with_it) == {"q": None, "a": "q", "q-v1": None, "a-v1": "q-v1"}


def test_parents_that_messages_name_count():
    first, second = user("q", 1), user("q", 2, version=1)
    below = answer("a", 3, parentId="q", parentVersion=0, model="mistral-large-2512", generationStatus="in-progress")
    assert parents(first, second, below) == {"q": None, "q-v1": None, "a": "q"}
    last = read(first, second, below).messages[-1]
    assert (last.model, last.state) == ("mistral-large-2512", "in_progress")


def test_a_message_without_time_or_id_stays_behind_the_one_before_it():
    untimed = {**answer("a", 0), "createdAt": None, "id": None}
    assert parents(user("q", 1), untimed, user("q2", 2)) == {"q": None, "message-1": "q", "q2": "message-1"}


def test_chunks_are_parts_and_pieces_of_a_text_are_one():
    thought = {"type": "text", "text": "Painters.", "_context": {"type": "reasoning", "startTime": 7}}
    found = parts(
        thought,
        {"type": "text", "text": "Monet", "_context": None},
        {"type": "reference", "referenceIds": [1, 3]},
        {"type": "text", "text": " did."},
        {"type": "tool_reference", "url": "https://example.org/m", "title": "Monet", "favicon": "f"},
        {"type": "image_url", "imageUrl": "https://example.org/i.png"},
        {"type": "file_reference", "fileReference": "a.docx", "fileAlt": "Letter", "fileUrl": "https://example.org/a"},
        {"type": "custom_element", "content": "<b>7</b>", "kind": "weather"},
        {"type": "custom_element", "kind": "map"},
        said="Monet did.",
        quotes=["passage", {"text": "other", "url": "https://example.org/o", "page": 3}],
    )
    assert found == [
        PartRecord(
            PartType.THINKING, "Painters.", "reasoning", source={"_context": {"type": "reasoning", "startTime": 7}}
        ),
        PartRecord(
            PartType.TEXT,
            "Monet did.",
            "text",
            source={"chunks": [{"at": 5, "chunk": {"type": "reference", "referenceIds": [1, 3]}}]},
        ),
        PartRecord(PartType.CITATION, "Monet", "tool_reference", uri="https://example.org/m", source={"favicon": "f"}),
        PartRecord(PartType.IMAGE, None, "image_url", uri="https://example.org/i.png"),
        PartRecord(
            PartType.FILE, "a.docx", "file_reference", uri="https://example.org/a", source={"fileAlt": "Letter"}
        ),
        PartRecord(PartType.ARTIFACT, "<b>7</b>", "custom_element", source={"kind": "weather"}),
        PartRecord(PartType.UNKNOWN, None, "custom_element", source={"kind": "map"}),
        PartRecord(PartType.CITATION, "passage", "quotes"),
        PartRecord(PartType.CITATION, "other", "quotes", uri="https://example.org/o", source={"page": 3}),
    ]


def test_a_call_has_its_result_in_it():
    pages = {"pages": [{"title": "Monet", "url": "https://example.org/m"}]}
    search = {"type": "tool_call", "id": "t", "name": "web_search", "publicArguments": '{"query": "lilies"}'}
    found = parts(
        {**search, "publicResult": pages, "success": True, "turn": 2},
        {"type": "tool_call", "name": "code", "publicArguments": "1 +", "success": False},
        {"type": "tool_call", "name": "wait", "isDone": False},
    )
    call, result, failed, failure, unfinished = found
    assert call == PartRecord(
        PartType.TOOL_USE,
        None,
        "tool_call",
        "web_search",
        "t",
        JsonText('{"query": "lilies"}'),
        source={"success": True, "turn": 2},
    )
    assert (result.text, result.tool_use_id, result.is_error) == ("Monet\nhttps://example.org/m", "t", False)
    assert result.source == {"publicResult": pages}
    assert (failed.tool_use_id, failed.tool_input) == ("a-call-2", "1 +")
    assert (failure.part_type, failure.tool_use_id, failure.text, failure.is_error) == (
        PartType.TOOL_RESULT,
        "a-call-2",
        None,
        True,
    )
    assert (unfinished.part_type, unfinished.tool_use_id) == (PartType.TOOL_USE, "a-call-3")


def test_a_canvas_stands_where_a_chunk_shows_it_and_any_other_behind():
    document = {"id": "d", "version": 1, "type": "slides", "title": "Talk", "content": "# One\n---\n# Two"}
    other = {"type": "text/markdown", "content": "notes"}
    shown = {"type": "canva", "id": "d", "version": 1}
    gone = {"type": "canva", "id": "gone", "version": 2}
    found = parts(shown, {"type": "text", "text": "Here."}, gone, said="Here.", canvas=[other, document])
    assert found == [
        PartRecord(PartType.ARTIFACT, "# One\n---\n# Two", "slides", uri="d", source={"version": 1, "title": "Talk"}),
        PartRecord(PartType.TEXT, "Here.", "text"),
        PartRecord(PartType.ARTIFACT, None, "canva", uri="gone", source={"version": 2}),
        PartRecord(PartType.ARTIFACT, "notes", "text/markdown"),
    ]


@pytest.mark.parametrize(
    ("said", "texts", "kept", "unread"),
    [
        ("one", ["one"], None, 0),
        ("one two", ["one", "two"], "one two", 0),
        ("three", ["one", "two"], "three", 1),
        ("only", ["only"], None, 0),
    ],
)
def test_the_text_as_a_whole_is_no_second_text(said: str, texts: list[str], kept: str | None, unread: int):
    chunks = [chunk for text in texts for chunk in ({"type": "text", "text": text}, {"type": "tool_call", "name": "x"})]
    record = read(answer("a", 1, said, *([] if said == "only" else chunks)))
    [found] = record.messages
    assert [part.text for part in found.parts if part.part_type is PartType.TEXT] == texts
    assert found.source.get("content") == kept
    assert record.warnings.get("unread_text", 0) == unread


def test_files_are_named_by_their_chat():
    record = read(user("q", 1, files=[{"type": "image", "name": "a b.png", "size": 7}, {"id": "f", "type": "text"}]))
    assert record.messages[0].attachments == (
        AttachmentRecord(f"chat-{CHAT}-files/a b.png", "a b.png", size_bytes=7, source={"type": "image"}),
        AttachmentRecord("f", source={"type": "text"}),
    )


def test_what_is_damaged_is_kept_and_counted():
    again = {**user("q", 2, "other")}
    record = read(user("q", 1, 7), again, "x", answer("a", 3, "a", 5, {"type": "hologram"}, files=[9], quotes=[8]))
    assert record.warnings == {
        "malformed_message": 1,
        "malformed_text": 1,
        "duplicate_message": 1,
        "unknown_part:none": 1,
        "unknown_part:hologram": 1,
    }
    assert record.source_json == {"messages": ["x", again]}
    assert record.messages[1].parent_source_id == "q"
    assert (record.messages[1].source["files"], record.messages[1].source["quotes"]) == ([9], [8])


def test_a_file_of_messages_is_one_chat_whatever_its_name(tmp_path: Path):
    path = tmp_path / "renamed.json"
    path.write_text(json.dumps([answer("a", 2), user("q", 1)]))
    [file] = read_paths([path])
    [item] = file.records()
    assert isinstance(item, ReadDialogue)
    assert (item.record.source, item.record.source_id, len(item.record.messages)) == ("le_chat", CHAT, 2)


def test_only_messages_with_a_chat_are_taken():
    assert recognise({"messages": [user("q", 1)]}).source == "le_chat"
    early = {name: value for name, value in user("q", 1).items() if name != "contentChunks"}
    assert recognise({"tree": CHAT, "messages": [early]}).source == "le_chat"
    plain = {"role": "user", "content": "q"}
    assert recognise({"messages": [plain]}).source == "openai_messages"
    assert READER.recognise({"tree": CHAT, "messages": [{**plain, "chatId": CHAT}]}).confidence == 0.1


def test_nothing_that_exports_are_known_to_have_is_drift():
    seen = Drift()
    seen.look_at("le_chat", {"tree": CHAT, "messages": [user("q", 1), answer("a", 2)]}, "chat.json")
    assert not seen.found


def test_an_export_adds_to_a_chat_and_takes_nothing_from_it(database: Database, tmp_path: Path):
    path = tmp_path / f"chat-{CHAT}.json"

    def imported(*messages: Any, cut: int = 0) -> list[tuple[Any, ...]]:
        text = json.dumps(list(messages))
        path.write_text(text[: len(text) - cut])
        import_archive(database, read_paths([path]))
        return query(
            database,
            "SELECT source_id, source_parent_id FROM raw.messages WHERE deleted_at IS NULL ORDER BY created_at",
        )

    grown = [("q", None), ("a", "q"), ("a-v1", "q"), ("q2", "a-v1")]
    assert imported(user("q", 1), answer("a", 2)) == grown[:2]
    everything = (user("q", 1), answer("a", 2), answer("a", 3, version=1), user("q2", 4))
    assert imported(*everything) == grown
    assert imported(*everything, cut=20) == grown
    newest = everything[::2]
    assert imported(*newest, user("q2", 4)) == grown
