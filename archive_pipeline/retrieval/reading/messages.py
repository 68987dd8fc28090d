"""Messages with all that is read of them: declared once, for exports of whole dialogues and for windows of a path.

The fields of the classes are the columns of ``sql/queries/reading``: rows come from psycopg or, many at once, as Arrow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from itertools import pairwise
from typing import Any, Final, TypeVar

import numpy as np
import psycopg
import pyarrow as pa

from archive_pipeline.derive.qa_pairs import call_arguments
from archive_pipeline.domain.batch import join_texts
from archive_pipeline.retrieval.reading.attached_files import Scope
from archive_pipeline.store.columns import TIME, Columns, columns_of_rows, datetimes
from archive_pipeline.store.snapshot import Snapshot
from archive_pipeline.store.sql_files import load_query, uuid_array
from archive_pipeline.text.citation_marks import has_marks, without_marks

TEXT: Final = "text"
COMPLETE: Final = "complete"
# Of one part or attachment in a window; a page stays of bounded size whatever was pasted.
MOST_CHARACTERS: Final = 100_000
_WHOLE: Final = 0
# Parts that are their text and nothing else; what is blank in one, for PostgreSQL too.
_OF_TEXT: Final = frozenset({TEXT, "thinking", "code"})
_BLANK: Final = " \t\n\r\f\v"

PieceT = TypeVar("PieceT")


@dataclass(slots=True)
class Part:
    """Columns of ``raw.content_parts``.

    Attributes:
        kind: the part's type.
        tool_input: JSON text.
        is_error: None if the source does not say.
        source_type: what the source calls it.
        left_out: characters of the text, or of the input of a call without one, that are not here: the end of it.
    """

    kind: str
    text: str | None
    tool_name: str | None
    tool_use_id: str | None
    tool_input: str | None
    is_error: bool | None
    language: str | None
    mime_type: str | None
    uri: str | None
    source_type: str | None = None
    left_out: int = 0

    @property
    def arguments(self) -> str | None:
        """What a call gives its tool, as the source has it; a string that is cut stays the JSON that it is."""
        return call_arguments(self.tool_input, self.text) if self.left_out == 0 else self.text or self.tool_input

    @property
    def has_content(self) -> bool:
        """Whether it is more than a blank text."""
        return self.kind not in _OF_TEXT or bool((self.text or "").strip(_BLANK))


@dataclass(slots=True)
class Attachment:
    """Columns of ``raw.attachments``, the document that was made of the file, and what the message calls the file."""

    file_name: str | None
    mime_type: str | None
    size_bytes: int | None
    uri: str | None
    text: str | None
    document_id: str | None = None
    pointer: str | None = None

    @property
    def shown_name(self) -> str:
        """What people read for it: its name, or what it is without one."""
        return self.file_name or ("pasted text" if self.text else "file")


@dataclass(slots=True)
class Message:
    """Columns of ``raw.messages``, with the parts and attachments in order."""

    id: str
    role: str
    sequence_number: int
    created_at: datetime | None
    model: str | None
    author: str | None
    state: str
    is_hidden: bool
    recipient: str | None = None
    parts: list[Part] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)

    @property
    def has_content(self) -> bool:
        """Whether there is anything to show of it, as ``derived.messages_with_content`` has it."""
        return bool(self.attachments) or any(part.has_content for part in self.parts)

    @property
    def is_shown(self) -> bool:
        """Whether readers see it, and count it as a message."""
        return not self.is_hidden and self.has_content

    @property
    def text(self) -> str | None:
        """The text parts joined by a blank line, None if they say nothing."""
        parts = self.parts
        if len(parts) == 1:
            text = parts[0].text if parts[0].kind == TEXT else None
            return text if text and not text.isspace() else None
        return join_texts([part.text for part in parts if part.kind == TEXT and part.text])


_OF_PARTS: Final = [item.name for item in fields(Part)]
_OF_ATTACHMENTS: Final = [item.name for item in fields(Attachment)]
_OF_MESSAGES: Final = [item.name for item in fields(Message)][: -len(("parts", "attachments"))]


def read_messages(connection: psycopg.Connection[Any], message_ids: Sequence[str]) -> list[Message]:
    """Return those of some messages that there are, in the order of the ids; long texts are cut, marks taken out."""

    def read(query: str) -> Columns:
        return columns_of_rows(connection.execute(_statement(query, "messages", message_ids, MOST_CHARACTERS)))

    found = {message.id: message for message in assemble(read("messages"), read("parts"), read("attachments"))}
    take_marks_out(found.values())
    return [found[message_id] for message_id in message_ids if message_id in found]


def read_tables(snapshot: Snapshot, dialogue_ids: Sequence[str]) -> tuple[pa.Table, pa.Table, pa.Table]:
    """Return messages, parts and attachments of some dialogues, whole; their columns are what ``assemble`` takes."""
    messages, parts, attachments = (
        snapshot.arrow(_statement(query, "dialogues", dialogue_ids, _WHOLE))
        for query in ("messages", "parts", "attachments")
    )
    return messages, parts, attachments


def assemble(messages: Columns, parts: Columns, attachments: Columns) -> list[Message]:
    """Return the messages of a query in its order, each with what belongs to it."""
    place = {message_id: number for number, message_id in enumerate(messages["id"])}
    return list(
        map(
            Message,
            *(datetimes(messages[name]) if name == TIME else messages[name] for name in _OF_MESSAGES),
            _owned(Part, _OF_PARTS, parts, place),
            _owned(Attachment, _OF_ATTACHMENTS, attachments, place),
        )
    )


def take_marks_out(messages: Iterable[Message]) -> None:
    """Leave of citation marks in the texts of messages what readers see of them."""
    for message in messages:
        for part in message.parts:
            if part.text and has_marks(part.text):
                part.text = without_marks(part.text)


def ends_of_page(connection: psycopg.Connection[Any], dialogue_id: str, page: int) -> tuple[str, str] | None:
    """Return the ids of the first and the last message of a page of a dialogue; None if there is no such page."""
    wanted = {"dialogue_id": dialogue_id, "page": page}
    row = connection.execute(load_query("reading/ends_of_page"), wanted).fetchone()
    return None if row is None else (str(row[0]), str(row[1]))


def _statement(query: str, scope: Scope, ids: Sequence[str], limit: int) -> str:
    statement = load_query(f"reading/{query}").replace("{scope}", scope).replace("{limit}", str(limit))
    return statement.replace("{ids}", uuid_array(ids))


def _owned(
    make: Callable[..., PieceT], names: Sequence[str], columns: Columns, place: Mapping[str, int]
) -> list[list[PieceT]]:
    """Return per message what belongs to it, in order; what belongs to none of them is left out."""
    pieces = list(map(make, *(columns[name] for name in names)))
    if not pieces:
        return [[] for _ in place]
    owners = np.array([place.get(name, -1) for name in columns["message_id"]])
    order = np.lexsort((np.array(columns["sequence"]), owners))
    ends = np.searchsorted(owners[order], np.arange(len(place) + 1)).tolist()
    in_order = [pieces[number] for number in order.tolist()]
    return [in_order[start:end] for start, end in pairwise(ends)]
