"""Copilot Chat's sessions: requests and answers in all three files, calls with their results, what VS Code put in."""

from __future__ import annotations

import copy
import json
import uuid
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.domain.records import DialogueRecord, MessageRecord, RejectedRecord
from archive_pipeline.readers.copilot_chat import READER
from archive_pipeline.readers.copilot_chat.log import replayed
from archive_pipeline.readers.json.shapes import base64_sha256
from archive_pipeline.readers.left_out_lines import LEFT_OUT_LINE
from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline.readers.registry import recognise
from archive_pipeline_tests.readers.work import growth
from archive_pipeline_tests.trials import trials

CANCEL_NOT = {"kind": 1, "k": ["requests", 0, "isCanceled"], "v": False}
START = 1_770_112_800_000  # 2026-02-03, 10:00
FILE = {"$mid": 1, "fsPath": "/w/a.py", "external": "file:///w/a.py", "path": "/w/a.py", "scheme": "file"}
FIRST, SECOND = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
ANSWER = str(uuid.uuid5(uuid.NAMESPACE_OID, f"{FIRST}-response"))


def at(second: int) -> datetime:
    return datetime(2026, 2, 3, 10, 0, second, tzinfo=UTC)


def request(name: str, text: Any, *entries: Any, **more: Any) -> dict[str, Any]:
    return {
        "requestId": f"request_{name}",
        "message": {"text": text, "parts": [{"kind": "text", "text": text}]},
        "variableData": {"variables": []},
        "response": list(entries),
        "responseId": f"response_{name}",
        "timestamp": START + 1_000,
        "modelId": "copilot/gpt-5",
        **more,
    }


def session(*requests: Any, **more: Any) -> dict[str, Any]:
    return {
        "version": 3,
        "sessionId": "s",
        "creationDate": START,
        "customTitle": "Soil",
        "initialLocation": "panel",
        "responderUsername": "GitHub Copilot",
        "requests": list(requests),
        **more,
    }


def read(value: dict[str, Any]) -> DialogueRecord:
    assert recognise(value).source == "copilot_chat"
    record = READER.read(value, "s.json")
    assert isinstance(record, DialogueRecord)
    return record


def answer(*entries: Any, **more: Any) -> MessageRecord:
    return read(session(request("1", "why?", *entries, **more))).messages[1]


def parts(message: MessageRecord) -> list[tuple[str, str | None]]:
    return [(part.part_type.value, part.text) for part in message.parts]


def log(*lines: Any) -> dict[str, Any]:
    return {"file": "s.jsonl", "lines": list(lines)}


def test_a_session_is_requests_and_answers_one_after_the_other():
    done = {"modelState": {"value": 1, "completedAt": START + 5_000}, "result": {"details": "GPT-5"}}
    record = read(session(request(FIRST, "why?", {"value": "Because."}, **done), request(SECOND, "and?")))
    assert (record.source, record.source_id, record.title) == ("copilot_chat", "s", "Soil")
    assert (record.created_at, record.updated_at) == (at(0), at(5))
    assert [(m.source_id, m.parent_source_id, m.role, parts(m)) for m in record.messages] == [
        (FIRST, None, "user", [("text", "why?")]),
        (ANSWER, FIRST, "assistant", [("text", "Because.")]),
        (SECOND, ANSWER, "user", [("text", "and?")]),
    ]
    asked, told, _ = record.messages
    assert (told.model, told.state, told.created_at, told.updated_at) == ("copilot/gpt-5", "complete", at(1), at(5))
    assert told.source["result"] == {"details": "GPT-5"}
    assert asked.source["message"] == {"parts": [{"kind": "text", "text": "why?"}]}
    assert (record.warnings, record.source_json["initialLocation"]) == ({}, "panel")


def test_an_answer_has_its_own_id_where_it_has_another():
    made = request("x", "why?", {"value": "Because."}) | {"responseId": f"response_{SECOND}"}
    assert [message.source_id for message in read(session(made)).messages] == ["request_x", SECOND]


