"""The files that datasets name beside messages, as attachments of those whose text has their places."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, Final

from archive_pipeline.domain.records import AttachmentRecord, MessageRecord
from archive_pipeline.readers.json.shapes import as_text

# The mark of a file's place in a text, and the fields that name the files, in the order of the marks.
_MARKS: Final = {
    "<image>": ("images", "image"),
    "<video>": ("videos", "video"),
    "<audio>": ("audios", "audio"),
}
_ADDRESSES: Final = ("http://", "https://")


def attach(messages: Iterable[MessageRecord], value: Mapping[str, Any]) -> None:
    """Gives messages the files whose places are in their texts; the first of the user those that have no place."""
    listed = list(messages)
    first = next((message for message in listed if message.role == "user"), None)
    for mark, fields in _MARKS.items():
        files = [record for field in fields for record in _files(value.get(field))]
        left = iter(files)
        for message in listed if files else ():
            count = sum((part.text or "").count(mark) for part in message.parts)
            message.attachments += tuple(islice(left, count))
        if first is not None:
            first.attachments += tuple(left)


def _files(said: object) -> list[AttachmentRecord]:
    items = said if isinstance(said, list) else [said]
    return [_file(text) for item in items if (text := as_text(item)) is not None]


def _file(name: str) -> AttachmentRecord:
    return AttachmentRecord(uri=name) if name.startswith(_ADDRESSES) else AttachmentRecord(file_name=name)
