"""DeepSeek's export: a mapping of nodes as ChatGPT has, with fragments instead of authors and contents.

Who speaks is told by the fragments: a request is the user's, everything else the assistant's. Exports of early 2025
have ``content`` and ``reasoning_content`` instead; there, who speaks follows from the place in the tree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from archive_pipeline.domain.records import (
    AttachmentRecord,
    DialogueRecord,
    MessageRecord,
    MessageState,
    PartRecord,
    PartType,
    RejectedRecord,
    Role,
)
from archive_pipeline.readers.declaration import Evidence, Reader
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_identifier, as_list, as_object, as_size, as_text
from archive_pipeline.readers.mapping import aliases_of, parents_of
from archive_pipeline.readers.roles import read_role
from archive_pipeline.readers.search_results import results_text
from archive_pipeline.readers.timestamps import read_timestamp

SOURCE: Final = "deepseek"
_TEXT: Final = PartType.TEXT  # looked up once: that takes ten times as long as a name
_ROLES: Final[Mapping[str, Role]] = {"user": "user", "assistant": "assistant", "system": "system", "tool": "tool"}
_STATES: Final[Mapping[str, MessageState]] = {
    "wip": "in_progress",
    "incomplete": "aborted",
    "content_filter": "aborted",
    "error": "error",
    "failed": "error",
}
# Fragments that only a user's or only an assistant's message has.
_OF_USER: Final = "REQUEST"
_OF_ASSISTANT: Final = frozenset({"RESPONSE", "THINK", "SEARCH", "TOOL_SEARCH", "TOOL_OPEN"})
# What a tool was given; everything else of its fragment is what it gave back.
_INPUTS: Final = ("query", "queries", "url", "urls", "reference", "references")
_RESULTS: Final = ("results", "result", "content")
_OWN_MESSAGE_FIELDS: Final = frozenset({"inserted_at", "reasoning_content", "thinking_enabled", "search_results"})


def recognise(value: Mapping[str, Any]) -> Evidence:
    """Judges an object by the messages in its mapping: DeepSeek's have fragments."""
    mapping = value.get("mapping")
    if not isinstance(mapping, dict):
        return Evidence(0.0, "no mapping")
    found = Evidence(0.0, "no messages")
    for node in mapping.values():
        message = as_object(node).get("message")
        if not isinstance(message, dict):
            continue
        if isinstance(message.get("fragments"), list):
            return Evidence(1.0, "messages with fragments in a mapping")
        if "author" not in message and not _OWN_MESSAGE_FIELDS.isdisjoint(message):
            found = Evidence(0.9, "messages with inserted_at and without author in a mapping")
        elif found.confidence == 0:
            found = Evidence(0.0, "messages in a mapping, but none with fragments")
    if found.reason == "no messages" and "inserted_at" in value:
        return Evidence(0.6, "a mapping without messages, and inserted_at")
    return found


@dataclass(slots=True)
class _Node:
    key: str
    parent: str | None
    message: dict[str, Any] | None


