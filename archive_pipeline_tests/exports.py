"""Small exports for tests: conversations as ChatGPT and Claude.ai write them, and files of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.ingest.summary import ImportSummary
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.store.database import Database


@dataclass
class Said:
    """One message: its id, its parent's id, its role, its text (None: a node without a message), its time."""

    id: str
    parent: str | None
    role: str
    text: str | None
    time: float | None = None
    content: Mapping[str, Any] | None = None
    more: Mapping[str, Any] = field(default_factory=dict)


def chatgpt(
    conversation: str | None,
    messages: Iterable[Said],
    *,
    title: str | None = "A chat",
    updated: float | None = None,
    current: str | None = None,
    **more: Any,
) -> dict[str, Any]:
    """A conversation as ChatGPT exports it."""
    mapping: dict[str, Any] = {}
    for said in messages:
        message = {
            "id": said.id,
            "author": {"role": said.role},
            "create_time": said.time,
            "content": said.content or {"content_type": "text", "parts": [said.text]},
            "status": "finished_successfully",
            "metadata": {},
            **said.more,
        }
        has_message = said.text is not None or said.content is not None
        mapping[said.id] = {"id": said.id, "parent": said.parent, "message": message if has_message else None}
    value = {"title": title, "mapping": mapping, "current_node": current, "update_time": updated, **more}
    return value if conversation is None else {"id": conversation, "conversation_id": conversation, **value}


def chain(*texts: str, start: float | None = 1_700_000_000.0, prefix: str = "m") -> list[Said]:
    """Messages one after another, the user's first, a second apart."""
    return [
        Said(
            f"{prefix}{index}",
            f"{prefix}{index - 1}" if index else None,
            "assistant" if index % 2 else "user",
            text,
            None if start is None else start + index,
        )
        for index, text in enumerate(texts)
    ]


def claude(
    conversation: str, *texts: str, updated: str = "2024-05-01T00:00:00Z", name: str = "A talk"
) -> dict[str, Any]:
    """A conversation as Claude.ai exports it, without parent pointers."""
    return {
        "uuid": conversation,
        "name": name,
        "created_at": "2024-05-01T00:00:00Z",
        "updated_at": updated,
        "chat_messages": [
            {
                "uuid": f"{conversation}-{index}",
                "sender": "assistant" if index % 2 else "human",
                "text": text,
                "content": [{"type": "text", "text": text}],
                "created_at": f"2024-05-01T00:00:{index:02d}Z",
                "attachments": [],
                "files": [],
            }
            for index, text in enumerate(texts)
        ],
    }


def write(path: Path, *conversations: Mapping[str, Any]) -> Path:
    """Write an export file."""
    path.write_text(json.dumps(conversations), encoding="utf-8")
    return path


def load(database: Database, path: Path, *conversations: Mapping[str, Any], is_partial: bool = False) -> ImportSummary:
    """Write an export file and import it."""
    return import_archive(database, read_paths([write(path, *conversations)]), is_partial=is_partial)
