"""The rows of one conversation with Copilot to a dialogue record.

A row has no id and no parent. A table begins with what is newest, and a prompt mostly has the time of its answer: rows
of one time are in order from the last one on if a prompt comes first so, else prompts before answers. Nothing tells a
message that is gone from one of another conversation of the same title, so each counts as a partial one: what it lacks
is not gone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from archive_pipeline.domain.records import (
    FULL,
    DialogueRecord,
    MessageRecord,
    PartRecord,
    PartType,
    RejectedRecord,
    Role,
)
from archive_pipeline.domain.vintages import partial_of
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_text
from archive_pipeline.readers.microsoft_copilot.layouts import ROWS, SOURCE, Layout, layout_of
from archive_pipeline.readers.microsoft_copilot.times import read_time
from archive_pipeline.readers.roles import read_role

_ROLES: Final[Mapping[str, Role]] = {
    "human": "user",
    "ai": "assistant",
    # Of Chat and of apps.
    "user": "user",
    "assistant": "assistant",
    "bot": "assistant",
    "copilot": "assistant",
    "api_tool": "tool",
    "tool": "tool",
    "system": "system",
}
# Where answers have the name of the product, as "Microsoft 365 Copilot", it varies.
_PRODUCT: Final = "copilot"
_BEFORE_ALL: Final = datetime.min.replace(tzinfo=UTC)


def read_conversation(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of some rows, or why they are none."""
    own = Fields(value)
    items = own.take_items(ROWS)
    rows = [item for item in items if isinstance(item, dict) and item]
    if not rows:
        return RejectedRecord(locator, "the conversation has no 'rows', so no messages", "missing rows")
    own.put_back(ROWS, [item for item in items if not isinstance(item, dict) and not is_empty(item)])
    layout = layout_of(rows[0])
    title = as_text(rows[0].get(layout.title)) if layout.title else None
    warnings: Counter[str] = Counter({"malformed_message": len(own.fields_left().get(ROWS, []))})
    messages = _in_order([_message(row, layout, title, warnings) for row in rows])
    times = [message.created_at for message in messages if message.created_at is not None]
    return DialogueRecord(
        source=SOURCE,
        source_id=None,
        locator=locator,
        title=title,
        created_at=min(times, default=None),
        updated_at=max(times, default=None),
        messages=tuple(messages),
        is_linear_source=True,
        vintage=partial_of(FULL),
        warnings=+warnings,
        source_json=own.fields_left(),
    )


def _message(row: Mapping[str, Any], layout: Layout, title: str | None, warnings: Counter[str]) -> MessageRecord:
    fields = Fields(row)
    if layout.title and title is not None and row.get(layout.title) == title:
        fields.take(layout.title)
    role = _role(row.get(layout.author), warnings) if layout.author else "user"
    text = fields.take_text(layout.message)
    part_type = PartType.TOOL_RESULT if role == "tool" else PartType.TEXT
    return MessageRecord(
        source_id=None,
        parent_source_id=None,
        role=role,
        parts=() if text is None else (PartRecord(part_type, text, layout.message),),
        created_at=read_time(row.get(layout.time), warnings),
        source=fields.rest(),
    )


def _role(author: object, warnings: Counter[str]) -> Role:
    is_named = isinstance(author, str) and _PRODUCT in author.lower()
    return read_role(_PRODUCT if is_named else author, _ROLES, warnings)


def _in_order(messages: list[MessageRecord]) -> list[MessageRecord]:
    """Returns the messages as they were said; one without a time stays behind the one before it."""
    times = [message.created_at for message in messages if message.created_at is not None]
    is_newest_first = not times or times[0] >= times[-1]
    place = _BEFORE_ALL, False
    timed: list[tuple[tuple[datetime, bool], MessageRecord]] = []
    for message in reversed(messages) if is_newest_first else messages:
        place = place if message.created_at is None else (message.created_at, message.role != "user")
        timed.append((place, message))
    timed.sort(key=lambda item: item[0][0])
    return [message for _, rows in groupby(timed, lambda item: item[0][0]) for message in _of_one_time([*rows])]


def _of_one_time(rows: list[tuple[tuple[datetime, bool], MessageRecord]]) -> list[MessageRecord]:
    """Returns messages of one time as they stand if the first is a prompt; else prompts before answers."""
    (_, is_answer), _ = rows[0]
    return [message for _, message in (sorted(rows, key=itemgetter(0)) if is_answer else rows)]
