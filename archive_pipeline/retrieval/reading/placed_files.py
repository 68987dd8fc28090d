"""Where a file of a message is shown: once, in the place of the first part or attachment that points to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from archive_pipeline.retrieval.reading.attached_files import AttachedContent
from archive_pipeline.retrieval.reading.messages import Attachment, Message, Part


class PlacedPart(NamedTuple):
    """A part, and the file that is shown in its place, if it points to one."""

    part: Part
    file: AttachedContent | None


class PlacedAttachment(NamedTuple):
    """A file that is shown below the parts: as the message describes it, as the archive knows it, or both."""

    attachment: Attachment | None
    file: AttachedContent | None


class PlacedMessage(NamedTuple):
    """What is shown of a message, in order."""

    parts: list[PlacedPart]
    attachments: list[PlacedAttachment]


def place_files(message: Message, files: Sequence[AttachedContent]) -> PlacedMessage:
    """Return the parts and attachments of a message, each file of it once.

    A part or an attachment whose file stands further up is left out; an attachment with a text or a document stays.
    """
    left = _FilesLeft(files)
    parts = [PlacedPart(part, left.take(part.uri)) for part in message.parts if not left.is_taken(part.uri)]
    attachments: list[PlacedAttachment] = []
    for attachment in message.attachments:
        if not left.is_taken(attachment.pointer):
            attachments.append(PlacedAttachment(attachment, left.take(attachment.pointer)))
        elif attachment.text or attachment.document_id:
            attachments.append(PlacedAttachment(attachment, None))
    return PlacedMessage(parts, [*attachments, *(PlacedAttachment(None, file) for file in left.files)])


class _FilesLeft:
    """The files of a message that are not placed yet, by what points to them."""

    def __init__(self, files: Sequence[AttachedContent]) -> None:
        self._order = dict(enumerate(files))
        self._numbers: dict[str, list[int]] = {}
        for number, file in self._order.items():
            for pointer in file.pointers:
                self._numbers.setdefault(pointer, []).append(number)

    @property
    def files(self) -> list[AttachedContent]:
        """Those that are left, in order."""
        return list(self._order.values())

    def take(self, pointer: str | None) -> AttachedContent | None:
        """Return the first file that a pointer leads to, which is placed then."""
        numbers = self._numbers.get(pointer or "", ())
        return next((self._order.pop(number) for number in numbers if number in self._order), None)

    def is_taken(self, pointer: str | None) -> bool:
        """Tell whether all files that a pointer leads to are placed."""
        numbers = self._numbers.get(pointer or "", ())
        return bool(numbers) and not any(number in self._order for number in numbers)
