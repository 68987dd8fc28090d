"""Messages of Goose: who says what, what Goose says in another's name, calls of tools, and what is not known."""

from __future__ import annotations

import hashlib
import json

from archive_pipeline.readers.left_out_lines import LEFT_OUT_LINE, stand_in
from archive_pipeline_tests.readers.goose_sessions import (
    CONTEXT,
    ERROR,
    FILE,
    HEADER,
    HIDDEN,
    IMAGE,
    RESULT,
    SAID,
    TEXT,
    THINKING,
    USE,
    call,
    exported,
    message,
    read,
    result,
    text,
)
from archive_pipeline_tests.readers.said import parts, said


def test_what_goose_says_in_anothers_name_is_context():
    record = exported(
        message(0, "user", text("<turn-context>\n<current-time>10</current-time>\n</turn-context>")),
        message(1, "user", text("Sum")),
        message(2, "user", text("All so far"), metadata=HIDDEN),
        message(2, "assistant", text("The previous message is a summary."), metadata=HIDDEN),
        message(3, "user", text("A file", annotations={"audience": ["assistant"]}), text("Go on")),
        message(4, "user", text("You MUST call the `final_output` tool NOW with the final output for the user.")),
        message(5, "user", text("What does You MUST call the `final_output` tool mean?")),
        message(
            6, "assistant", {"type": "systemNotification", "notificationType": "inlineMessage", "msg": "Compacted"}
        ),
    )
    assert said(record) == [
        ("system", [(CONTEXT, "<turn-context>\n<current-time>10</current-time>\n</turn-context>")]),
        ("user", [(TEXT, "Sum")]),
        ("system", [(CONTEXT, "All so far")]),
        ("system", [(CONTEXT, "The previous message is a summary.")]),
        ("user", [(CONTEXT, "A file"), (TEXT, "Go on")]),
        ("system", [(CONTEXT, "You MUST call the `final_output` tool NOW with the final output for the user.")]),
        ("user", [(TEXT, "What does You MUST call the `final_output` tool mean?")]),
        ("system", [(CONTEXT, "Compacted")]),
    ]
    assert [item.is_hidden for item in record.messages] == [item.role == "system" for item in record.messages]
    assert record.messages[3].source["role"] == "assistant"


def test_answers_have_thoughts_errors_models_and_their_state():
    inference = {"provider": "p", "requestedModel": "large", "resolvedModel": "large-2"}
    failed = "Ran into this error: no route.\n\nPlease retry if you think this is a transient or recoverable error."
    record = exported(
        message(
            1,
            "assistant",
            {"type": "thinking", "thinking": "Hm.", "signature": "s"},
            {"type": "reasoning", "text": "So."},
            {"type": "redactedThinking", "data": "x"},
            text("One"),
            metadata={
                "userVisible": True,
                "agentVisible": True,
                "inference": inference,
                "outputTokenLimitReached": True,
            },
        ),
        message(2, "assistant", {"type": "error", "kind": "authentication", "message": "No key"}),
        message(3, "assistant", text(failed)),
        message(4, "assistant", text("Two")),
        model_config={"model_name": "small"},
    )
    assert [parts(item) for item in record.messages] == [
        [(THINKING, "Hm."), (THINKING, "So."), (THINKING, None), (TEXT, "One")],
        [(ERROR, "No key")],
        [(ERROR, failed)],
        [(TEXT, "Two")],
    ]
    assert [(item.model, item.state) for item in record.messages] == [
        ("large-2", "aborted"),
        ("small", "error"),
        ("small", "error"),
        ("small", "complete"),
    ]


def test_files_that_the_user_gives_and_pictures_of_tools_are_parts():
    record = exported(
        message(
            1,
            "user",
            text("See"),
            {"type": "image", "data": "aGk=", "mimeType": "image/png"},
            {"type": "document", "data": "aGk=", "mimeType": "application/pdf", "name": "q.pdf"},
        ),
        message(2, "assistant", call("c1", "shot", {})),
        message(2, "user", result("c1", value=[{"type": "image", "data": "aGk=", "mimeType": "image/png"}])),
    )
    found = [(part.part_type, part.mime_type, part.content_sha256) for item in record.messages for part in item.parts]
    digest = hashlib.sha256(b"hi").hexdigest()
    assert found[1:3] == [(IMAGE, "image/png", digest), (FILE, "application/pdf", digest)]
    assert found[4:] == [(RESULT, None, None), (IMAGE, "image/png", digest)]
    assert record.messages[0].parts[2].source["name"] == "q.pdf"


