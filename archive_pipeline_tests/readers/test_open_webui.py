"""Open WebUI's chats: branches, thoughts and calls in the text or as items, pictures, files, sources, what is kept."""

from __future__ import annotations

import html
import json
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.domain.records import DialogueRecord, RejectedRecord
from archive_pipeline.readers.open_webui.dialogue import read_conversation
from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline.readers.registry import recognise

PICTURE = "data:image/png;base64,aGk="
SHA_OF_PICTURE = "8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4"  # of b"hi"


def said(name: str, parent: str | None, role: str, content: Any, **more: Any) -> dict[str, Any]:
    own = {"model": "llama3.2:latest", "done": True} if role == "assistant" else {"models": ["llama3.2:latest"]}
    return {
        "id": name,
        "parentId": parent,
        "childrenIds": [],
        "role": role,
        "content": content,
        "timestamp": 1_775_718_694,
        **own,
        **more,
    }


def row(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    by_id = {message["id"]: message for message in messages}
    for message in messages:
        if message["parentId"] in by_id:
            by_id[message["parentId"]]["childrenIds"].append(message["id"])
    current = messages[-1]["id"] if messages else None
    chat = {"title": "inner", "models": ["m"], "history": {"messages": by_id, "currentId": current}}
    return {
        "id": "c",
        "user_id": "u",
        "title": "Soil",
        "chat": {**chat, "messages": [dict(message) for message in messages[:2]], "tags": []},
        "created_at": 1_775_718_690,
        "updated_at": 1_775_718_700,
        "archived": True,
        **more,
    }


def read(value: dict[str, Any]) -> DialogueRecord:
    record = read_conversation(value, "chat-export.json[0]")
    assert isinstance(record, DialogueRecord)
    return record


def said_by_model(content: Any, **more: Any) -> dict[str, Any]:
    return said("b", None, "assistant", content, **more)


def parts_of(content: Any, **more: Any) -> list[tuple[str, str | None]]:
    message = read(row(said("a", None, "user", "q"), said("b", "a", "assistant", content, **more))).messages[1]
    return [(part.part_type.value, part.text) for part in message.parts]


def test_a_chat_with_a_regenerated_answer_is_read_whole():
    record = read(
        row(
            said("a", None, "user", "why?"),
            said("b", "a", "assistant", "because"),
            said("c", "a", "assistant", "no reason", done=False),
            folder_id="f",
        )
    )
    assert (record.source, record.source_id, record.title) == ("open_webui", "c", "Soil")
    assert (record.active_source_id, record.project_id, record.is_linear_source) == ("c", "f", False)
    assert record.created_at == datetime(2026, 4, 9, 7, 11, 30, tzinfo=UTC)
    assert record.updated_at == datetime(2026, 4, 9, 7, 11, 40, tzinfo=UTC)
    assert [(m.source_id, m.parent_source_id, m.role, m.model, m.state) for m in record.messages] == [
        ("a", None, "user", None, "complete"),
        ("b", "a", "assistant", "llama3.2:latest", "complete"),
        ("c", "a", "assistant", "llama3.2:latest", "in_progress"),
    ]
    assert record.messages[0].created_at == datetime(2026, 4, 9, 7, 11, 34, tzinfo=UTC)
    assert record.warnings == {}
    assert record.source_json["archived"] is True


def test_the_branch_that_is_listed_once_more_is_kept_where_it_says_something_else():
    value = row(said("a", None, "user", "why?"), said("b", "a", "assistant", "because"))
    assert "messages" not in read(value).source_json["chat"]
    value["chat"]["messages"][1]["content"] = "another text"
    [kept] = read(value).source_json["chat"]["messages"]
    assert kept["content"] == "another text"


def test_a_chat_that_only_lists_its_messages_is_read_in_their_order():
    messages = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, "no message"]
    record = read({"id": "c", "user_id": "u", "title": "T", "chat": {"messages": messages}})
    assert [(m.source_id, m.role, m.parts[0].text) for m in record.messages] == [
        (None, "user", "a"),
        (None, "assistant", "b"),
    ]
    assert record.is_linear_source
    assert record.warnings == {"no_parent_pointers": 1, "malformed_message": 1}
    assert record.source_json["chat"]["messages"] == ["no message"]


def test_thoughts_in_the_text_are_parts_of_their_own():
    thoughts = '<details type="reasoning" done="true" duration="4">\n<summary>Thought for 4 seconds</summary>\n'
    assert parts_of(f"{thoughts}> first\n> \n> second\n</details>\nThe answer.") == [
        ("thinking", "first\n\nsecond"),
        ("text", "The answer."),
    ]
    assert parts_of(f"{thoughts}&gt; a &lt; b\n</details>\nx") == [("thinking", "a < b"), ("text", "x")]