def test_an_export_has_the_id_of_its_first_request():
    value = session(request(FIRST, "why?", {"value": "x"}), requesterUsername="me")
    for name in ("version", "sessionId", "creationDate", "customTitle"):
        del value[name]
    record = read(value)
    assert (record.source_id, record.title, record.created_at) == (FIRST, None, at(1))


def test_pieces_of_a_text_are_one_text_with_the_names_of_files():
    symbol = {"name": "run", "kind": 11, "location": {"uri": FILE, "range": {}}}
    message = answer(
        {"value": "See ", "supportThemeIcons": False, "uris": {}},
        {"kind": "inlineReference", "inlineReference": FILE},
        {"kind": "undoStop", "id": "u"},
        {"value": " and ", "baseUri": FILE},
        {"kind": "inlineReference", "inlineReference": symbol},
        {"kind": "markdownContent", "content": {"value": " there."}},
        {"value": ""},
        {"kind": "prepareToolInvocation", "toolName": "run"},
    )
    assert parts(message) == [("text", "See `a.py` and `run` there.")]
    assert [item.get("kind") for item in message.parts[0].source] == [
        "inlineReference",
        None,
        "inlineReference",
        "markdownContent",
    ]
    assert message.source["response"] == {
        "2": {"kind": "undoStop", "id": "u"},
        "6": {"value": ""},
        "7": {"kind": "prepareToolInvocation", "toolName": "run"},
    }


def test_thoughts_edits_and_what_vs_code_says_are_parts():
    edits = [[{"text": "x = 1\n", "range": {"startLineNumber": 3}}], [{"text": "y = 2\n"}], []]
    message = answer(
        {"kind": "progressTaskSerialized", "content": {"value": "Optimizing"}, "progress": []},
        {"kind": "thinking", "value": ["It ", "seems"], "id": "t"},
        {"value": "Done."},
        {"kind": "textEditGroup", "uri": FILE, "edits": edits, "done": True},
        {"kind": "confirmation", "title": "Continue?", "message": {"value": "It takes long."}, "data": {"a": 1}},
        {"kind": "hologram", "depth": 3},
    )
    assert parts(message) == [
        ("context", "Optimizing"),
        ("thinking", "It seems"),
        ("text", "Done."),
        ("artifact", "x = 1\ny = 2\n"),
        ("context", "Continue?\n\nIt takes long."),
        ("unknown", None),
    ]
    assert message.parts[3].uri == "file:///w/a.py"
    assert message.parts[3].source["edits"] == [[{"range": {"startLineNumber": 3}}], [None], []]


def test_what_vs_code_asks_is_followed_by_what_the_user_says():
    questions = [
        {"id": "q1", "type": "text", "title": "Colour", "message": {"value": "Which colour?"}},
        {"id": "q2", "type": "multiSelect", "title": "Sizes", "message": "Sizes"},
        {"id": "q3", "type": "singleSelect", "title": "Shape"},
    ]
    data = {
        "q1": "blue",
        "q2": {"selectedValues": ["S", "L"], "freeformValue": "no M"},
        "q3": {"selectedValue": "round"},
    }
    message = answer(
        {"kind": "questionCarousel", "message": "Please say", "questions": questions, "data": data},
        {"kind": "planReview", "title": "Plan", "content": "Paint it.", "data": {"feedback": "Twice."}},
    )
    assert parts(message) == [
        ("context", "Please say\n\nColour\n\nWhich colour?\n\nblue\n\nSizes\n\nS\n\nL\n\nno M\n\nShape\n\nround"),
        ("context", "Plan\n\nPaint it.\n\nTwice."),
    ]
    assert message.parts[0].source["data"] == data


