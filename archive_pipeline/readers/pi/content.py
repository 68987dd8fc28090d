"""The content of Pi's messages as parts: texts, thoughts, pictures, calls of tools and their results.

Blocks are those that Claude Code has, by other names. What Pi writes before the words of a user is context: the text of
a skill, and files that the command line names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from archive_pipeline.domain.records import PartRecord, PartType
from archive_pipeline.readers.claude_code import content as anthropic
from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.shapes import as_object, as_text, base64_sha256

RESULT: Final = "tool_result"
_CALL: Final = "toolCall"
_IMAGE: Final = "image"
_GIVEN: Final = re.compile(r'<(skill|file) name="[^"\n]*"(?: location="[^"\n]*")?>')


def split_prompt(text: str) -> list[tuple[str | None, str]]:
    """Returns what Pi wrote before a user's words, each with its tag, and the words; joined they are the text."""
    pieces: list[tuple[str | None, str]] = []
    end = 0
    while (opening := _GIVEN.match(text, end)) is not None:
        start, close = end, _end_of(opening, text)
        if close < 0:
            break
        end = close
        end += len(text[end : end + 2]) - len(text[end : end + 2].lstrip("\n"))
        pieces.append((opening[1], text[start:end]))
    return [*pieces, (None, text[end:])] if text[end:] else pieces


def _end_of(opening: re.Match[str], text: str) -> int:
    """Returns where the closing tag ends; -1 without one. Pi gives it a line of its own if the opening tag has one."""
    closing = f"</{opening[1]}>"
    if text.startswith("\n", opening.end()):
        own_line = re.compile(rf"\n{closing}(?=\n|\Z)").search(text, opening.end())
        if own_line is not None:
            return own_line.end()
    close = text.find(closing, opening.end())
    return close + len(closing) if close >= 0 else close


class ContentReader(anthropic.ContentReader):
    """Reads the content of one session's messages, in their order: results bear the names of tools called before."""

    def said_by_user(self, blocks: list[Any]) -> tuple[PartRecord, ...]:
        """Returns the parts of a user's blocks: what Pi put before the words is context."""
        return tuple(part for block in blocks for part in self._of_user(block))

    def _of_user(self, block: Any) -> Iterator[PartRecord]:
        text = anthropic.text_of(block)
        pieces = split_prompt(text) if text is not None else []
        if all(tag is None for tag, _ in pieces):
            yield from self._parts(block, PartType.TEXT, "text")
            return
        fields = Fields(block)
        fields.take("type")
        fields.take("text")
        source: dict[str, Any] | None = {**(fields.rest() or {}), "text": text}
        for tag, piece in pieces:
            yield PartRecord(PartType.TEXT if tag is None else PartType.CONTEXT, piece, tag or "text", source=source)
            source = None

    def result(self, message: Fields) -> tuple[PartRecord, ...]:
        """Takes what a message says of a tool's result: one part, and one for each picture."""
        named = {"tool_use_id": "toolCallId", "content": "content", "is_error": "isError"}
        taken = Fields({name: message.take(field) for name, field in named.items()})
        parts = tuple(self._result(taken, RESULT))
        parts[0].tool_name = message.take_text("toolName") or parts[0].tool_name
        return parts

    def _parts(self, block: Any, text_type: PartType, name: str) -> Iterator[PartRecord]:
        if as_object(block).get("type") != _CALL:
            yield from super()._parts(block, text_type, name)
            return
        fields = Fields(block)
        fields.take("type")
        yield self._call(fields, _CALL, "arguments")

    def _medium(self, block: dict[str, Any], kind: str, call: str | None = None) -> PartRecord:
        if kind != _IMAGE:
            return super()._medium(block, kind, call)
        return PartRecord(
            PartType.IMAGE,
            source_type=kind,
            tool_use_id=call,
            mime_type=as_text(block.get("mimeType")),
            content_sha256=base64_sha256(block.get("data")),
            source=block,
        )
