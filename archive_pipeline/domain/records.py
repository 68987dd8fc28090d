"""What a reader yields: plain records of one dialogue, as the source has them, with no database in sight.

Readers keep the source's own ids and parent pointers. Sanitising, re-linking of parents, ids of rows and sequence
numbers are decided later, in ``archive_pipeline.ingest``, once for all sources.

Nothing changes a record once it is made. Records of messages and of what belongs to them are not declared frozen all
the same: a frozen one takes eight times as long to make, and an import makes millions of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, Literal, NamedTuple

Role = Literal["user", "assistant", "system", "tool"]
MessageState = Literal["complete", "in_progress", "aborted", "error"]
# The vintage of exports that have all that their source knows of a dialogue (``archive_pipeline.domain.vintages``).
FULL: Final = "full"
# What the source of a part calls what stands for a message that was not read; also the anomaly's name.
LEFT_OUT_LINE: Final = "left_out_line"


class PartType(StrEnum):
    """What a content part is. Only ``TEXT`` of a message that is not hidden counts as the message's text."""

    TEXT = "text"
    CODE = "code"
    THINKING = "thinking"
    TOOL_USE = "tool_use"
    TOOL_RESULT = "tool_result"
    IMAGE = "image"
    AUDIO = "audio"
    VIDEO = "video"
    FILE = "file"
    CONTEXT = "context"
    ARTIFACT = "artifact"
    CITATION = "citation"
    ERROR = "error"
    UNKNOWN = "unknown"


class JsonText(NamedTuple):
    """JSON as the source wrote it, valid and without NUL: stored to the letter, white space and digits included."""

    text: str


@dataclass(slots=True)
class PartRecord:
    """One part of a message's content.

    Attributes:
        part_type: what the part is.
        text: its text, None if it has none; of a tool call, its arguments where the source has them as text.
        source_type: the source's own name for it (``content_type`` or block type).
        tool_name, tool_use_id, is_error: for tool calls and results.
        tool_input: arguments of a call: a value, ``JsonText``, or a text that is no JSON.
        language: programming language of code.
        mime_type, uri: for images, audio, video and files.
        content_sha256: SHA-256 of their content (hex), where the source has it.
        source: the part as the source has it, where the other fields do not say everything; None for plain text.
    """

    part_type: PartType
    text: str | None = None
    source_type: str | None = None
    tool_name: str | None = None
    tool_use_id: str | None = None
    tool_input: Any = None
    is_error: bool | None = None
    language: str | None = None
    mime_type: str | None = None
    uri: str | None = None
    content_sha256: str | None = None
    source: Any = None


@dataclass(slots=True)
class AttachmentRecord:
    """A file that came with a message; ``content_sha256`` (hex) where the source has its content, not only its text."""

    source_id: str | None = None
    file_name: str | None = None
    mime_type: str | None = None
    size_bytes: int | None = None
    uri: str | None = None
    extracted_text: str | None = None
    content_sha256: str | None = None
    source: Any = None


@dataclass(slots=True)
class MessageRecord:
    """One message, in the source's order.

    Attributes:
        source_id: the source's id; None where the source has none (the importer makes one from content and position).
        parent_source_id: the parent in the source's words: the id of another message or of a node without one (see
            ``DialogueRecord.message_less_nodes``); None for a root.
        role: one of the four roles.
        source: the message as the source has it, without what the parts and attachments already hold.
    """

    source_id: str | None
    parent_source_id: str | None
    role: Role
    parts: tuple[PartRecord, ...] = ()
    attachments: tuple[AttachmentRecord, ...] = ()
    created_at: datetime | None = None
    updated_at: datetime | None = None
    model: str | None = None
    author_name: str | None = None
    recipient: str | None = None
    channel: str | None = None
    state: MessageState = "complete"
    is_hidden: bool = False
    source: Any = None


@dataclass(frozen=True, slots=True)
class DialogueRecord:
    """One conversation.

    Attributes:
        source: the source's name (``chatgpt``, ``claude_ai``).
        source_id: the id in the chat's URL; None where the source has none.
        messages: in source order.
        message_less_nodes: for tree sources, nodes that carry no message: node id -> parent node id or None.
        active_source_id: the source's pointer to the current leaf (a message or node id).
        is_emptied: True where the source says that its user took all messages back: none of them is left.
        is_linear_source: True where the source has no parent pointers at all: each message follows the one before it.
        vintage: the shape of the export, by what it can hold (``archive_pipeline.domain.vintages``).
        custom_gpt_id: the custom assistant that the dialogue was held with, in the source's words.
        project_id: the project that it belongs to.
        parent_source_id: the dialogue that started this one, of a subagent, in the source's words.
        warnings: counted anomalies the reader met (``unknown_part``, ``bad_timestamp``, ``duplicate_message``, ...).
        source_json: the dialogue as the source has it, without its messages.
        locator: where it stands (``conversations.json[12]``), for messages to people.
    """

    source: str
    source_id: str | None
    locator: str
    title: str | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    messages: tuple[MessageRecord, ...] = ()
    message_less_nodes: Mapping[str, str | None] = field(default_factory=dict)
    active_source_id: str | None = None
    is_emptied: bool = False
    is_linear_source: bool = False
    vintage: str = FULL
    custom_gpt_id: str | None = None
    project_id: str | None = None
    parent_source_id: str | None = None
    warnings: Mapping[str, int] = field(default_factory=dict)
    source_json: Any = None


@dataclass(frozen=True, slots=True)
class RejectedRecord:
    """Something in a file that could not be read as a dialogue.

    Attributes:
        locator: where it stands: file, member and index or byte offset.
        reason: what is wrong, in words a person understands.
        error: the technical error.
        excerpt: the beginning of the record, to find it by.
        whole_file: True if the file as a whole cannot be read (from this place on).
    """

    locator: str
    reason: str
    error: str = ""
    excerpt: str | None = None
    whole_file: bool = False