def call(name: str, **more: Any) -> dict[str, Any]:
    made = {"kind": "toolInvocationSerialized", "toolId": "run", "toolCallId": name, "isComplete": True}
    return made | {"invocationMessage": {"value": "Runs"}, **more}


@pytest.mark.parametrize(
    ("more", "given_input", "result"),
    [
        ({}, None, None),
        ({"toolSpecificData": {"kind": "input", "rawInput": {"q": 1}}}, {"q": 1}, None),
        ({"toolSpecificData": {"kind": "terminal", "command": "ls"}}, {"command": "ls"}, None),
        (
            {
                "toolSpecificData": {
                    "kind": "terminal",
                    "commandLine": {"original": "ls", "toolEdited": "ls -a"},
                    "terminalCommandOutput": {"text": "a.py"},
                }
            },
            {"command": "ls -a"},
            ("a.py", None),
        ),
        (
            {"resultDetails": {"input": '{"q": 2}', "output": [{"isText": True, "value": "no"}], "isError": True}},
            '{"q": 2}',
            ("no", True),
        ),
        (
            {"toolSpecificData": {"kind": "simpleToolInvocation", "input": "a*", "output": "a.py"}},
            "a*",
            ("a.py", None),
        ),
        (
            {"toolSpecificData": {"kind": "subagent", "prompt": "Count.", "result": "Three."}},
            {"prompt": "Count."},
            ("Three.", None),
        ),
    ],
)
def test_a_call_has_what_vs_code_shows_of_it(more: dict[str, Any], given_input: Any, result: Any):
    use, *results = answer(call("c", **more)).parts
    assert (use.part_type.value, use.tool_name, use.tool_use_id) == ("tool_use", "run", "c")
    assert getattr(use.tool_input, "text", use.tool_input) == given_input
    assert use.source["invocationMessage"] == {"value": "Runs"}
    assert [(part.text, part.is_error) for part in results] == ([result] if result else [])


def test_a_call_has_what_the_model_gave_and_got_where_the_metadata_have_its_id():
    tree = {"node": {"children": [{"text": "one"}, {"children": [{"text": "two", "lineBreakBefore": True}]}]}}
    metadata = {
        "toolCallRounds": [{"toolCalls": [{"id": "c__vscode-9", "name": "run", "arguments": '{"path": "a"}'}]}],
        "toolCallResults": {"c__vscode-9": {"content": [{"$mid": 23, "value": tree}, {"value": "three"}]}},
    }
    message = answer(call("c"), {"value": "Done."}, result={"metadata": metadata})
    assert message.parts[0].tool_input.text == '{"path": "a"}'
    assert parts(message)[1:] == [("tool_result", "one\ntwo\n\nthree"), ("text", "Done.")]
    assert message.source["result"]["metadata"] == metadata


def test_what_a_prompt_came_with_is_no_word_of_the_user():
    variables = [
        {"kind": "file", "id": "f", "name": "a.py", "value": FILE},
        {"kind": "implicit", "id": "i", "name": "file:b.py", "value": {"uri": {**FILE, "external": "file:///b"}}},
        {"kind": "image", "id": "p", "name": "x.png", "mimeType": "image/png", "value": {"$base64": "aGk="}},
        {"kind": "paste", "id": "c", "name": "code", "code": "x = 1", "copiedFrom": {"uri": FILE}, "uri": FILE},
        {"kind": "terminalCommand", "id": "r", "name": "ls", "value": "$ ls\na", "output": "a", "resource": FILE},
        {"kind": "string", "id": "n", "name": "note", "value": "dry", "uri": FILE},
        {"kind": "tool", "id": "t", "name": "search"},
    ]
    [message] = read(session(request("1", "why?", variableData={"variables": variables}))).messages
    assert parts(message) == [("context", "x = 1"), ("context", "$ ls\na"), ("text", "why?")]
    assert [(file.file_name, file.uri, file.mime_type, file.content_sha256) for file in message.attachments] == [
        ("a.py", "file:///w/a.py", None, None),
        ("file:b.py", "file:///b", None, None),
        ("x.png", None, "image/png", base64_sha256("aGk=")),
        ("note", "file:///w/a.py", None, None),
    ]
    assert message.attachments[3].extracted_text == "dry"
    assert message.source["variableData"] == {"variables": [{"kind": "tool", "id": "t", "name": "search"}]}


