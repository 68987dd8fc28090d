"""What a message of OpenCode has, part by part: of version 1 in ``parts``, of version 2 in ``content``.

What says how the model was asked (steps, snapshots of files, tokens, retries) is no part: it stays in the message.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from archive_pipeline.domain.records import AttachmentRecord, PartRecord, PartType
from archive_pipeline.readers.json.fields import Fields, holds_text, is_empty
from archive_pipeline.readers.json.shapes import as_list, as_object, as_text, joined
from archive_pipeline.readers.opencode.files import attachment, medium

_TEXT: Final = "text"
_TOOL: Final = "tool"
_FILE: Final = "file"
_STATE: Final = "state"
_TEXTS: Final[Mapping[str, tuple[PartType, str]]] = {
    _TEXT: (PartType.TEXT, "text"),
    "reasoning": (PartType.THINKING, "text"),
    "subtask": (PartType.TEXT, "prompt"),  # a command of the user, for an agent of its own
}
_ABOUT: Final = frozenset({"agent", "patch", "retry", "snapshot", "step-finish", "step-start"})
_COMPACTION: Final = "compaction"  # the user or OpenCode asks for a summary of what went before
# OpenCode's words in the user's name: for the model alone, or for the user alone.
_PUT_IN: Final = ("synthetic", "ignored")
_ENDED: Final = frozenset({"completed", "error"})
_COMMAND: Final = "command"
_OUTPUT: Final = "output"


class Content:
    """The parts of one message, in their order.

    Attributes:
        parts: what was said and done.
        files: what came with it.
        kept: what is neither.
    """

    def __init__(
        self,
        warnings: Counter[str],
        own: Mapping[str, str | None],
        *,
        is_context: bool = False,
        is_command: bool = False,
    ) -> None:
        """Makes one without parts.

        Args:
            warnings: where unusual things are counted.
            own: ids that parts repeat, by the names that they have there.
            is_context: texts are not what the model answered: they sum up what went before.
            is_command: the call of a tool is no model's: the user ran a command.
        """
        self.parts: list[PartRecord] = []
        self.files: list[AttachmentRecord] = []
        self.kept: list[Any] = []
        self._warnings = warnings
        self._own = own
        self._is_context = is_context
        self._tool_parts = _command_parts if is_command else tool_parts

    def add(self, item: Any) -> None:
        """Takes the next part."""
        if not isinstance(item, dict):
            if not is_empty(item):
                self._warnings["malformed_content"] += 1
                self.kept.append(item)
            return
        fields = Fields(item)
        for name, said in self._own.items():
            if said is not None and item.get(name) == said:
                fields.take(name)
        kind = as_text(item.get("type"))
        if kind in _ABOUT:
            self.kept.append(fields.rest())
            return
        if kind == _FILE:  # no column has its type
            self.files.append(attachment(fields))
            return
        if kind is not None:
            fields.take("type")
        self._part(kind or "none", fields, item)

    def _part(self, kind: str, fields: Fields, item: Mapping[str, Any]) -> None:
        if kind in _TEXTS:
            self._text(kind, fields, item)
        elif kind == _TOOL:
            self.parts += self._tool_parts(fields)
        elif kind == _COMPACTION:
            self.parts.append(PartRecord(PartType.CONTEXT, source_type=kind, source=fields.rest()))
        else:
            self._warnings[f"unknown_part:{kind}"] += 1
            self.parts.append(PartRecord(PartType.UNKNOWN, source_type=kind, source=fields.rest()))

    def _text(self, kind: str, fields: Fields, item: Mapping[str, Any]) -> None:
        part_type, name = _TEXTS[kind]
        text = fields.take_text(name)
        if text is None:
            self._warnings["unread_text"] += holds_text(item.get(name))
            self.kept.append(item)
            return
        is_put_in = self._is_context or any(item.get(flag) is True for flag in _PUT_IN)
        if is_put_in and part_type is PartType.TEXT:
            part_type = PartType.CONTEXT
        self.parts.append(PartRecord(part_type, text, kind, source=fields.rest()))


def is_put_in(parts: list[PartRecord]) -> bool:
    """Tells whether parts are nothing but what OpenCode put in."""
    return bool(parts) and all(part.part_type is PartType.CONTEXT for part in parts)


def tool_parts(fields: Fields) -> Iterator[PartRecord]:
    """Takes a call of a tool, and what it gave once it has ended: the result, and each file."""
    name = fields.take_text(_TOOL) or fields.take_text("name")
    call = fields.take_identifier("callID") or fields.take_identifier("id")
    if not isinstance(fields.fields_left().get(_STATE), dict):
        yield PartRecord(PartType.TOOL_USE, None, _TOOL, name, call, source=fields.rest())
        return
    state = Fields(fields.take(_STATE))
    status = as_text(state.fields_left().get("status"))
    given = state.take("input")
    results = [*_results(state, name, call, status)] if status in _ENDED else []
    left = {_STATE: rest} if (rest := state.rest()) else {}
    source = {**fields.fields_left(), **left}
    yield PartRecord(PartType.TOOL_USE, None, _TOOL, name, call, given, source=Fields(source).rest())
    yield from results


def _command_parts(fields: Fields) -> Iterator[PartRecord]:
    """Takes a command that the user ran, and its output, as the parts of an entry of version 2."""
    state = Fields(fields.fields_left().get(_STATE))
    given = Fields(state.fields_left().get("input"))
    command, output = given.take_text(_COMMAND), state.take_text(_OUTPUT)
    if command is not None:
        state.fields_left()["input"] = given.fields_left()
    if command is not None or output is not None:
        fields.fields_left()[_STATE] = state.fields_left()
    yield PartRecord(PartType.CONTEXT, command, _COMMAND, source=fields.rest())
    if output is not None:
        yield PartRecord(PartType.CONTEXT, output, _OUTPUT)


def _results(state: Fields, name: str | None, call: str | None, status: str | None) -> Iterator[PartRecord]:
    texts: list[str | None] = []
    files: list[PartRecord] = []
    for field in ("content", "attachments"):
        unread: list[Any] = []
        for item in as_list(state.fields_left().get(field)):
            if as_object(item).get("type") == _FILE:
                files.append(_file(item, call))
            elif as_object(item).keys() == {"type", _TEXT} and item["type"] == _TEXT and as_text(item[_TEXT]):
                texts.append(item[_TEXT])
            else:
                unread.append(item)
        if isinstance(state.fields_left().get(field), list):
            state.take(field)
            state.put_back(field, unread)
    texts += [state.take_text(_OUTPUT), taken_error(state)]
    yield PartRecord(PartType.TOOL_RESULT, joined(texts), _TOOL, name, call, is_error=status == "error")
    yield from files


def _file(item: dict[str, Any], call: str | None) -> PartRecord:
    fields = Fields(item)
    fields.take("type")
    return medium(fields, _FILE, call)


def taken_error(fields: Fields) -> str | None:
    """Takes what an error says: it is a text, or an object with one in it, whose other fields stay."""
    text = fields.take_text("error")
    if text is not None:
        return text
    error = Fields(fields.fields_left().get("error"))
    text = error.take_text("message")
    if text is None:
        data = Fields(error.fields_left().get("data"))
        text = data.take_text("message")
        if text is not None:
            error.fields_left()["data"] = data.fields_left()
    if text is not None:
        fields.fields_left()["error"] = error.fields_left()
    return text
