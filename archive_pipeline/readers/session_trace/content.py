"""What a message of a session trace says, as parts: text, thoughts, calls of tools and their results.

Harnesses that write blocks of content write those of Pi.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from archive_pipeline.domain.records import AttachmentRecord, PartRecord, PartType
from archive_pipeline.readers.chat_arrays.calls import call_arguments
from archive_pipeline.readers.claude_code.content import blocks_of
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_size, as_text, base64_sha256
from archive_pipeline.readers.pi import content as pi

_CALLS: Final = "toolCalls"
_FUNCTION: Final = "function"
# The second one is that of earlier versions of llama.app.
_THOUGHTS: Final = ("reasoningContent", "thinking")
_FILES: Final = "extra"
_BASE64: Final = ";base64,"


class ContentReader(pi.ContentReader):
    """Reads the content of one session's messages, in their order: results bear the names of tools called before."""

    def said(self, message: Fields) -> tuple[PartRecord, ...]:
        """Takes what a message says that is no result: first what was thought, last what is called."""
        thoughts = [(name, message.take_text(name)) for name in _THOUGHTS]
        return (
            *(PartRecord(PartType.THINKING, text, name) for name, text in thoughts if text is not None),
            *self.parts(blocks_of({"content": message.take("content")})),
            *self._calls(message),
        )

    def _calls(self, message: Fields) -> Iterator[PartRecord]:
        unread: list[Any] = []
        for item in message.take_items(_CALLS):
            if isinstance(item, dict):
                part = _call(item)
                if part.tool_use_id is not None:
                    self._tools.setdefault(part.tool_use_id, part.tool_name)
                yield part
            elif not is_empty(item):
                self._warnings["malformed_call"] += 1
                unread.append(item)
        message.put_back(_CALLS, unread)


def _call(item: dict[str, Any]) -> PartRecord:
    call = Fields(item)
    is_nested = isinstance(item.get(_FUNCTION), dict)
    function = Fields(call.take(_FUNCTION)) if is_nested else call
    tool_input, text = call_arguments(function.take("arguments"))
    name, own = function.take_text("name"), call.take_identifier("id")
    inner = function.rest() if is_nested else None
    return PartRecord(
        PartType.TOOL_USE,
        text,
        _CALLS,
        tool_name=name,
        tool_use_id=own,
        tool_input=tool_input,
        source={**(call.rest() or {}), **({_FUNCTION: inner} if inner else {})} or None,
    )


def attachments(message: Fields) -> tuple[AttachmentRecord, ...]:
    """Takes the files that llama.app keeps with a prompt, their content in ``source``."""
    return tuple(_attachment(Fields(item)) for item in message.take_objects(_FILES))


def _attachment(file: Fields) -> AttachmentRecord:
    said = file.fields_left()
    address = as_text(said.get("base64Url")) or ""
    header, _, content = address.partition(_BASE64)
    of_address = header.removeprefix("data:") if header.startswith("data:") else None
    return AttachmentRecord(
        file_name=file.take_text("name"),
        mime_type=file.take_text("mimeType") or of_address,
        size_bytes=as_size(said.get("size")),
        uri=file.take_text("uri"),
        extracted_text=file.take_text("content"),
        content_sha256=base64_sha256(said.get("base64Data")) or base64_sha256(content),
        source=file.rest(),
    )
