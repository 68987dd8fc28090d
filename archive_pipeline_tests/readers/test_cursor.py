"""Cursor's conversations: whose words a message has, calls with their results, what versions have where."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

from archive_pipeline.domain.records import DialogueRecord, PartType, RejectedRecord
from archive_pipeline.readers.cursor.dialogue import read_conversation
from archive_pipeline.readers.drift import Drift
from archive_pipeline.readers.registry import readers, recognise
from archive_pipeline_tests.readers.cursor_databases import CHATS, NAME, START, asked, called, conversation, said


def rows(entries: Mapping[str, Any], **tables: Any) -> dict[str, Any]:
    """What is handed on of the entries of a conversation."""
    items = [{"key": key, "value": value} for key, value in entries.items()]
    return {"database": "cursor", "conversation_id": NAME, "tables": {"cursorDiskKV": items, **tables}}


def read(entries: Mapping[str, Any], **tables: Any) -> DialogueRecord:
    record = read_conversation(rows(entries, **tables), "f[0]")
    assert isinstance(record, DialogueRecord)
    return record


def only(*bubbles: Mapping[str, Any], **about: Any) -> Any:
    [message] = read(conversation(*bubbles, **about)).messages
    return message


def texts(record: DialogueRecord) -> list[tuple[str | None, str, str | None]]:
    return [(each.source_id, each.role, each.parts[0].text) for each in record.messages]


def test_a_conversation_with_its_messages():
    thought = said(2, thinking={"text": "Sum it", "signature": "s"})
    record = read(
        conversation(
            asked(1, "Sum the horizons", modelInfo={"modelName": "claude-4.5"}),
            thought,
            said(3, "Done.", tokenCount={"inputTokens": 12}),
            lastUpdatedAt=START + 1_000,
            workspaceIdentifier={"id": "w", "uri": {"fsPath": "/work/loess"}},
            subagentInfo={"parentComposerId": "parent"},
        )
    )
    about = (record.source, record.source_id, record.title, record.project_id, record.parent_source_id)
    assert about == ("cursor", NAME, "Sum", "/work/loess", "parent")
    times = (record.created_at, record.updated_at)
    assert times == (datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, 0, 0, 3, tzinfo=UTC))
    assert texts(record) == [
        ("b1", "user", "Sum the horizons"),
        ("b2", "assistant", "Sum it"),
        ("b3", "assistant", "Done."),
    ]
    assert [each.model for each in record.messages] == [None, "claude-4.5", "claude-4.5"]
    assert record.messages[1].parts[0].part_type is PartType.THINKING
    assert record.messages[1].parts[0].source == {"signature": "s"}
    assert record.messages[2].source["tokenCount"] == {"inputTokens": 12}
    assert (record.is_linear_source, record.vintage, dict(record.warnings)) == (True, "partial full", {})
    assert "fullConversationHeadersOnly" not in record.source_json


@pytest.mark.parametrize(
    ("prompt", "model"),
    [
        (asked(3, "b"), None),
        (asked(3, "b", modelInfo={"modelName": "gpt-5"}), "gpt-5"),
        (asked(3, "b", modelInfo={"modelName": ""}), None),
        (asked(3, "b", isSimulatedMsg=True), None),
        (asked(3, "", modelInfo={"modelName": "gpt-5"}), "gpt-5"),  # says nothing, and is no message
        ({**said(3, "b", modelInfo={"modelName": "gpt-5"}), "type": 7}, "claude-4.5"),
    ],
)
def test_an_answer_has_the_model_of_the_prompt_before_it(prompt: dict[str, Any], model: str | None):
    first = asked(1, "a", modelInfo={"modelName": "claude-4.5"})
    messages = read(conversation(first, said(2, "A."), prompt, said(4, "B."), said(5, "C."))).messages
    assert [each.model for each in messages if each.role == "assistant"] == ["claude-4.5", model, model]


def test_the_list_has_the_order_and_what_it_does_not_name_is_apart():
    entries = conversation(asked(3, "first"), said(1, "second"))
    entries[f"bubbleId:{NAME}:b2"] = said(2, "an answer that was made again")
    record = read(entries)
    assert texts(record) == [("b3", "user", "first"), ("b1", "assistant", "second")]
    assert [each["text"] for each in record.source_json["messages_apart"]] == ["an answer that was made again"]


def test_messages_without_their_conversation_are_in_the_order_of_their_times():
    entries = conversation(asked(2, "b"), said(1, "a"))
    del entries[f"composerData:{NAME}"]
    record = read(entries)
    assert (record.source_id, [text for _, _, text in texts(record)]) == (NAME, ["a", "b"])


def test_times_are_compared_whatever_their_notation():
    times = {
        "e": "2026-01-01T00:00:05Z",
        "c": "2026-01-01T02:00:03+02:00",
        "d": str(START + 4_000),
        "b": START + 2_000,
        "a": None,
        "f": "2026-01-01T00:00:06.5Z",
    }
    bubbles = [{**said(at, text), "createdAt": moment} for at, (text, moment) in enumerate(times.items())]
    entries = conversation(*bubbles)
    del entries[f"composerData:{NAME}"]
    assert [text for _, _, text in texts(read(entries))] == [*"abcdef"]


def test_messages_whose_rows_are_gone_are_counted():
    entries = conversation(asked(1, "a"), said(2, "b"), said(3, "c"))
    del entries[f"bubbleId:{NAME}:b2"]
    record = read(entries)
    assert [text for _, _, text in texts(record)] == ["a", "c"]
    assert record.warnings == {"malformed_message": 1}
    assert record.source_json["fullConversationHeadersOnly"] == [{"bubbleId": "b2", "type": 2}]


def test_a_conversation_of_which_no_message_is_there_is_rejected():
    entries = conversation(asked(1, "a"), said(2, "b"))
    record = read_conversation(rows({f"composerData:{NAME}": entries[f"composerData:{NAME}"]}), "f[0]")
    assert isinstance(record, RejectedRecord)
    assert "names 2 messages, none of which is in the database any more" in record.reason


@pytest.mark.parametrize(
    ("call", "given", "result", "is_error", "state"),
    [
        (
            {"rawArgs": '{"path":"a"}', "params": '{"p":1}', "result": '{"x":1}'},
            '{"path":"a"}',
            '{"x":1}',
            False,
            "complete",
        ),
        ({"params": '{"p":1}', "result": "r", "status": "completed"}, '{"p":1}', "r", False, "complete"),
        ({"rawArgs": "not JSON", "status": "loading"}, "not JSON", None, None, "in_progress"),
        ({"status": "cancelled", "rawArgs": "{}"}, "{}", None, None, "aborted"),
        ({"status": "error", "error": "no file"}, None, "no file", True, "complete"),
        ({"status": "completed", "additionalData": {"status": "error"}}, None, None, True, "complete"),
    ],
)
def test_a_call_with_its_result(
    call: dict[str, Any], given: str | None, result: str | None, is_error: bool | None, state: str
):
    message = only(called(1, **call))
    use, *results = message.parts
    assert (use.part_type, use.tool_name, use.tool_use_id) == (PartType.TOOL_USE, "read_file", "c1")
    assert getattr(use.tool_input, "text", use.tool_input) == given
    assert message.state == state
    if is_error is None:
        assert results == []
    else:
        [part] = results
        about = (part.part_type, part.text, part.tool_use_id, part.is_error)
        assert about == (PartType.TOOL_RESULT, result, "c1", is_error)


def test_a_call_of_which_nothing_but_its_failure_is_there():
    [part] = only(said(1, toolFormerData={"additionalData": {"status": "error"}})).parts
    assert (part.part_type, part.tool_name) == (PartType.TOOL_USE, None)
    assert part.source == {"additionalData": {"status": "error"}}


@pytest.mark.parametrize("about", [{"text": "Hello."}, {"text": "", "errorDetails": {"message": "Disconnected"}}])
def test_a_status_beside_what_an_answer_says_is_no_call(about: dict[str, Any]):
    message = only(said(1, **about, toolFormerData={"additionalData": {"status": "error"}}))
    kinds = {"Hello.": PartType.TEXT, "": PartType.ERROR}
    assert [part.part_type for part in message.parts] == [kinds[about["text"]]]
    assert message.source is not None
    assert message.source["toolFormerData"] == {"additionalData": {"status": "error"}}


@pytest.mark.parametrize("is_text", [True, False])
def test_earlier_versions_have_calls_beside_the_messages(is_text: bool):
    calls: Any = {"b1": {"name": "edit_file", "params": "{}", "result": "ok"}}
    data = {"bubbleDataMap": json.dumps(calls) if is_text else calls}
    message = only(said(1), capabilities=[{"type": 15, "data": data}, {"type": 22, "data": {}}])
    assert [(part.part_type.value, part.tool_name) for part in message.parts] == [
        ("tool_use", "edit_file"),
        ("tool_result", "edit_file"),
    ]


LEXICAL = {
    "root": {
        "children": [
            {"type": "paragraph", "children": [{"text": "Sum "}, {"type": "mention", "text": "@a.csv"}]},
            {"type": "paragraph", "children": [{"text": "now"}, {"type": "linebreak"}, {"text": "please"}]},
        ]
    }
}


@pytest.mark.parametrize(
    ("bubble", "text"),
    [
        (asked(1, "plain", richText=json.dumps(LEXICAL)), "plain"),
        (asked(1, "", richText=json.dumps(LEXICAL)), "Sum @a.csv\nnow\nplease"),
        (asked(1, "", richText="not Lexical"), "not Lexical"),
        (asked(1, "", initText=json.dumps(LEXICAL)), "Sum @a.csv\nnow\nplease"),
    ],
)
def test_what_the_user_wrote(bubble: dict[str, Any], text: str):
    message = only(bubble)
    assert [(part.part_type, part.text) for part in message.parts] == [(PartType.TEXT, text)]


def test_what_came_with_a_prompt_is_not_the_users_words():
    place = {"scheme": "file", "path": "/work/a.csv", "fsPath": "/work/a.csv", "external": "file:///work/a.csv"}
    selections = [{"uri": {"fsPath": "/work/b.py"}, "rawText": "x = 1", "range": {"startLine": 3}}, {"text": "loose"}]
    message = only(
        asked(
            1,
            "Look",
            context={"fileSelections": [{"uri": place, "isCurrentFile": True}], "selections": selections},
            attachedCodeChunks=[{"relativeWorkspacePath": "src/c.py", "lines": ["a", "b"]}],
            images=[{"path": "/work/shot.png"}, {"data": [1, 2]}],
            cursorRules=[{"name": "style", "body": "Be terse"}],
        )
    )
    assert [part.text for part in message.parts] == ["Look"]
    assert [(file.file_name, file.uri, file.extracted_text) for file in message.attachments] == [
        ("a.csv", "file:///work/a.csv", None),
        ("b.py", "/work/b.py", "x = 1"),
        ("c.py", None, "a\nb"),
        ("shot.png", None, None),
    ]
    assert message.source["context"] == {"selections": [{"text": "loose"}]}
    assert message.source["cursorRules"] == [{"name": "style", "body": "Be terse"}]
    assert message.source["images"] == [{"data": [1, 2]}]


@pytest.mark.parametrize(
    ("bubble", "kinds", "state"),
    [
        (said(1, "x", codeBlocks=[{"content": "x"}]), [("text", "x")], "complete"),
        (said(1, codeBlocks=[{"content": "x = 1", "languageId": "python"}]), [("code", "x = 1")], "complete"),
        (said(1, "thought", isThought=True), [("thinking", "thought")], "complete"),
        (said(1, thinking="plain"), [("thinking", "plain")], "complete"),
        (said(1, errorDetails={"message": "Out of quota", "error": 7}), [("error", "Out of quota")], "error"),
        (said(1, serviceStatusUpdate={"message": "Other model"}), [("context", "Other model")], "complete"),
    ],
)
def test_pieces_of_an_answer(bubble: dict[str, Any], kinds: list[tuple[str, str]], state: str):
    message = only(bubble)
    assert [(part.part_type.value, part.text) for part in message.parts] == kinds
    assert message.state == state


def test_what_says_nothing_is_no_message_and_is_kept():
    record = read(conversation(asked(1, "a"), said(2, checkpointId="k")))
    assert len(record.messages) == 1
    assert [each["checkpointId"] for each in record.source_json["messages_apart"]] == ["k"]


def test_a_message_of_an_unknown_speaker_is_nobodys_words():
    message = only({**said(1, "x"), "type": 7})
    assert (message.role, message.is_hidden, message.parts[0].part_type) == ("system", True, PartType.CONTEXT)


@pytest.mark.parametrize(
    ("own", "header", "found"),
    [
        ({"isSimulatedMsg": True, "simulatedMsgReason": "plan_execution"}, {}, ("system", True, "context")),
        ({}, {"grouping": {"isRenderable": True, "isSimulatedMsg": True}}, ("system", True, "context")),
        ({"isSimulatedMsg": False}, {"grouping": {"isSimulatedMsg": False}}, ("user", False, "text")),
        ({"isSimulatedMsg": "no"}, {"grouping": "true"}, ("user", False, "text")),
    ],
)
@pytest.mark.parametrize("text", [{"text": "Carry out the plan"}, {"text": "", "richText": "Carry out the plan"}])
def test_a_prompt_that_cursor_sent_by_itself_is_not_the_users(
    own: dict[str, Any], header: dict[str, Any], found: tuple[str, bool, str], text: dict[str, str]
):
    headers = [{"bubbleId": "b1", "type": 1, **header}]
    message = only({**asked(1, ""), **own, **text}, fullConversationHeadersOnly=headers)
    [part] = message.parts
    assert (message.role, message.is_hidden, part.part_type.value) == found
    assert part.text == "Carry out the plan"
    assert message.source.get("isSimulatedMsg") == own.get("isSimulatedMsg")


def test_an_answer_of_which_the_list_says_that_it_is_simulated_is_an_answer():
    assert only(said(1, "Done.", isSimulatedMsg=True)).role == "assistant"


def test_what_a_simulated_prompt_has_is_known():
    drift = Drift()
    bubble = asked(1, "Go", isSimulatedMsg=True, simulatedMsgReason="commit_reminder")
    drift.look_at("cursor", rows(conversation(bubble)), "f[0]")
    assert not drift.found


@pytest.mark.parametrize(
    "more",
    [
        {"conversation": [asked(1, "a"), said(2, "b")]},
        {"conversationMap": {"b2": said(2, "b"), "b1": asked(1, "a")}},
    ],
)
def test_messages_in_the_conversation_itself(more: dict[str, Any]):
    headers = [{"bubbleId": "b1"}, {"bubbleId": "b2"}]
    about = {"composerId": NAME, "fullConversationHeadersOnly": headers, **more}
    assert texts(read({f"composerData:{NAME}": about})) == [("b1", "user", "a"), ("b2", "assistant", "b")]


def test_a_chat_of_the_first_versions():
    bubbles = [
        {"type": "user", "id": "u1", "delegate": {"a": "Why?"}},
        {"type": "ai", "id": "a1", "rawText": "Because.", "modelType": "gpt-4"},
    ]
    chat = {"tabId": "t1", "chatTitle": "Why", "lastSendTime": START, "bubbles": bubbles}
    value = {"database": "cursor", "conversation_id": CHATS, "tables": {"ItemTable": [{"key": CHATS, "value": chat}]}}
    record = read_conversation(value, "f[0]")
    assert isinstance(record, DialogueRecord)
    assert (record.source_id, record.title) == ("t1", "Why")
    assert texts(record) == [("u1", "user", "Why?"), ("a1", "assistant", "Because.")]
    assert record.messages[1].model == "gpt-4"


def test_times_of_messages_before_they_had_one():
    timing = {"clientStartTime": 12.5, "clientRpcSendTime": START + 5_000}
    message = only({**said(1, "a"), "createdAt": None, "timingInfo": timing})
    assert message.created_at == datetime(2026, 1, 1, 0, 0, 5, tzinfo=UTC)
    early = only({**said(1, "a"), "createdAt": None, "timingInfo": {"clientRpcSendTime": 12.5}})
    assert early.created_at is None


def test_the_list_of_conversations_names_folder_and_parent():
    place = {"uri": {"fsPath": "/work/loess"}}
    value = {"type": "head", "workspaceIdentifier": place, "subagentInfo": {"parentComposerId": "parent"}}
    record = read(conversation(asked(1, "a")), composerHeaders=[{"composerId": NAME, "recency": 5, "value": value}])
    assert (record.project_id, record.parent_source_id) == ("/work/loess", "parent")
    assert record.source_json["tables"]["composerHeaders"][0]["recency"] == 5


@pytest.mark.parametrize(
    ("value", "confidence"),
    [
        (rows({}), 1.0),
        ({"database": "cursor", "tables": []}, 0.0),
        ({"database": "opencode", "tables": {}}, 0.0),
        ({"composerId": NAME, "conversation": []}, 0.0),
    ],
)
def test_what_is_taken_for_a_conversation(value: dict[str, Any], confidence: float):
    assert readers()["cursor"].recognise(value).confidence == confidence
    assert (recognise(value).source == "cursor") == (confidence > 0)
