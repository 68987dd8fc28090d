"""How a session of Pi is told from those of other agents, which write lines with ids and parents too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.readers.declaration import Evidence
from archive_pipeline.readers.json.shapes import as_object
from archive_pipeline.readers.json_lines import LINES, objects_of

SOURCE: Final = "pi"
HEADER: Final = "session"
TABLES: Final = "tables"
_OF_HEADER: Final = ("id", "timestamp", "cwd")
_ENTRIES: Final = frozenset(
    {
        *("message", "model_change", "thinking_level_change", "compaction", "branch_summary", "custom"),
        *("custom_message", "label", "session_info", "leaf", "active_tools_change"),
    }
)
# Of messages, roles that no other product writes.
_OWN_ROLES: Final = frozenset(
    {"toolResult", "bashExecution", "branchSummary", "compactionSummary", "custom", "hookMessage"}
)
_OF_ANSWER: Final = frozenset({"api", "provider", "model", "stopReason"})
_OF_CHANGES: Final[Mapping[str, str]] = {"model_change": "modelId", "thinking_level_change": "thinkingLevel"}


def is_header(line: object) -> bool:
    """Tells the first line of a session."""
    fields = as_object(line)
    return fields.get("type") == HEADER and all(isinstance(fields.get(name), str) for name in _OF_HEADER)


def is_line(value: Mapping[str, Any]) -> bool:
    """Tells a line of a session that no other product writes from anything else."""
    return is_header(value) or _is_own_entry(value)


def is_of_database(value: Mapping[str, Any]) -> bool:
    """Tells the rows of a session in OpenClaw's database from the lines of one."""
    return value.get("database") == SOURCE and isinstance(value.get(TABLES), dict) and LINES not in value


def recognise(value: Mapping[str, Any]) -> Evidence:
    """Judges a file's lines, of which Pi's have a header with id and folder, and entries of its own; or rows."""
    if is_of_database(value):
        return Evidence(1.0, "rows of the database of OpenClaw")
    objects = objects_of(value)
    if objects is None:
        return Evidence(0.0, "no lines of a session")
    has_header = any(map(is_header, objects))
    if has_header and any(map(_is_entry, objects)):
        return Evidence(1.0, "a header with id and cwd, and entries")
    if any(map(_is_own_entry, objects)):
        return Evidence(0.9, "entries with parentId, without a header")
    if has_header:
        return Evidence(0.6, "a header with id and cwd, without entries")
    return Evidence(0.0, "no header with id and cwd, and no entries with parentId")


def _is_entry(line: Mapping[str, Any]) -> bool:
    kind = line.get("type")
    return isinstance(kind, str) and kind in _ENTRIES and "timestamp" in line


def _is_own_entry(line: Mapping[str, Any]) -> bool:
    kind = line.get("type")
    if not isinstance(kind, str) or "parentId" not in line or "id" not in line:
        return False
    if kind in _OF_CHANGES:
        return _OF_CHANGES[kind] in line
    message = as_object(line.get("message")) if kind == "message" else {}
    role = message.get("role")
    return isinstance(role, str) and (role in _OWN_ROLES or message.keys() >= _OF_ANSWER)
