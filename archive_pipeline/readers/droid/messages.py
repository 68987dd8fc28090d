"""The lines of a session that are messages: what is said in them, by whom. Blocks are those of Claude Code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from archive_pipeline.domain.records import MessageRecord, MessageState, PartRecord, PartType, Role
from archive_pipeline.readers.claude_code.content import ContentReader, blocks_of, is_result, text_of
from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.shapes import as_text
from archive_pipeline.readers.left_out_lines import lacks_message, left_out_part
from archive_pipeline.readers.roles import OPENAI_ROLES, read_role
from archive_pipeline.readers.session_entries import Entries, Entry
from archive_pipeline.readers.timestamps import read_timestamp

MESSAGE: Final = "message"
COMPACTION: Final = "compaction_state"
_CONTEXT: Final = PartType.CONTEXT
_Parts = tuple[PartRecord, ...]
# What an answer says again of its thoughts, for another API; without a block of thoughts it is all there is of them.
_THOUGHTS: Final = ("chatCompletionReasoningContent", "openaiReasoningSummary")
_SUMMARY: Final = ("summaryText", "systemInfoText")


class MessageReader:
    """Reads the messages of one session, in their order."""

    def __init__(self, entries: Entries) -> None:
        self._entries = entries
        self._warnings = entries.warnings
        self._content = ContentReader(entries.warnings)

    def read(self, entry: Entry) -> Iterator[MessageRecord]:
        """Yields the messages of an entry: none of one that says nothing, two of results with words behind them."""
        line, message = Fields(entry.line), Fields(entry.line.get("message"))
        if entry.line.get("type") == COMPACTION:
            said = [(name, line.take_text(name)) for name in _SUMMARY]
            parts = tuple(PartRecord(_CONTEXT, text, name) for name, text in said if text is not None)
            if parts:
                self._entries.insert(entry)
                yield self._record(entry, "system", parts, line, message)
        elif isinstance(entry.line.get("message"), dict):
            yield from self._message(entry, line, message)
        else:
            self._warnings["malformed_message"] += 1

    def read_left_out(self, entry: Entry) -> Iterator[MessageRecord]:
        """Yields the prompt of an entry that is left out, if it is one."""
        message = Fields(entry.line.get("message"))
        blocks = blocks_of({"content": message.take("content")})
        is_users = message.fields_left().get("role") == "user" and not _is_put_in(message)
        if lacks_message(entry.line) and is_users and not any(map(is_result, blocks)):
            yield self._record(entry, "user", (left_out_part(),), Fields(entry.line), message)

    def _message(self, entry: Entry, line: Fields, message: Fields) -> Iterator[MessageRecord]:
        named = message.fields_left().get("role")
        blocks = blocks_of({"content": message.take("content")})
        if named == "assistant":
            yield from self._answer(entry, line, message, blocks)
        elif any(map(is_result, blocks)):
            yield from self._results(entry, line, message, blocks)
        elif blocks:
            role = read_role(named, OPENAI_ROLES, self._warnings)
            is_users = role == "user" and not _is_put_in(message)
            parts = self._content.said_by_user(blocks) if is_users else self._content.parts(blocks, _CONTEXT)
            yield self._record(entry, "user" if is_users and not _is_context(parts) else "system", parts, line, message)

    def _answer(self, entry: Entry, line: Fields, message: Fields, blocks: list[Any]) -> Iterator[MessageRecord]:
        is_error = message.fields_left().get("isError") is True
        parts = self._content.parts(blocks, PartType.ERROR if is_error else PartType.TEXT)
        parts = (*_thoughts(message, parts), *parts)
        if parts:
            yield self._record(entry, "assistant", parts, line, message, "error" if is_error else "complete")

    def _results(self, entry: Entry, line: Fields, message: Fields, blocks: list[Any]) -> Iterator[MessageRecord]:
        words = self._content.said_by_user([block for block in blocks if text_of(block)])
        if _is_put_in(message) or _is_context(words):
            yield self._record(entry, "tool", self._content.parts(blocks, _CONTEXT), line, message)
            return
        results = self._content.parts([block for block in blocks if not text_of(block)])
        yield self._record(entry, "tool", results, line, message)
        behind = self._entries.add_behind(entry, f"{entry.id}-text")
        yield self._record(behind, "user", words, Fields({"timestamp": entry.line.get("timestamp")}), Fields({}))

    def _record(
        self,
        entry: Entry,
        role: Role,
        parts: _Parts,
        line: Fields,
        message: Fields,
        state: MessageState = "complete",
    ) -> MessageRecord:
        moment = line.fields_left().get("timestamp")
        is_hidden = role == "system" or _is_put_in(message)
        if message.fields_left().get("role") == role:
            message.take("role")
        return MessageRecord(
            source_id=entry.id,
            parent_source_id=entry.parent,
            role=role,
            parts=parts,
            created_at=read_timestamp(moment, self._warnings),
            model=message.take_text("modelId") if role == "assistant" else None,
            state=state,
            is_hidden=is_hidden,
            source=entry.rest(line, message) if entry.line else None,
        )


def _is_put_in(message: Fields) -> bool:
    """Tells whether a message is for the model alone, or what a hook said."""
    fields = message.fields_left()
    is_for_model = fields.get("visibility") == "llm_only" or fields.get("isUserVisible") is False
    return is_for_model or as_text(fields.get("hookEventName")) is not None


def _is_context(parts: _Parts) -> bool:
    return all(part.part_type is _CONTEXT for part in parts)


def _thoughts(message: Fields, parts: _Parts) -> _Parts:
    said = {part.text for part in parts if part.part_type is PartType.THINKING}
    given = [(name, message.take_text(name)) for name in _THOUGHTS]
    return tuple(PartRecord(PartType.THINKING, text, name) for name, text in given if text and text not in said)
