"""The parts of a message by hash. ``text`` holds a text, ``payload`` everything else as JSON, with ids of fragments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from archive_pipeline.domain.records import AttachmentRecord, PartRecord, PartType
from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.parsing import parse_json
from archive_pipeline.readers.json.shapes import as_identifier, as_list, as_object, as_text
from archive_pipeline.readers.json.structure import may_take
from archive_pipeline.readers.llm.attachments import attachment
from archive_pipeline.readers.llm.fragments import MISSING_FRAGMENT, fragment_said, fragment_text
from archive_pipeline.readers.llm.rows import Row, Tables, ordered

_MAX_PAYLOAD_MEMORY: Final = 256 * 1024 * 1024
_TEXTS: Final[Mapping[str, PartType]] = {"text": PartType.TEXT, "reasoning": PartType.THINKING}


@dataclass(slots=True)
class ReadPart:
    """What a row of ``parts`` is.

    Attributes:
        parts: mostly one; none of an attachment.
        attachments: that it names.
        rest: what of the row neither has.
    """

    parts: list[PartRecord]
    attachments: list[AttachmentRecord]
    rest: dict[str, Any]


def read_part(row: Row, tables: Tables, warnings: Counter[str]) -> ReadPart:
    """Returns what a row is; one of an unknown type is kept as it is."""
    fields = Fields(row)
    payload = _payload(fields)
    kind = as_text(row.get("type")) or "none"
    links = ordered(tables.take("part_attachments", "part_id", row.get("id")))
    attachments = [attachment(link.get("attachment_id"), tables, link) for link in links]
    if kind in _TEXTS:
        parts = _text(_TEXTS[kind], kind, fields, payload, tables, warnings)
    elif kind == "tool_call":
        parts = [_call(row, payload)]
    elif kind == "tool_result":
        parts = [_result(payload)]
    elif kind == "attachment":
        attachments += _named(payload, tables) if not attachments else []
        parts = []
    else:
        warnings[f"unknown_part:{kind}"] += 1
        content = {**(payload.rest() or {}), "text": fields.take("text")}
        return ReadPart([PartRecord(PartType.UNKNOWN, source_type=kind, source=content)], attachments, _rest(fields))
    left = payload.rest() if kind == "attachment" else None
    return ReadPart(parts, attachments, {**_rest(fields), **({"payload": left} if left else {})})


def _rest(fields: Fields) -> dict[str, Any]:
    return fields.rest() or {}


def _payload(fields: Fields) -> Fields:
    """Takes the payload if it is an object as JSON text; what is none stays in the row."""
    text = as_text(fields.fields_left().get("payload"))
    if text is None:
        return Fields({})
    raw = text.encode("utf-8", "surrogatepass")
    if may_take(raw, _MAX_PAYLOAD_MEMORY):
        return Fields({})
    try:
        value, _ = parse_json(raw)
    except ValueError:
        return Fields({})
    if not isinstance(value, dict):
        return Fields({})
    fields.take("payload")
    return Fields(value)


def _text(
    kind: PartType, name: str, fields: Fields, payload: Fields, tables: Tables, warnings: Counter[str]
) -> list[PartRecord]:
    text = fields.take_text("text")
    if text is None:
        text = "".join(_pieces(payload, tables, warnings)) or payload.take_text("text")
        for piece in as_list(payload.fields_left().get("text_ref")):
            fragment_said(tables, as_object(piece).get("fragment"), text or "")
    source = payload.rest()
    return [PartRecord(kind, text, name, source=source)] if text or source else []


def _pieces(payload: Fields, tables: Tables, warnings: Counter[str]) -> Iterator[str]:
    """Yields the pieces that a text consists of: fragments, and what stands between them."""
    for piece in map(as_object, as_list(payload.fields_left().get("text_ref"))):
        literal = as_text(piece.get("literal"))
        if literal is not None or "fragment" not in piece:
            yield literal or ""
            continue
        text = fragment_text(tables, piece["fragment"])
        warnings[MISSING_FRAGMENT] += text is None
        yield text or ""


def _call(row: Row, payload: Fields) -> PartRecord:
    given = payload.take("arguments")
    name = payload.take_identifier("tool_call_id")
    return PartRecord(
        PartType.TOOL_USE,
        source_type="tool_call",
        tool_name=payload.take_text("name") or as_text(row.get("tool_name")),
        tool_use_id=name or f"tool-call-{as_identifier(row.get('id')) or ''}",
        tool_input=given,
        source=payload.rest(),
    )


def _result(payload: Fields) -> PartRecord:
    output = payload.take_text("output")
    failure = as_text(payload.fields_left().get("exception"))
    return PartRecord(
        PartType.TOOL_RESULT,
        output or failure,
        "tool_result",
        tool_name=payload.take_text("name"),
        tool_use_id=payload.take_identifier("tool_call_id"),
        is_error=True if failure is not None else None,
        source=payload.rest(),
    )


def _named(payload: Fields, tables: Tables) -> list[AttachmentRecord]:
    """Returns the attachment that the payload alone names."""
    name = as_object(payload.fields_left().get("attachment")).get("id")
    return [attachment(name, tables)] if as_identifier(name) is not None else []
