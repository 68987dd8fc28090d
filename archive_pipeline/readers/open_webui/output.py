"""Open WebUI's items of what a model gave, in the form of OpenAI's Responses API."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from archive_pipeline.domain.records import PartRecord, PartType
from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.parsing import parse_json
from archive_pipeline.readers.json.shapes import as_list, as_object, as_text, joined

_TEXTS: Final = {"message": PartType.TEXT, "reasoning": PartType.THINKING}


def output_parts(fields: Fields, warnings: Counter[str]) -> Iterator[PartRecord]:
    """Takes the items of an answer; what is none is given back."""
    for item in fields.take_objects("output"):
        yield _part(item, warnings)


def _part(item: dict[str, Any], warnings: Counter[str]) -> PartRecord:
    kind = as_text(item.get("type")) or "none"
    fields = Fields(item)
    fields.take("type")
    if kind in _TEXTS:
        return _text(kind, fields)
    if kind == "function_call":
        given = fields.take("arguments")
        return PartRecord(
            PartType.TOOL_USE,
            as_text(given),
            kind,
            tool_name=fields.take_text("name"),
            tool_use_id=fields.take_identifier("call_id"),
            tool_input=given_input(given),
            source=fields.rest(),
        )
    if kind == "function_call_output":
        text = _result(fields)
        return PartRecord(
            PartType.TOOL_RESULT, text, kind, tool_use_id=fields.take_identifier("call_id"), source=fields.rest()
        )
    if kind.endswith("code_interpreter"):
        return PartRecord(
            PartType.CODE, fields.take_text("code"), kind, language=fields.take_text("lang"), source=fields.rest()
        )
    warnings[f"unknown_part:{kind}"] += 1
    return PartRecord(PartType.UNKNOWN, source_type=kind, source=item)


def _text(kind: str, fields: Fields) -> PartRecord:
    """Takes the texts of an item: thoughts are in ``summary`` or ``content``."""
    texts: list[str | None] = []
    for name in ("summary", "content"):
        left: list[Any] = []
        for piece in fields.take_items(name):
            inner = Fields(piece)
            text = as_text(piece) or inner.take_text("text")
            texts.append(text)
            if rest := (inner.rest() if text else piece):
                left.append(rest)
        fields.put_back(name, left)
    return PartRecord(_TEXTS[kind], joined(texts), kind, source=fields.rest())


def _result(fields: Fields) -> str | None:
    """Takes the texts that a tool gave; an output of another form stays, and its texts are said all the same."""
    text = fields.take_text("output")
    if text is not None:
        return text
    return joined(as_text(as_object(item).get("text")) for item in as_list(fields.fields_left().get("output")))


def given_input(value: Any) -> Any:
    """Returns the arguments of a call: the value that their JSON stands for, else what is there."""
    return unquoted(unquoted(value))  # some are the JSON text of a JSON text


def unquoted(value: Any) -> Any:
    """Returns the value that a JSON text stands for; anything else as it is."""
    if not isinstance(value, str):
        return value
    try:
        return parse_json(value.encode("utf-8", "surrogatepass"))[0]
    except ValueError:
        return value