def test_of_a_result_the_text_is_what_the_model_got_and_words_behind_it_are_the_users():
    for_model = text("3 files", annotations={"audience": ["assistant"]})
    for_user = text("three files", annotations={"audience": ["user"]})
    resource = {"type": "resource", "resource": {"uri": "file:///a", "text": "# A"}}
    record = exported(
        message(1, "assistant", call("c1", "list", {}), call("c2", "view", {})),
        message(
            2,
            "user",
            result("c1", value={"content": [for_model, for_user, resource], "isError": True}),
            {"type": "toolResponse", "id": "c2", "toolResult": {"status": "error", "error": "-32603: declined"}},
            text("Stop."),
        ),
    )
    assert said(record)[1:] == [
        ("tool", [(RESULT, "3 files\n\n# A"), (RESULT, "-32603: declined")]),
        ("user", [(TEXT, "Stop.")]),
    ]
    results, words = record.messages[1:]
    assert [(part.tool_name, part.is_error) for part in results.parts] == [("list", True), ("view", True)]
    assert for_user in results.parts[0].source["toolResult"]["value"]["content"]
    assert words.source_id == f"{results.source_id}-text"


def test_what_goose_asks_and_what_the_user_answers_is_context():
    asked = {"type": "actionRequired", "data": {"actionType": "elicitation", "id": "e", "message": "Which branch?"}}
    answer = {"actionType": "elicitationResponse", "id": "e", "user_data": {"branch": "main"}}
    record = exported(message(1, "assistant", asked), message(2, "user", {"type": "actionRequired", "data": answer}))
    assert said(record) == [("system", [(CONTEXT, "Which branch?")]), ("system", [(CONTEXT, "main")])]
    assert record.messages[1].parts[0].source["data"]["user_data"] == {"branch": "main"}


def test_messages_of_versions_before_1_0_are_read():
    value = {
        "file": "old.jsonl",
        "lines": [
            message(1, "user", {"type": "Text", "text": "List"}),
            message(2, "assistant", {"type": "ToolUse", "id": "c", "name": "bash", "parameters": {"command": "ls"}}),
            message(3, "user", {"type": "ToolResult", "tool_use_id": "c", "output": "a", "is_error": False}),
        ],
    }
    record = read(value)
    assert record.source_id == "old"
    assert said(record) == [("user", [(TEXT, "List")]), ("assistant", [(USE, None)]), ("tool", [(RESULT, "a")])]
    assert record.messages[2].parts[0].tool_name == "bash"


def test_unknown_blocks_content_that_is_no_json_and_lines_that_are_no_message_are_counted_and_kept():
    hologram = {"type": "hologram", "depth": 3}
    lines = [HEADER, message(1, "user", hologram), {"depth": 1}, {"unreadable_line": "{"}]
    broken = {**message(2, "user"), "content": '[{"type": "te'}
    record = read({"file": "s.jsonl", "lines": [*lines, broken]})
    assert record.warnings == {"unknown_part:hologram": 1, "malformed_message": 2, "malformed_content": 1}
    assert record.messages[0].parts[0].source == hologram
    assert parts(record.messages[1]) == [(TEXT, '[{"type": "te')]
    assert record.source_json["lines"] == {"1": lines[0], "3": lines[2], "4": lines[3]}


def test_a_prompt_that_is_left_out_is_a_message_without_text_and_an_answer_is_none():
    lines = [json.loads(stand_in(line, LEFT_OUT_LINE, "line 1")) for line in SAID[:3]]
    record = read({"file": "s.jsonl", "lines": [*lines, SAID[3]]})
    assert [(item.role, item.parts[0].source_type) for item in record.messages] == [
        ("user", LEFT_OUT_LINE),
        ("assistant", "text"),
    ]