@pytest.mark.parametrize("is_in_attribute", [True, False])
def test_calls_of_tools_in_the_text_are_parts_with_their_results(is_in_attribute: bool):
    arguments = html.escape(json.dumps(json.dumps({"q": "soil"})))
    opening = f'<details type="tool_calls" done="true" id="call-1" name="search" arguments="{arguments}"'
    result = html.escape(json.dumps('{"found": "clay"}'))
    element = f"{opening}>\n<summary>Tool Executed</summary>\n{result}\n</details>"
    if is_in_attribute:
        element = f'{opening} result="{result}" files="">\n<summary>Tool Executed</summary>\n</details>'
    content = f"I look.\n{element}\nIt is clay."
    message = read(row(said("a", None, "user", "q"), said("b", "a", "assistant", content))).messages[1]
    assert [(p.part_type.value, p.text, p.tool_name, p.tool_use_id, p.tool_input) for p in message.parts] == [
        ("text", "I look.", None, None, None),
        ("tool_use", None, "search", "call-1", {"q": "soil"}),
        ("tool_result", '{"found": "clay"}', "search", "call-1", None),
        ("text", "It is clay.", None, None, None),
    ]
    assert message.source["content"] == content


def test_a_call_without_a_result_yet_has_none():
    call = '<details type="tool_calls" done="false" id="1" name="n" arguments="&quot;{}&quot;">\n<summary>Executing...'
    assert parts_of(f"{call}</summary>\n</details>\n") == [("tool_use", None)]


def test_code_that_was_run_is_a_part_with_its_language_and_what_it_gave():
    code = 'print("""\n```js\n</details>\n""")'
    output = {"stdout": "42\n", "stderr": "", "result": [1, "two"]}
    opening = f'<details type="code_interpreter" done="true" duration="0" output="{html.escape(json.dumps(output))}">'
    rendered = f"Sure:\n{opening}\n<summary>Analyzed</summary>\n```python\n{code}\n```\n</details>\nIt is 42."
    item = {"type": "open_webui:code_interpreter", "code": code, "lang": "python", "output": output}
    words = {"type": "message", "content": [{"type": "output_text", "text": "It is 42."}]}
    run = [("code", code, "python", None), ("tool_result", '42\n\n\n[1, "two"]', None, "code_interpreter")]
    after = ("text", "It is 42.", None, None)
    for more, expected in (
        ({}, [("text", "Sure:", None, None), *run, after]),
        ({"output": [item, words]}, [*run, after]),
    ):
        message = read(row(said_by_model(rendered, **more))).messages[0]
        assert [(p.part_type.value, p.text, p.language, p.tool_name) for p in message.parts] == expected
        assert message.source["content"] == rendered


def test_elements_that_a_code_block_shows_stay_text():
    thoughts = '<details type="reasoning" done="true">\n<summary>Thought</summary>\n{}\n</details>'
    shown = f'Write `<details type="reasoning">`:\n\n```html\n{thoughts.format("x")}\n```\nDone.'
    # A fence in thoughts, and one that nothing closes, are none around what follows.
    content = f"{thoughts.format('```')}\n{shown}\n{thoughts.format('> y')}\n```\n{thoughts.format('> z')}"
    assert parts_of(content) == [
        ("thinking", "```"),
        ("text", shown),
        ("thinking", "y"),
        ("text", "```"),
        ("thinking", "z"),
    ]


@pytest.mark.parametrize(
    "content",
    [
        "a <details> of one's own </details> b",
        '<details type="reasoning" done="true">\n> never closed',
        "`<details type=x>`",
    ],
)
def test_what_is_no_element_of_open_webui_stays_text(content: str):
    assert parts_of(content) == [("text", content)]


def test_what_a_user_writes_is_never_taken_apart():
    content = '<details type="reasoning">\n> mine\n</details>'
    [message] = read(row(said("a", None, "user", content))).messages
    assert [part.text for part in message.parts] == [content]


def test_items_of_an_answer_come_before_their_rendering():
    output = [
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
        {"type": "function_call", "call_id": "1", "name": "search", "arguments": '{"q": "soil"}'},
        {"type": "function_call_output", "call_id": "1", "output": [{"type": "input_text", "text": "clay"}]},
        {"type": "hologram", "x": 1},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "It is clay."}]},
    ]
    value = row(said("a", None, "user", "q"), said("b", "a", "assistant", "rendered", output=output))
    record = read(value)
    parts = record.messages[1].parts
    assert [(part.part_type.value, part.text, part.tool_use_id, part.tool_input) for part in parts] == [
        ("thinking", "hm", None, None),
        ("tool_use", '{"q": "soil"}', "1", {"q": "soil"}),
        ("tool_result", "clay", "1", None),
        ("unknown", None, None, None),
        ("text", "It is clay.", None, None),
    ]
    assert record.warnings == {"unknown_part:hologram": 1}
    assert record.messages[1].source["content"] == "rendered"


def test_items_without_a_text_leave_the_text_to_the_rendering():
    output = [{"type": "reasoning", "content": [{"type": "output_text", "text": "hm"}]}]
    rendered = '<details type="reasoning" done="true">\n> hm\n</details>\nThe answer.'
    assert parts_of(rendered, output=output) == [("thinking", "hm"), ("text", "The answer.")]


