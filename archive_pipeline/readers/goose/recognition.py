"""How a session of Goose is told from those of other agents, in each of its three forms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.readers.declaration import Evidence
from archive_pipeline.readers.json.shapes import as_list, as_object
from archive_pipeline.readers.json_lines import LINES, objects_of

SOURCE: Final = "goose"
CONVERSATION: Final = "conversation"
_OF_EXPORT: Final = frozenset({"id", "working_dir"})
_OF_HEADER: Final = frozenset({"description", "message_count"})
_EITHER: Final = frozenset({"working_dir", "total_tokens"})  # the first versions had no folder
_NOT_OF_HEADER: Final = frozenset({"id", "role", "messages", CONVERSATION})
_OF_MESSAGE: Final = frozenset({"role", "created", "content"})
_BESIDE: Final = frozenset({"id", "metadata"})
# Blocks that no other product writes by these names.
_OWN_BLOCKS: Final = frozenset(
    {"toolRequest", "toolResponse", "frontendToolRequest", "toolConfirmationRequest", "actionRequired"}
    | {"redactedThinking", "systemNotification", "contextLengthExceeded", "summarizationRequested"}
    | {"conversationCompacted", "Text", "ToolUse", "ToolResult"}
)


def is_header(line: Mapping[str, Any]) -> bool:
    """Tells the first line of a file, which says what holds for the session."""
    is_whole = line.keys() >= _OF_HEADER and not line.keys().isdisjoint(_EITHER)
    return is_whole and line.keys().isdisjoint(_NOT_OF_HEADER)


def is_line(value: Mapping[str, Any]) -> bool:
    """Tells a line of a session's file from a whole conversation and from anything else."""
    return is_header(value) or _is_message(value)


def recognise(value: Mapping[str, Any]) -> Evidence:
    """Judges rows of the database, lines of a file, or an export, by what messages look like."""
    if "database" in value:
        is_own = value["database"] == SOURCE and isinstance(value.get("tables"), dict)
        return Evidence(1.0, "rows of its database") if is_own else Evidence(0.0, "no row of its database")
    return _of_lines(value) if LINES in value else _of_export(value)


def _of_lines(value: Mapping[str, Any]) -> Evidence:
    objects = objects_of(value) or []
    messages = [line for line in objects if _is_message(line)]
    if any(map(_has_own_block, messages)) or (messages and any(map(is_header, objects))):
        return Evidence(1.0, "messages with role, created and content as Goose writes them")
    if messages:
        return Evidence(0.7, "messages with role, created and content, without a header")
    if any(map(is_header, objects)):
        return Evidence(0.6, "a header with description and message_count, without messages")
    return Evidence(0.0, "no lines with role, created and content")


def _of_export(value: Mapping[str, Any]) -> Evidence:
    if not value.keys() >= _OF_EXPORT or CONVERSATION not in value:
        return Evidence(0.0, "no conversation beside id and working_dir")
    messages = value[CONVERSATION]
    if any(as_object(item).keys() >= _OF_MESSAGE for item in as_list(messages)):
        return Evidence(1.0, "messages with role, created and content, of a session with working_dir")
    if messages == []:
        return Evidence(0.6, "a session without messages")
    return Evidence(0.1, "a session, but no message with role, created and content")


def _is_message(line: Mapping[str, Any]) -> bool:
    is_own = line.keys() >= _OF_MESSAGE and line.keys() <= _OF_MESSAGE | _BESIDE
    return is_own and type(line["created"]) is int and isinstance(line["content"], list)


def _has_own_block(message: Mapping[str, Any]) -> bool:
    return any(as_object(block).get("type") in _OWN_BLOCKS for block in message["content"] if _has_name(block))


def _has_name(block: object) -> bool:
    return isinstance(as_object(block).get("type"), str)
