"""Prompt and answer in fields of their own, in records of activity whose titles only say that the app was used.

They are two details that are named for it, or a pair of texts, mostly JSON, in each of ``userInteractions``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from archive_pipeline.domain.records import PartRecord, PartType
from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.parsing import parse_json
from archive_pipeline.readers.json.shapes import as_list, as_object, as_text, joined

_DETAILS: Final = "details"
_INTERACTIONS: Final = "userInteractions"
_INTERACTION: Final = "userInteraction"
_ASKED: Final = "request"
_ANSWERED: Final = "response"


@dataclass(frozen=True, slots=True)
class Exchange:
    """What was asked and answered; each is empty where the record does not have it in a field of its own."""

    asked: list[PartRecord] = field(default_factory=list)
    answered: list[PartRecord] = field(default_factory=list)

    def add(self, name: str, part: PartRecord) -> None:
        """Add what a field of this name says."""
        (self.asked if name.lower() == _ASKED else self.answered).append(part)


def take_exchange(fields: Fields) -> Exchange:
    """Takes prompt and answer; what else the details and interactions say stays."""
    exchange = Exchange()
    for name, read in ((_DETAILS, _of_detail), (_INTERACTIONS, _of_interaction)):
        items = as_list(fields.fields_left().get(name))
        left = [rest for item in items for rest in read(item, exchange)]
        if left != items:
            fields.take(name)
            fields.put_back(name, left)
    return exchange


def _of_detail(item: Any, exchange: Exchange) -> Iterator[Any]:
    detail = Fields(item)
    name = detail.take_text("name") or ""
    text = detail.take_text("value")
    if text is None or name not in ("Request", "Response"):
        yield item
    else:
        exchange.add(name, PartRecord(PartType.TEXT, text, name, source=detail.rest()))


def _of_interaction(item: Any, exchange: Exchange) -> Iterator[Any]:
    outer = Fields(item)
    inner = Fields(outer.take(_INTERACTION))
    said = {name: raw for name in (_ASKED, _ANSWERED) if (raw := as_text(inner.fields_left().get(name)))}
    texts = {name: text for name, raw in said.items() if (text := _text_in(raw)) is not None}
    if not texts:
        yield item
        return
    for name, text in texts.items():
        raw = inner.take(name)
        exchange.add(name, PartRecord(PartType.TEXT, text, name, source={name: raw} if raw != text else None))
    rest = outer.rest() or {}
    if about := inner.rest():
        rest[_INTERACTION] = about
    if rest:
        yield rest


def _text_in(raw: str) -> str | None:
    """Returns the texts of an array of objects that is written as JSON, any other text as it is."""
    if not raw.lstrip().startswith(("[", "{")):
        return raw
    try:
        value, _ = parse_json(raw.encode("utf-8", "surrogatepass"))
    except ValueError:
        return raw
    items = value if isinstance(value, list) else [value]
    return joined(as_text(as_object(item).get("text")) for item in items)
