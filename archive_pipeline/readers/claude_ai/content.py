"""The content blocks of Claude.ai messages as parts, tool calls and their results paired.

Older exports have no ids for tool calls: they get one from message and position, and results take them in order. A
block type that is not known here is kept as it is and counted. The flattened ``text`` of a message is used only where
the blocks give no text. Each value is taken once (``json.fields``): what no column takes stays in the part's source.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from archive_pipeline.domain.records import PartRecord, PartType, Role
from archive_pipeline.readers.claude_ai.artifacts import TOOL, Artifacts
from archive_pipeline.readers.claude_ai.citations import cited, knowledge, knowledge_text
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_list, as_object, as_text, base64_sha256, joined
from archive_pipeline.readers.open_calls import OpenCalls

_TEXT = PartType.TEXT  # looked up once: that takes ten times as long as a name
_PLACEHOLDER = re.compile(
    r"(?:```\s*)?(?:This block is not supported[^\n`]*|Viewing artifacts created via[^\n`]*)(?:\s*```)?", re.IGNORECASE
)


class ContentReader:
    """Reads the blocks of one dialogue's messages, parents first: results answer calls of the message before.

    ``is_linear`` if no message has a parent: each follows the one before it.
    """

    def __init__(self, warnings: Counter[str], *, is_linear: bool = True) -> None:
        self._warnings = warnings
        self._open_calls = OpenCalls()
        self._artifacts = Artifacts(warnings, is_linear=is_linear)
        self._beside: list[PartRecord] = []
        self._name = ""
        self._calls_made = 0
        self._readers: dict[str, Callable[[dict[str, Any]], PartRecord | None]] = {
            "text": self._text,
            "voice_note": self._text,
            "thinking": self._thinking,
            "redacted_thinking": self._thinking,
            "tool_use": self._tool_use,
            "tool_result": self._tool_result,
            "image": self._image,
            "token_budget": _nothing_said,
            "flag": _nothing_said,
        }

    def parts(
        self, message: Mapping[str, Any], *, role: Role, name: str, parent: str | None = None
    ) -> tuple[tuple[PartRecord, ...], list[Any]]:
        """Returns the message's parts in order, and the blocks that say nothing a part could hold.

        What blocks cite and the versions of artifacts come after the parts that the blocks are.

        Args:
            message: the message object.
            role: its role.
            name: its id, for calls that have none.
            parent: the id of its parent, where it is known.
        """
        self._name = name
        self._calls_made = 0
        self._beside = []
        self._artifacts.begin(parent)
        if role == "assistant":
            self._open_calls.clear()
        content = message.get("content")
        if not isinstance(content, list) and "content" in message:
            self._warnings["malformed_content"] += 1
        if not isinstance(content, list | dict):
            self._artifacts.end(name)
            return self._fallback(message, content), []
        parts: list[PartRecord] = []
        silent: list[Any] = []
        for block in content if isinstance(content, list) else [content]:
            part = self._part(block)
            if part is not None:
                parts.append(part)
            elif not _is_empty_text(block):
                silent.append(block)
        if _TEXT not in [part.part_type for part in parts]:
            parts.extend(self._fallback(message, None))
        self._artifacts.end(name)
        return (*parts, *self._beside), silent

    def _fallback(self, message: Mapping[str, Any], content: object) -> tuple[PartRecord, ...]:
        text = as_text(message.get("text")) or as_text(content)
        if text is None or not _PLACEHOLDER.sub("", text).strip():
            return ()
        return (PartRecord(PartType.TEXT, text, "text_fallback"),)

    def _part(self, block: object) -> PartRecord | None:
        if isinstance(block, str):
            return PartRecord(_TEXT, block, "text") if block else None
        if not isinstance(block, dict):
            return self._unknown(block, type(block).__name__)
        name = as_text(block.get("type")) or "none"
        reader = self._readers.get(name)
        return reader(block) if reader else self._unknown(block, name)

    def _unknown(self, block: object, name: str) -> PartRecord:
        self._warnings[f"unknown_part:{name}"] += 1
        return PartRecord(PartType.UNKNOWN, source_type=name, source=block)

    def _text(self, block: dict[str, Any]) -> PartRecord | None:
        value = block.get("text")
        if value is None or value == "":
            return None
        if isinstance(value, dict | list):
            return self._unknown(block, block["type"])
        fields = _fields_of(block)
        if fields.take_text("text") is None:
            self._warnings["malformed_text"] += 1
        self._beside.extend(cited(block.get("citations")))
        return PartRecord(_TEXT, str(value), block["type"], source=fields.rest())

    def _thinking(self, block: dict[str, Any]) -> PartRecord | None:
        fields = _fields_of(block)
        text = fields.take_text("thinking")
        if not is_empty(fields.fields_left().get("thinking")):
            self._warnings["malformed_text"] += 1
            text = fields.first_text(["thinking"])
        source = fields.rest()
        text = text or _summary(block)
        if text is None and source is None:
            return None
        return PartRecord(PartType.THINKING, text, as_text(block.get("type")), source=source)

    def _tool_use(self, block: dict[str, Any]) -> PartRecord:
        fields = _fields_of(block)
        name = fields.take_text("name")
        call = fields.take_identifier("id") or f"toolu-{self._name}-{self._calls_made}"
        self._calls_made += 1
        self._open_calls.add(call, name)
        arguments = fields.take("input")
        if name == TOOL and (version := self._artifacts.version(call, arguments)) is not None:
            self._beside.append(version)
        return PartRecord(
            PartType.TOOL_USE,
            source_type="tool_use",
            tool_name=name,
            tool_use_id=call,
            tool_input=arguments,
            source=fields.rest(),
        )

    def _tool_result(self, block: dict[str, Any]) -> PartRecord:
        fields = _fields_of(block)
        name = fields.take_text("name")
        call, call_name = self._take_call(fields.take_identifier("tool_use_id"), name)
        content = block.get("content")
        if all(_is_plain_text(item) for item in (content if isinstance(content, list) else [content])):
            fields.take("content")
        self._beside.extend(knowledge(content, call))
        return PartRecord(
            PartType.TOOL_RESULT,
            _result_text(content),
            "tool_result",
            tool_name=name or call_name,
            tool_use_id=call,
            is_error=fields.take_flag("is_error"),
            source=fields.rest(),
        )

    def _take_call(self, call: str | None, name: str | None) -> tuple[str | None, str | None]:
        """Returns id and tool name of the call a result answers: the one it names, else the first open one."""
        answered = self._open_calls.take(call, name)
        if answered is None and call is None:
            self._warnings["unpaired_tool_result"] += 1
        return answered or (call, None)

    def _image(self, block: dict[str, Any]) -> PartRecord:
        origin = as_object(block.get("source"))
        uri = as_text(origin.get("url")) or as_text(block.get("file_uuid")) or as_text(origin.get("file_uuid"))
        mime_type = as_text(origin.get("media_type"))
        content = base64_sha256(origin.get("data"))
        return PartRecord(
            PartType.IMAGE, source_type="image", mime_type=mime_type, uri=uri, content_sha256=content, source=block
        )


def _nothing_said(_block: dict[str, Any]) -> None:
    """Leaves a block of the vendor's own bookkeeping to the message's source."""


def _fields_of(block: dict[str, Any]) -> Fields:
    """Returns the fields of a block of known type but the type, which its part names."""
    fields = Fields(block)
    fields.take("type")
    return fields


def _summary(block: Mapping[str, Any]) -> str | None:
    """Returns the summaries of a thought whose own words the export does not have."""
    return joined(as_text(as_object(item).get("summary")) for item in as_list(block.get("summaries")))


def _is_empty_text(block: object) -> bool:
    """True if a block of which no part was made says nothing but that it is a text."""
    return not isinstance(block, dict) or Fields(block).rest() in (None, {"type": "text"})


def _is_plain_text(item: object) -> bool:
    fields = as_object(item)
    text_alone = set(fields) <= {"type", "text"} and fields.get("type", "text") == "text"
    return isinstance(item, str) or (isinstance(fields.get("text"), str) and text_alone)


def _result_text(content: object) -> str | None:
    if isinstance(content, dict):
        content = [content]
    if isinstance(content, list):
        return joined(as_text(item) or as_text(as_object(item).get("text")) or knowledge_text(item) for item in content)
    return as_text(content) or (None if content in (None, "") else str(content))
