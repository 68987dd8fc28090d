"""The interactions of one session with Microsoft 365 Copilot to a dialogue record.

Graph gives pages of interactions, so that a file may have a part of a session alone: each counts as a partial one. They
have no parents and no order but their times, and a prompt comes before an answer of its time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from operator import itemgetter
from typing import Any, Final

from archive_pipeline.domain.records import FULL, DialogueRecord, MessageRecord, RejectedRecord, Role
from archive_pipeline.domain.vintages import partial_of
from archive_pipeline.readers.gathered import MESSAGES, TREE
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_identifier, as_object, as_text, unique_messages
from archive_pipeline.readers.m365_copilot.content import take_attachments, take_parts
from archive_pipeline.readers.m365_copilot.recognition import PAGE, SESSION, TYPE, by_session
from archive_pipeline.readers.roles import read_role
from archive_pipeline.readers.timestamps import read_timestamp

SOURCE: Final = "m365_copilot"
_ROLES: Final[Mapping[str, Role]] = {"userprompt": "user", "airesponse": "assistant"}
_SPEAKERS: Final = ("user", "application")
_BEFORE_ALL: Final = datetime.min.replace(tzinfo=UTC)


def read_session(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of a session, of a page of several that of the last one, or why it is none."""
    own = Fields(value)
    name = MESSAGES if isinstance(value.get(MESSAGES), list) else PAGE
    found, unread = _interactions(own.take_items(name), by_session(value) if name == PAGE else {})
    if not found:
        return RejectedRecord(locator, "the session has no interactions", "missing interactions")
    session = own.take_identifier(TREE) or next(
        filter(None, (as_identifier(item.get(SESSION)) for item in found)), None
    )
    warnings: Counter[str] = Counter({"malformed_message": len(unread)})
    ordered = _in_order(found)
    messages, repeated = unique_messages([_message(item, session, warnings) for item in ordered], warnings)
    unread += [ordered[place] for place, first in repeated.items() if ordered[place] != ordered[first]]
    own.put_back(name, unread)
    times = [message.created_at for message in messages if message.created_at is not None]
    return DialogueRecord(
        source=SOURCE,
        source_id=session,
        locator=locator,
        created_at=min(times, default=None),
        updated_at=max(times, default=None),
        messages=messages,
        is_linear_source=True,
        vintage=partial_of(FULL),
        warnings=+warnings,
        source_json=own.fields_left(),
    )


def _interactions(
    items: list[Any], sessions: Mapping[str | None, Mapping[int, dict[str, Any]]]
) -> tuple[list[dict[str, Any]], list[Any]]:
    """Returns the interactions that are read, and what is none: of a page those of its last session."""
    if not sessions:
        found = [item for item in items if isinstance(item, dict)]
        return found, [item for item in items if not isinstance(item, dict) and not is_empty(item)]
    of_sessions = {place for session in sessions.values() for place in session}
    unread = [item for place, item in enumerate(items) if place not in of_sessions and not is_empty(item)]
    return [*[*sessions.values()][-1].values()], unread


def _in_order(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns interactions by their times; one without a time stays behind the one before it."""
    place = _BEFORE_ALL, False
    timed: list[tuple[tuple[datetime, bool], dict[str, Any]]] = []
    for item in items:
        moment = read_timestamp(item.get("createdDateTime"), Counter())
        place = place if moment is None else (moment, str(item.get(TYPE)).lower() != "userprompt")
        timed.append((place, item))
    return [item for _, item in sorted(timed, key=itemgetter(0))]


def _message(item: Mapping[str, Any], session: str | None, warnings: Counter[str]) -> MessageRecord:
    fields = Fields(item)
    if as_identifier(item.get(SESSION)) == session:
        fields.take(SESSION)
    parts = tuple(take_parts(fields, warnings))
    speakers = as_object(item.get("from"))
    names = (as_text(as_object(speakers.get(name)).get("displayName")) for name in _SPEAKERS)
    return MessageRecord(
        source_id=fields.take_identifier("id"),
        parent_source_id=None,
        role=read_role(item.get(TYPE), _ROLES, warnings),
        parts=parts,
        attachments=tuple(take_attachments(fields)),
        created_at=read_timestamp(item.get("createdDateTime"), warnings),
        author_name=next(filter(None, names), None),
        source=fields.rest(),
    )
