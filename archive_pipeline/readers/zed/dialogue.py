"""One thread of Zed's agent to a dialogue record: the row of its database, or the thread as JSON.

Messages follow one another: where the user edits a prompt, Zed deletes what came after it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from archive_pipeline.domain.records import DialogueRecord, MessageRecord, RejectedRecord
from archive_pipeline.readers.json.fields import is_empty
from archive_pipeline.readers.json.shapes import as_identifier, as_list, as_object, as_text
from archive_pipeline.readers.timestamps import read_timestamp
from archive_pipeline.readers.zed.database import DATA, THREADS
from archive_pipeline.readers.zed.early import EarlyMessageReader
from archive_pipeline.readers.zed.ids import MessageIds
from archive_pipeline.readers.zed.messages import MessageReader
from archive_pipeline.readers.zed.recognition import MESSAGES, SOURCE, is_text_thread, is_variant
from archive_pipeline.readers.zed.text_thread import read_text_thread

_TABLES: Final = "tables"
_UNREADABLE: Final = "unreadable_rows"
# What Zed calls a thread until the model has named it.
_UNTITLED: Final = "New Thread"


@dataclass(frozen=True, slots=True)
class _Thread:
    """A thread in one of its forms.

    Attributes:
        row: of the database; ``{}`` of a thread as JSON.
        said: what is said in it, and what holds for all of that.
        kept: what was read, but for the messages.
        place: where messages that are none are kept, which is in ``kept``.
    """

    row: Mapping[str, Any]
    said: Mapping[str, Any]
    kept: dict[str, Any]
    place: dict[str, Any]


def read_thread(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of a thread, or why it is none."""
    if is_text_thread(value):
        return read_text_thread(value, locator)
    thread = _of_row(value, locator) if _TABLES in value else _of_json(value)
    if isinstance(thread, RejectedRecord):
        return thread
    if not isinstance(thread.said.get(MESSAGES), list):
        return RejectedRecord(locator, "the thread has no 'messages'", "missing messages")
    return _dialogue(thread, locator, Counter({"malformed_message": len(as_list(value.get(_UNREADABLE)))}))


def _of_json(value: Mapping[str, Any]) -> _Thread:
    kept = {name: item for name, item in value.items() if name != MESSAGES}
    return _Thread({}, value, kept, kept)


def _of_row(value: Mapping[str, Any], locator: str) -> _Thread | RejectedRecord:
    rows = as_list(as_object(value[_TABLES]).get(THREADS))
    row = next((row for row in rows if isinstance(as_object(as_object(row).get(DATA)).get(MESSAGES), list)), None)
    if row is None:
        return RejectedRecord(locator, *_why_not(value, rows))
    place = {name: item for name, item in row[DATA].items() if name != MESSAGES}
    others = [{**row, DATA: place} if item is row else item for item in rows]
    kept = {**value, _TABLES: {**value[_TABLES], THREADS: others}}
    return _Thread(row, row[DATA], kept, place)


def _why_not(value: Mapping[str, Any], rows: list[Any]) -> tuple[str, str]:
    """Returns why the row of a thread says nothing, for people, and the technical error."""
    name = as_identifier(value.get("conversation_id"))
    reasons = (as_text(as_object(item).get("reason")) for item in as_list(value.get(_UNREADABLE)))
    reason = next((text for text in reasons if text is not None), None)
    if reason is not None:
        return f"the thread {name} cannot be read: {reason}", reason
    kinds = [as_object(row).get("data_type") for row in rows]
    return f"the 'data' of the thread {name} is no JSON with 'messages' (data_type {kinds})", "missing messages"


def _dialogue(thread: _Thread, locator: str, warnings: Counter[str]) -> DialogueRecord:
    row, said = thread.row, thread.said
    source_id = as_identifier(row.get("id"))
    left: dict[str, Any] = {}
    messages = tuple(_messages(said[MESSAGES], source_id, _model(said), left, warnings))
    if left:
        thread.place[MESSAGES] = left
    return DialogueRecord(
        source=SOURCE,
        source_id=source_id,
        locator=locator,
        title=_title(thread),
        created_at=_created(thread, warnings),
        updated_at=_updated(thread, warnings),
        messages=messages,
        is_linear_source=True,
        project_id=_folder(thread),
        parent_source_id=as_text(as_object(said.get("subagent_context")).get("parent_thread_id"))
        or as_text(row.get("parent_id")),
        warnings=+warnings,
        source_json={name: item for name, item in thread.kept.items() if not is_empty(item)},
    )


def _messages(
    items: list[Any], thread: str | None, model: str | None, left: dict[str, Any], warnings: Counter[str]
) -> Iterator[MessageRecord]:
    """Yields the messages; what is none is kept by its number."""
    ids = MessageIds(thread)
    later, early = MessageReader(ids, model, warnings), EarlyMessageReader(ids, model, warnings)
    for number, item in enumerate(items, 1):
        made = later.read(item) if is_variant(item) or not as_object(item).get("role") else early.read(item)
        yield from made
        if not made and not is_empty(item):
            warnings["malformed_message"] += not is_variant(item) and "role" not in as_object(item)
            left[str(number)] = item


def _title(thread: _Thread) -> str | None:
    names = (thread.said.get("title"), thread.said.get("summary"), thread.row.get("summary"))
    return next((name for name in map(as_text, names) if name is not None and name.strip() != _UNTITLED), None)


def _created(thread: _Thread, warnings: Counter[str]) -> datetime | None:
    """Returns when a thread began: rows of versions without the column got the time of their last change as it."""
    snapshot = as_object(thread.said.get("initial_project_snapshot")).get("timestamp")
    times = [read_timestamp(value, warnings) for value in (thread.row.get("created_at"), snapshot)]
    return min((moment for moment in times if moment is not None), default=None)


def _updated(thread: _Thread, warnings: Counter[str]) -> datetime | None:
    times = [read_timestamp(value.get("updated_at"), warnings) for value in (thread.row, thread.said)]
    return max((moment for moment in times if moment is not None), default=None)


def _folder(thread: _Thread) -> str | None:
    """Returns the folder that a thread belongs to: the first one of its window, as the user has them."""
    paths = (as_text(thread.row.get("folder_paths")) or "").split("\n")
    order = (as_text(thread.row.get("folder_paths_order")) or "").split(",")
    if order and paths[0]:
        place = order.index("0") if "0" in order else 0
        return paths[place] if place < len(paths) else paths[0]
    worktrees = as_list(as_object(thread.said.get("initial_project_snapshot")).get("worktree_snapshots"))
    return next((path for item in worktrees if (path := as_text(as_object(item).get("worktree_path")))), None)


def _model(said: Mapping[str, Any]) -> str | None:
    """Returns the model that a thread was set to last: Zed does not keep which model gave an answer."""
    return as_text(as_object(said.get("model")).get("model"))
