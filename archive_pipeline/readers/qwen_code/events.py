"""Lines of type system: most are about the session, and some say what the model is told, or what a command said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import zip_longest
from typing import Any, Final

from archive_pipeline.domain.records import PartRecord, PartType
from archive_pipeline.readers.gemini_cli.wording import is_put_in_answer, is_snapshot
from archive_pipeline.readers.gemini_parts import content_parts
from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.shapes import as_list, as_object, as_text

_CONTEXT: Final = PartType.CONTEXT
_PARTS: Final = "parts"
_HISTORY: Final = "compressedHistory"
_ITEMS: Final = "outputHistoryItems"
_INSTRUCTION: Final = "systemInstruction"
_Told = Iterator[PartRecord]


def told_by_event(subtype: str | None, payload: Fields, warnings: Counter[str]) -> _Told:
    """Yields what a line says that is more than data of the program: nothing, of most.

    Args:
        subtype: of the line.
        payload: of the line; what is told is taken.
        warnings: where parts of no known kind are counted.
    """
    tell = _TELLING.get(subtype or "")
    return iter(()) if tell is None else tell(payload, warnings)


def _summary(payload: Fields, warnings: Counter[str]) -> _Told:
    """Yields the summary that takes the place of what was said; what goes on behind it stands in the file above."""
    history = as_list(payload.fields_left().get(_HISTORY))
    texts = [_text_of(content) for content in history]
    found = (
        place
        for place, (text, is_answered) in enumerate(zip_longest(texts, map(is_put_in_answer, texts[1:])))
        if text and (is_answered or is_snapshot(text))
    )
    place = next(found, None)
    if place is not None:
        content = Fields(history[place])
        yield from _as_context(content.take(_PARTS), "chat_compression", warnings)
        payload.fields_left()[_HISTORY] = [*history[:place], content.rest(), *history[place + 1 :]]


def _command(payload: Fields, _warnings: Counter[str]) -> _Told:
    """Yields a slash command as the user typed it, or what came of it."""
    if payload.fields_left().get("phase") != "result":
        text = payload.take_text("rawCommand")
        if text is not None:
            yield PartRecord(_CONTEXT, text, "slash_command")
        return
    left: list[Any] = []
    for item in payload.take_items(_ITEMS):
        fields = Fields(item)
        text = fields.take_text("text")
        left.append(item if text is None else fields.rest())
        if text is not None:
            yield PartRecord(_CONTEXT, text, "slash_command")
    payload.put_back(_ITEMS, left)


def _instruction(payload: Fields, warnings: Counter[str]) -> _Told:
    """Yields the system prompt of a subagent; what it is told of its parent's session stands in that."""
    text = payload.take_text(_INSTRUCTION)
    content = Fields(payload.fields_left().get(_INSTRUCTION))
    yield from _as_context(text or content.take(_PARTS), _INSTRUCTION, warnings)
    if isinstance(payload.fields_left().get(_INSTRUCTION), dict):
        payload.fields_left()[_INSTRUCTION] = content.rest()


def _task(payload: Fields, _warnings: Counter[str]) -> _Told:
    text = payload.take_text("displayText")
    if text is not None:
        yield PartRecord(_CONTEXT, text, "agent_launch_prompt")


def _as_context(parts: Any, name: str, warnings: Counter[str]) -> _Told:
    for part in content_parts(parts, name, warnings):
        if part.part_type is PartType.TEXT:
            part.part_type = _CONTEXT
        yield part


def _text_of(content: object) -> str:
    parts = as_list(as_object(content).get(_PARTS))
    return "".join(as_text(as_object(part).get("text")) or "" for part in parts)


_TELLING: Final[Mapping[str, Callable[[Fields, Counter[str]], _Told]]] = {
    "agent_bootstrap": _instruction,
    "agent_launch_prompt": _task,
    "chat_compression": _summary,
    "slash_command": _command,
}
EVENTS: Final = frozenset(_TELLING) | {
    *("agent_retry", "agent_session_ready", "at_command", "attribution_snapshot", "background_task_completed"),
    *("branch_checkpoint", "custom_title", "file_history_snapshot", "goal_state", "goal_turn_end"),
    *("managed_session_commit_v1", "managed_session_event_v1", "managed_session_header_v1", "omni_recall"),
    *("parent_session", "rewind", "session_approval_mode", "session_artifact_event", "session_artifact_snapshot"),
    *("session_execution_engine", "session_model", "session_notes", "session_source", "session_sources_snapshot"),
    *("turn_attempt", "turn_result", "ui_telemetry", "user_text_elements"),
}
