"""Gemini CLI's sessions, of both kinds: one object with its messages, and lines that are written one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, Final

from archive_pipeline.domain.records import DialogueRecord, MessageRecord, RejectedRecord
from archive_pipeline.readers.gemini_cli.copies import Key
from archive_pipeline.readers.gemini_cli.log import SessionLog
from archive_pipeline.readers.gemini_cli.messages import MessageReader
from archive_pipeline.readers.json.shapes import RELINKED_PARENT, as_text, is_uuid
from archive_pipeline.readers.json_lines import LINES, is_unreadable
from archive_pipeline.readers.timestamps import read_timestamp

SOURCE: Final = "gemini_cli"


def read_session(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of a session."""
    log = SessionLog()
    kept: dict[str, Any] = {}
    if isinstance(value.get(LINES), list):
        lines = value[LINES]
        kept = {name: item for name, item in value.items() if name != LINES}
    elif isinstance(value.get("messages"), list):
        head = {name: item for name, item in value.items() if name != "messages"}
        lines = [{"$set": head}, *value["messages"]]
    else:
        return RejectedRecord(locator, "the session has no 'messages'", "missing messages")
    for number, line in enumerate(lines):
        log.add(number, line)
    warnings = Counter({"malformed_message": sum(map(is_unreadable, lines))})
    warnings[RELINKED_PARENT] += log.relinked
    messages, nodes = _messages(log, warnings)
    source = {**kept, **log.head, **({"earlier": log.earlier} if log.earlier else {})}
    return DialogueRecord(
        source=SOURCE,
        source_id=as_text(log.head.get("sessionId")),
        locator=locator,
        title=as_text(log.head.get("summary")),
        created_at=read_timestamp(log.head.get("startTime"), warnings),
        updated_at=read_timestamp(log.head.get("lastUpdated"), warnings),
        messages=messages,
        message_less_nodes=nodes,
        active_source_id=_name(log.history.line[-1]) if log.history.line else None,
        project_id=as_text(log.head.get("projectHash")),
        parent_source_id=_parent(log.head, locator),
        warnings=+warnings,
        source_json=source,
    )


def _messages(log: SessionLog, warnings: Counter[str]) -> tuple[tuple[MessageRecord, ...], dict[str, str | None]]:
    """Returns the messages, and with its parent each one that only repeats results, which is kept as it is."""
    history = log.history
    reader = MessageReader(history.messages.values(), warnings)
    messages: list[MessageRecord] = []
    nodes: dict[str, str | None] = {}
    for key in history.in_order():
        parent = history.parent_of(key)
        name, before = _name(key), None if parent is None else _name(parent)
        message = reader.read(name, before, history.messages[key])
        if message is None:
            nodes[name] = before
            log.earlier.append(history.messages[key])
        else:
            messages.append(message)
    return tuple(messages), nodes


def _parent(head: Mapping[str, Any], locator: str) -> str | None:
    """Returns the id of the session that started a subagent: the folder of its file, while that is a UUID.

    Other ids have other characters in the names of folders than they have.
    """
    folder = PurePosixPath(locator).parent.name
    return folder if head.get("kind") == "subagent" and is_uuid(folder) else None


def _name(key: Key) -> str:
    return key if isinstance(key, str) else f"line-{key}"