def read_conversation(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of a conversation object, or why it is none."""
    mapping = value.get("mapping")
    if not isinstance(mapping, dict):
        return RejectedRecord(locator, "the conversation has no 'mapping', so no messages", "missing mapping")
    warnings: Counter[str] = Counter()
    aliases = aliases_of(mapping)
    parents = parents_of(mapping, aliases)
    nodes = [_Node(key, parents[key], _message_of(node, warnings)) for key, node in mapping.items()]
    roles = _roles(nodes, warnings)
    messages = tuple(_message(node, roles[node.key], warnings) for node in nodes if node.message is not None)
    above = {**parents, **{name: parents[key] for name, key in aliases.items()}}
    kept = {node.key: rest for node in nodes if (rest := _rest_of(node, mapping, above)) is not None}
    current = as_identifier(value.get("current_message_id"))
    is_linear = len(messages) > 1 and not any(parents.values())
    warnings["no_parent_pointers"] += is_linear
    source = {key: item for key, item in value.items() if key != "mapping"}
    return DialogueRecord(
        source=SOURCE,
        source_id=as_identifier(value.get("id")),
        locator=locator,
        title=as_text(value.get("title")),
        created_at=read_timestamp(value.get("inserted_at"), warnings),
        updated_at=read_timestamp(value.get("updated_at"), warnings),
        messages=messages,
        message_less_nodes={node.key: node.parent for node in nodes if node.message is None},
        active_source_id=aliases.get(current, current) if current else None,
        is_linear_source=is_linear,
        warnings=+warnings,
        source_json={**source, "mapping": kept} if kept else source,
    )


def _message_of(value: object, warnings: Counter[str]) -> dict[str, Any] | None:
    message = as_object(value).get("message")
    if not isinstance(value, dict) or (message is not None and not isinstance(message, dict)):
        warnings["malformed_node"] += 1
        return None
    return message


def _rest_of(node: _Node, mapping: Mapping[str, Any], parents: Mapping[str, str | None]) -> object:
    """Returns what no row has of a node: all of one without a message but its name, and children nobody else names."""
    value = mapping[node.key]
    if not isinstance(value, dict):
        return value
    fields = Fields(value)
    if node.message is not None:
        fields.take("message")
        fields.take_identifier("parent")
    if as_identifier(value.get("id")) == node.key:
        fields.take("id")
    children = [as_identifier(child) for child in as_list(value.get("children"))]
    if all(parents.get(child or "") == node.key for child in children):
        fields.take_items("children") if isinstance(value.get("children"), list) else None
    return fields.rest() if node.message is not None else fields.rest() or {}


def _roles(nodes: list[_Node], warnings: Counter[str]) -> dict[str, Role]:
    """Returns who speaks in each message: as it says itself, else the other one than in the message before it."""
    by_key = {node.key: node for node in nodes}
    # At a node without a message, the role of the message before it; None where there is none, and where a cycle ends.
    roles: dict[str, Role | None] = {
        node.key: role for node in nodes if (role := _said_role(node.message, warnings)) is not None
    }
    for node in nodes:
        trail: list[str] = []
        key: str | None = node.key
        while key is not None and key in by_key and key not in roles:
            roles[key] = None
            trail.append(key)
            key = by_key[key].parent
        before = None if key is None else roles.get(key)
        for name in reversed(trail):
            if by_key[name].message is not None:
                before = "assistant" if before == "user" else "user"
            roles[name] = before
    return {key: role for key, role in roles.items() if role is not None}


def _said_role(message: Mapping[str, Any] | None, warnings: Counter[str]) -> Role | None:
    if message is None:
        return None
    said = as_text(message.get("role"))
    if said is not None:
        return read_role(said, _ROLES, warnings)
    types = {(as_text(as_object(item).get("type")) or "").upper() for item in as_list(message.get("fragments"))}
    if _OF_USER in types:
        return "user"
    return "assistant" if types & _OF_ASSISTANT else None


def _message(node: _Node, role: Role, warnings: Counter[str]) -> MessageRecord:
    fields = Fields(node.message)
    message = as_object(node.message)
    status = as_text(message.get("status"))
    reader = _FragmentReader(node.key, warnings)
    parts = [*reader.earlier_parts(fields), *reader.parts(fields)]
    attachments, unread = _files(fields.take_items("files"))
    fields.put_back("files", unread)
    return MessageRecord(
        source_id=node.key,
        parent_source_id=node.parent,
        role=role,
        parts=tuple(parts),
        attachments=(*attachments, *reader.files),
        created_at=read_timestamp(message.get("inserted_at"), warnings),
        model=as_text(message.get("model")) if role == "assistant" else None,
        state=_STATES.get(status.lower(), "complete") if status else "complete",
        source=fields.rest() or {},
    )


def _files(items: list[Any]) -> tuple[list[AttachmentRecord], list[Any]]:
    """Returns the files of a list, and what of it is none."""
    records = [_file(item) for item in items if isinstance(item, dict)]
    return records, [item for item in items if not isinstance(item, dict) and not is_empty(item)]


def _file(item: Mapping[str, Any]) -> AttachmentRecord:
    fields = Fields(item)
    mime_type = as_text(item.get("mime_type")) or as_text(item.get("content_type"))
    return AttachmentRecord(
        source_id=as_identifier(item.get("id")) or as_identifier(item.get("file_id")),
        file_name=as_text(item.get("file_name")) or as_text(item.get("name")),
        mime_type=mime_type if mime_type and "/" in mime_type else None,
        size_bytes=as_size(item.get("file_size")) or as_size(item.get("size")),
        extracted_text=fields.take_text("content"),
        source=fields.fields_left(),
    )


class _FragmentReader:
    """Reads the fragments of one message, and the fields that early exports have instead.

    Attributes:
        files: what its fragments have attached.
    """

    def __init__(self, key: str, warnings: Counter[str]) -> None:
        self.files: list[AttachmentRecord] = []
        self._key = key
        self._warnings = warnings

    def earlier_parts(self, message: Fields) -> list[PartRecord]:
        """Takes the fields of a message that exports before fragments have."""
        thinking = message.take_text("reasoning_content")
        parts = [PartRecord(PartType.THINKING, thinking, "reasoning_content")] if thinking else []
        results = message.take("search_results")
        if not is_empty(results):
            parts += self._exchange("SEARCH", Fields({"results": results}), "results")
        text = message.take_text("content")
        return [*parts, PartRecord(PartType.TEXT, text, "content")] if text else parts

    def parts(self, message: Fields) -> list[PartRecord]:
        """Takes the fragments of a message; what says nothing that a part could hold is given back."""
        parts: list[PartRecord] = []
        silent: list[Any] = []
        for place, item in enumerate(message.take_items("fragments")):
            made = self._fragment(item, place)
            parts += made
            if not made and Fields(item).rest() is not None:
                silent.append(item)
        message.put_back("fragments", silent)
        return parts

    def _fragment(self, item: object, place: int) -> list[PartRecord]:
        name = as_text(as_object(item).get("type")) or "none"
        kind = name.upper()
        fields = Fields(item)
        fields.take("type")
        if kind in (_OF_USER, "RESPONSE"):
            return self._text(_TEXT, name, fields)
        if kind == "THINK":
            return self._text(PartType.THINKING, name, fields)
        if kind in _OF_ASSISTANT:
            return self._exchange(name, fields, str(place))
        if kind == "FILE":
            self.files.append(_file(fields.fields_left()))
            return [PartRecord(PartType.FILE, source_type=name)]
        if is_empty(item):
            return []
        self._warnings[f"unknown_part:{name}"] += 1
        return [PartRecord(PartType.UNKNOWN, source_type=name, source=item)]

    def _text(self, kind: PartType, name: str, fields: Fields) -> list[PartRecord]:
        text = fields.take_text("content")
        source = fields.rest()
        self._warnings["malformed_text"] += text is None and "content" in (source or {})
        return [PartRecord(kind, text, name, source=source)] if text or source else []

    def _exchange(self, name: str, fields: Fields, place: str) -> list[PartRecord]:
        """Reads what a tool was given and what it gave back; both are in one fragment."""
        call = f"{name.lower()}-{self._key}-{place}"
        given = {field: item for field in _INPUTS if not is_empty(item := fields.take(field))}
        left = fields.rest()
        text = next((text for field in _RESULTS if (text := results_text((left or {}).get(field)))), None)
        use = PartRecord(
            PartType.TOOL_USE, source_type=name, tool_name=name.lower(), tool_use_id=call, tool_input=given or None
        )
        if left is None:
            return [use] if given else []
        result = PartRecord(
            PartType.TOOL_RESULT, text, name, tool_name=name.lower(), tool_use_id=call, is_error=None, source=left
        )
        return [use, result]


READER: Final = Reader(SOURCE, "DeepSeek data export (conversations.json)", 3, recognise, read_conversation)
