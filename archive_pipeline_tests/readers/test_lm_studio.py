"""LM Studio's conversations: versions as branches, steps of answers, calls, files, what was sent instead."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.domain.records import AttachmentRecord, DialogueRecord, MessageRecord, PartRecord, RejectedRecord
from archive_pipeline.readers.drift import Drift
from archive_pipeline.readers.lm_studio import READER
from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline.readers.registry import recognise

IMAGE = "1770000000100 - 7.png"
NOTES = "1770000000200 - 8.txt"


def text(said: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": said, **more}


def user(*content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "singleStep", "role": "user", "content": list(content), **more}


def block(*content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "contentBlock", "content": list(content), **more}


def answer(*steps: Any, **more: Any) -> dict[str, Any]:
    return {"type": "multiStep", "role": "assistant", "steps": list(steps), **more}


def message(*versions: Any, selected: Any = 0) -> dict[str, Any]:
    return {"versions": list(versions), "currentlySelected": selected}


def conversation(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"name": "Soil", "createdAt": 1770000000000, "messages": list(messages), **more}


def ended(call: int, kind: str, **more: Any) -> dict[str, Any]:
    return {"type": "toolStatus", "callId": call, "statusState": {"status": {"type": kind, **more}}}


def read(value: dict[str, Any], locator: str = "c.json[0]") -> DialogueRecord:
    record = READER.read(value, locator)
    assert isinstance(record, DialogueRecord)
    return record


def parts(value: dict[str, Any]) -> tuple[PartRecord, ...]:
    [record] = read(conversation(message(value))).messages
    return record.parts


def outline(*found: PartRecord) -> list[tuple[str, str | None]]:
    return [(part.part_type.value, part.text) for part in found]


def test_a_file_is_a_conversation_by_its_name_in_the_users_folder(tmp_path: Path):
    file = tmp_path / "conversations" / "Garden" / "Beds" / "1770000000000.conversation.json"
    file.parent.mkdir(parents=True)
    last = {"userLastMessagedAt": 1770000060000, "assistantLastMessagedAt": 1770000065500}
    file.write_text(json.dumps(conversation(message(user(text("Why lime?"))), pinned=True, clientInput="And", **last)))
    [read_file] = read_paths([tmp_path])
    [found] = read_file.records()
    assert isinstance(found, ReadDialogue)
    record = found.record
    assert (record.source, record.source_id, record.title) == ("lm_studio", "1770000000000", "Soil")
    assert record.project_id == "Garden/Beds"
    assert record.created_at == datetime(2026, 2, 2, 2, 40, tzinfo=UTC)
    assert record.updated_at == datetime(2026, 2, 2, 2, 41, 5, 500_000, tzinfo=UTC)
    assert record.source_json == {"createdAt": 1770000000000, "pinned": True, "clientInput": "And", **last}
    assert (record.messages, record.active_source_id) == (
        (
            MessageRecord(
                "0-0", None, "user", (PartRecord("text", "Why lime?", "text"),), source={"type": "singleStep"}
            ),
        ),
        "0-0",
    )
    assert not record.warnings


def test_versions_are_branches_and_what_follows_stands_behind_the_one_that_is_shown():
    def version(said: str, moment: int) -> dict[str, Any]:
        return answer(block(text(said), stepIdentifier=f"{moment}-0.5"))

    record = read(
        conversation(
            message(user(text("Why?"))),
            message(version("first", 1770000001000), version("second", 1770000002000), selected=0),
            message(user(text("And?"))),
            message(version("third", 1770000003000), version("fourth", 1770000004000), selected=0),
        )
    )
    assert [(each.source_id, each.parent_source_id, each.parts[0].text) for each in record.messages] == [
        ("0-0", None, "Why?"),
        ("1-1", "0-0", "second"),
        ("1-0", "0-0", "first"),
        ("2-0", "1-0", "And?"),
        ("3-1", "2-0", "fourth"),
        ("3-0", "2-0", "third"),
    ]
    times = {each.source_id: each.created_at for each in record.messages if each.created_at is not None}
    assert times == {
        "1-0": datetime(2026, 2, 2, 2, 40, 1, tzinfo=UTC),
        "3-0": datetime(2026, 2, 2, 2, 40, 3, tzinfo=UTC),
    }
    assert record.active_source_id == "3-0"


@pytest.mark.parametrize("selected", [2, -1, "0", True])
def test_a_selection_of_no_version_is_counted_and_the_last_one_is_shown(selected: Any):
    record = read(conversation(message(user(text("a")), user(text("b")), selected=selected)))
    assert record.active_source_id == "0-1"
    assert record.warnings == {"bad_current_pointer": 1}
    assert record.messages[-1].source == {"type": "singleStep", "message": {"currentlySelected": selected}}


def test_the_steps_of_an_answer_are_parts_of_one_message():
    made = {"identifier": "qwen3-8b", "stats": {"stopReason": "userStopped", "predictedTokensCount": 9}}
    thinking = {"style": {"type": "thinking", "ended": True, "title": "Thought for 2 seconds"}, "prefix": "<think>"}
    status = {"type": "status", "statusState": {"status": "done", "text": "Loading parser"}}
    [record] = read(
        conversation(
            message(
                answer(
                    status,
                    {"type": "citationBlock", "citedText": "Lime is", "fileName": "soil.pdf", "pageNumber": 4},
                    block(text("Hm."), stepIdentifier="1770000001000-0.25", **thinking),
                    block(text("Li", fromDraftModel=True), text("me."), genInfo=made, shouldIncludeInContext=True),
                    {"type": "debugInfoBlock", "debugInfo": "x"},
                    senderInfo={"senderName": "Qwen3"},
                )
            )
        )
    ).messages
    assert outline(*record.parts) == [("citation", "soil.pdf"), ("thinking", "Hm."), ("text", "Lime.")]
    assert [part.source for part in record.parts] == [
        {"citedText": "Lime is", "pageNumber": 4},
        {"step": {"type": "contentBlock", "stepIdentifier": "1770000001000-0.25", **thinking}},
        {
            "content": [{"fromDraftModel": True}, {}],
            "step": {"type": "contentBlock", "genInfo": made, "shouldIncludeInContext": True},
        },
    ]
    assert (record.model, record.author_name, record.state) == ("qwen3-8b", "Qwen3", "aborted")
    assert record.created_at == datetime(2026, 2, 2, 2, 40, 1, tzinfo=UTC)
    assert record.source == {"type": "multiStep", "steps": [status, {"type": "debugInfoBlock", "debugInfo": "x"}]}


def test_calls_in_blocks_are_answered_by_results_in_blocks():
    request = {"type": "toolCallRequest", "callId": 1, "toolCallRequestId": "r1", "name": "read"}
    result = {"type": "toolCallResult", "callId": 1, "toolCallRequestId": "r1"}
    asked = {"type": "requestConfirmToolCall", "request": {"callId": 1, "name": "read", "parameters": {"path": "a"}}}
    given = json.dumps([{"type": "text", "text": "pH 6"}, {"type": "text", "text": "moist"}])
    found = parts(
        answer(
            block({**request, "parameters": {"path": "a"}, "pluginIdentifier": "mcp/files"}),
            asked,
            ended(1, "toolCallFailed", error="no such file"),
            block({**result, "content": given}, roleOverride="tool"),
            block(text("Continue."), roleOverride="user"),
        )
    )
    assert outline(*found) == [("tool_use", None), ("tool_result", "pH 6\n\nmoist"), ("context", "Continue.")]
    assert (found[0].tool_name, found[0].tool_use_id, found[0].tool_input) == ("read", "r1", {"path": "a"})
    assert (found[1].tool_name, found[1].tool_use_id, found[1].is_error) == ("read", "r1", True)
    assert found[1].source["content"] == given


def test_a_result_without_a_call_is_counted():
    record = read(conversation(message(answer(block({"type": "toolCallResult", "callId": 1, "content": "x"})))))
    assert record.warnings == {"unpaired_tool_result": 1}


def test_calls_of_early_versions_are_what_the_user_was_asked_and_how_they_ended():
    def asked(call: int) -> dict[str, Any]:
        return {
            "type": "requestConfirmToolCall",
            "request": {"callId": call, "name": "look", "parameters": {"at": call}},
        }

    found = parts(
        answer(
            *(asked(1), ended(1, "toolCallSucceeded", timeMs=20)),
            *(asked(2), ended(2, "toolCallDenied", denyReason="not now")),
            *(ended(3, "toolCallGenerationFailed", error="no JSON"), ended(4, "callingTool")),
        )
    )
    assert [(*each, part.tool_use_id, part.is_error) for each, part in zip(outline(*found), found, strict=True)] == [
        ("tool_use", None, "1", None),
        ("tool_result", None, "1", False),
        ("tool_use", None, "2", None),
        ("tool_result", "not now", "2", True),
        ("error", "no JSON", None, None),
    ]
    assert [part.tool_name for part in found] == ["look", "look", "look", "look", None]


def test_pictures_are_parts_and_other_files_are_attached():
    said = user(
        text("Look: "),
        {"type": "file", "fileIdentifier": NOTES, "fileType": "text/plain", "sizeBytes": 12},
        text("and"),
        {"type": "file", "fileIdentifier": IMAGE, "fileType": "image", "sizeBytes": 4},
    )
    [record] = read(conversation(message(said))).messages
    assert [(part.part_type, part.text, part.uri) for part in record.parts] == [
        ("text", "Look: ", None),
        ("text", "and", None),
        ("image", None, IMAGE),
    ]
    assert record.attachments == (
        AttachmentRecord(NOTES, mime_type="text/plain", size_bytes=12, source={"type": "file"}),
    )


def test_what_the_model_was_given_instead_is_context_and_a_copy_is_none():
    content = [text("Why?")]
    given = [text("This is a citation: …\n\nWhy?")]
    assert outline(*parts(user(*content, preprocessed={"role": "user", "content": given}))) == [
        ("text", "Why?"),
        ("context", "This is a citation: …\n\nWhy?"),
    ]
    assert outline(*parts(user(*content, preprocessed={"role": "user", "content": content}))) == [("text", "Why?")]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"systemPrompt": "Be brief."}, "Be brief."),
        ({"systemPrompt": "Old.", "usePerChatPredictionConfig": True}, "Be kind."),
        ({"systemPrompt": "Old.", "usePerChatPredictionConfig": False}, "Old."),
        ({"usePerChatPredictionConfig": False}, None),
    ],
)
def test_the_system_prompt_is_the_one_that_counts(settings: dict[str, Any], expected: str | None):
    config = {"fields": [{"key": "llm.prediction.systemPrompt", "value": "Be kind."}]}
    more = {"perChatPredictionConfig": config} if "usePerChatPredictionConfig" in settings else {}
    record = read(conversation(message(user(text("a"))), **settings, **more))
    first = record.messages[0]
    assert (first.parts[0].text if first.role == "system" else None) == expected
    assert record.messages[-1].parent_source_id == ("system" if expected else None)


def test_what_is_malformed_is_kept_and_counted():
    record = read(
        conversation(
            "no message",
            {"versions": []},
            message("no version", answer(block(text("a")), {"type": "hologram"}, "x", content=[text("b")]), selected=1),
        )
    )
    assert record.source_json["messages"] == ["no message", {"versions": []}]
    [found] = record.messages
    assert outline(*found.parts) == [("text", "a"), ("unknown", None), ("unknown", None)]
    assert found.source["message"] == {"versions": ["no version"]}
    assert found.source["content"] == [text("b")]
    assert record.warnings == {
        "malformed_message": 3,
        "unknown_part:hologram": 1,
        "unknown_part:none": 1,
        "unread_text": 1,
    }


@pytest.mark.parametrize(
    ("value", "confidence"),
    [
        (conversation(message(user(text("a")))), 1.0),
        (conversation(lastUsedModel={}, usePerChatPredictionConfig=True), 0.6),
        (conversation({"role": "user"}, lastUsedModel={}, usePerChatPredictionConfig=True), 0.1),
        (conversation(), 0.0),
        ({"messages": [{"versions": [{"role": "user", "content": "a"}]}]}, 0.0),
    ],
)
def test_a_conversation_is_told_by_versions_of_messages(value: dict[str, Any], confidence: float):
    assert READER.recognise(value).confidence == confidence
    assert recognise(value).is_recognised == (confidence > 0.5)


def test_a_usual_conversation_has_nothing_unknown():
    seen = Drift()
    said = message(user(text("a"), {"type": "file", "fileIdentifier": IMAGE, "fileType": "image", "sizeBytes": 4}))
    seen.look_at("lm_studio", conversation(said, message(answer(block(text("b")), ended(1, "callingTool")))), "c.json")
    assert not seen.found


def test_an_object_without_messages_is_rejected():
    rejected = READER.read({"name": "Soil"}, "c.json[0]")
    assert rejected == RejectedRecord("c.json[0]", "the conversation has no 'messages'", "missing messages")
