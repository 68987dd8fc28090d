"""One session of Hermes to a dialogue record.

Rows follow one another. What the user has taken back stays in the database, and is a branch: what is said then follows
the message above it. When a session becomes too long its rows are marked and those that are kept are written again,
behind a summary: a row that is there twice is one message.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from archive_pipeline.domain.records import FULL, DialogueRecord, MessageRecord, RejectedRecord
from archive_pipeline.readers.hermes.messages import MessageReader
from archive_pipeline.readers.hermes.recognition import SOURCE
from archive_pipeline.readers.hermes.rows import messages_of
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_identifier, as_list, as_object, as_text
from archive_pipeline.readers.timestamps import read_timestamp

# The vintage of what ``sessions export`` writes: messages that the model still sees, without what stands between.
ACTIVE: Final = "active"
_TABLES: Final = "tables"
_MESSAGES: Final = "messages"
_SESSIONS: Final = "sessions"
_USAGE: Final = "session_model_usage"
_UNREADABLE: Final = "unreadable_rows"
_TIMES: Final = ("ended_at", "last_activity_at")


def read_session(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of a session's rows, or of an export, or why it is none."""
    is_export = _TABLES not in value
    given = value if is_export else value[_TABLES]
    if not isinstance(given, dict) or not isinstance(given.get(_MESSAGES, []), list):
        return RejectedRecord(locator, "the session has no 'messages'", "missing messages")
    # One without all of its rows says nothing of messages that it lacks.
    warnings = Counter({"malformed_message": len(as_list(value.get(_UNREADABLE)))})
    own = Fields(value)
    rows = [*given.get(_MESSAGES, [])]
    about = value if is_export else _row_of_session(given)
    info = Fields(about)
    info.take(_MESSAGES)
    session = as_identifier(about.get("id")) or as_identifier(value.get("conversation_id"))
    reader = MessageReader(session, _model(about, given), warnings)
    entries = _Rows(reader)
    messages = tuple(entries.read(rows))
    warnings["malformed_message"] += len(entries.unread)
    times = [read_timestamp(about.get(name), warnings) for name in _TIMES] + [item.created_at for item in messages]
    title = info.take_text("title")
    return DialogueRecord(
        source=SOURCE,
        source_id=session,
        locator=locator,
        title=title,
        created_at=read_timestamp(about.get("started_at"), warnings),
        updated_at=max((moment for moment in times if moment is not None), default=None),
        messages=messages,
        active_source_id=None if is_export else entries.last,
        is_linear_source=is_export,
        vintage=ACTIVE if is_export else FULL,
        project_id=as_text(about.get("cwd")),
        parent_source_id=_parent(about),
        warnings=+warnings,
        source_json=_left(own, info, given, entries, is_export=is_export),
    )


class _Rows:
    """The rows of a session, taken in their order.

    Attributes:
        last: the id of the message that the next one follows.
        copies: what rows that are there again say otherwise.
        unread: what is no row.
    """

    def __init__(self, reader: MessageReader) -> None:
        self.last: str | None = None
        self.copies: list[dict[str, Any]] = []
        self.unread: list[Any] = []
        self._reader = reader
        self._before: str | None = None  # of a row that is taken back, if the row before is taken back too

    def read(self, rows: list[Any]) -> Iterator[MessageRecord]:
        """Yields the messages of all rows; those that are there again once, where they are first."""
        self.unread = [row for row in rows if not isinstance(row, dict) and not is_empty(row)]
        messages = list(messages_of(row for row in rows if isinstance(row, dict)))
        # Of a row that is kept and written again the first one is marked as if it were taken back.
        kept = {said.key for said in messages if not said.is_taken_back}
        first: dict[str, dict[str, Any]] = {}
        for said in messages:
            if said.key in first:
                known = first[said.key]
                self.copies.append({name: item for name, item in said.row.items() if known.get(name) != item})
                continue
            first[said.key] = said.row
            yield from self._follow(self._reader.read(said), is_taken_back=said.key not in kept)

    def _follow(self, records: list[MessageRecord], *, is_taken_back: bool) -> list[MessageRecord]:
        records[0].parent_source_id = (self._before or self.last) if is_taken_back else self.last
        self._before = records[-1].source_id if is_taken_back else None
        if not is_taken_back:
            self.last = records[-1].source_id
        return records


def _row_of_session(tables: Mapping[str, Any]) -> dict[str, Any]:
    return next((row for row in as_list(tables.get(_SESSIONS)) if isinstance(row, dict)), {})


def _model(about: Mapping[str, Any], tables: Mapping[str, Any]) -> str | None:
    """Returns the model of a session, if it had no other one: rows do not say whose answers they are."""
    used = {as_text(as_object(row).get("model")) for row in as_list(tables.get(_USAGE))}
    own = as_text(about.get("model"))
    return own if used <= {own, None} else None


def _parent(about: Mapping[str, Any]) -> str | None:
    """Returns the session that started a subagent's; others name the one that they go on from."""
    parent = as_identifier(about.get("parent_session_id"))
    started = as_identifier(as_object(about.get("model_config")).get("_delegate_from"))
    return parent if parent is not None and parent == started else None


def _left(own: Fields, info: Fields, given: Mapping[str, Any], entries: _Rows, *, is_export: bool) -> dict[str, Any]:
    """Returns what no column has of a session."""
    more = {"copies": entries.copies, _MESSAGES: entries.unread}
    if is_export:
        return {**info.fields_left(), **{name: item for name, item in more.items() if item}}
    about = _row_of_session(given)
    sessions = given.get(_SESSIONS)
    if isinstance(sessions, list):
        sessions = [row for row in sessions if row is not about]
    others = {name: item for name, item in given.items() if name not in (_MESSAGES, _SESSIONS)}
    own.take(_TABLES)
    tables = {**others, **more, _SESSIONS: sessions}
    return {
        **own.fields_left(),
        "session": info.fields_left(),
        _TABLES: {name: item for name, item in tables.items() if not is_empty(item)},
    }
