"""Chats of Open WebUI with every part of a message, each text and id a mark."""

from __future__ import annotations

import html
import json
from random import Random
from typing import Any, Final

from benchmarks.fuzz.marks import Marks

ROLES: Final = ("user", "assistant", "system", "tool", "robot")
CONTENTS: Final = ("text", "thoughts", "call", "code", "picture", "output", "items", "error")


def conversation(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a row of the export with up to six messages, in a tree or in a list alone."""
    messages: dict[str, dict[str, Any]] = {}
    for _ in range(random.randint(0, 6)):
        made = message(random, marks, random.choice(CONTENTS), random.choice(ROLES))
        parent = random.choice(list(messages)[-2:]) if messages else None
        made["parentId"] = parent
        if parent is not None:
            messages[parent]["childrenIds"].append(made["id"])
        messages[made["id"]] = made
    current = next(reversed(messages), None)
    is_tree = random.random() < 0.8
    chat = {
        "id": marks.text(),
        "title": marks.text(),
        "models": [marks.text()],
        "params": {"system": marks.text()},
        "messages": list(messages.values())[-2:] if is_tree else list(messages.values()),
        "tags": [marks.text()],
        "timestamp": 1_775_718_694_833,
        "files": [{"id": marks.text(), "type": "file"}],
    }
    if is_tree:
        chat["history"] = {"messages": messages, "currentId": current}
    return {
        "id": marks.text(),
        "user_id": marks.text(),
        "title": marks.text(),
        "chat": chat,
        "updated_at": marks.number(),
        "created_at": marks.number(),
        "share_id": None,
        "archived": False,
        "pinned": True,
        "meta": {"tags": [marks.text()]},
        "folder_id": marks.text(),
    }


def message(random: Random, marks: Marks, kind: str, role: str) -> dict[str, Any]:
    """Return a message with content of a kind."""
    made: dict[str, Any] = {
        "id": marks.text(),
        "parentId": None,
        "childrenIds": [],
        "role": role,
        "content": marks.text(),
        "timestamp": marks.number(),
        "model": marks.text(),
        "modelName": marks.text(),
        "modelIdx": 0,
        "models": [marks.text()],
        "done": True,
        "files": _files(random, marks),
        "statusHistory": [{"action": "web_search", "description": marks.text(), "urls": [marks.text()]}],
        "usage": {"total_tokens": marks.number()},
        "sources": [_source(marks), marks.text()] if random.random() < 0.5 else [],
        "annotation": {"rating": 1, "reason": marks.text()},
    }
    return made | _content(random, marks, kind)


def _content(random: Random, marks: Marks, kind: str) -> dict[str, Any]:
    before, after = marks.text(), marks.text()
    made: dict[str, dict[str, Any]] = {
        "text": {},
        "thoughts": {"content": f"{before}\n{_thoughts(marks)}\n{after}"},
        "call": {"content": f"{before}\n{_call(random, marks)}\n{after}"},
        "code": {"content": f"{_code(marks)}\n{after}"},
        "picture": {"content": f"{before} ![{marks.text()}](data:image/png;base64,aGk=)\n{after}"},
        "output": {"output": _output(marks)},
        "items": {
            "content": [{"type": "text", "text": before}, {"type": "image_url", "image_url": {"url": after}}, 7, None]
        },
        "error": {"content": "", "error": random.choice((True, {"content": before}, before, {"code": marks.number()}))},
    }
    return made[kind]


def _thoughts(marks: Marks) -> str:
    return (
        '<details type="reasoning" done="true" duration="3">\n<summary>Thought for 3 seconds</summary>\n'
        f"> {marks.text()}\n> {marks.text()}\n</details>"
    )


def _call(random: Random, marks: Marks) -> str:
    arguments = html.escape(json.dumps(json.dumps({"query": marks.text()})))
    opening = (
        f'<details type="tool_calls" done="true" id="{marks.text()}" name="{marks.text()}" arguments="{arguments}"'
    )
    result = html.escape(json.dumps(marks.text()))
    if random.random() < 0.5:
        return f'{opening} result="{result}" files="" embeds="">\n<summary>Tool Executed</summary>\n</details>'
    return f"{opening}>\n<summary>Tool Executed</summary>\n{result}\n</details>"


def _code(marks: Marks) -> str:
    output = html.escape(json.dumps({"stdout": marks.text(), "stderr": "", "result": [marks.text()]}))
    opening = f'<details type="code_interpreter" done="true" duration="0" output="{output}">'
    return f"{opening}\n<summary>Analyzed</summary>\n```py\n{marks.text()}\n```\n</details>"


def _output(marks: Marks) -> list[Any]:
    call = marks.text()
    return [
        {"type": "reasoning", "id": marks.text(), "summary": [{"type": "summary_text", "text": marks.text()}, 3]},
        {"type": "reasoning", "content": [{"type": "output_text", "text": marks.text(), "more": marks.text()}]},
        {"type": "function_call", "call_id": call, "name": marks.text(), "arguments": json.dumps({"q": marks.text()})},
        {"type": "function_call_output", "call_id": call, "output": [{"type": "input_text", "text": marks.text()}]},
        {"type": "function_call_output", "call_id": call, "output": marks.text(), "files": [{"url": marks.text()}]},
        {
            "type": "open_webui:code_interpreter",
            "code": marks.text(),
            "lang": "python",
            "output": {"stdout": marks.text()},
        },
        {"type": marks.text(), "anything": marks.text()},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": marks.text()}]},
        marks.text(),
    ]


def _files(random: Random, marks: Marks) -> list[Any]:
    stored = {"id": marks.text(), "meta": {"name": marks.text()}, "data": {"content": marks.text(), "x": marks.text()}}
    files = [
        {"type": "image", "url": "data:image/png;base64,aGk="},
        {"type": "image", "url": f"https://{marks.text()}", "name": marks.text()},
        {"type": "file", "id": marks.text(), "name": marks.text(), "url": marks.text(), "file": stored},
        {"type": "collection", "id": marks.text(), "size": marks.number(), "file": {"hash": marks.text()}},
        marks.text(),
    ]
    return random.sample(files, random.randint(0, len(files)))


def _source(marks: Marks) -> dict[str, Any]:
    return {
        "source": {"name": marks.text(), "id": marks.text()},
        "document": [marks.text()],
        "metadata": [{"source": f"https://{marks.text()}", "name": marks.text()}],
        "distances": [0.5],
    }
