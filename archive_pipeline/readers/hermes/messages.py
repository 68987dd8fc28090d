"""The messages of a session: rows, which say what messages of OpenAI's form say, with thoughts beside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from archive_pipeline.domain.records import MessageRecord, PartRecord, PartType
from archive_pipeline.readers.chat_lines import messages as chat
from archive_pipeline.readers.hermes.wording import is_summary, json_in, pieces_of
from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.parsing import parse_json
from archive_pipeline.readers.json.shapes import as_identifier, as_text

# APIs have two names for the same thoughts.
_THOUGHTS: Final = ("reasoning", "reasoning_content")
_HIDDEN: Final = "hidden"


class MessageReader:
    """Reads the rows of one session, in their order."""

    def __init__(self, session: str | None, model: str | None, warnings: Counter[str]) -> None:
        self._session = session
        self._model = model
        self._warnings = warnings
        self._chat = chat.MessageReader(chat.OPENAI)
        self._used: Counter[str] = Counter()

    def read(self, row: dict[str, Any]) -> list[MessageRecord]:
        """Returns the messages of a row, mostly one; each follows the one before it."""
        fields = Fields(row)
        own = self._own(fields)
        thoughts = tuple(_thoughts(fields))
        said = dict(fields.fields_left())
        if isinstance(said.get("content"), str):
            said["content"] = _decoded(said["content"])
        records = self._chat.read(said, self._warnings)
        first = records[0]
        first.parts = (*thoughts, *first.parts)
        for number, record in enumerate(records):
            record.source_id = own if not number else f"{own}-{number + 1}"
            record.parent_source_id = None if not number else records[number - 1].source_id
            if record.role == "assistant":
                record.model = record.model or self._model
            elif record.role == "user":
                _set_apart(record, row)
        return records

    def _own(self, fields: Fields) -> str:
        """Takes the id of a row: that of its session goes before it, since other databases have the same numbers."""
        if self._session is not None and as_identifier(fields.fields_left().get("session_id")) == self._session:
            fields.take("session_id")
        made = f"{self._session or ''}-{fields.take_identifier('id') or 'row'}"
        self._used[made] += 1
        return made if self._used[made] == 1 else f"{made}-again-{self._used[made]}"


def _thoughts(fields: Fields) -> Iterator[PartRecord]:
    said: set[str] = set()
    for name in _THOUGHTS:
        text = fields.take_text(name)
        if text is not None and text not in said:
            said.add(text)
            yield PartRecord(PartType.THINKING, text, name)


def _decoded(content: str) -> Any:
    text = json_in(content)
    if text is None:
        return content
    try:
        return parse_json(text.encode("utf-8", "surrogatepass"))[0]
    except ValueError:
        return content


def _set_apart(record: MessageRecord, row: dict[str, Any]) -> None:
    """Sets apart what the program wrote in the user's place; of a message with nothing else it is the system's."""
    texts = [part.text for part in record.parts if part.part_type is PartType.TEXT and part.text]
    is_put_in = row.get("_compressed_summary") == 1 or as_text(row.get("display_kind")) == _HIDDEN
    if is_put_in or any(map(is_summary, texts)):
        record.parts = tuple(_as_context(part) for part in record.parts)
    else:
        record.parts = tuple(piece for part in record.parts for piece in _pieces(part))
    if record.parts and all(part.part_type is PartType.CONTEXT for part in record.parts):
        record.role, record.is_hidden = "system", True
        record.source = {**(record.source or {}), "role": row.get("role")}


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
