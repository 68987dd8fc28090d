"""What a message of LibreChat says: a text, or parts of its content in their order, and the files that came with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from archive_pipeline.domain.records import AttachmentRecord, PartRecord, PartType, Role
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_object, as_text, base64_sha256, joined
from archive_pipeline.readers.librechat.calls import call_parts
from archive_pipeline.readers.librechat.thoughts import bare_thought, said_with_thoughts
from archive_pipeline.readers.librechat.tree import unfolded
from archive_pipeline.readers.media import take_medium

STEER: Final = "steer"
_ANSWERS: Final = frozenset({PartType.TEXT, PartType.ERROR})
_FILES: Final = ("files", "attachments")
_OF_FILE: Final = frozenset({"file_id", "filename", "filepath"})
_Read = Callable[[str, Fields], list[PartRecord]]


def message_parts(fields: Fields, role: Role, warnings: Counter[str]) -> Iterator[PartRecord]:
    """Takes what a message says: passages that the user quotes, its content, and its text where that says no such.

    Args:
        fields: of the message.
        role: who says it.
        warnings: where unknown parts are counted.
    """
    yield from quoted_passages(fields)
    given = list(_content(fields, warnings))
    yield from given
    text = as_text(fields.fields_left().get("text"))
    if text is None:
        warnings["malformed_text"] += not is_empty(fields.fields_left().get("text"))
    elif _ANSWERS.isdisjoint(part.part_type for part in given):
        is_error = role == "assistant" and fields.fields_left().get("error") is True
        thoughts = said_with_thoughts(text) if role == "assistant" and not is_error else []
        if not thoughts:  # else the source keeps the text as it stands there
            fields.take("text")
        yield from thoughts or [PartRecord(PartType.ERROR if is_error else PartType.TEXT, text, "text")]
    elif any(part.text == text for part in given):
        fields.take("text")


def quoted_passages(fields: Fields) -> Iterator[PartRecord]:
    """Takes the passages that a user quotes."""
    yield from (PartRecord(PartType.CONTEXT, text, "quotes") for text in fields.take_texts("quotes") if text)


def _content(fields: Fields, warnings: Counter[str]) -> Iterator[PartRecord]:
    text = fields.take_text("content")
    if text is not None:
        yield PartRecord(PartType.TEXT, text, "content")
    for item in fields.take_items("content"):
        yield from _parts(unfolded(item), warnings)


def _parts(item: Any, warnings: Counter[str]) -> Iterator[PartRecord]:
    kind = as_text(as_object(item).get("type")) or "none"
    fields = Fields(item)
    fields.take("type")
    made = _READ[kind](kind, fields) if kind in _READ else []
    if made:
        yield from made
    elif not is_empty(item) and (kind != "text" or fields.rest() is not None):
        warnings[f"unknown_part:{kind}"] += 1
        yield PartRecord(PartType.UNKNOWN, source_type=kind, source=item)


def _said(part_type: PartType, field: str, *others: str) -> _Read:
    """Makes a reader of a part with a text; thoughts and errors may be there without one."""

    def read(kind: str, fields: Fields) -> list[PartRecord]:
        texts = ((name, text) for name in (field, *others) if (text := _take_text(fields, name)) is not None)
        name, text = next(texts, (field, None))
        if text is not None and part_type is PartType.THINKING and (bare := bare_thought(text)) != text:
            beside = fields.fields_left().get(name)
            fields.fields_left()[name] = {"value": text, **beside} if isinstance(beside, dict) else text
            text = bare
        source = fields.rest()
        is_said = text is not None or part_type is not PartType.TEXT
        return [PartRecord(part_type, text, kind, source=source)] if is_said else []

    return read


def _take_text(fields: Fields, name: str) -> str | None:
    """Takes a text, which OpenAI's assistants write with annotations: what is beside it stays."""
    text = fields.take_text(name)
    if text is None:
        inner = Fields(fields.fields_left().get(name))
        text = inner.take_text("value")
        if text is not None:
            fields.fields_left()[name] = inner.rest()
    return text


def _summary(kind: str, fields: Fields) -> list[PartRecord]:
    """Takes what the model is told instead of what went before."""
    texts = [fields.take_text("text")]
    left: list[Any] = []
    for item in fields.take_items("content"):
        inner = Fields(item)
        texts.append(inner.take_text("text"))
        if texts[-1] is None or inner.fields_left() != {"type": "text"}:
            left.append(item)
    fields.put_back("content", left)
    return [PartRecord(PartType.CONTEXT, joined(texts), kind, source=fields.rest())]


def _image(kind: str, fields: Fields) -> list[PartRecord]:
    """Takes a picture that LibreChat keeps as a file."""
    if not isinstance(fields.fields_left().get(kind), dict):
        return []
    file = Fields(fields.take(kind))
    address, mime_type = file.take_text("filepath"), _mime_type(file)
    if rest := file.rest():
        fields.fields_left()[kind] = rest
    return [PartRecord(PartType.IMAGE, None, kind, uri=address, mime_type=mime_type, source=fields.rest())]


def _medium(part_type: PartType) -> _Read:
    def read(kind: str, fields: Fields) -> list[PartRecord]:
        part = take_medium(part_type, kind, fields, kind)
        return [part] if part is not None else []

    return read


def _recording(kind: str, fields: Fields) -> list[PartRecord]:
    digest = base64_sha256(as_object(fields.fields_left().get(kind)).get("data"))
    return [PartRecord(PartType.AUDIO, None, kind, content_sha256=digest, source=fields.rest())] if digest else []


_READ: Final[Mapping[str, _Read]] = {
    "text": _said(PartType.TEXT, "text"),
    "think": _said(PartType.THINKING, "think"),
    "error": _said(PartType.ERROR, "text", "error"),
    STEER: _said(PartType.TEXT, STEER),
    "activity_label": _said(PartType.CONTEXT, "activity_label"),
    "agent_update": _said(PartType.CONTEXT, "text"),
    "summary": _summary,
    "tool_call": call_parts,
    "image_file": _image,
    "image_url": _medium(PartType.IMAGE),
    "video_url": _medium(PartType.VIDEO),
    "input_audio": _recording,
}


def attached_files(fields: Fields) -> Iterator[AttachmentRecord]:
    """Takes the files that came with what a user says, and those that tools made; what is no file stays."""
    for name in _FILES:
        items = [unfolded(item) for item in fields.take_items(name)]
        is_file = [isinstance(item, dict) and not _OF_FILE.isdisjoint(item) for item in items]
        left = [item for item, is_own in zip(items, is_file, strict=True) if not (is_own or is_empty(item))]
        fields.put_back(name, left)
        yield from (_file(Fields(item)) for item, is_own in zip(items, is_file, strict=True) if is_own)


def _file(file: Fields) -> AttachmentRecord:
    return AttachmentRecord(
        source_id=file.take_identifier("file_id"),
        file_name=file.take_text("filename"),
        mime_type=_mime_type(file),
        size_bytes=file.take_size("bytes"),
        uri=file.take_text("filepath"),
        extracted_text=file.take_text("text"),
        source=file.rest(),
    )


def _mime_type(file: Fields) -> str | None:
    kind = as_text(file.fields_left().get("type"))
    return file.take_text("type") if kind is not None and "/" in kind else None
