"""The messages of a task: what is said in them, by whom. Results of tools are messages of their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from archive_pipeline.domain.records import MessageRecord, PartRecord, PartType, Role
from archive_pipeline.readers.claude_code.content import blocks_of
from archive_pipeline.readers.cline.content import ContentReader
from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.shapes import as_identifier, as_list, as_object, as_text, joined
from archive_pipeline.readers.made_ids import MadeIds
from archive_pipeline.readers.roles import OPENAI_ROLES, read_role
from archive_pipeline.readers.timestamps import read_timestamp

# What Roo Code puts in the place of messages that it no longer sends: a summary, or the word that they are hidden.
_INSTEAD: Final = ("isSummary", "isTruncationMarker")
_SUMMARY: Final = "summary"
# What sessions have in the user's place that is not the user's, by ``metadata``: its kind, or as whose it is shown.
_NOTICES: Final = frozenset(
    {
        *("auto_compaction", "compaction", "compaction_budget_emergency", "compaction_summary", "manual_compaction"),
        *("completion_reminder", "loop_detection_notice", "mistake_stop_notice", "recovery_notice", "stop_notice"),
    }
)
_SHOWN_AS: Final = frozenset({"error", "status", "system"})
_USER: Final = "user"
_REASONING: Final = "reasoning"
# Of ``modelInfo``: of sessions, and of tasks.
_MODELS: Final = ("id", "modelId")


class MessageReader:
    """Reads the messages of one task, in their order."""

    def __init__(self, task: str | None, warnings: Counter[str]) -> None:
        self._task = task
        self._warnings = warnings
        self._content = ContentReader(warnings)
        self._ids = MadeIds()

    def read(self, item: dict[str, Any]) -> Iterator[MessageRecord]:
        """Yields the messages that an item is: one, or one for each result and one for what else is said."""
        message = Fields(item)
        role = read_role(item.get("role"), OPENAI_ROLES, self._warnings)
        blocks = blocks_of({"content": message.take("content")})
        made = self._id(item)
        own = None if made is None else self._ids.own(made)
        if own is not None and own == as_identifier(item.get("id")):
            message.take("id")
        if (notice := _notice(item)) is not None:
            yield self._record(own, "system", self._content.parts(blocks, PartType.CONTEXT, notice), message)
        elif role == "assistant":
            yield self._record(own, role, (*_thoughts(message), *self._content.answer(blocks)), message)
        elif role == _USER:
            yield from self._of_user(own, blocks, message)
        else:
            yield self._record(own, role, self._content.parts(blocks), message)

    def _of_user(self, own: str | None, blocks: list[Any], message: Fields) -> Iterator[MessageRecord]:
        results, rest = self._content.said(blocks)
        for number, parts in enumerate(results, 1):
            name = None if own is None else self._ids.own(f"{own}-result-{number}")
            is_whole = number == len(results) and not rest
            yield self._record(name, "tool", tuple(parts), message if is_whole else Fields({}), message)
        if rest or not results:
            is_context = bool(rest) and all(part.part_type is PartType.CONTEXT for part in rest)
            yield self._record(own, "system" if is_context else "user", tuple(rest), message)

    def _record(
        self, own: str | None, role: Role, parts: tuple[PartRecord, ...], message: Fields, about: Fields | None = None
    ) -> MessageRecord:
        """Returns a message.

        Args:
            own: its id.
            role: who speaks.
            parts: what is said.
            message: what is left of the item, which is kept with the message.
            about: the item that says when it was, if that is kept with another message.
        """
        said = (about or message).fields_left()
        moment = read_timestamp(said.get("ts"), self._warnings if about is None else Counter())
        model = _model(message) if role == "assistant" else None
        if message.fields_left().get("role") == role:
            message.take("role")
        is_hidden = role == "system"
        return MessageRecord(
            own, None, role, parts, created_at=moment, model=model, is_hidden=is_hidden, source=message.rest()
        )

    def _id(self, item: dict[str, Any]) -> str | None:
        """Returns the id of a message; tasks of Roo Code tell messages apart by their times."""
        said = as_identifier(item.get("id"))
        moment = as_identifier(item.get("ts"))
        return said if said is not None or None in (self._task, moment) else f"{self._task}-{moment}"


def _notice(item: Mapping[str, Any]) -> str | None:
    """Returns what a message is that the program puts in as a whole; None of one that it does not."""
    if any(item.get(name) is True for name in _INSTEAD):
        return _SUMMARY
    about = as_object(item.get("metadata"))
    kind = as_text(about.get("kind"))
    if item.get("role") != _USER or (kind not in _NOTICES and as_text(about.get("displayRole")) not in _SHOWN_AS):
        return None
    return kind or "notice"


def _thoughts(message: Fields) -> Iterator[PartRecord]:
    """Takes what was thought as far as it stands beside the content."""
    said = message.take_text("reasoning_content")
    if said is not None:
        yield PartRecord(PartType.THINKING, said, "reasoning_content")
    left = message.fields_left()
    if left.get("type") == _REASONING:
        text = message.take_text("text") or joined(
            as_text(as_object(item).get("text")) for item in as_list(left.get("summary"))
        )
        yield PartRecord(PartType.THINKING, text, _REASONING)


def _model(message: Fields) -> str | None:
    about = Fields(message.fields_left().get("modelInfo"))
    model = next((name for field in _MODELS if (name := about.take_text(field))), None)
    if model is not None:
        message.fields_left()["modelInfo"] = about.fields_left()
    return model
