"""One session file of Droid to a dialogue record.

A message names the one before it. Lines about the session stand between, and summaries of what went before: those are
put between the messages that they separate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, Final

from archive_pipeline.domain.records import DialogueRecord, MessageRecord, RejectedRecord
from archive_pipeline.readers.droid.messages import COMPACTION, MESSAGE, MessageReader
from archive_pipeline.readers.droid.recognition import HEADER
from archive_pipeline.readers.json.shapes import as_identifier, as_text, is_uuid
from archive_pipeline.readers.json_lines import FILE, LINES, is_unreadable, without_lines
from archive_pipeline.readers.left_out_lines import is_left_out
from archive_pipeline.readers.session_entries import Entries, header_of, times_of

SOURCE: Final = "droid"
_UNTITLED: Final = "new session"


def read_session(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of a session's lines, or why it is none."""
    lines = value.get(LINES)
    if not isinstance(lines, list):
        return without_lines(locator)
    header = header_of(lines, HEADER)
    entries = Entries(Counter())
    messages = _messages(lines, entries)
    first, last = times_of(lines)
    return DialogueRecord(
        source=SOURCE,
        source_id=as_identifier(header.get("id")) or _named_by(value.get(FILE)),
        locator=locator,
        title=_title(header),
        created_at=first,
        updated_at=last,
        messages=messages,
        message_less_nodes=entries.nodes,
        active_source_id=entries.last,
        project_id=as_text(header.get("cwd")),
        parent_source_id=as_identifier(header.get("callingSessionId")),
        warnings=+entries.warnings,
        source_json={**{name: item for name, item in value.items() if name != LINES}, LINES: entries.kept},
    )


def _messages(lines: list[Any], entries: Entries) -> tuple[MessageRecord, ...]:
    reader = MessageReader(entries)
    messages: list[MessageRecord] = []
    for number, line in enumerate(lines, 1):
        if is_unreadable(line) or line.get("type") not in (MESSAGE, COMPACTION):
            entries.keep(number, line)
            continue
        entry = entries.add(line, as_identifier(line.get("id")) or f"line-{number}")
        read = reader.read_left_out if is_left_out(line) else reader.read
        made = [] if entry is None else [*read(entry)]
        messages += made
        if entry is not None and not made:
            entries.pass_over(number, entry)
    return tuple(messages)


def _named_by(file: object) -> str | None:
    """Returns the id of a session that lost its first line: the name of its file, if that is one."""
    name = PurePosixPath(file).stem if isinstance(file, str) else ""
    return name if is_uuid(name) else None


def _title(header: Mapping[str, Any]) -> str | None:
    """Returns what the user called a session, else what the model did, else what Droid made of its first prompt."""
    is_users = header.get("isSessionTitleManuallySet") is True
    names = ("title", "sessionTitle") if is_users else ("sessionTitle", "title")
    titles = (as_text(header.get(name)) for name in names)
    return next((title for title in titles if title is not None and title.strip().lower() != _UNTITLED), None)
