"""The parts of a message, as Google's API writes them, and what the user typed of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from archive_pipeline.domain.records import PartRecord, PartType
from archive_pipeline.readers.gemini_cli.prompts import beside_shown, split_texts
from archive_pipeline.readers.gemini_parts import MEDIA, content_parts
from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.shapes import as_object, as_text
from archive_pipeline.readers.qwen_code.wording import is_of_hook, split_prompt

_PARTS: Final = "parts"
_SHOWN: Final = "displayText"
_RESPONSE: Final = "functionResponse"
_FILE: Final = "fileData"
_FAILED: Final = frozenset({"cancelled", "error"})


def parts_of(given: Any, warnings: Counter[str]) -> list[PartRecord]:
    """Returns the parts of a message: texts, thoughts, calls, results with their pictures, files."""
    return [part for item in _items(given) for part in _parts(item, warnings)]


def results_of(given: Any, about: Fields, warnings: Counter[str]) -> Iterator[PartRecord]:
    """Yields what a tool gave back.

    Args:
        given: the parts.
        about: what the line says of the call; nothing is taken.
        warnings: where parts of no known kind are counted.
    """
    call, status = as_text(about.fields_left().get("callId")), as_text(about.fields_left().get("status"))
    for part in parts_of(given, warnings):
        if part.part_type is PartType.TEXT:
            part.part_type = PartType.TOOL_RESULT
        if part.part_type is PartType.TOOL_RESULT:
            part.is_error = part.is_error or (status in _FAILED if status is not None else None)
            call = part.tool_use_id or call
        part.tool_use_id = part.tool_use_id or call
        yield part


def said_by_user(parts: list[PartRecord], payload: Fields) -> Iterator[PartRecord]:
    """Yields the parts of a prompt: the text is what the user typed, all else that is put in context.

    Args:
        parts: what the model is told.
        payload: of the line; what it shows instead is taken where the model is told something else.
    """
    shown = payload.fields_left().get(_SHOWN)
    texts = [part.text or "" for part in parts if part.part_type is PartType.TEXT]
    told = ("".join(texts), "".join(text for text in texts if not is_of_hook(text)))
    if not isinstance(shown, str) or shown in told:
        yield from split_texts(parts, split_prompt)
        return
    payload.take(_SHOWN)
    typed = [PartRecord(PartType.TEXT, shown, _SHOWN)] if shown else []
    yield from split_texts(typed, split_prompt)
    yield from beside_shown(parts, [shown])


def _items(given: Any) -> list[Any]:
    return given if isinstance(given, list) else [given]


def _parts(item: Any, warnings: Counter[str]) -> Iterator[PartRecord]:
    fields = as_object(item)
    file = as_object(fields.get(_FILE))
    response = as_object(fields.get(_RESPONSE))
    if as_text(file.get("fileUri")) is not None:
        yield _file(item, file)
    elif isinstance(response.get(_PARTS), list):
        outer = {name: value for name, value in response.items() if name != _PARTS}
        made = list(content_parts([{**fields, _RESPONSE: outer}], _PARTS, warnings))
        call = next((part.tool_use_id for part in made if part.tool_use_id), None)
        yield from made
        for part in parts_of(response[_PARTS], warnings):
            part.tool_use_id = part.tool_use_id or call
            yield part
    else:
        yield from content_parts([item], _PARTS, warnings)


def _file(item: Any, file: dict[str, Any]) -> PartRecord:
    mime_type = as_text(file.get("mimeType"))
    part_type = MEDIA.get((mime_type or "").partition("/")[0], PartType.FILE)
    return PartRecord(part_type, source_type=_FILE, mime_type=mime_type, uri=as_text(file.get("fileUri")), source=item)
