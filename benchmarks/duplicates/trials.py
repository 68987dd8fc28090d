"""Trials of the same tasks: lists of OpenAI messages as an export that can be imported.

The input is a JSON array of runs, each with ``task_id``, ``trial`` and ``traj``, a list of messages (tau-bench writes
such files). Several trials of a task say many things in nearly the same words.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any


def write_trials(source: Path, target: Path) -> int:
    """Write the runs as a ChatGPT export; return how many there are."""
    runs = json.loads(source.read_text(encoding="utf-8"))
    conversations = [_conversation(f"task{run['task_id']}-trial{run['trial']}", run["traj"]) for run in runs]
    target.write_text(json.dumps(conversations), encoding="utf-8")
    return len(conversations)


def _conversation(name: str, messages: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """One chain; a message without text (a call of a tool) becomes a node without a message."""
    mapping: dict[str, Any] = {}
    parent = None
    for number, message in enumerate(messages):
        node = f"{name}-{number}"
        mapping[node] = {"id": node, "parent": parent, "message": _message(node, message)}
        parent = node
    return {"id": name, "title": name.replace("-", " "), "current_node": parent, "mapping": mapping}


def _message(node: str, message: Mapping[str, Any]) -> dict[str, Any] | None:
    if not message["content"]:
        return None
    return {
        "id": node,
        "author": {"role": message["role"]},
        "content": {"content_type": "text", "parts": [message["content"]]},
        "status": "finished_successfully",
    }