def test_instructions_with_an_address_in_them_are_a_text():
    said = "Follow https://example.org/style always."
    variables = [{"kind": "promptText", "id": "i", "name": "prompt:instructions", "value": said}]
    [message] = read(session(request("1", "why?", variableData={"variables": variables}))).messages
    assert (parts(message), message.attachments) == ([("context", said), ("text", "why?")], ())


@pytest.mark.parametrize(
    ("more", "state"),
    [
        ({"modelState": {"value": 1}}, "complete"),
        ({"modelState": {"value": 0}}, "in_progress"),
        ({"modelState": {"value": 2}}, "aborted"),
        ({"modelState": {"value": 3}}, "error"),
        ({"isCanceled": True}, "aborted"),
        ({"result": {"errorDetails": {"message": "Sorry", "code": "canceled"}}}, "aborted"),
        ({"result": {"errorDetails": {"message": "Sorry"}}}, "error"),
    ],
)
def test_an_answer_says_how_it_ended(more: dict[str, Any], state: str):
    message = answer({"value": "x"}, **more)
    assert message.state == state
    error = [("error", "Sorry")] if "result" in more else []
    assert parts(message) == [("text", "x"), *error]


def test_an_error_alone_is_an_answer():
    message = answer(result={"errorDetails": {"message": "Sorry"}})
    assert (message.role, parts(message)) == ("assistant", [("error", "Sorry")])


def test_what_vs_code_asks_by_itself_is_the_systems():
    value = session(request("1", "The command ended", {"value": "x"}, isSystemInitiated=True))
    asked, told = read(value).messages
    assert (asked.role, asked.is_hidden, parts(asked)) == ("system", True, [("context", "The command ended")])
    assert (told.role, told.is_hidden) == ("assistant", False)


def test_requests_of_early_versions_are_texts():
    record = read({"requests": [{"message": "why?", "response": [{"value": "x"}]}, 7], "responderUsername": "Copilot"})
    assert [(message.source_id, parts(message)) for message in record.messages] == [
        ("request-1", [("text", "why?")]),
        ("request-1-response", [("text", "x")]),
    ]
    assert (record.source_json["requests"], record.warnings) == ([7], {"malformed_message": 1})


def test_a_request_that_is_there_twice_is_one():
    first, other = request("1", "why?", {"value": "x"}), request("1", "why?", {"value": "y"})
    record = read(session(first, first, other))
    assert (len(record.messages), record.warnings) == (2, {"duplicate_message": 2})
    assert record.source_json["requests"] == [other]


def test_two_requests_whose_answers_have_one_id_are_two_requests_with_answers():
    first = request(FIRST, "why?", {"value": "x"}, responseId="response_a")
    other = request(SECOND, "and?", {"value": "y"}, responseId="response_a")
    record = read(session(first, other, request("3", "so?", {"value": "z"}), other))
    made = str(uuid.uuid5(uuid.NAMESPACE_OID, f"{SECOND}-response"))
    assert [(m.source_id, m.parent_source_id, parts(m)[0][1]) for m in record.messages] == [
        (FIRST, None, "why?"),
        ("response_a", FIRST, "x"),
        (SECOND, "response_a", "and?"),
        (made, SECOND, "y"),
        ("request_3", made, "so?"),
        ("response_3", "request_3", "z"),
    ]
    assert record.messages[3].source["responseId"] == "response_a"
    assert (record.warnings, record.source_json.get("requests")) == ({"duplicate_message": 1}, None)


