"""The conversations of a corpus as each source writes them: the same texts, in the shapes of the vendors' exports."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson

from benchmarks.corpus import write_corpus

_ROLES: Final = {"user": "human", "assistant": "assistant", "tool": "assistant", "system": "human"}


class _Said(NamedTuple):
    """A message of the corpus: ids of its node and its parent's, who says it, its text, when."""

    id: str
    parent: str | None
    role: str
    text: str
    time: float


def write_source(path: Path, source: str, *, dialogues: int, seed: int) -> None:
    """Write an export of a source; those of one seed say the same."""
    write_corpus(path, dialogues=dialogues, seed=seed)
    if source == "chatgpt":
        return
    conversations = orjson.loads(path.read_bytes())
    write = _WRITERS[source]
    value: Any = [write(conversation, list(_said(conversation))) for conversation in conversations]
    path.write_bytes(orjson.dumps({"conversations": value} if source == "grok" else value))


def _said(conversation: Mapping[str, Any]) -> Iterator[_Said]:
    for key, node in conversation["mapping"].items():
        message = node["message"]
        if message is None:
            continue
        content = message["content"]
        text = "".join(content.get("parts", ())) or content.get("text") or content.get("user_profile", "")
        time = message.get("create_time") or conversation["create_time"]
        yield _Said(key, node["parent"], message["author"]["role"], text, time)


def _claude(conversation: Mapping[str, Any], said: Sequence[_Said]) -> dict[str, Any]:
    known = {message.id for message in said}
    return {
        "uuid": conversation["id"],
        "name": conversation["title"] or "",
        "summary": "",
        "created_at": _iso(conversation["create_time"]),
        "updated_at": _iso(conversation["update_time"]),
        "account": {"uuid": str(uuid.UUID(int=7))},
        "chat_messages": [
            {
                "uuid": message.id,
                "text": message.text,
                "content": [
                    {
                        "start_timestamp": _iso(message.time),
                        "stop_timestamp": _iso(message.time),
                        "type": "text",
                        "text": message.text,
                        "citations": [],
                    }
                ],
                "sender": _ROLES[message.role],
                "created_at": _iso(message.time),
                "updated_at": _iso(message.time),
                "attachments": [],
                "files": [],
                "parent_message_uuid": message.parent if message.parent in known else str(uuid.UUID(int=0)),
            }
            for message in said
        ],
    }


def _deepseek(conversation: Mapping[str, Any], said: Sequence[_Said]) -> dict[str, Any]:
    known = {message.id for message in said}
    below: dict[str, list[str]] = {"root": []}
    for message in said:
        below.setdefault(message.parent if message.parent in known else "root", []).append(message.id)
    mapping: dict[str, Any] = {"root": {"id": "root", "parent": None, "children": below["root"], "message": None}}
    for message in said:
        mapping[message.id] = {
            "id": message.id,
            "parent": message.parent if message.parent in known else "root",
            "children": below.get(message.id, []),
            "message": {
                "files": [],
                "model": "deepseek-chat",
                "inserted_at": _iso(message.time),
                "fragments": [
                    {"type": "REQUEST" if message.role in ("user", "system") else "RESPONSE", "content": message.text}
                ],
            },
        }
    return {
        "id": conversation["id"],
        "title": conversation["title"] or "",
        "inserted_at": _iso(conversation["create_time"]),
        "updated_at": _iso(conversation["update_time"]),
        "mapping": mapping,
    }


def _grok(conversation: Mapping[str, Any], said: Sequence[_Said]) -> dict[str, Any]:
    known = {message.id for message in said}
    return {
        "conversation": {
            "id": conversation["id"],
            "user_id": str(uuid.UUID(int=7)),
            "title": conversation["title"] or "",
            "create_time": _iso(conversation["create_time"]),
            "modify_time": _iso(conversation["update_time"]),
            "system_prompt_name": "",
            "leaf_response_id": said[-1].id if said else None,
            "media_types": [],
        },
        "responses": [
            {
                "response": {
                    "_id": message.id,
                    "conversation_id": conversation["id"],
                    "message": message.text,
                    "sender": _ROLES[message.role],
                    "create_time": {"$date": {"$numberLong": str(int(message.time * 1000))}},
                    "parent_response_id": message.parent if message.parent in known else None,
                    "model": "grok-4",
                    "partial": False,
                    "web_search_results": [],
                    "file_attachments": [],
                    "error": None,
                },
                "share_link": None,
            }
            for message in said
        ],
    }


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")


_WRITERS: Final[Mapping[str, Callable[[Mapping[str, Any], Sequence[_Said]], dict[str, Any]]]] = {
    "claude_ai": _claude,
    "deepseek": _deepseek,
    "grok": _grok,
}
