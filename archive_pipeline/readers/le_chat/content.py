"""What a message of Le Chat says: its chunks in their order, then documents, and what it quotes.

Text chunks that follow one another are pieces of one text, also around the marks of references: these have numbers
alone, so they stay beside the text with the place at which they stood.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, Final

from archive_pipeline.domain.records import PartRecord, PartType
from archive_pipeline.readers.chat_arrays.calls import call_arguments
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_object, as_text, joined
from archive_pipeline.readers.le_chat.canvas import Canvases, element
from archive_pipeline.readers.le_chat.recognition import CHUNKS
from archive_pipeline.readers.search_results import results_text

_TEXT: Final = "text"
_REFERENCE: Final = "reference"
_REASONING: Final = "reasoning"
_CALL: Final = "tool_call"
_ELEMENTS: Final = frozenset({"custom_element", "widget"})
_QUOTES: Final = ("references", "quotes")
_QUOTED: Final = ("title", "text", "content", "quote")


class ContentReader:
    """Reads what one message says.

    Args:
        name: of the message in its dialogue.
        warnings: where anomalies are counted.
    """

    def __init__(self, name: str, warnings: Counter[str]) -> None:
        self._name = name
        self._warnings = warnings
        self._calls = 0
        self._canvases = Canvases(())

    def take_parts(self, fields: Fields) -> Iterator[PartRecord]:
        """Takes the parts of a message."""
        self._canvases = Canvases(fields.take_objects("canvas"))
        parts: list[PartRecord] = []
        for is_text, group in groupby(fields.take_items(CHUNKS), _is_text):
            if is_text:
                parts += _text(list(group))
            else:
                parts += (part for item in group for part in self._part(item))
        yield from parts
        yield from self._whole_text(fields, parts)
        yield from self._canvases.left()
        for name in _QUOTES:
            yield from _quotes(fields, name)

    def _whole_text(self, fields: Fields, parts: Sequence[PartRecord]) -> Iterator[PartRecord]:
        """Takes the text of the message as a whole, which repeats its chunks where there are any."""
        whole = as_text(fields.fields_left().get("content"))
        texts = [part.text for part in parts if part.part_type is PartType.TEXT and part.text]
        if whole is None:
            self._warnings["malformed_text"] += not is_empty(fields.fields_left().get("content"))
        elif not texts or whole in texts:
            fields.take("content")
            if not texts:
                yield PartRecord(PartType.TEXT, whole, "content")
        else:
            self._warnings["unread_text"] += _letters(whole) != _letters(*texts)

    def _part(self, item: object) -> Iterator[PartRecord]:
        chunk = Fields(item)
        kind = as_text(chunk.take("type"))
        if kind == _TEXT and _is_reasoning(item):
            yield PartRecord(PartType.THINKING, chunk.take_text(_TEXT), _REASONING, source=chunk.rest())
        elif kind == _CALL:
            yield from self._call(chunk)
        elif kind == "canva":
            yield self._canvases.shown(chunk)
        elif kind in _ELEMENTS:
            yield element(chunk, kind)
        elif kind in _SHOWN:
            yield _SHOWN[kind](chunk)
        elif not is_empty(item):
            self._warnings[f"unknown_part:{kind or 'none'}"] += 1
            yield PartRecord(PartType.UNKNOWN, source_type=kind or "none", source=item)

    def _call(self, chunk: Fields) -> Iterator[PartRecord]:
        """Takes a call, which has its result in it."""
        self._calls += 1
        call_id = chunk.take_identifier("id") or f"{self._name}-call-{self._calls}"
        tool = chunk.take_text("name")
        arguments, text = call_arguments(chunk.take("publicArguments"))
        result = chunk.take("publicResult")
        success = chunk.fields_left().get("success")
        has_failed = not success if isinstance(success, bool) else None
        yield PartRecord(PartType.TOOL_USE, text, _CALL, tool, call_id, arguments, source=chunk.rest())
        if has_failed or not is_empty(result):
            said = as_text(result)
            source = None if said is not None or is_empty(result) else {"publicResult": result}
            yield PartRecord(
                PartType.TOOL_RESULT,
                said or _result_text(result),
                _CALL,
                tool,
                call_id,
                is_error=has_failed,
                source=source,
            )


def _is_text(item: object) -> bool:
    chunk = as_object(item)
    if chunk.get("type") == _REFERENCE:
        return True
    return chunk.get("type") == _TEXT and isinstance(chunk.get(_TEXT), str) and not _is_reasoning(item)


def _is_reasoning(item: object) -> bool:
    """Tells what the model thought: a chunk of text like those of the answer."""
    chunk = as_object(item)
    return as_object(chunk.get("_context")).get("type") == _REASONING and isinstance(chunk.get(_TEXT), str)


def _text(chunks: Sequence[dict[str, Any]]) -> Iterator[PartRecord]:
    pieces: list[str] = []
    size = 0
    beside: list[dict[str, Any]] = []
    for item in chunks:
        chunk = Fields(item)
        if item["type"] == _TEXT:
            pieces.append(chunk.take(_TEXT))
            chunk.take("type")
        if (rest := chunk.rest()) is not None:
            beside.append({"at": size, "chunk": rest})
        size += len(item[_TEXT]) if item["type"] == _TEXT else 0
    if size or beside:
        yield PartRecord(PartType.TEXT, "".join(pieces) or None, _TEXT, source={"chunks": beside} if beside else None)


def _page(chunk: Fields) -> PartRecord:
    title, url = chunk.take_text("title"), chunk.take_text("url")
    return PartRecord(PartType.CITATION, title, "tool_reference", uri=url, source=chunk.rest())


def _image(chunk: Fields) -> PartRecord:
    return PartRecord(PartType.IMAGE, source_type="image_url", uri=chunk.take_text("imageUrl"), source=chunk.rest())


def _file(chunk: Fields) -> PartRecord:
    name, url = chunk.take_text("fileReference"), chunk.take_text("fileUrl")
    return PartRecord(PartType.FILE, name, "file_reference", uri=url, source=chunk.rest())


_SHOWN: Final = {"tool_reference": _page, "image_url": _image, "file_reference": _file}


def _result_text(result: object) -> str | None:
    """Returns the texts of what a tool gave: of pages that it lists, too."""
    lists = (value for value in as_object(result).values() if isinstance(value, list))
    return joined([results_text(result), *map(results_text, lists)])


def _quotes(fields: Fields, name: str) -> Iterator[PartRecord]:
    unread: list[Any] = []
    for item in fields.take_items(name):
        quote = Fields({_TEXT: item} if isinstance(item, str) else item)
        if isinstance(item, str | dict) and not is_empty(item):
            url, text = quote.take_text("url"), quote.first_text(_QUOTED)
            yield PartRecord(PartType.CITATION, text, name, uri=url, source=quote.rest())
        elif not is_empty(item):
            unread.append(item)
    fields.put_back(name, unread)


def _letters(*texts: str) -> str:
    return "".join("".join(text.split()) for text in texts)