LINES = (
    {"kind": 0, "v": session(inputState={"inputText": "wh"}, customTitle=None)},
    {"kind": 2, "k": ["requests"], "v": [request("1", "why?", {"value": "Bec"})]},
    {"kind": 1, "k": ["inputState", "inputText"], "v": "why?"},
    {"kind": 2, "k": ["requests", 0, "response"], "v": [{"value": "Because."}, {"value": " Really."}], "i": 0},
    {"kind": 1, "k": ["requests", 0, "modelState"], "v": {"value": 1, "completedAt": START + 7_000}},
    {"kind": 1, "k": ["customTitle"], "v": "A title"},
    {"kind": 1, "k": ["customTitle"], "v": "Soil"},
    {"kind": 3, "k": ["inputState"]},
)


def test_a_log_makes_the_session_that_it_ends_with(tmp_path: Path):
    path = tmp_path / "s.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in LINES) + '{"kind":2,"k":["requ')
    [file] = read_paths([path])
    [dialogue] = [item for item in file.records() if isinstance(item, ReadDialogue)]
    record = dialogue.record
    assert (record.source_id, record.title, record.updated_at) == ("s", "Soil", at(7))
    assert [parts(message) for message in record.messages] == [[("text", "why?")], [("text", "Because. Really.")]]
    assert record.source_json["log"] == {
        "file": "s.jsonl",
        "lines": {"9": {"unreadable_line": '{"kind":2,"k":["requ'}},
        "replaced": {
            "7": [{"k": ["customTitle"], "v": "A title"}],
            "8": [{"k": ["inputState"], "v": {"inputText": "why?"}}],
        },
        "changed": ["customTitle", "inputState", "inputText", "modelState", "requests", "response"],
    }
    assert record.warnings == {"malformed_message": 1}


def test_changes_behind_a_line_that_is_left_out_are_kept_until_the_session_is_there_whole():
    start = {"kind": 0, "v": session(request("1", "why?"))}
    left_out = {"kind": 2, LEFT_OUT_LINE: "line 2"}
    change = {"kind": 1, "k": ["customTitle"], "v": "Other"}
    record = read(log(start, left_out, change))
    assert (record.title, len(record.messages)) == ("Soil", 1)
    assert record.source_json["log"]["lines"] == {"2": left_out, "3": change}
    assert record.warnings == {"malformed_message": 1}
    assert read(log(start, left_out, start, change)).title == "Other"


def test_what_an_answer_was_once_is_kept():
    record = read(log({"kind": 0, "v": session(request("1", "why?", isCanceled=True))}, CANCEL_NOT))
    assert record.source_json["log"]["replaced"] == {"2": [{"k": CANCEL_NOT["k"], "v": True}]}


@pytest.mark.parametrize(
    "change",
    [
        {"kind": 1, "k": ["requests", 1, "modelId"], "v": "x"},
        {"kind": 1, "k": ["requests", "0"], "v": "x"},
        {"kind": 1, "k": ["requests", -1], "v": "x"},
        {"kind": 1, "k": [], "v": {}},
        {"kind": 1, "k": ["customTitle", "x"], "v": "x"},
        {"kind": 1, "k": ["x"], "v": json.loads("[" * 200 + "]" * 200)},
        {"kind": 2, "k": ["requests"], "v": ["x"], "i": 4_000_000_000},
        {"kind": 2, "k": ["customTitle"], "v": ["x"]},
        {"kind": 3, "k": ["nothing"]},
        {"kind": True, "k": ["customTitle"], "v": "x"},
        {"kind": 9, "k": ["customTitle"], "v": "x"},
    ],
)
def test_a_change_that_cannot_be_made_is_kept(change: dict[str, Any]):
    record = read(log({"kind": 0, "v": session(request("1", "why?"))}, change))
    assert (record.title, len(record.messages)) == ("Soil", 1)
    assert record.source_json["log"]["lines"] == {"2": change}
    assert record.warnings == {"malformed_message": 1}


