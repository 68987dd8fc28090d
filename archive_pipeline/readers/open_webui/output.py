"""Open WebUI's items of what a model gave, in the form of OpenAI's Responses API."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from archive_pipeline.domain.records import PartRecord, PartType
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.parsing import parse_json
from archive_pipeline.readers.json.shapes import as_list, as_object, as_text, joined
from archive_pipeline.readers.open_webui.pictures import text_parts

CODE_INTERPRETER: Final = "code_interpreter"
_TEXTS: Final = {"message": PartType.TEXT, "reasoning": PartType.THINKING}


def output_parts(fields: Fields, warnings: Counter[str]) -> Iterator[PartRecord]:
    """Takes the items of an answer; what is none is given back."""
    for item in fields.take_objects("output"):
        yield from _parts(item, warnings)


def _parts(item: dict[str, Any], warnings: Counter[str]) -> Iterator[PartRecord]:
    kind = as_text(item.get("type")) or "none"
    fields = Fields(item)
    fields.take("type")
    if kind in _TEXTS:
        yield from _text(kind, fields, item)
    elif kind == "function_call":
        given = fields.take("arguments")
        yield PartRecord(
            PartType.TOOL_USE,
            as_text(given),
            kind,
            tool_name=fields.take_text("name"),
            tool_use_id=fields.take_identifier("call_id"),
            tool_input=given_input(given),
            source=fields.rest(),
        )
    elif kind == "function_call_output":
        text = _result(fields)
        yield PartRecord(
            PartType.TOOL_RESULT, text, kind, tool_use_id=fields.take_identifier("call_id"), source=fields.rest()
        )
    elif kind.endswith(CODE_INTERPRETER):
        yield from _run(kind, fields)
    else:
        warnings[f"unknown_part:{kind}"] += 1
        yield PartRecord(PartType.UNKNOWN, source_type=kind, source=item)


def _text(kind: str, fields: Fields, item: dict[str, Any]) -> Iterator[PartRecord]:
    """Takes the texts of an item: thoughts are in ``summary`` or ``content``. One with pictures is kept whole, too."""
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
    whole = PartRecord(_TEXTS[kind], joined(texts), kind, source=fields.rest())
    parts = list(text_parts(whole.text, kind)) if whole.part_type is PartType.TEXT and whole.text else []
    if [part.text for part in parts] in ([], [whole.text]):
        yield whole
        return
    parts[0].source = {**as_object(parts[0].source), **item}
    yield from parts


def _run(kind: str, fields: Fields) -> Iterator[PartRecord]:
    result = run_result(kind, fields.fields_left().get("output"))
    if result:
        fields.take("output")
    yield PartRecord(
        PartType.CODE, fields.take_text("code"), kind, language=fields.take_text("lang"), source=fields.rest()
    )
    if result:
        yield result


def run_result(kind: str, given: Any) -> PartRecord | None:
    """Returns what code that was run gave: what it printed, its errors, its value; None if it gave nothing."""
    fields = Fields(given if isinstance(given, dict) else {"result": given})
    printed = [fields.take_text(name) for name in ("stdout", "stderr")]
    value = fields.take_text("result") or _json(fields.fields_left().get("result"))
    text = joined([*printed, value])
    if text is None:
        return None
    return PartRecord(PartType.TOOL_RESULT, text, kind, tool_name=CODE_INTERPRETER, source=fields.rest())


def _json(value: Any) -> str | None:
    return None if is_empty(value) else json.dumps(value, ensure_ascii=False)


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
