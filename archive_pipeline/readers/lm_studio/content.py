"""The items of a message's content in LM Studio: texts, files, calls of tools and their results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any, Final

from archive_pipeline.domain.records import AttachmentRecord, PartRecord, PartType
from archive_pipeline.readers.chat_arrays.calls import call_arguments
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.parsing import parse_json
from archive_pipeline.readers.json.shapes import as_identifier, as_list, as_object, as_text, joined

_TEXT: Final = "text"
_FILE: Final = "file"
_IMAGE: Final = "image"
_REQUEST: Final = "toolCallRequest"
_RESULT: Final = "toolCallResult"
_FILE_ID: Final = ("fileIdentifier", "identifier")
# By the model, else by LM Studio, which counts the calls of an answer only.
_CALL_ID: Final = ("toolCallRequestId", "callId")
_ARGUMENTS: Final = ("parameters", "arguments")
# Of LM Studio's words for types of files, those that are media types.
_MEDIA_TYPES: Final = frozenset({"text/plain", "application/pdf"})
# The name of its tool, and its id.
Call = tuple[str | None, str | None]


class ContentReader:
    """Reads contents of one message.

    Attributes:
        calls: the tool and the id of each call, by LM Studio's number of it.
        failed: by the same number, whether a call failed; one that is not there has not ended.
    """

    def __init__(self, warnings: Counter[str]) -> None:
        self.calls: dict[str | None, Call] = {}
        self.failed: dict[str | None, bool] = {}
        self._warnings = warnings

    def parts(self, items: list[Any], text_type: PartType = PartType.TEXT) -> Iterator[PartRecord]:
        """Yields the parts of a content. Texts that follow one another are pieces of one text.

        Args:
            items: of the content.
            text_type: what its texts are.
        """
        for is_text, group in groupby(items, _is_text):
            if is_text:
                yield _joined_text(list(group), text_type)
            else:
                yield from (part for item in group for part in self._part(item, text_type))

    def unknown(self, item: Any, kind: str | None) -> PartRecord:
        """Returns the part for what is of no known type, and counts it."""
        self._warnings[f"unknown_part:{kind or 'none'}"] += 1
        return PartRecord(PartType.UNKNOWN, source_type=kind or "none", source=item)

    def _part(self, item: Any, text_type: PartType) -> Iterator[PartRecord]:
        if isinstance(item, str) and item:
            yield PartRecord(text_type, item, _TEXT)
            return
        kind = as_text(as_object(item).get("type"))
        fields = Fields(item)
        fields.take("type")
        if kind == _FILE and file_id(item) is not None:
            yield _file(fields)
        elif kind == _REQUEST:
            yield call(fields)
        elif kind == _RESULT:
            yield self._result(fields)
        elif not is_empty(item) and (kind != _TEXT or fields.rest() is not None):
            yield self.unknown(item, kind)

    def _result(self, fields: Fields) -> PartRecord:
        number = number_of(fields.fields_left())
        self._warnings["unpaired_tool_result"] += number not in self.calls
        said = as_text(fields.fields_left().get("content"))
        text = _texts_in(said) if said is not None else None
        if text is None:
            text = fields.take_text("content")
        tool, call_id = self.calls.get(number, (None, None))
        return PartRecord(
            PartType.TOOL_RESULT,
            text,
            _RESULT,
            fields.take_text("name") or tool,
            take_first_id(fields, _CALL_ID) or call_id,
            is_error=self.failed.get(number),
            source=fields.rest(),
        )


def call(fields: Fields) -> PartRecord:
    """Takes a call of a tool."""
    given = next((name for name in _ARGUMENTS if name in fields.fields_left()), None)
    arguments, text = call_arguments(fields.take(given) if given is not None else None)
    tool, call_id = fields.take_text("name"), take_first_id(fields, _CALL_ID)
    return PartRecord(PartType.TOOL_USE, text, _REQUEST, tool, call_id, arguments, source=fields.rest())


def call_of(item: Mapping[str, Any]) -> Call:
    """Returns the tool and the id of a call, as its part has them."""
    return as_text(item.get("name")), take_first_id(Fields(item), _CALL_ID)


def number_of(item: Mapping[str, Any]) -> str | None:
    """Returns LM Studio's own number of a call, which it counts within an answer."""
    return as_identifier(item.get("callId"))


def take_first_id(fields: Fields, names: tuple[str, ...]) -> str | None:
    """Takes the first of these fields that has an id."""
    return next((found for name in names if (found := fields.take_identifier(name)) is not None), None)


def file_id(item: object) -> str | None:
    """Returns the id of a file, which is its name among the user's files."""
    return take_first_id(Fields(item), _FILE_ID)


def attached_files(items: list[Any]) -> tuple[list[AttachmentRecord], list[Any]]:
    """Returns the files of a content that are no pictures, and the content with nothing in their places."""
    found: list[AttachmentRecord] = []
    others: list[Any] = []
    for item in items:
        about = as_object(item)
        if about.get("type") == _FILE and about.get("fileType") != _IMAGE and file_id(about) is not None:
            found.append(_attachment(Fields(about)))
            others.append(None)
        else:
            others.append(item)
    return found, others


def _attachment(fields: Fields) -> AttachmentRecord:
    return AttachmentRecord(
        source_id=take_first_id(fields, _FILE_ID),
        file_name=fields.take_text("name"),
        mime_type=_media_type(fields),
        size_bytes=fields.take_size("sizeBytes"),
        source=fields.rest(),
    )


def _file(fields: Fields) -> PartRecord:
    is_image = fields.fields_left().get("fileType") == _IMAGE
    if is_image:
        fields.take("fileType")
    pointer, mime_type = take_first_id(fields, _FILE_ID), _media_type(fields)
    part_type = PartType.IMAGE if is_image else PartType.FILE
    return PartRecord(part_type, None, _FILE, uri=pointer, mime_type=mime_type, source=fields.rest())


def _media_type(fields: Fields) -> str | None:
    return fields.take_text("fileType") if as_text(fields.fields_left().get("fileType")) in _MEDIA_TYPES else None


def _is_text(item: object) -> bool:
    return as_object(item).get("type") == _TEXT and isinstance(as_object(item).get(_TEXT), str)


def _joined_text(items: list[dict[str, Any]], text_type: PartType) -> PartRecord:
    left = [{name: value for name, value in item.items() if name not in ("type", _TEXT)} for item in items]
    said = [item for item in left if Fields(item).rest() is not None]
    source = {"content": left} if said and len(left) > 1 else next(iter(said), None)
    return PartRecord(text_type, "".join(item[_TEXT] for item in items) or None, _TEXT, source=source)


def _texts_in(content: str) -> str | None:
    """Returns the texts of a result that is an array of MCP's blocks; None of any other."""
    if not content.startswith("["):
        return None
    try:
        value, _ = parse_json(content.encode("utf-8", "surrogatepass"))
    except ValueError:
        return None
    texts = [as_text(as_object(block).get(_TEXT)) for block in as_list(value) if as_object(block).get("type") == _TEXT]
    return joined(texts)
