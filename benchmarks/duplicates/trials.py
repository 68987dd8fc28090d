"""Trials of the same tasks: lists of OpenAI messages as an export that can be imported.

The input is a JSON array of runs, each with ``task_id``, ``trial`` and ``traj``, a list of messages (tau-bench writes
such files). Several trials of a task say many things in nearly the same words.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any


def write_trials(source: Path, target: Path) -> int:
    """Write the runs as a ChatGPT export; return how many there are."""
    runs = json.loads(source.read_text(encoding="utf-8"))
    conversations = [_conversation(f"task{run['task_id']}-trial{run['trial']}", run["traj"]) for run in runs]
    target.write_text(json.dumps(conversations), encoding="utf-8")
    return len(conversations)


def _conversation(name: str, messages: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """One chain; a message that says nothing becomes a node without a message."""
    mapping: dict[str, Any] = {}
    parent = None
    for number, message in enumerate(messages):
        for node, made in _nodes(f"{name}-{number}", message):
            mapping[node] = {"id": node, "parent": parent, "message": made}
            parent = node
    return {"id": name, "title": name.replace("-", " "), "current_node": parent, "mapping": mapping}


def _nodes(node: str, message: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any] | None]]:
    """Yield what is said and what is called, which are two messages there."""
    author = {"role": message["role"], "name": message.get("name")}
    calls = [call["function"] for call in message.get("tool_calls") or ()]
    if message["content"]:
        yield node, _message(node, author, {"content_type": "text", "parts": [message["content"]]})
    elif not calls:
        yield node, None
    for number, call in enumerate(calls):
        content = {"content_type": "code", "language": "json", "text": call["arguments"]}
        own = f"{node}-call{number}"
        yield own, {**_message(own, author, content), "recipient": call["name"]}


def _message(node: str, author: Mapping[str, Any], content: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": node, "author": author, "content": content, "status": "finished_successfully"}
