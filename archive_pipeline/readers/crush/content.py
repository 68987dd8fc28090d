"""What a message of Crush has, part by part: each is its type and its data. How an answer ended is a part, too."""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, Final

from archive_pipeline.domain.records import AttachmentRecord, PartRecord, PartType
from archive_pipeline.readers.chat_arrays.calls import call_arguments
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_object, as_text, base64_sha256, joined
from archive_pipeline.readers.media import take_medium

_DATA: Final = "data"
_FINISH: Final = "finish"
_ERRORS: Final = frozenset({"error", "content_filter"})
_MEDIA: Final = {"image": PartType.IMAGE, "audio": PartType.AUDIO, "video": PartType.VIDEO}
_FOLDER: Final = "working_directory"
# What Crush sends in the user's name behind a summary, with the prompt that it repeats.
_PUT_IN: Final = re.compile(
    r"The previous session was interrupted because it got too long, the initial user request was: `.*`\s*", re.DOTALL
)


@dataclass(slots=True)
class Content:
    """What is read of one message.

    Attributes:
        parts: what was said and done, in order.
        files: what came with it.
        kept: parts that say neither.
        end: why an answer ended; None if it has not.
    """

    parts: list[PartRecord] = field(default_factory=list)
    files: list[AttachmentRecord] = field(default_factory=list)
    kept: list[Any] = field(default_factory=list)
    end: str | None = None


class ContentReader:
    """Reads the messages of one session, in their order: results bear the names of tools called before.

    Attributes:
        folder: in which the first command ran; None if none did.
    """

    def __init__(self, warnings: Counter[str]) -> None:
        self.folder: str | None = None
        self._warnings = warnings
        self._tools: dict[str, str | None] = {}
        self._read: Mapping[str, Callable[[Content, str, Fields, Fields], None]] = {
            "text": _text,
            "reasoning": _thought,
            "image_url": _picture,
            "binary": _binary,
            "tool_call": self._call,
            "tool_result": self._result,
            "shell_command": _command,
            _FINISH: _finish,
        }

    def read(self, items: list[Any], *, is_summary: bool, is_users: bool) -> Content:
        """Returns what the parts of a message say.

        Args:
            items: the parts.
            is_summary: the message sums up what went before, so its texts are context.
            is_users: it stands in the user's place.
        """
        content = Content()
        for item in items:
            self._item(content, item)
        for part in content.parts:
            is_put_in = is_users and _PUT_IN.fullmatch(part.text or "") is not None
            if part.part_type is PartType.TEXT and (is_summary or is_put_in):
                part.part_type = PartType.CONTEXT
        return content

    def _item(self, content: Content, item: Any) -> None:
        kind = as_text(as_object(item).get("type")) or "none"
        if kind in self._read and isinstance(item.get(_DATA), dict):
            fields = Fields(item)
            fields.take("type")
            self._read[kind](content, kind, fields, Fields(item[_DATA]))
        elif not is_empty(item):
            self._warnings[f"unknown_part:{kind}"] += 1
            content.parts.append(PartRecord(PartType.UNKNOWN, source_type=kind, source=item))

    def _call(self, content: Content, kind: str, fields: Fields, data: Fields) -> None:
        call, tool = data.take_identifier("id"), data.take_text("name")
        given, text = call_arguments(data.take("input"))
        if call is not None:
            self._tools.setdefault(call, tool)
        arguments = None if given == "" else given
        content.parts.append(
            PartRecord(PartType.TOOL_USE, text, kind, tool, call, arguments, source=_left(fields, data))
        )

    def _result(self, content: Content, kind: str, fields: Fields, data: Fields) -> None:
        call, tool = data.take_identifier("tool_call_id"), data.take_text("name")
        self._warnings["unpaired_tool_result"] += call is None or call not in self._tools
        text, is_error = data.take_text("content"), data.take_flag("is_error")
        self.folder = self.folder or _folder(data.fields_left().get("metadata"))
        digest = base64_sha256(data.fields_left().get(_DATA))
        name = tool or self._tools.get(call or "")
        mime = data.take_text("mime_type") if digest is not None else None
        medium = data.take(_DATA) if digest is not None else None
        source = _left(fields, data)
        content.parts.append(PartRecord(PartType.TOOL_RESULT, text, kind, name, call, None, is_error, source=source))
        if digest is not None:
            part_type = _medium_type(mime)
            content.parts.append(
                PartRecord(
                    part_type,
                    source_type=kind,
                    tool_use_id=call,
                    mime_type=mime,
                    content_sha256=digest,
                    source={_DATA: medium},
                )
            )


