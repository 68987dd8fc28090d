"""The messages of a session: rows, which say what messages of OpenAI's form say, with thoughts beside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from archive_pipeline.domain.records import MessageRecord, PartRecord, PartType
from archive_pipeline.readers.chat_lines import messages as chat
from archive_pipeline.readers.hermes.rows import Said
from archive_pipeline.readers.hermes.wording import pieces_of
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_identifier

# APIs have two names for the same thoughts.
_THOUGHTS: Final = ("reasoning", "reasoning_content")


class MessageReader:
    """Reads the rows of one session, in their order."""

    def __init__(self, session: str | None, model: str | None, warnings: Counter[str]) -> None:
        self._session = session
        self._model = model
        self._warnings = warnings
        self._chat = chat.MessageReader(chat.OPENAI)

    def read(self, said: Said) -> list[MessageRecord]:
        """Returns the messages of what a row says, mostly one; each follows the one before it."""
        fields = Fields(said.row)
        if self._session is not None and as_identifier(said.row.get("session_id")) == self._session:
            fields.take("session_id")
        # The session goes before it: a session that goes on from another one may begin with the same.
        own = f"{self._session or ''}-{said.key}"
        number_of_row = fields.take("id")
        thoughts = tuple(_thoughts(fields))
        records = self._chat.read(fields.fields_left(), self._warnings)
        first = records[0]
        first.parts = (*thoughts, *first.parts)
        beside = {"id": number_of_row, "content": said.around}
        first.source = {**(first.source or {}), **{name: item for name, item in beside.items() if not is_empty(item)}}
        for number, record in enumerate(records):
            record.source_id = own if not number else f"{own}-{number + 1}"
            record.parent_source_id = None if not number else records[number - 1].source_id
            if record.role in ("user", "assistant"):
                _set_apart(record, said)
            if record.role == "assistant":
                record.model = record.model or self._model
        return records


def _thoughts(fields: Fields) -> Iterator[PartRecord]:
    said: set[str] = set()
    for name in _THOUGHTS:
        text = fields.take_text(name)
        if text is not None and text not in said:
            said.add(text)
            yield PartRecord(PartType.THINKING, text, name)


def _set_apart(record: MessageRecord, said: Said) -> None:
    """Sets apart what the program wrote in another's place; a message with nothing else is the system's."""
    if said.is_put_in:
        record.parts = tuple(_as_context(part) for part in record.parts)
    elif record.role == "user":
        record.parts = tuple(piece for part in record.parts for piece in _pieces(part))
    if record.parts and all(part.part_type is PartType.CONTEXT for part in record.parts):
        record.role, record.is_hidden = "system", True
        record.source = {**(record.source or {}), "role": said.row.get("role")}


def _as_context(part: PartRecord) -> PartRecord:
    return replace(part, part_type=PartType.CONTEXT) if part.part_type is PartType.TEXT else part


def _pieces(part: PartRecord) -> Iterator[PartRecord]:
    pieces = pieces_of(part.text) if part.part_type is PartType.TEXT and part.text else []
    if len(pieces) < 2 and all(part_type is PartType.TEXT for part_type, _ in pieces):
        yield part
        return
    source = {**(part.source or {}), "text": part.text}
    for number, (part_type, text) in enumerate(pieces):
        yield replace(part, part_type=part_type, text=text, source=None if number else source)
