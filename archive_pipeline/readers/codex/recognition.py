"""How a Codex session is told from others' files of JSON lines, and one of its lines from other objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.readers.codex.lines import COMPACTED, EVENT, ITEM, ITEMS, META, SESSION, TURN, is_header
from archive_pipeline.readers.declaration import Evidence
from archive_pipeline.readers.json.shapes import as_object
from archive_pipeline.readers.json_lines import LINES, UNREADABLE_LINE
from archive_pipeline.readers.left_out_lines import is_left_out

# Envelopes that no other product writes.
_OWN: Final = frozenset({META, ITEM, EVENT, TURN})
# What follows a bare header: items of OpenAI's Responses API, and marks of the state between them.
_ITEMS: Final = frozenset(
    {"message", "reasoning", "function_call", "function_call_output", "local_shell_call", "local_shell_call_output"}
)
_NO_SESSION: Final = Evidence(0.0, "no lines of a session")


def is_line(value: Mapping[str, Any]) -> bool:
    """Tells whether an object is a line of a rollout file: an envelope, the bare header or a mark of the state."""
    if isinstance(value.get("payload"), dict):
        return _is_own(value.get("type"))
    return value.get("record_type") == "state" or is_header(value) or value.get("type") == META


def is_copy(value: Mapping[str, Any]) -> bool:
    """Tells whether a line repeats the history of the session, as compactions do."""
    return value.get("type") == COMPACTED and bool(as_object(value.get("payload")).get("replacement_history"))


def recognise(value: Mapping[str, Any]) -> Evidence:
    """Judges an object by its lines: Codex's are envelopes of its own, or bare items behind a header."""
    lines = value.get(LINES)
    if isinstance(lines, list):
        return _of_lines(lines)
    if isinstance(value.get(SESSION), dict) and isinstance(value.get(ITEMS), list):
        is_own = "id" in value[SESSION] and all(map(_is_item, value[ITEMS]))
        return Evidence(0.9, "a session with items") if is_own else Evidence(0.1, "a session, but no items of Codex")
    return _NO_SESSION


def _of_lines(lines: list[Any]) -> Evidence:
    objects = [line for line in lines if isinstance(line, dict)]
    if any(_is_own(line.get("type")) and isinstance(line.get("payload"), dict) for line in objects):
        return Evidence(1.0, "lines with type and payload")
    if objects and is_line(objects[0]) and all(map(_is_bare, objects[1:])):
        return Evidence(0.9, "a header and bare items")
    return Evidence(0.0, "lines, but none with type and payload")


def _is_own(kind: object) -> bool:
    return isinstance(kind, str) and kind in _OWN


def _is_bare(line: Mapping[str, Any]) -> bool:
    return _is_item(line) or is_line(line) or set(line) == {UNREADABLE_LINE} or is_left_out(line)


def _is_item(value: object) -> bool:
    fields = as_object(value)
    kind = fields.get("type")
    is_known = isinstance(kind, str) and (kind in _ITEMS or kind.endswith(("_call", "_output")))
    return is_known and (kind != "message" or ("role" in fields and "content" in fields))
