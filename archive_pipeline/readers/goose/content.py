"""What a message of Goose says, block by block. A block type that is not known here is kept as it is and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Final

from archive_pipeline.domain.records import PartRecord, PartType
from archive_pipeline.readers.goose.wording import text_type
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_list, as_object, as_text, base64_sha256, joined

_Read = Callable[[str, Fields], Iterable[PartRecord]]
_MEDIA: Final = {"image": PartType.IMAGE, "audio": PartType.AUDIO, "document": PartType.FILE}
_RESULTS: Final = frozenset({"toolResponse", "ToolResult"})  # the second is of versions before 1.0
_TEXTS: Final = frozenset({"text", "Text", "none"})


def is_result(block: object) -> bool:
    """Tells whether a block is the result of a tool."""
    return _kind(block) in _RESULTS


class ContentReader:
    """Reads the blocks of one session's messages, in their order: results bear the names of tools called before."""

    def __init__(self, warnings: Counter[str]) -> None:
        self._warnings = warnings
        self._tools: dict[str, str | None] = {}
        self._read: Mapping[str, _Read] = {
            "toolRequest": self._call,
            "frontendToolRequest": self._call,
            "toolResponse": self._result,
            "ToolUse": self._early_call,
            "ToolResult": self._early_result,
            "thinking": partial(_said, PartType.THINKING, "thinking"),
            "reasoning": partial(_said, PartType.THINKING, "text"),
            "redactedThinking": partial(_said, PartType.THINKING, "thinking"),
            "error": partial(_said, PartType.ERROR, "message"),
            "toolConfirmationRequest": partial(_said, PartType.CONTEXT, "prompt"),
            "systemNotification": partial(_said, PartType.CONTEXT, "msg"),
            "contextLengthExceeded": partial(_said, PartType.CONTEXT, "msg"),
            "summarizationRequested": partial(_said, PartType.CONTEXT, "msg"),
            "conversationCompacted": partial(_said, PartType.CONTEXT, "msg"),
            "actionRequired": _action,
        }

    def parts(self, blocks: Iterable[Any], role: str, *, is_shown: bool) -> tuple[PartRecord, ...]:
        """Returns the parts of blocks in order.

        Args:
            blocks: of a message, or some of them.
            role: whose message it is, in Goose's words.
            is_shown: the user sees the message; else its texts are context.
        """
        return tuple(part for block in blocks for part in self._parts(block, role, is_shown=is_shown))

    def _parts(self, block: Any, role: str, *, is_shown: bool) -> Iterator[PartRecord]:
        kind = _kind(block)
        fields = Fields({"text": block} if isinstance(block, str) else block)
        fields.take_text("type")
        text = fields.take_text("text") if kind in _TEXTS else None
        if text is not None:
            part_type = text_type(text, fields.fields_left(), role) if is_shown else PartType.CONTEXT
            yield PartRecord(part_type, text, "text" if kind == "none" else kind, source=fields.rest())
        elif kind in _MEDIA:
            yield _medium(block, kind)
        elif kind in self._read:
            yield from self._read[kind](kind, fields)
        elif kind != "text" or fields.rest() is not None:
            yield from self._unknown(block, kind)

    def _unknown(self, block: object, kind: str) -> Iterator[PartRecord]:
        if not is_empty(block):
            self._warnings[f"unknown_part:{kind}"] += 1
            yield PartRecord(PartType.UNKNOWN, source_type=kind, source=block)

    def _call(self, kind: str, fields: Fields) -> Iterator[PartRecord]:
        outcome, value = _inside(fields, "toolCall")
        tool, given = value.take_text("name"), value.take("arguments")
        _put_back(fields, "toolCall", outcome, value)
        yield self._use(kind, fields, tool, given)

    def _early_call(self, kind: str, fields: Fields) -> Iterator[PartRecord]:
        tool, given = fields.take_text("name"), fields.take("parameters")
        yield self._use(kind, fields, tool, given)

    def _use(self, kind: str, fields: Fields, tool: str | None, given: Any) -> PartRecord:
        call = fields.take_identifier("id")
        if call is not None:
            self._tools.setdefault(call, tool)
        return PartRecord(
            PartType.TOOL_USE,
            source_type=kind,
            tool_name=tool,
            tool_use_id=call,
            tool_input=given,
            source=fields.rest(),
        )

    def _result(self, kind: str, fields: Fields) -> Iterator[PartRecord]:
        call = fields.take_identifier("id")
        outcome, value = _inside(fields, "toolResult")
        failure = outcome.take_text("error")
        # Before MCP's results were kept whole the value was their content alone.
        holder, name = (
            (value, "content") if isinstance(outcome.fields_left().get("value"), dict) else (outcome, "value")
        )
        texts, media, left = _items(holder.take(name), call)
        holder.put_back(name, left)
        is_error = value.take_flag("isError")
        _put_back(fields, "toolResult", outcome, value)
        text = joined([*texts, failure])
        yield self._answer(kind, fields, call, text, is_error=True if failure is not None else is_error)
        yield from media

    def _early_result(self, kind: str, fields: Fields) -> Iterator[PartRecord]:
        call, text = fields.take_identifier("tool_use_id"), fields.take_text("output")
        yield self._answer(kind, fields, call, text, is_error=fields.take_flag("is_error"))

    def _answer(
        self, kind: str, fields: Fields, call: str | None, text: str | None, *, is_error: bool | None
    ) -> PartRecord:
        self._warnings["unpaired_tool_result"] += call is None or call not in self._tools
        return PartRecord(
            PartType.TOOL_RESULT,
            text,
            kind,
            tool_name=self._tools.get(call or ""),
            tool_use_id=call,
            is_error=is_error,
            source=fields.rest(),
        )