def _left(fields: Fields, data: Fields) -> dict[str, Any] | None:
    """Returns what no column has of a part, where it was."""
    fields.fields_left()[_DATA] = data.rest()
    return fields.rest()


def _text(content: Content, kind: str, fields: Fields, data: Fields) -> None:
    text = data.take_text("text")
    is_hidden = data.fields_left().get("hidden") is True
    source = _left(fields, data)
    if text is not None or source is not None:
        content.parts.append(PartRecord(PartType.CONTEXT if is_hidden else PartType.TEXT, text, kind, source=source))


def _thought(content: Content, kind: str, fields: Fields, data: Fields) -> None:
    text = data.take_text("thinking")
    source = _left(fields, data)
    if text is not None or source is not None:
        content.parts.append(PartRecord(PartType.THINKING, text, kind, source=source))


def _picture(content: Content, kind: str, fields: Fields, data: Fields) -> None:
    part = take_medium(PartType.IMAGE, kind, data, "url") or PartRecord(PartType.IMAGE, source_type=kind)
    part.source = _left(fields, data)
    content.parts.append(part)


def _binary(content: Content, kind: str, fields: Fields, data: Fields) -> None:
    """Takes a file that came with a prompt: a picture is a part; of a text, what it says is read."""
    given, mime = data.fields_left().get("Data"), data.take_text("MIMEType")
    digest = base64_sha256(given)
    if (mime or "").startswith("image/"):
        path = data.take_text("Path")
        source = _left(fields, data)
        content.parts.append(
            PartRecord(PartType.IMAGE, None, kind, mime_type=mime, uri=path, content_sha256=digest, source=source)
        )
        return
    path = as_text(data.fields_left().get("Path"))
    raw = None if digest is None else base64.b64decode(str(given))
    content.files.append(
        AttachmentRecord(
            file_name=None if path is None else PurePosixPath(path.replace("\\", "/")).name or None,
            mime_type=mime,
            size_bytes=None if raw is None else len(raw),
            uri=data.take_text("Path"),
            extracted_text=_decoded(raw) if (mime or "").startswith("text/") else None,
            content_sha256=digest,
            source={"type": kind, **(_left(fields, data) or {})},  # no column has its type
        )
    )


def _decoded(raw: bytes | None) -> str | None:
    try:
        return (raw or b"").decode() or None
    except UnicodeDecodeError:
        return None


def _command(content: Content, kind: str, fields: Fields, data: Fields) -> None:
    """Takes a command that the user ran, and its output."""
    command, output = data.take_text("command"), data.take_text("output")
    content.parts.append(PartRecord(PartType.CONTEXT, command, kind, source=_left(fields, data)))
    if output is not None:
        content.parts.append(PartRecord(PartType.CONTEXT, output, "output"))


def _finish(content: Content, kind: str, fields: Fields, data: Fields) -> None:
    reason = as_text(data.fields_left().get("reason"))
    content.end = reason or "unknown"
    text = joined([data.take_text("message"), data.take_text("details")]) if reason in _ERRORS else None
    left = _left(fields, data)
    if text is not None:
        content.parts.append(PartRecord(PartType.ERROR, text, kind, source=left))
    elif left is not None:
        content.kept.append({"type": kind, **left})


def _folder(metadata: object) -> str | None:
    """Returns the folder in which a command ran, which its result says in JSON."""
    if not isinstance(metadata, str) or _FOLDER not in metadata:
        return None
    try:
        return as_text(as_object(json.loads(metadata)).get(_FOLDER))
    except (ValueError, RecursionError):
        return None


def _medium_type(mime: str | None) -> PartType:
    return _MEDIA.get((mime or "").partition("/")[0], PartType.FILE)
