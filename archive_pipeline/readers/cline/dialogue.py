"""One task or session to a dialogue record. Its messages follow one another, shortened histories included.

The file of a task has the messages alone: its id, which is mostly the time at which it began, is its folder's name.
That of an agent which a session started says the id of that session: its own is made of both, as Cline makes it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from itertools import islice
from typing import Any, Final

from archive_pipeline.domain.records import DialogueRecord, MessageRecord, RejectedRecord
from archive_pipeline.readers.cline.messages import MessageReader
from archive_pipeline.readers.cline.recognition import AGENTS, MESSAGES_FILE, TEAMMATE
from archive_pipeline.readers.cline.wording import folder_in
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_identifier, as_object, as_text, is_uuid
from archive_pipeline.readers.message_files import FILE, FOLDER, MESSAGES
from archive_pipeline.readers.timestamps import read_timestamp

SOURCE: Final = "cline"
# Milliseconds, of sessions followed by letters of their own.
_BEGAN: Final = re.compile(r"([0-9]{13})(?:_[0-9A-Za-z_-]+)?")
_OF_TEAM: Final = "teamtask__"
_LOOKED_AT: Final = 20  # messages; the first that has the program's words names the folder


def read_task(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of a task or session, or why it is none."""
    if not isinstance(value.get(MESSAGES), list):
        return RejectedRecord(locator, "the task has no 'messages'", "missing messages")
    warnings: Counter[str] = Counter()
    own = Fields(value)
    items = own.take_items(MESSAGES)
    unread = [item for item in items if not isinstance(item, dict) and not is_empty(item)]
    warnings["malformed_message"] += len(unread)
    own.put_back(MESSAGES, unread)
    name, parent = _ids(own)
    reader = MessageReader(name, warnings)
    messages = tuple(message for item in items if isinstance(item, dict) for message in reader.read(item))
    times = [message.created_at for message in messages if message.created_at is not None]
    return DialogueRecord(
        source=SOURCE,
        source_id=name,
        locator=locator,
        created_at=_began(name) or min(times, default=None),
        updated_at=read_timestamp(value.get("updated_at"), warnings) or max(times, default=None),
        messages=messages,
        is_linear_source=True,
        project_id=_folder(messages),
        parent_source_id=parent,
        warnings=+warnings,
        source_json=own.fields_left(),
    )


def _ids(own: Fields) -> tuple[str | None, str | None]:
    """Takes the id of a task or session, and that of the session that started it.

    Other folders than those that tasks are named by are what somebody copied a file to.
    """
    session = own.take_identifier("sessionId")
    if session is None:
        folder = as_text(own.fields_left().get(FOLDER)) or ""
        return own.take_text(FOLDER) if _BEGAN.fullmatch(folder) or is_uuid(folder) else None, None
    said = own.fields_left()
    parent = as_identifier(as_object(said.get("origin")).get("parentThreadId"))
    if parent not in (None, session):
        return session, parent
    if as_text(said.get("agent")) not in AGENTS:
        return session, None
    return _agents_id(said, session), session


def _agents_id(said: Mapping[str, Any], session: str) -> str | None:
    """Returns the id of an agent that a session started, by the name of its file; None if that does not say it."""
    file = as_text(said.get(FILE)) or ""
    stem = file.removesuffix(MESSAGES_FILE)
    if stem in ("", file, session):
        return None
    if stem.startswith(f"{session}__"):  # earlier versions name files by the whole id
        return stem
    return f"{session}__{_OF_TEAM if said.get('agent') == TEAMMATE else ''}{stem}"


def _began(name: str | None) -> datetime | None:
    found = _BEGAN.fullmatch(name or "")
    return None if found is None else read_timestamp(int(found[1]), Counter())


def _folder(messages: Iterable[MessageRecord]) -> str | None:
    texts = (part.text for message in islice(messages, _LOOKED_AT) for part in message.parts if message.role != "tool")
    return next((folder for text in texts if text and (folder := folder_in(text)) is not None), None)