def _kind(block: object) -> str:
    if isinstance(block, dict):
        return as_text(block.get("type")) or "none"
    return "text" if isinstance(block, str) else type(block).__name__


def _said(part_type: PartType, name: str, kind: str, fields: Fields) -> Iterator[PartRecord]:
    text = fields.take_text(name)
    yield PartRecord(part_type, text, kind, source=fields.rest())


def _action(kind: str, fields: Fields) -> Iterator[PartRecord]:
    """Yields what the program asks the user in the middle of a turn, or what the user answers."""
    data = Fields(fields.fields_left().get("data"))
    answers = map(as_text, as_object(data.fields_left().get("user_data")).values())
    text = data.first_text(("prompt", "message", "permission")) or joined(answers)
    if isinstance(fields.fields_left().get("data"), dict):
        fields.fields_left()["data"] = data.rest()
    yield PartRecord(PartType.CONTEXT, text, kind, source=fields.rest())


def _inside(fields: Fields, name: str) -> tuple[Fields, Fields]:
    """Returns the fields of a call's or result's outcome, and of the value in it."""
    outcome = Fields(fields.fields_left().get(name))
    return outcome, Fields(outcome.fields_left().get("value"))


def _put_back(fields: Fields, name: str, outcome: Fields, value: Fields) -> None:
    """Puts what was not taken where it was."""
    left = outcome.fields_left()
    if isinstance(left.get("value"), dict):
        left["value"] = value.rest()
    if isinstance(fields.fields_left().get(name), dict):
        fields.fields_left()[name] = outcome.rest()


def _items(content: Any, call: str | None) -> tuple[list[str], list[PartRecord], list[Any]]:
    """Returns the texts of a result as the model got them, its media, and what no part has.

    Tools may say the same to the model and, in another form, to the user.
    """
    items = content if isinstance(content, list) else [content]
    is_told = any(_is_for(item, "assistant") and _text_of(item)[0] is not None for item in items)
    texts: list[str] = []
    media: list[PartRecord] = []
    left: list[Any] = []
    for item in items:
        text, rest = _text_of(item) if _is_for(item, "assistant") or not is_told else (None, item)
        if text is not None:
            texts.append(text)
        if _kind(item) in _MEDIA:
            media.append(_medium(item, _kind(item), call))
        elif not is_empty(rest):
            left.append(rest)
    return texts, media, left


def _is_for(item: object, audience: str) -> bool:
    named = as_list(as_object(as_object(item).get("annotations")).get("audience"))
    return not named or audience in named


def _text_of(item: Any) -> tuple[str | None, Any]:
    """Returns the text of a result's item, also of a resource, and what of the item it does not say."""
    if isinstance(item, str):
        return item or None, None
    fields = Fields(item)
    if _kind(item) != "resource":
        text = fields.take_text("text")
        rest = fields.rest()
        return text, (None if rest == {"type": "text"} else rest) if text is not None else item
    resource = Fields(fields.fields_left().get("resource"))
    text = resource.take_text("text")
    if text is not None:
        fields.fields_left()["resource"] = resource.rest()
    return text, fields.rest()


def _medium(block: dict[str, Any], kind: str, call: str | None = None) -> PartRecord:
    return PartRecord(
        _MEDIA[kind],
        source_type=kind,
        tool_use_id=call,
        mime_type=as_text(block.get("mimeType")),
        content_sha256=base64_sha256(block.get("data")),
        source=block,
    )