NAMES = st.sampled_from(["a", "b", 0, 1, 2])
VALUES = st.recursive(
    st.text("xyz", min_size=1, max_size=3),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.sampled_from(["a", "b"]), below, max_size=2),
    max_leaves=5,
)
CHANGES = st.fixed_dictionaries(
    {"kind": st.sampled_from([1, 2, 3]), "k": st.lists(NAMES, min_size=1, max_size=3)},
    optional={"v": VALUES | st.lists(VALUES, max_size=2), "i": st.integers(0, 2)},
)


def changed(state: Any, line: dict[str, Any]) -> None:
    """What VS Code does with a line."""
    *way, last = line["k"]
    for name in way:
        state = state[name]
    if line["kind"] != 2:
        state[last] = line.get("v")
        return
    array = (state.get(last) if isinstance(state, dict) else state[last]) or []
    del array[line.get("i", len(array)) :]
    state[last] = [*array, *line.get("v", [])]


def strings(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for item in value.values() for text in strings(item)]
    return [text for item in value for text in strings(item)] if isinstance(value, list) else [value]


@given(st.dictionaries(st.sampled_from(["a", "b"]), VALUES, max_size=2), st.lists(CHANGES, max_size=8))
@trials(60)
def test_changes_are_made_as_vs_code_makes_them_and_lose_nothing(start: dict[str, Any], changes: list[Any]):
    lines = [{"kind": 0, "v": start}, *changes]
    before = copy.deepcopy(lines)
    made = replayed(lines, Counter())
    state = copy.deepcopy(start)
    for number, line in enumerate(changes, 2):
        if str(number) not in made.lines:
            changed(state, copy.deepcopy(line))
    assert without_nothing(made.session) == without_nothing(state)
    kept = json.dumps([made.session, made.replaced, made.lines])
    assert all(text in kept for line in changes for text in strings(line.get("v", [])))
    assert lines == before


def without_nothing(value: Any) -> Any:
    """A value without fields that are null: JSON does not write what is undefined."""
    if isinstance(value, dict):
        return {name: without_nothing(item) for name, item in value.items() if item is not None}
    return [without_nothing(item) for item in value] if isinstance(value, list) else value


def test_the_work_of_a_log_grows_with_it_alone():
    def read_log(size: int) -> None:
        change = {"kind": 2, "k": ["requests", 0, "response"]}
        grown = [change | {"v": [{"value": "x"}]} for _ in range(size)]
        cut = [change | {"v": [{"value": "y"}], "i": size - 1} for _ in range(size)]
        titles = [{"kind": 1, "k": ["customTitle"], "v": f"t{number}"} for number in range(size)]
        value = log({"kind": 0, "v": session(request("1", "why?"))}, *grown, *cut, *titles)
        assert len(read(value).messages) == 2

    assert growth(read_log, 100) < 5


@pytest.mark.parametrize(
    ("value", "confidence"),
    [
        (session(request("1", "x")), 1.0),
        (session(), 0.6),
        (session({"role": "user"}), 0.1),
        ({"requests": [{"message": "x", "response": []}]}, 0.0),
        ({"responderUsername": "me", "requests": 7}, 0.0),
        (log({"kind": 0, "v": session()}), 1.0),
        (log({"kind": 0, "v": {"requests": []}}), 0.0),
        (log({"kind": False, "v": session()}), 0.0),
    ],
)
def test_requests_with_a_message_are_copilots(value: dict[str, Any], confidence: float):
    assert READER.recognise(value).confidence == confidence


@pytest.mark.parametrize("value", [{"lines": 7}, {"lines": [{"kind": 1, "k": ["a"], "v": 1}]}, {"requests": {}}])
def test_what_has_no_session_is_told(value: dict[str, Any]):
    assert isinstance(READER.read(value, "x"), RejectedRecord)
