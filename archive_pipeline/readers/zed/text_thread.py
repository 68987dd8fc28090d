"""One text thread of Zed to a dialogue record: a text, and where in it each message begins.

Places are bytes of UTF-8. What commands put into the text, and what the model thought, are sections of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from archive_pipeline.domain.records import DialogueRecord, MessageRecord, MessageState, PartRecord, PartType
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_identifier, as_list, as_object, as_text
from archive_pipeline.readers.roles import OPENAI_ROLES, read_role
from archive_pipeline.readers.timestamps import read_timestamp
from archive_pipeline.readers.zed.recognition import MESSAGES, SOURCE

_TEXT: Final = "text"
_METADATA: Final = "message_metadata"  # beside the messages, by their ids, until version 0.3.0
_SECTIONS: Final = {
    "slash_command_output_sections": PartType.CONTEXT,
    "thought_process_output_sections": PartType.THINKING,
}
_STATES: Final[Mapping[str, MessageState]] = {
    "Done": "complete",
    "Pending": "in_progress",
    "Canceled": "aborted",
    "Error": "error",
}


class _Span(NamedTuple):
    """A piece of the text that is no text of its message, by bytes."""

    start: int
    end: int
    part_type: PartType


def read_text_thread(value: Mapping[str, Any], locator: str) -> DialogueRecord:
    """Returns the dialogue of a text thread."""
    warnings: Counter[str] = Counter()
    fields = Fields(value)
    reader = _Reader(value, warnings)
    kept: dict[str, Any] = {}
    messages = tuple(reader.messages(fields.take_items(MESSAGES), kept))
    if isinstance(fields.fields_left().get(_TEXT), str):
        fields.take(_TEXT)
        kept[_TEXT] = reader.text_left
    if isinstance(fields.fields_left().get(_METADATA), dict):
        kept[_METADATA] = {
            name: item for name, item in fields.take(_METADATA).items() if name not in reader.metadata_read
        }
    times = [item.created_at for item in messages if item.created_at is not None]
    return DialogueRecord(
        source=SOURCE,
        source_id=as_identifier(value.get("id")),
        locator=locator,
        title=as_text(value.get("summary")),
        created_at=min(times, default=None),
        updated_at=max(times, default=None),
        messages=messages,
        is_linear_source=True,
        warnings=+warnings,
        source_json={name: item for name, item in {**fields.fields_left(), **kept}.items() if not is_empty(item)},
    )


class _Reader:
    """Reads the messages of one text thread.

    Attributes:
        text_left: what of the text no message has; all of it if one begins in the middle of a line.
        metadata_read: the ids of ``message_metadata`` that messages took.
    """

    def __init__(self, value: Mapping[str, Any], warnings: Counter[str]) -> None:
        self.text_left = ""
        self.metadata_read: set[str] = set()
        self._thread = as_identifier(value.get("id"))
        self._metadata = as_object(value.get(_METADATA))
        self._model = as_text(value.get("model"))
        self._warnings = warnings
        self._text = (as_text(value.get(_TEXT)) or "").encode("utf-8", "surrogatepass")
        self._spans = self._found_spans(value)
        self._used: set[str] = set()

    def messages(self, items: list[Any], kept: dict[str, Any]) -> Iterator[MessageRecord]:
        """Yields the messages in the order of the text; what is none, or says nothing, is kept by its number.

        Args:
            items: the messages as the thread has them.
            kept: where that is put.
        """
        placed = [(number, item) for number, item in enumerate(items, 1) if _has_place(item)]
        left = {str(number): item for number, item in enumerate(items, 1) if not _has_place(item)}
        self._warnings["malformed_message"] += sum(not is_empty(item) for item in left.values())
        placed.sort(key=lambda each: self._at(each[1]["start"]))
        starts = [*(self._at(item["start"]) for _, item in placed), len(self._text)]
        cuts = {*starts, *(place for span in self._spans for place in (span.start, span.end))}
        self.text_left = self._piece(0, starts[0] if all(map(self._is_end_of_line, cuts)) else len(self._text))
        for (number, item), start, end in zip(placed, starts, starts[1:], strict=False):
            made = self._message(item, [*self._parts(start, end)])
            if made is None:
                left[str(number)] = item
            else:
                yield made
        if left:
            kept[MESSAGES] = left

    def _message(self, item: dict[str, Any], parts: list[PartRecord]) -> MessageRecord | None:
        fields = Fields(item)
        name = _name(fields.fields_left().get("id"))
        place, metadata = self._metadata_of(fields, name)
        state, error = _state(metadata)
        if error is not None:
            parts.append(error)
        if not parts:
            return None
        role = read_role(metadata.fields_left().get("role"), OPENAI_ROLES, self._warnings)
        if metadata.fields_left().get("role") == role:
            metadata.take("role")
        source_id = self._id(name)
        if source_id is not None:
            fields.take("id")
        if place == _METADATA and name is not None:
            self.metadata_read.add(name)
        rest = {**(fields.rest() or {}), **({} if (said := metadata.rest()) is None else {place: said})}
        created_at = read_timestamp(metadata.fields_left().get("sent_at"), self._warnings)
        return MessageRecord(
            source_id,
            None,
            role,
            tuple(parts),
            created_at=created_at,
            model=self._model if role == "assistant" else None,
            state=state,
            is_hidden=role == "system",
            source=rest or None,
        )

    def _metadata_of(self, fields: Fields, name: str | None) -> tuple[str, Fields]:
        """Returns who says a message and what became of it, and where that stands: in it or beside all messages."""
        if isinstance(fields.fields_left().get("metadata"), dict):
            return "metadata", Fields(fields.take("metadata"))
        beside = self._metadata.get(name or "")
        is_free = isinstance(beside, dict) and _METADATA not in fields.fields_left()
        return (_METADATA, Fields(beside)) if is_free else ("", Fields({}))

    def _id(self, name: str | None) -> str | None:
        if name is None or self._thread is None or name in self._used:
            return None
        self._used.add(name)
        return f"{self._thread}-{name}"

    def _parts(self, start: int, end: int) -> Iterator[PartRecord]:
        """Yields what is said between two places."""
        while self._spans and self._spans[-1].end <= start:
            self._spans.pop()
        at = start
        while self._spans and self._spans[-1].start < end:
            span = self._spans[-1]
            yield from _part(PartType.TEXT, self._piece(at, span.start))
            yield from _part(span.part_type, self._piece(max(at, span.start), min(span.end, end)))
            at = min(span.end, end)
            if span.end > end:
                break  # it goes on in the next message
            self._spans.pop()
        yield from _part(PartType.TEXT, self._piece(at, end))

    def _found_spans(self, value: Mapping[str, Any]) -> list[_Span]:
        """Returns the sections, the last one first; of those that stand in others only the outer one."""
        found: list[_Span] = []
        for name, part_type in _SECTIONS.items():
            for section in as_list(value.get(name)):
                given = as_object(as_object(section).get("range"))
                start, end = given.get("start"), given.get("end")
                if type(start) is int and type(end) is int:
                    found.append(_Span(self._at(start), self._at(end), part_type))
        spans: list[_Span] = []
        for span in sorted(found, key=lambda each: (each.start, -each.end)):
            start = max(span.start, spans[-1].end if spans else 0)
            if start < span.end:
                spans.append(_Span(start, span.end, span.part_type))
        return spans[::-1]

    def _at(self, place: int) -> int:
        """Returns a place in the text that is no place inside of a character."""
        place = max(0, min(place, len(self._text)))
        while place < len(self._text) and self._text[place] & 0xC0 == 0x80:
            place -= 1
        return place

    def _is_end_of_line(self, place: int) -> bool:
        return place in (0, len(self._text)) or b"\n" in self._text[place - 1 : place + 1]

    def _piece(self, start: int, end: int) -> str:
        """Returns what stands between two places, without the ends of lines that part messages."""
        return self._text[start:end].decode("utf-8", "surrogatepass").strip("\n")


def _has_place(item: object) -> bool:
    return type(as_object(item).get("start")) is int


def _name(said: Any) -> str | None:
    """Returns the id of a message in its thread: a number, and that of who wrote it if that was another one."""
    if type(said) is int:
        return str(said)
    fields = as_object(said)
    replica, number = fields.get("replica_id"), fields.get("value")
    if fields.keys() != {"replica_id", "value"} or type(replica) is not int or type(number) is not int:
        return None
    return f"{replica}.{number}" if replica else str(number)


def _part(part_type: PartType, text: str) -> Iterator[PartRecord]:
    if text.strip():
        yield PartRecord(part_type, text, "text")


def _state(metadata: Fields) -> tuple[MessageState, PartRecord | None]:
    """Takes what became of an answer, and the error if there was one."""
    said = metadata.fields_left().get("status")
    kind = said if isinstance(said, str) else next(iter(as_object(said)), "")
    if kind not in _STATES or (isinstance(said, dict) and len(said) != 1):
        return "complete", None
    error = as_text(as_object(said).get(kind))
    if error is not None:
        metadata.take("status")
    return _STATES[kind], None if error is None else PartRecord(PartType.ERROR, error, "Error")
