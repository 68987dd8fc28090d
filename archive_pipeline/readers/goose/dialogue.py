"""One session of Goose to a dialogue record: the rows of its database, the lines of a file, or an export.

Messages follow one another: where the user edits one, Goose deletes what came after it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final

from archive_pipeline.domain.records import DialogueRecord, MessageRecord, RejectedRecord
from archive_pipeline.readers.databases.secrets import remove
from archive_pipeline.readers.goose.database import MESSAGES, SESSIONS, USAGE, messages_of, row_of
from archive_pipeline.readers.goose.ids import session_id
from archive_pipeline.readers.goose.messages import MessageReader
from archive_pipeline.readers.goose.recognition import CONVERSATION, SOURCE, is_header
from archive_pipeline.readers.json.fields import is_empty
from archive_pipeline.readers.json.shapes import as_identifier, as_list, as_object, as_text
from archive_pipeline.readers.json_lines import FILE, LINES, is_unreadable, without_lines
from archive_pipeline.readers.left_out_lines import is_left_out
from archive_pipeline.readers.timestamps import read_timestamp

_TABLES: Final = "tables"
_UNREADABLE: Final = "unreadable_rows"
_SUB_AGENT: Final = "sub_agent"
# Of extensions, which a session lists with all that they are started with.
_EXTENSIONS: Final = ("extension_data", "recipe", "recipe_json")
_SECRETS: Final = frozenset({"envs", "headers"})
# In the place of JSON that cannot be parsed, of which nobody knows where keys are.
_DAMAGED: Final = "damaged, and not kept"
# What Goose calls a session until the model has named it.
_UNTITLED: Final = re.compile(r"(?:cli session|acp session|new chat|new session(?: [0-9]+)?)", re.IGNORECASE)


@dataclass(slots=True)
class _Session:
    """A session in any of its forms.

    Attributes:
        id: the same in all forms.
        about: what holds for all of it.
        messages: as exports have them, by their numbers.
        others: of what was read, all that is neither.
        kept: what that is called in ``source_json`` where messages stood that are none.
        model: of answers which name none.
        parent: the session that started a subagent's.
    """

    id: str | None
    about: Mapping[str, Any]
    messages: list[tuple[int, Any]]
    others: dict[str, Any]
    kept: str
    model: str | None = None
    parent: str | None = None


def read_session(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of a session, or why it is none."""
    session = _session(value, locator)
    if isinstance(session, RejectedRecord):
        return session
    # One without all of its rows says nothing of messages that it lacks.
    warnings = Counter({"malformed_message": len(as_list(value.get(_UNREADABLE)))})
    reader = MessageReader(session.id, session.model, warnings)
    kept: dict[str, Any] = {}
    messages = tuple(_messages(session, reader, kept, warnings))
    times = [item.created_at for item in messages if item.created_at is not None]
    created_at = read_timestamp(session.about.get("created_at"), warnings)
    updated_at = read_timestamp(session.about.get("updated_at"), warnings)
    left = {**session.others, session.kept: kept}
    return DialogueRecord(
        source=SOURCE,
        source_id=session.id,
        locator=locator,
        title=_title(session.about),
        created_at=created_at or min(times, default=None),
        updated_at=max([*times, *([updated_at] if updated_at is not None else [])], default=None),
        messages=messages,
        is_linear_source=True,
        project_id=as_text(session.about.get("working_dir")),
        parent_source_id=session.parent,
        warnings=+warnings,
        source_json={name: item for name, item in left.items() if not is_empty(item)},
    )


def _session(value: Mapping[str, Any], locator: str) -> _Session | RejectedRecord:
    if _TABLES in value:
        return _of_rows(value, locator)
    if CONVERSATION in value:
        return _of_export(value, locator)
    return _of_lines(value, locator)


