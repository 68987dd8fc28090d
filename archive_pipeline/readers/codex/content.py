"""The items of a session as parts: messages, thoughts, calls and outputs of tools.

Each value is taken once (``json.fields``): what no column takes stays in the part's source or in the message's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from archive_pipeline.domain.records import PartRecord, PartType, Role
from archive_pipeline.readers.codex.calls import CALL, OUTPUT, Calls
from archive_pipeline.readers.codex.context import is_context
from archive_pipeline.readers.codex.prompts import split_prompt
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_object, as_text, base64_sha256
from archive_pipeline.readers.media import take_medium
from archive_pipeline.readers.roles import OPENAI_ROLES, read_role

_TEXT: Final = PartType.TEXT  # looked up once: that takes ten times as long as a name
MESSAGE: Final = "message"
REASONING: Final = "reasoning"
AGENT_MESSAGE: Final = "agent_message"
# What Codex keeps of its own work among the items, and says nothing to anybody.
BOOKKEEPING: Final = frozenset(
    {
        "additional_tools",
        "compaction",
        "compaction_summary",
        "compaction_trigger",
        "context_compaction",
        "ghost_snapshot",
        "token_count",
    }
)
_MEDIA: Final[Mapping[str, tuple[PartType, str]]] = {
    "input_image": (PartType.IMAGE, "image_url"),
    "image": (PartType.IMAGE, "image_url"),
    "audio": (PartType.AUDIO, "audio_url"),
    "input_audio": (PartType.AUDIO, "audio_url"),
    "input_file": (PartType.FILE, "file_url"),
}
_TEXTS: Final[Mapping[str, str]] = {
    "input_text": "text",
    "output_text": "text",
    "text": "text",
    "summary_text": "text",
    "reasoning_text": "text",
    "refusal": "refusal",
}


def texts_of(content: object) -> list[str]:
    """Returns the texts that a content has, in its order."""
    items = content if isinstance(content, list) else [] if is_empty(content) else [content]
    return [text for item in items if (text := as_text(item) or as_text(as_object(item).get("text")))]


class ContentReader:
    """Reads the items of one session, in their order: outputs of tools name calls that came before."""

    def __init__(self, warnings: Counter[str]) -> None:
        self._warnings = warnings
        self._calls = Calls(warnings)

    def role(self, name: str, fields: Fields) -> Role:
        """Returns who speaks in an item of a type."""
        if name == MESSAGE:
            return read_role(fields.fields_left().get("role"), OPENAI_ROLES, self._warnings)
        return "tool" if name.endswith(OUTPUT) or name == AGENT_MESSAGE else "assistant"

    def parts(self, name: str, role: Role, fields: Fields) -> list[PartRecord]:
        """Takes what an item of a type says."""
        if name == REASONING:
            return [*self._thoughts("summary", fields), *self._thoughts("content", fields)]
        if name in (MESSAGE, AGENT_MESSAGE):
            return self._message(role, fields)
        if name.endswith(OUTPUT):
            return self._calls.output(name, fields, self._block)
        if name.endswith(CALL):
            return self._calls.call(name, fields)
        left = dict(fields.fields_left())
        fields.fields_left().clear()
        return self._unknown(left, name or "none")

    def _message(self, role: Role, fields: Fields) -> list[PartRecord]:
        parts = self._blocks("content", fields)
        if role == "user":
            return [split for part in parts for split in _without_context(part)]
        if role == "system":
            for part in parts:
                part.part_type = PartType.CONTEXT if part.part_type is _TEXT else part.part_type
        return parts

    def _thoughts(self, field: str, fields: Fields) -> list[PartRecord]:
        parts = self._blocks(field, fields)
        for part in parts:
            part.part_type = PartType.THINKING if part.part_type is _TEXT else part.part_type
        return parts

    def _blocks(self, field: str, fields: Fields) -> list[PartRecord]:
        """Takes the blocks of a content; what says nothing that a part could hold is given back."""
        parts: list[PartRecord] = []
        silent: list[Any] = []
        for item in fields.take_items(field):
            made = self._block(item)
            parts += made
            if not made and not is_empty(item):
                silent.append(item)
        fields.put_back(field, silent)
        return parts

    def _block(self, item: object) -> list[PartRecord]:
        """Returns the part of one block of a content; none of one that says nothing."""
        if isinstance(item, str):
            return [PartRecord(_TEXT, item, "text")] if item else []
        name = as_text(as_object(item).get("type")) or "none"
        fields = Fields(item)
        fields.take("type")
        if name in _TEXTS:
            return self._text(name, fields)
        if name in _MEDIA and (part := _medium(name, fields)) is not None:
            return [part]
        return [] if is_empty(item) else self._unknown(item, name)

    def _text(self, name: str, fields: Fields) -> list[PartRecord]:
        text = fields.take_text(_TEXTS[name])
        source = fields.rest()
        self._warnings["malformed_text"] += text is None and _TEXTS[name] in (source or {})
        return [PartRecord(_TEXT, text, name, source=source)] if text or source else []

    def _unknown(self, item: object, name: str) -> list[PartRecord]:
        self._warnings[f"unknown_part:{name}"] += 1
        return [PartRecord(PartType.UNKNOWN, source_type=name, source=item)]


def _without_context(part: PartRecord) -> list[PartRecord]:
    """Returns a part of a user's message, what Codex or an editor wrote in it apart from the user's words."""
    if part.part_type is not _TEXT or part.text is None:
        return [part]
    if is_context(part.text):
        part.part_type = PartType.CONTEXT
        return [part]
    pieces = [(is_put_in, piece) for is_put_in, piece in split_prompt(part.text) if piece]
    if pieces == [(False, part.text)]:
        return [part]
    is_whole = "".join(piece for _, piece in pieces) == part.text
    kept = part.source if is_whole else {**(part.source or {}), "text": part.text}
    return [
        replace(part, part_type=PartType.CONTEXT if is_put_in else _TEXT, text=piece, source=None if number else kept)
        for number, (is_put_in, piece) in enumerate(pieces)
    ]


def _medium(name: str, fields: Fields) -> PartRecord | None:
    part_type, field = _MEDIA[name]
    part = take_medium(part_type, name, fields, field)
    content = as_text(fields.fields_left().get("data"))
    if part is not None or content is None:
        return part
    mime_type = fields.take_text("mimeType")  # of MCP
    digest = base64_sha256(content)
    return PartRecord(part_type, None, name, mime_type=mime_type, content_sha256=digest, source=fields.rest())
