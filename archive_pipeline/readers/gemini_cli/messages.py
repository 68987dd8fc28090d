"""The messages of a session: what is said in them, by whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from more_itertools import partition

from archive_pipeline.domain.records import MessageRecord, MessageState, PartRecord, PartType, Role
from archive_pipeline.readers.gemini_cli.prompts import said_by_user
from archive_pipeline.readers.gemini_cli.wording import is_put_in_answer
from archive_pipeline.readers.gemini_parts import content_parts, tool_call
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_list, as_object, as_text, joined
from archive_pipeline.readers.left_out_lines import is_left_out, left_out_part
from archive_pipeline.readers.roles import read_role
from archive_pipeline.readers.timestamps import read_timestamp

_ROLES: Final[Mapping[str, Role]] = {
    "user": "user",
    "gemini": "assistant",
    "info": "system",
    "warning": "system",
    "error": "system",
}
# What the program tells the user on the screen, and nobody tells the model.
_NOTICES: Final = frozenset({"info", "warning"})
_FAILED: Final = frozenset({"error", "cancelled"})
_CALLS: Final = "toolCalls"
_RESULT: Final = "result"
_CONTENT: Final = "content"


class MessageReader:
    """Reads the messages of one session: calls and results that one of them has are not read from others again."""

    def __init__(self, messages: Iterable[Mapping[str, Any]], warnings: Counter[str]) -> None:
        self._warnings = warnings
        calls = [as_object(call) for message in messages for call in as_list(message.get(_CALLS))]
        self._calls = {name for call in calls if (name := as_text(call.get("id")))}
        self._results = {
            name for call in calls if (name := as_text(call.get("id"))) and not is_empty(call.get(_RESULT))
        }

    def read(self, name: str, parent: str | None, item: Mapping[str, Any]) -> MessageRecord | None:
        """Returns a message; None if it only repeats results of calls."""
        fields = Fields(item)
        if item.get("id") == name:
            fields.take("id")
        role = read_role(item.get("type"), _ROLES, self._warnings)
        if is_left_out(item):
            fields.take(_CONTENT)
            parts: tuple[PartRecord, ...] = (left_out_part(),)
        else:
            parts = tuple(self._parts(fields, role))
            if role == "user" and not parts and fields.fields_left().get(_CONTENT):
                return None
        shown = _role_by_parts(item, role, parts)
        return MessageRecord(
            source_id=name,
            parent_source_id=parent,
            role=shown,
            parts=parts,
            created_at=read_timestamp(item.get("timestamp"), self._warnings),
            model=fields.take_text("model") if role == "assistant" else None,
            state=_state(item),
            is_hidden=shown == "system" and (role != shown or as_text(item.get("type")) in _NOTICES),
            source=fields.rest(),
        )

    def _parts(self, fields: Fields, role: Role) -> Iterator[PartRecord]:
        """Takes what a message says: thoughts, the text, and the calls with their results."""
        yield from _thoughts(fields)
        text_type = _text_type(as_text(fields.fields_left().get("type")))
        content = self._without_repeated(fields)
        if role == "user":
            yield from said_by_user(fields, content, self._warnings)
        else:
            for part in content_parts(content, _CONTENT, self._warnings):
                part.part_type = text_type if part.part_type is PartType.TEXT else part.part_type
                yield part
        if role == "assistant":
            yield from self._calls_made(fields)

    def _without_repeated(self, fields: Fields) -> Any:
        """Takes the content; calls and results that stand beside it, too, are left to the source."""
        content = fields.take(_CONTENT)
        if not isinstance(content, list):
            return content
        own, repeated = map(list, partition(self._is_repeated, content))
        fields.put_back(_CONTENT, repeated)
        return own

    def _is_repeated(self, part: object) -> bool:
        call, response = (as_object(as_object(part).get(name)) for name in ("functionCall", "functionResponse"))
        return as_text(call.get("id")) in self._calls or as_text(response.get("id")) in self._results

    def _calls_made(self, fields: Fields) -> Iterator[PartRecord]:
        unread: list[Any] = []
        for item in fields.take_items(_CALLS):
            if isinstance(item, dict):
                yield from self._call(Fields(item), as_text(item.get("status")))
            elif not is_empty(item):
                unread.append(item)
        fields.put_back(_CALLS, unread)

    def _call(self, call: Fields, status: str | None) -> Iterator[PartRecord]:
        given = call.take(_RESULT)
        if isinstance(given, list):
            own = as_text(call.fields_left().get("id"))
            given, others = map(list, partition(lambda part: self._is_repeated(part) and _answered(part) != own, given))
            call.put_back(_RESULT, others)
        use = tool_call(call, _CALLS)
        yield use
        for part in content_parts(given, _RESULT, self._warnings):
            if part.part_type is PartType.TEXT:
                part.part_type = PartType.TOOL_RESULT
            if part.part_type is PartType.TOOL_RESULT:
                part.tool_name = part.tool_name or use.tool_name
                part.is_error = part.is_error or (status in _FAILED if status is not None else None)
            part.tool_use_id = part.tool_use_id or use.tool_use_id
            yield part


def _text_type(kind: str | None) -> PartType:
    """Returns what a text is that nobody typed, by the type of its message."""
    if kind == "error":
        return PartType.ERROR
    return PartType.CONTEXT if kind in _NOTICES else PartType.TEXT


def _answered(part: object) -> str | None:
    return as_text(as_object(as_object(part).get("functionResponse")).get("id"))


def _role_by_parts(item: Mapping[str, Any], role: Role, parts: tuple[PartRecord, ...]) -> Role:
    """Returns who speaks: the program and tools speak in the names of the user and the model, too."""
    kinds = {part.part_type for part in parts}
    if role == "user" and kinds == {PartType.CONTEXT}:
        return "system"
    if role == "user" and PartType.TOOL_RESULT in kinds and PartType.TEXT not in kinds:
        return "tool"
    if role == "assistant" and kinds == {PartType.TEXT} and item.get("model") is None and _is_put_in(parts):
        for part in parts:
            part.part_type = PartType.CONTEXT
        return "system"
    return role


def _is_put_in(parts: tuple[PartRecord, ...]) -> bool:
    return is_put_in_answer("".join(part.text or "" for part in parts))


def _state(item: Mapping[str, Any]) -> MessageState:
    return "error" if item.get("type") == "error" else "complete"


def _thoughts(fields: Fields) -> Iterator[PartRecord]:
    unread: list[Any] = []
    for item in fields.take_items("thoughts"):
        thought = Fields(item)
        text = joined([thought.take_text("subject"), thought.take_text("description")])
        if text is not None:
            yield PartRecord(PartType.THINKING, text, "thoughts", source=thought.rest())
        elif not is_empty(item):
            unread.append(item)
    fields.put_back("thoughts", unread)