def _of_rows(value: Mapping[str, Any], locator: str) -> _Session | RejectedRecord:
    tables = value[_TABLES]
    if not isinstance(tables, dict) or not isinstance(tables.get(MESSAGES, []), list):
        return RejectedRecord(locator, "the session has no 'messages'", "missing messages")
    name = as_identifier(value.get("conversation_id"))
    about = row_of(tables, name)
    messages = [*enumerate(messages_of(tables, name), 1)]
    rows = [_without_secrets(row) if isinstance(row, dict) else row for row in as_list(tables.get(SESSIONS))]
    others = {table: item for table, item in tables.items() if table != MESSAGES}
    if isinstance(tables.get(SESSIONS), list):
        others[SESSIONS] = rows
    parent = row_of(tables, about.get("parent_session_id"))
    return _Session(
        session_id(about) or name,
        about,
        messages,
        {**{field: item for field, item in value.items() if field != _TABLES}, _TABLES: others},
        MESSAGES,
        _model(about, [as_object(row).get("model") for row in as_list(tables.get(USAGE))]),
        session_id(parent) if about.get("session_type") == _SUB_AGENT else None,
    )


def _of_export(value: Mapping[str, Any], locator: str) -> _Session | RejectedRecord:
    messages = value[CONVERSATION]
    if not isinstance(messages, list):
        reason = "the session has no 'conversation': it is of a list of sessions; export the session itself"
        return RejectedRecord(locator, reason, "missing conversation")
    others = _without_secrets({name: item for name, item in value.items() if name != CONVERSATION})
    return _Session(session_id(value), value, [*enumerate(messages, 1)], others, CONVERSATION, _model(value, []))


def _of_lines(value: Mapping[str, Any], locator: str) -> _Session | RejectedRecord:
    lines = value.get(LINES)
    if not isinstance(lines, list):
        return without_lines(locator)
    about = next((line for line in lines if isinstance(line, dict) and is_header(line)), {})
    others = {name: item for name, item in value.items() if name != LINES}
    name = as_text(value.get(FILE))
    # The name of the file is the session's: with that one Goose took it over into its database.
    own = None if name is None else PurePosixPath(name).name.partition(".jsonl")[0] or None
    return _Session(own, about, [*enumerate(lines, 1)], others, LINES)


def _messages(
    session: _Session, reader: MessageReader, kept: dict[str, Any], warnings: Counter[str]
) -> Iterator[MessageRecord]:
    """Yields the messages; what is none is kept by its number."""
    for number, item in session.messages:
        is_message = not is_unreadable(item) and item is not session.about
        made = reader.read(item) if is_message else []
        yield from made
        if not made:
            warnings["malformed_message"] += _is_malformed(item) and item is not session.about
            kept[str(number)] = _without_secrets(item) if item is session.about else item


def _is_malformed(item: object) -> bool:
    """Tells what is no message from one that says nothing, and from what stands for one that is left out."""
    if is_unreadable(item):
        return not is_empty(item)
    return "content" not in as_object(item) and not is_left_out(item)


def _model(about: Mapping[str, Any], used: list[Any]) -> str | None:
    """Returns the model of a session, if it had no other one: early messages do not say whose answers they are."""
    config = as_object(about.get("model_config")) or as_object(about.get("model_config_json"))
    own = as_text(config.get("model_name"))
    return own if {as_text(name) for name in used} <= {own, None} else None


def _title(about: Mapping[str, Any]) -> str | None:
    name = as_text(about.get("name")) or as_text(about.get("description"))
    is_users = about.get("user_set_name") in (1, True)
    return name if name is not None and (is_users or _UNTITLED.fullmatch(name.strip()) is None) else None


def _without_secrets(about: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what holds for a session without what its extensions are started with: keys, mostly."""
    return {**about, **{name: _without_keys(about[name]) for name in _EXTENSIONS if name in about}}


def _without_keys(value: Any) -> Any:
    return _DAMAGED if isinstance(value, str) else remove(deepcopy(value), _SECRETS)[0]
