"""How a session of Claude Code is told from those of other agents, which write lines of JSON too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.readers.declaration import Evidence
from archive_pipeline.readers.json.shapes import as_object
from archive_pipeline.readers.json_lines import objects_of

# Lines of the transcript: nobody else has all of these, though some have most of them.
_OF_TRANSCRIPT: Final = frozenset({"uuid", "parentUuid", "sessionId", "isSidechain"})
# Lines about the session, which are not part of the transcript.
_OF_SESSION: Final = frozenset(
    {
        *("agent-color", "agent-name", "agent-setting", "ai-title", "content-replacement", "custom-title"),
        *("last-prompt", "mode", "permission-mode", "pr-link", "queue-operation", "tag", "task-summary"),
        "worktree-state",
    }
)
_SNAPSHOTS: Final[Mapping[str, frozenset[str]]] = {
    "file-history-snapshot": frozenset({"messageId", "snapshot"}),
    "attribution-snapshot": frozenset({"messageId", "surface"}),
    "summary": frozenset({"summary", "leafUuid"}),
}


def is_line(value: Mapping[str, Any]) -> bool:
    """Tells a line of a session from anything else."""
    kind = value.get("type")
    if not isinstance(kind, str):
        return False
    if _is_of_transcript(value):
        return True
    if kind in _OF_SESSION:
        return isinstance(value.get("sessionId"), str)
    return kind in _SNAPSHOTS and value.keys() >= _SNAPSHOTS[kind]


def recognise(value: Mapping[str, Any]) -> Evidence:
    """Judges a file's lines: those of a transcript name their session and the line before them."""
    objects = objects_of(value)
    if objects is None:
        return Evidence(0.0, "no lines of a session")
    if any(line.get("type") in ("user", "assistant") and _is_of_transcript(line) for line in objects):
        return Evidence(1.0, "lines of user and assistant with sessionId, parentUuid and isSidechain")
    if any(map(is_line, objects)):
        return Evidence(0.6, "lines about a session without messages")
    return Evidence(0.0, "lines without sessionId, parentUuid and isSidechain")


def _is_of_transcript(line: Mapping[str, Any]) -> bool:
    """Tells a line of a transcript from one of Qwen Code's subagents, whose messages are those of Google's API."""
    if not line.keys() >= _OF_TRANSCRIPT:
        return False
    return "systemPayload" not in line and "parts" not in as_object(line.get("message"))
