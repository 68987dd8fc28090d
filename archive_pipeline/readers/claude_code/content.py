"""The content blocks of a line as parts. A block type that is not known here is kept as it is and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from archive_pipeline.domain.records import PartRecord, PartType
from archive_pipeline.readers.claude_code.injected import Segment, segments, typed_command
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_object, as_text, base64_sha256, joined
from archive_pipeline.readers.search_results import results_text

_TEXT: Final = PartType.TEXT  # looked up once: that takes ten times as long as a name
_RESULT: Final = "tool_result"
_CALL: Final = "tool_use"
_MEDIA: Final = {"image": PartType.IMAGE, "document": PartType.FILE}


def blocks_of(message: object) -> list[Any]:
    """Returns the blocks of a message's content; a text is a block."""
    content = as_object(message).get("content")
    blocks = content if isinstance(content, list) else [content]
    return [block for block in blocks if not is_empty(block)]


def is_result(block: object) -> bool:
    """Tells whether a block is the result of a tool."""
    return (as_text(as_object(block).get("type")) or "").endswith(_RESULT)


def text_of(block: object) -> str | None:
    """Returns the text of a block that is one."""
    return as_text(block) or (as_text(as_object(block).get("text")) if as_object(block).get("type") == "text" else None)


class ContentReader:
    """Reads the blocks of one session's messages, in their order: results bear the names of the tools called before."""

    def __init__(self, warnings: Counter[str]) -> None:
        self._warnings = warnings
        self._tools: dict[str, str | None] = {}

    def parts(self, blocks: list[Any], text_type: PartType = _TEXT, name: str = "text") -> tuple[PartRecord, ...]:
        """Returns the parts of blocks in order.

        Args:
            blocks: of an answer, of tools' results, or of what the tool put in.
            text_type: what a text among them is.
            name: what the source calls such a text.
        """
        return tuple(part for block in blocks for part in self._parts(block, text_type, name))

    def said_by_user(self, blocks: list[Any]) -> tuple[PartRecord, ...]:
        """Returns the parts of a user's blocks: what the tool put in between is context."""
        parts: list[PartRecord] = []
        for block in blocks:
            text = text_of(block)
            pieces = segments(text) if text is not None else []
            if all(piece.tag is None for piece in pieces):
                parts += self._parts(block, _TEXT, "text")
            else:
                parts += _from_pieces(block, pieces)
        return tuple(parts)

    def _parts(self, block: Any, text_type: PartType, name: str) -> Iterator[PartRecord]:
        if isinstance(block, str):
            yield PartRecord(text_type, block, name)
            return
        kind = as_text(as_object(block).get("type")) or ("none" if isinstance(block, dict) else type(block).__name__)
        fields = Fields(block)
        fields.take("type")
        if kind == "text":
            yield from self._text(block, fields, text_type, name)
        elif kind in ("thinking", "redacted_thinking"):
            yield PartRecord(PartType.THINKING, fields.take_text("thinking"), kind, source=fields.rest())
        elif kind.endswith(_CALL):
            yield self._call(fields, kind, "input")
        elif kind.endswith(_RESULT):
            yield from self._result(fields, kind)
        elif kind in _MEDIA:
            yield self._medium(block, kind)
        elif not is_empty(block):
            yield self._unknown(block, kind)

    def _unknown(self, block: object, kind: str) -> PartRecord:
        self._warnings[f"unknown_part:{kind}"] += 1
        return PartRecord(PartType.UNKNOWN, source_type=kind, source=block)

    def _text(self, block: object, fields: Fields, text_type: PartType, name: str) -> Iterator[PartRecord]:
        text, source = fields.take_text("text"), fields.rest()
        if text is not None and not text.strip():  # what stands before a thought, and is not said
            yield PartRecord(text_type, None, name, source={**(source or {}), "text": text})
        elif text is not None:
            yield PartRecord(text_type, text, name, source=source)
        elif source is not None:
            self._warnings["malformed_text"] += 1
            yield PartRecord(PartType.UNKNOWN, source_type="text", source=block)

    def _call(self, fields: Fields, kind: str, given: str) -> PartRecord:
        call, tool = fields.take_identifier("id"), fields.take_text("name")
        if call is not None:
            self._tools.setdefault(call, tool)
        return PartRecord(
            PartType.TOOL_USE,
            source_type=kind,
            tool_name=tool,
            tool_use_id=call,
            tool_input=fields.take(given),
            source=fields.rest(),
        )

    def _result(self, fields: Fields, kind: str) -> Iterator[PartRecord]:
        call = fields.take_identifier("tool_use_id")
        if call is None or call not in self._tools:
            self._warnings["unpaired_tool_result"] += 1
        content = fields.take("content")
        texts: list[str | None] = []
        media: list[PartRecord] = []
        left: list[Any] = []
        for item in content if isinstance(content, list) else [content]:
            text, rest = _result_text(item)
            texts.append(text)
            inner = as_text(as_object(item).get("type"))
            if inner in _MEDIA:
                media.append(self._medium(item, inner, call))
            elif not is_empty(rest):
                left.append(rest)
        fields.put_back("content", left)
        yield PartRecord(
            PartType.TOOL_RESULT,
            joined(texts) or (None if kind == _RESULT else results_text(content)),
            kind,
            tool_name=self._tools.get(call or ""),
            tool_use_id=call,
            is_error=fields.take_flag("is_error"),
            source=fields.rest(),
        )
        yield from media

    def _medium(self, block: dict[str, Any], kind: str, call: str | None = None) -> PartRecord:
        origin = as_object(block.get("source"))
        return PartRecord(
            _MEDIA[kind],
            source_type=kind,
            tool_use_id=call,
            mime_type=as_text(origin.get("media_type")),
            uri=as_text(origin.get("url")) or as_text(origin.get("file_id")),
            content_sha256=base64_sha256(origin.get("data")),
            source=block,
        )


def _from_pieces(block: object, pieces: list[Segment]) -> Iterator[PartRecord]:
    """Yields the parts of a text in pieces; a command that the model answers is what the user typed."""
    fields = Fields(block)
    fields.take("type")
    text = as_text(block) or fields.take_text("text")
    source: dict[str, Any] | None = fields.rest()
    command = typed_command(pieces)
    if command is not None or len(pieces) > 1:
        source = {**(source or {}), "text": text}
    if command is not None:
        yield PartRecord(_TEXT, command, "command", source=source)
        source = None
        pieces = [piece for piece in pieces if not (piece.tag or "").startswith("command-")]
    for piece in pieces:
        part_type = _TEXT if piece.tag is None else PartType.CONTEXT
        yield PartRecord(part_type, piece.text, piece.tag or "text", source=source)
        source = None


def _result_text(item: object) -> tuple[str | None, object]:
    """Returns the text of an item of a result, and what of the item the text does not say."""
    if isinstance(item, str):
        return item, None
    if as_object(item).get("type") == "tool_reference":
        return as_text(as_object(item).get("tool_name")), item
    fields = Fields(item)
    text = fields.take_text("text")
    if text is None:
        return None, item
    kind = fields.take("type")
    rest = fields.rest()
    return text, None if rest is None and kind in ("text", None) else {"type": kind, **(rest or {})}
