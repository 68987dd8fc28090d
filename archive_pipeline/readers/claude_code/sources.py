"""What is kept of a message's lines beside its columns, parts and files.

Nearly every line says again what the others do (version, folder, branch): that stands once in the dialogue's source.
Of an answer's lines, the one with the most tokens is kept whole, as usage grows; of the others, what they say else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from archive_pipeline.domain.records import AttachmentRecord
from archive_pipeline.readers.claude_code.drafts import Draft
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_identifier, as_object, as_size, as_text, base64_sha256

_Line = Mapping[str, Any]
COMMON: Final = (
    *("agentId", "cwd", "entrypoint", "gitBranch", "isSidechain", "sessionId", "sessionKind", "slug", "userType"),
    "version",
)


def common_of(lines: Iterable[Any]) -> dict[str, Any]:
    """Returns what the first lines that say it say of the session."""
    common: dict[str, Any] = {}
    for line in lines:
        if isinstance(line, dict) and len(common) < len(COMMON):
            for name in COMMON:
                if name not in common and not is_empty(line.get(name)):
                    common[name] = line[name]
    return common


def whole_line(draft: Draft) -> _Line:
    """Returns the line of a message that says most of it: of several, the last of those with the most usage."""
    return max(reversed(draft.lines), key=_output_tokens) if draft.lines else {}


def _output_tokens(line: _Line) -> int:
    return as_size(as_object(as_object(line.get("message")).get("usage")).get("output_tokens")) or 0


def source_of(draft: Draft, common: Mapping[str, Any], model: str | None) -> dict[str, Any] | None:
    """Returns what a message's lines say beside its columns; None for one without lines of its own."""
    if not draft.lines:
        return None
    whole = whole_line(draft)
    kept = _rest(whole, draft, common, model)
    others = [_beyond(_rest(line, draft, common, model), kept) for line in draft.lines if line is not whole]
    beside = {"lines": [line for line in others if line], "superseded": draft.superseded}
    return {**kept, **{name: items for name, items in beside.items() if items}}


def _rest(line: _Line, draft: Draft, common: Mapping[str, Any], model: str | None) -> dict[str, Any]:
    fields = Fields(line)
    if as_identifier(line.get("uuid")) == draft.id:
        fields.take("uuid")
    take_equal(fields, {name: value for name, value in common.items() if name in COMMON})
    take_equal(fields, {"type": draft.role})
    if line.get("type") == "system":
        fields.take("content")
    for name, content in (("message", "content"), ("attachment", "prompt")):
        holder = fields.fields_left().get(name)
        if isinstance(holder, dict):
            inner = Fields(holder)
            inner.take(content)
            take_equal(inner, {"role": draft.role, "model": model})
            fields.fields_left()[name] = inner.rest()
    return fields.rest() or {}


def take_equal(fields: Fields, said: Mapping[str, Any]) -> None:
    """Takes what is said elsewhere."""
    for name, value in said.items():
        if fields.fields_left().get(name) == value:
            fields.take(name)


def _beyond(rest: Mapping[str, Any], kept: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what a line says that the one that is kept whole does not say in the same place."""
    found = {name: value for name, value in rest.items() if name not in kept or kept[name] != value}
    if isinstance(found.get("message"), dict) and isinstance(kept.get("message"), dict):
        found["message"] = _beyond(found["message"], kept["message"])
    return found


def is_file(line: object) -> bool:
    """Tells whether a line is a file that came with the message before it."""
    return as_object(as_object(line).get("attachment")).get("type") == "file"


def file_of(line: _Line, common: Mapping[str, Any]) -> AttachmentRecord:
    """Returns the file that a line is, with its text or its content."""
    attachment = Fields(line["attachment"])
    content = Fields(attachment.fields_left().get("content"))
    file = Fields(content.fields_left().get("file"))
    text = file.take_text("content")
    if text is not None:
        content.fields_left()["file"] = file.rest()
        attachment.fields_left()["content"] = content.rest()
    mime_type = as_text(file.fields_left().get("type"))
    return AttachmentRecord(
        source_id=as_identifier(line.get("uuid")),
        file_name=attachment.take_text("filename"),
        mime_type=mime_type if mime_type and "/" in mime_type else None,
        size_bytes=as_size(file.fields_left().get("originalSize")),
        extracted_text=text,
        content_sha256=base64_sha256(file.fields_left().get("base64")),
        source={
            **{name: value for name, value in line.items() if name not in common or common[name] != value},
            "attachment": attachment.rest(),
        },
    )