def test_pictures_are_parts_and_other_files_attachments():
    stored = {"id": "f1", "meta": {"name": "soil.pdf", "content_type": "application/pdf", "size": 7}}
    files = [
        {"type": "image", "url": PICTURE},
        {"type": "image", "url": "https://a.example/x.png", "name": "x"},
        {"type": "file", "id": "f1", "url": "f1", "file": {**stored, "data": {"content": "clay"}}},
        "no file",
    ]
    message = read(row(said("a", None, "user", "look", files=files))).messages[0]
    assert [(p.part_type.value, p.mime_type, p.content_sha256, p.uri) for p in message.parts[1:]] == [
        ("image", "image/png", SHA_OF_PICTURE, None),
        ("image", None, None, "https://a.example/x.png"),
    ]
    [file] = message.attachments
    assert (file.source_id, file.file_name, file.mime_type, file.size_bytes, file.extracted_text) == (
        "f1",
        "soil.pdf",
        "application/pdf",
        7,
        "clay",
    )
    assert message.source["files"] == ["no file"]


@pytest.mark.parametrize("is_item", [True, False])
def test_pictures_in_the_text_of_an_answer_are_parts(is_item: bool):
    shown = f"```\n![b]({PICTURE})\n```\n![c](data:image/png;base64,a)"
    text = f'Here: ![out]({PICTURE} "t") then\n\n![]({PICTURE})\n{shown}'
    item = {"type": "message", "content": [{"type": "output_text", "text": text}]}
    message = read(row(said_by_model(text, **({"output": [item]} if is_item else {})))).messages[0]
    assert [(p.part_type.value, p.text, p.mime_type, p.content_sha256) for p in message.parts] == [
        ("text", "Here:", None, None),
        ("image", None, "image/png", SHA_OF_PICTURE),
        ("text", "then", None, None),
        ("image", None, "image/png", SHA_OF_PICTURE),
        ("text", shown, None, None),
    ]
    assert message.parts[1].source == {"alt": "out"}
    assert message.source["content"] == text
    assert message.parts[0].source == (item if is_item else None)


def test_sources_are_citations_with_their_page():
    sources = [
        {"source": {"name": "soil.pdf"}, "document": ["clay"], "metadata": [{"source": "soil.pdf"}]},
        {"source": {"name": "web"}, "document": ["x"], "metadata": [{"source": "https://a.example"}]},
    ]
    message = read(row(said("a", None, "user", "q"), said("b", "a", "assistant", "x", sources=sources))).messages[1]
    assert [(p.text, p.uri, p.source["document"]) for p in message.parts[1:]] == [
        ("soil.pdf", None, ["clay"]),
        ("web", "https://a.example", ["x"]),
    ]


@pytest.mark.parametrize(
    ("error", "text"), [({"content": "no model"}, "no model"), ("no model", "no model"), (True, None)]
)
def test_an_answer_that_failed_says_why(error: Any, text: str | None):
    message = read(row(said("a", None, "user", "q"), said("b", "a", "assistant", "", error=error))).messages[1]
    assert message.state == "error"
    assert [part.text for part in message.parts] == ([text] if text else [])


def test_a_chat_without_messages_or_history_is_rejected():
    assert isinstance(read_conversation({"id": "c", "chat": {"title": "x"}}, "f[0]"), RejectedRecord)


@pytest.mark.parametrize(
    ("value", "confidence"),
    [
        (row(said("a", None, "user", "q")), 1.0),
        (row(said("a", None, "user", "q"))["chat"], 1.0),
        ({"id": "c", "title": "t", "chat": {"messages": [{"role": "user", "content": "x"}]}}, 0.7),
        (row(), 0.6),
        ({"chat": {"x": 1}}, 0.1),
    ],
)
def test_it_is_recognised_by_its_messages(value: dict[str, Any], confidence: float):
    verdict = recognise(value)
    assert (verdict.source, verdict.evidence.confidence) == ("open_webui", confidence)


@pytest.mark.parametrize("wrapped", [lambda rows: rows, lambda rows: {"items": rows, "total": 1}, lambda rows: rows[0]])
def test_an_export_is_read_in_whatever_it_is_wrapped(tmp_path: Path, wrapped: Any):
    path = tmp_path / "chat-export-1775718694.json"
    path.write_text(json.dumps(wrapped([row(said("a", None, "user", "q"), said("b", "a", "assistant", "x"))])))
    dialogues = [item for file in read_paths([path]) for item in file.records() if isinstance(item, ReadDialogue)]
    assert [item.record.source_id for item in dialogues] == ["c"]


@pytest.mark.parametrize(
    "piece",
    [
        '<details type="reasoning" done="true">\n> a',
        '<details type="code_interpreter" done="true">\n```py\na',
        "![a](data:image/png;base64,aGk=",
        '```\n<details type="reasoning">\n</details>\n```',
    ],
)
def test_elements_and_pictures_that_are_none_take_linear_time(piece: str):
    content = "\n".join([piece] * 30_000)
    before = time.process_time()
    assert parts_of(content) == [("text", content)]
    assert time.process_time() - before < 2
