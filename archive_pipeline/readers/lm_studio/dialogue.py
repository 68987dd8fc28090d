"""One conversation of LM Studio to a dialogue record.

The file does not say its conversation's id: that is its name, mostly the time at which the conversation began. Messages
have no ids and no parents either: each follows the selected version of the one before it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, Final

from archive_pipeline.domain.records import DialogueRecord, MessageRecord, PartRecord, PartType, RejectedRecord
from archive_pipeline.readers.compressed import unpacked_name
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_identifier, as_list, as_object, as_text
from archive_pipeline.readers.lm_studio.messages import read_version
from archive_pipeline.readers.lm_studio.recognition import MESSAGES, SELECTED, VERSIONS
from archive_pipeline.readers.timestamps import read_timestamp

SOURCE: Final = "lm_studio"
_FILE: Final = re.compile(r"(.+)\.conversation\.json")
# The folder of all conversations; those in it are the user's own.
_FOLDER: Final = "conversations"
_PROMPT: Final = "systemPrompt"
_PROMPT_KEY: Final = "llm.prediction.systemPrompt"
_LAST: Final = ("userLastMessagedAt", "assistantLastMessagedAt")


def read_conversation(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of a file, or why it is none."""
    if not isinstance(value.get(MESSAGES), list):
        return RejectedRecord(locator, "the conversation has no 'messages'", "missing messages")
    warnings: Counter[str] = Counter()
    own = Fields(value)
    messages, active, unread = _messages(own, warnings)
    own.put_back(MESSAGES, unread)
    times = [moment for name in _LAST if (moment := read_timestamp(value.get(name), warnings)) is not None]
    return DialogueRecord(
        source=SOURCE,
        source_id=_id(value, locator),
        locator=locator,
        title=own.take_text("name"),
        created_at=read_timestamp(value.get("createdAt"), warnings),
        updated_at=max(times, default=None),
        messages=tuple(messages),
        active_source_id=active,
        project_id=_folder(locator),
        warnings=+warnings,
        source_json=own.fields_left(),
    )


def _messages(own: Fields, warnings: Counter[str]) -> tuple[list[MessageRecord], str | None, list[Any]]:
    """Takes the messages; returns them, the id of the last one that is shown, and entries that are none."""
    messages = list(_instructions(own))
    active = messages[0].source_id if messages else None
    unread: list[Any] = []
    for place, item in enumerate(own.take_items(MESSAGES)):
        versions = [number for number, version in enumerate(_versions(item)) if isinstance(version, dict) and version]
        if not versions:
            warnings["malformed_message"] += not is_empty(item)
            unread += [] if is_empty(item) else [item]
            continue
        shown = _selected(item, versions, warnings)
        beside = _beside(item, shown, versions, warnings)
        # The one that is shown comes last, so that of leaves without a time it is on the primary path.
        for number in sorted(versions, key=lambda number: number == shown):
            record = read_version(item[VERSIONS][number], warnings, is_shown=number == shown)
            record.source_id, record.parent_source_id = f"{place}-{number}", active
            if number == shown and beside:
                record.source = {**(record.source or {}), "message": beside}
            messages.append(record)
        active = f"{place}-{shown}"
    return messages, active, unread


def _versions(item: object) -> list[Any]:
    return as_list(as_object(item).get(VERSIONS))


def _selected(item: Mapping[str, Any], versions: list[int], warnings: Counter[str]) -> int:
    """Returns the number of the version that is shown; the last one where the message names none."""
    named = _named(item)
    if named is not None and named in versions:
        return named
    warnings["bad_current_pointer"] += 1
    return versions[-1]


def _named(item: Mapping[str, Any]) -> int | None:
    named = item.get(SELECTED)
    return named if isinstance(named, int) and not isinstance(named, bool) else None


def _beside(item: Mapping[str, Any], shown: int, versions: list[int], warnings: Counter[str]) -> dict[str, Any] | None:
    """Returns what a message has beside the versions that were read."""
    fields = Fields(item)
    if _named(item) == shown:
        fields.take(SELECTED)
    given = fields.take_items(VERSIONS)
    unread = [version for number, version in enumerate(given) if number not in versions and not is_empty(version)]
    warnings["malformed_message"] += len(unread)
    fields.put_back(VERSIONS, unread)
    return fields.rest()


def _instructions(own: Fields) -> Iterator[MessageRecord]:
    """Yields the system prompt, which may stand among the settings of the chat; those stay as they are."""
    left = own.fields_left()
    settings = as_list(as_object(left.get("perChatPredictionConfig")).get("fields"))
    is_used = left.get("usePerChatPredictionConfig") is not False
    named = (as_text(as_object(field).get("value")) for field in settings if _names_prompt(field) and is_used)
    text = next((said for said in named if said is not None), None)
    if text is None or left.get(_PROMPT) == text:
        text = own.take_text(_PROMPT) or text
    if text is not None:
        yield MessageRecord("system", None, "system", (PartRecord(PartType.TEXT, text, _PROMPT),))


def _names_prompt(field: object) -> bool:
    return as_object(field).get("key") == _PROMPT_KEY


def _id(value: Mapping[str, Any], locator: str) -> str | None:
    found = _FILE.fullmatch(unpacked_name(PurePosixPath(locator).name))
    return found[1] if found is not None else as_identifier(value.get("createdAt"))


def _folder(locator: str) -> str | None:
    """Returns the user's folder that the file is in, with those around it; None if it is in none."""
    parts = PurePosixPath(locator).parts[:-1]
    if _FOLDER not in parts:
        return None
    start = len(parts) - parts[::-1].index(_FOLDER)
    return "/".join(parts[start:]) or None
