"""The messages of OpenCode: of version 1 with ``info`` and ``parts``, of version 2 with a type that says what it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.domain.records import MessageRecord, MessageState, PartRecord, PartType, Role
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_identifier, as_list, as_object, as_text, joined
from archive_pipeline.readers.opencode.content import Content, is_put_in, taken_error
from archive_pipeline.readers.opencode.files import attachment
from archive_pipeline.readers.roles import OPENAI_ROLES, read_role
from archive_pipeline.readers.timestamps import read_timestamp

# By which version 1 says that the user ran a command: the next message has it as a call of this tool.
_ANNOUNCED: Final = "The following tool was executed by the user"
_SHELL: Final = "bash"
_ABORTED: Final = frozenset({"MessageAbortedError", "aborted"})
# Texts of entries that are neither the user's words nor an answer, by their type.
_TOLD: Final[Mapping[str, tuple[str, ...]]] = {
    "synthetic": ("text",),
    "system": ("text",),
    "skill": ("text",),
    "shell": ("command", "output"),
    "compaction": ("summary",),
}


def announced_commands(entries: list[Any]) -> frozenset[str]:
    """Returns the ids of messages of version 1 that say that the user ran a command, which the next one has."""
    said = ((as_identifier(as_object(as_object(entry).get("info")).get("id")), entry) for entry in entries)
    return frozenset(name for name, entry in said if name is not None and any(map(_announces, _parts_of(entry))))


def _announces(part: object) -> bool:
    fields = as_object(part)
    return fields.get("synthetic") is True and fields.get("text") == _ANNOUNCED


def _parts_of(entry: object) -> list[Any]:
    return as_list(as_object(entry).get("parts"))


def _is_command(entry: Mapping[str, Any], announced: frozenset[str]) -> bool:
    """Tells a command of the user's from an answer, which says more than a call."""
    info, parts = as_object(entry.get("info")), [as_object(part) for part in _parts_of(entry)]
    is_call = bool(parts) and all(part.get("type") == "tool" and part.get("tool") == _SHELL for part in parts)
    return is_call and info.get("role") == "assistant" and as_identifier(info.get("parentID")) in announced


def read_message(
    entry: Mapping[str, Any], session: str | None, announced: frozenset[str], warnings: Counter[str]
) -> MessageRecord:
    """Returns a message of version 1."""
    is_command = _is_command(entry, announced)
    outer = Fields(entry)
    info = Fields(outer.take("info"))
    said = dict(info.fields_left())
    role = read_role(said.get("role"), OPENAI_ROLES, warnings)
    name = info.take_identifier("id")
    _take_same(info, "sessionID", session)
    is_summary = role == "assistant" and said.get("summary") is True
    repeated = {"messageID": name, "sessionID": session}
    content = Content(warnings, repeated, is_context=is_summary, is_command=is_command)
    for item in outer.take_items("parts"):
        content.add(item)
    outer.put_back("parts", content.kept)
    parts = [*content.parts, *_error(info)]
    model = info.take_text("modelID") if role == "assistant" and not is_command else None
    if is_summary or is_command or (role == "user" and is_put_in(parts) and not content.files):
        role = "system"
    _take_same(info, "role", role)
    if left := info.rest():
        outer.fields_left()["info"] = left
    return MessageRecord(
        source_id=name,
        parent_source_id=None,
        role=role,
        parts=tuple(parts),
        attachments=tuple(content.files),
        created_at=_created(said, warnings),
        model=model,
        state=_state(said, is_answer=model is not None or role == "assistant"),
        is_hidden=role == "system",
        source=outer.rest(),
    )


def read_entry(entry: Mapping[str, Any], session: str | None, warnings: Counter[str]) -> MessageRecord | None:
    """Returns a message of version 2; None if it is one that says nothing."""
    kind = as_text(entry.get("type"))
    if kind == "user":
        return _prompt(entry, session, warnings)
    if kind == "assistant":
        return _answer(entry, session, warnings)
    fields = Fields(entry)
    if kind is None or kind not in _TOLD:
        warnings["unknown_role"] += 1
        part = PartRecord(PartType.UNKNOWN, joined([as_text(entry.get("text"))]), kind)
        return _record(fields, "system", [part], entry, session, warnings)
    parts = [*_told(fields, kind)]
    return _record(fields, "system", parts, entry, session, warnings) if parts else None


def _told(fields: Fields, kind: str) -> list[PartRecord]:
    """Takes what the model is told; the output of a command is a text, or an object with one."""
    parts = []
    for name in _TOLD[kind]:
        text = fields.take_text(name)
        if text is None:
            inner = Fields(fields.fields_left().get(name))
            text = inner.take_text(name)
            if text is not None:
                fields.fields_left()[name] = inner.fields_left()
        if text is not None:
            parts.append(PartRecord(PartType.CONTEXT, text, kind if name == "text" else name))
    return parts


def _prompt(entry: Mapping[str, Any], session: str | None, warnings: Counter[str]) -> MessageRecord:
    fields = Fields(entry)
    text = fields.take_text("text")
    parts = [PartRecord(PartType.TEXT, text, "text")] if text is not None else []
    files = [attachment(Fields(item)) for item in fields.take_objects("files")]
    record = _record(fields, "user", parts, entry, session, warnings)
    record.attachments = tuple(files)
    return record


def _answer(entry: Mapping[str, Any], session: str | None, warnings: Counter[str]) -> MessageRecord:
    fields = Fields(entry)
    content = Content(warnings, {})
    for item in fields.take_items("content"):
        content.add(item)
    fields.put_back("content", content.kept)
    about = Fields(fields.fields_left().get("model"))
    model = about.take_text("id")
    if model is not None:
        fields.fields_left()["model"] = about.fields_left()
    record = _record(fields, "assistant", [*content.parts, *_error(fields)], entry, session, warnings)
    record.model = model
    record.attachments = tuple(content.files)
    record.state = _state(entry, is_answer=True)
    return record


def _record(
    fields: Fields,
    role: Role,
    parts: list[PartRecord],
    entry: Mapping[str, Any],
    session: str | None,
    warnings: Counter[str],
) -> MessageRecord:
    name = fields.take_identifier("id")
    _take_same(fields, "type", role)
    _take_same(fields, "sessionID", session)
    return MessageRecord(
        source_id=name,
        parent_source_id=None,
        role=role,
        parts=tuple(parts),
        created_at=_created(entry, warnings),
        is_hidden=role == "system",
        source=fields.rest(),
    )


def _take_same(fields: Fields, name: str, said: str | None) -> None:
    if said is not None and fields.fields_left().get(name) == said:
        fields.take(name)


def _error(fields: Fields) -> list[PartRecord]:
    text = taken_error(fields)
    return [PartRecord(PartType.ERROR, text, "error")] if text is not None else []


def _created(said: Mapping[str, Any], warnings: Counter[str]) -> Any:
    """Returns when a message began; rows of the database say it once more."""
    moment = read_timestamp(as_object(said.get("time")).get("created"), warnings)
    return moment if moment is not None else read_timestamp(said.get("time_created"), warnings)


def _state(said: Mapping[str, Any], *, is_answer: bool) -> MessageState:
    error = said.get("error")
    if not is_empty(error):
        name = as_text(as_object(error).get("name")) or as_text(as_object(error).get("type"))
        return "aborted" if name in _ABORTED else "error"
    return "in_progress" if is_answer and is_empty(as_object(said.get("time")).get("completed")) else "complete"
