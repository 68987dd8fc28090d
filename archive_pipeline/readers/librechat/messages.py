"""Messages of LibreChat as records: one each, but an answer into which the user spoke, which is several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Final

from archive_pipeline.domain.records import MessageRecord, MessageState, PartRecord, PartType, Role
from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.shapes import as_identifier
from archive_pipeline.readers.librechat.content import STEER, attached_files, message_parts, quoted_passages
from archive_pipeline.readers.librechat.tree import Node
from archive_pipeline.readers.timestamps import read_timestamp

# What a message follows that follows none.
_NONE: Final = "00000000-0000-0000-0000-000000000000"
_PARENT: Final = "parentMessageId"
_SUMMARY: Final = "summary"


def parent_of(node: Node) -> str | None:
    """Returns the id of the message that one follows; None if it follows none."""
    if node.above is not None and node.above.id is not None:
        return node.above.id
    parent = as_identifier(node.fields.get(_PARENT))
    return None if parent == _NONE else parent


class MessageReader:
    """Reads the messages of one conversation.

    Attributes:
        last: of messages that became several, the id of the last of them, which others follow.
    """

    def __init__(self, conversation: str | None, ids: AbstractSet[str], warnings: Counter[str]) -> None:
        self.last: dict[str, str] = {}
        self._conversation = conversation
        self._ids = ids
        self._warnings = warnings

    def read(self, node: Node) -> list[MessageRecord]:
        """Returns the records of a message, in the order in which they were said."""
        fields = Fields(node.fields)
        source_id, role = fields.take_identifier("messageId"), self._role(fields)
        parts = tuple(message_parts(fields, role, self._warnings))
        is_summary = bool(parts) and all(part.source_type == _SUMMARY for part in parts)
        attachments = tuple(attached_files(fields))
        self._drop_what_is_said(fields, parent_of(node))
        answers = role == "assistant" and not is_summary
        record = MessageRecord(
            source_id=source_id,
            parent_source_id=parent_of(node),
            role="system" if is_summary else role,
            parts=parts,
            attachments=attachments,
            created_at=read_timestamp(node.fields.get("createdAt"), self._warnings),
            updated_at=read_timestamp(node.fields.get("updatedAt"), self._warnings),
            model=fields.take_text("model") if answers else None,
            author_name=fields.take_text("sender") if answers else None,
            state=_state(node.fields),
            is_hidden=is_summary,
            source=fields.rest(),
        )
        return self._apart(record) if answers and source_id is not None else [record]

    def _role(self, fields: Fields) -> Role:
        is_users = fields.take_flag("isCreatedByUser")
        if is_users is not None:
            return "user" if is_users else "assistant"
        self._warnings["unknown_role"] += 1
        return "system"

    def _drop_what_is_said(self, fields: Fields, parent: str | None) -> None:
        """Takes what the record says in other words, and what holds of nearly all messages."""
        left = fields.fields_left()
        for name, said in (("conversationId", self._conversation), (_PARENT, parent)):
            if said is not None and left.get(name) == said:
                fields.take(name)
        for name in ("error", "unfinished"):
            if left.get(name) is False:
                fields.take(name)

    def _apart(self, record: MessageRecord) -> list[MessageRecord]:
        """Returns an answer, what the user said while it was given, and how it goes on, each a message."""
        groups: list[list[PartRecord]] = [[]]
        for part in record.parts:
            if _is_steer(part):
                groups += [[part], []]
            else:
                groups[-1].append(part)
        ids = [record.source_id, *(f"{record.source_id}-{number}" for number in range(1, len(groups)))]
        if len(groups) == 1 or not self._ids.isdisjoint(filter(None, ids[1:])):
            return [record]
        records = [record]
        record.parts = tuple(groups[0])
        for source_id, parts in zip(ids[1:], groups[1:], strict=True):
            if parts:
                records.append(_behind(records[-1], source_id, tuple(parts), record))
        records[-1].state, record.state = record.state, "complete"
        self.last[str(record.source_id)] = str(records[-1].source_id)
        return records


def _is_steer(part: PartRecord) -> bool:
    return part.source_type == STEER and part.part_type is PartType.TEXT


def _behind(
    before: MessageRecord, source_id: str | None, parts: tuple[PartRecord, ...], answer: MessageRecord
) -> MessageRecord:
    if _is_steer(parts[0]):
        return _said_meanwhile(before, source_id, parts[0], answer)
    return MessageRecord(
        source_id=source_id,
        parent_source_id=before.source_id,
        role="assistant",
        parts=parts,
        created_at=answer.created_at,
        model=answer.model,
        author_name=answer.author_name,
    )


def _said_meanwhile(
    before: MessageRecord, source_id: str | None, part: PartRecord, answer: MessageRecord
) -> MessageRecord:
    """Returns what the user said into an answer, with the passages that it quotes and the files that came with it."""
    fields = Fields(part.source)
    quoted, attachments = tuple(quoted_passages(fields)), tuple(attached_files(fields))
    part.source = fields.rest()
    said = fields.fields_left().get("createdAt")
    return MessageRecord(
        source_id=source_id,
        parent_source_id=before.source_id,
        role="user",
        parts=(*quoted, part),
        attachments=attachments,
        created_at=read_timestamp(said, Counter()) or answer.created_at,
    )


def _state(fields: Mapping[str, Any]) -> MessageState:
    if fields.get("error") is True:
        return "error"
    return "aborted" if fields.get("unfinished") is True else "complete"
