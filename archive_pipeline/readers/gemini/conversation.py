"""Takeout's conversations of the Gemini app, one file each: turns of the user and of the system.

Turns are counted. A number that comes again is another version of its turn: both follow the same one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, Final

from archive_pipeline.domain.records import (
    AttachmentRecord,
    DialogueRecord,
    MessageRecord,
    PartRecord,
    PartType,
    RejectedRecord,
    Role,
)
from archive_pipeline.readers.declaration import Evidence
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_identifier, as_list, as_text, joined
from archive_pipeline.readers.timestamps import read_timestamp

TURNS: Final = "conversation_turns"
_ROLES: Final[Mapping[str, Role]] = {"user_turn": "user", "system_turn": "assistant"}
_NAME: Final = re.compile(r"conversation_\d+")


def recognise(value: Mapping[str, Any]) -> Evidence:
    """Judges an object by its turns."""
    turns = value.get(TURNS)
    if any(_kind(item) is not None for item in as_list(turns)):
        return Evidence(1.0, "turns of user or system")
    if isinstance(turns, list) and not turns and "creation_time" in value:
        return Evidence(0.6, "a conversation without turns, and creation_time")
    return Evidence(0.1, "conversation_turns, but none of user or system")


def _kind(item: object) -> str | None:
    if not isinstance(item, dict):
        return None
    return next((kind for kind in _ROLES if isinstance(item.get(kind), dict)), None)


def read_conversation(value: Mapping[str, Any], locator: str, source: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of a conversation, or why it is none."""
    turns = value.get(TURNS)
    if not isinstance(turns, list):
        return RejectedRecord(locator, f"the conversation has no list {TURNS!r}, so no messages", "missing turns")
    warnings: Counter[str] = Counter()
    unread = [item for item in turns if _kind(item) is None and not is_empty(item)]
    warnings["malformed_message"] += len(unread)
    left = Fields({name: item for name, item in value.items() if name != TURNS})
    left.put_back(TURNS, unread)
    return DialogueRecord(
        source=source,
        source_id=_source_id(value, locator),
        locator=locator,
        title=as_text(value.get("title")),
        created_at=read_timestamp(value.get("creation_time"), warnings),
        updated_at=read_timestamp(value.get("last_modification_time"), warnings),
        messages=tuple(_messages(turns, warnings)),
        warnings=+warnings,
        source_json=left.fields_left(),
    )


def _source_id(value: Mapping[str, Any], locator: str) -> str | None:
    """Returns the file's name and the time of the beginning: the file has no id."""
    begun = as_identifier(value.get("creation_time"))
    name = _NAME.fullmatch(PurePosixPath(locator).stem)
    return None if begun is None else f"{name[0]}@{begun}" if name else begun


def _messages(turns: list[Any], warnings: Counter[str]) -> list[MessageRecord]:
    """Returns the turns' messages, each below the last one before it that has a lower number."""
    messages: list[MessageRecord] = []
    above: list[tuple[tuple[int, int], str]] = []
    seen: Counter[str] = Counter()
    for item in turns:
        kind = _kind(item)
        if kind is None:
            continue
        # Where one number counts a question and its answer, the answer is the second of the two.
        place = (_index(item[kind], above[-1][0][0] + 1 if above else 0), list(_ROLES).index(kind))
        while above and above[-1][0] >= place:
            above.pop()
        name = f"{_ROLES[kind]}-{place[0]}"
        seen[name] += 1
        own = name if seen[name] == 1 else f"{name}-{seen[name]}"
        messages.append(_message(item, kind, own, above[-1][1] if above else None, warnings))
        above.append((place, own))
    return messages


def _index(turn: Mapping[str, Any], following: int) -> int:
    index = turn.get("turn_index")
    return index if isinstance(index, int) and not isinstance(index, bool) else following


def _message(
    item: Mapping[str, Any], kind: str, name: str, parent: str | None, warnings: Counter[str]
) -> MessageRecord:
    wrapper, fields = Fields(item), Fields(item[kind])
    wrapper.take(kind)
    changed = read_timestamp(item[kind].get("turn_last_modified"), warnings)
    parts = _thoughts(fields)
    prompt = fields.take_text("prompt")
    if prompt is not None:
        parts.append(PartRecord(PartType.TEXT, prompt, "prompt"))
    parts += _texts(fields)
    images = fields.take_items("images")
    named = [image for image in images if as_text(image)]
    fields.put_back("images", [image for image in images if not as_text(image) and not is_empty(image)])
    rest = fields.rest()
    return MessageRecord(
        name,
        parent,
        _ROLES[kind],
        tuple(parts),
        tuple(AttachmentRecord(file_name=image) for image in named),
        created_at=changed,
        source={**(wrapper.rest() or {}), kind: rest} if rest else wrapper.rest(),
    )


def _thoughts(fields: Fields) -> list[PartRecord]:
    parts: list[PartRecord] = []
    unread: list[Any] = []
    for item in fields.take_items("model_thoughts"):
        thought = Fields(item)
        text = joined((thought.take_text("headline"), thought.take_text("description")))
        if text is not None:
            parts.append(PartRecord(PartType.THINKING, text, "model_thoughts", source=thought.rest()))
        elif not is_empty(item):
            unread.append(item)
    fields.put_back("model_thoughts", unread)
    return parts


def _texts(fields: Fields) -> list[PartRecord]:
    """Takes the texts of an answer, each with its cards behind it."""
    parts: list[PartRecord] = []
    unread: list[Any] = []
    for item in fields.take_items("text"):
        made = _text(item)
        parts += made
        if not made and not is_empty(item):
            unread.append(item)
    fields.put_back("text", unread)
    return parts


def _text(item: object) -> list[PartRecord]:
    fields = Fields({"data": item} if isinstance(item, str) else item)
    data = fields.take_text("data")
    cards = [Fields(card) for card in fields.take_items("cards") if isinstance(card, dict)] if _has_cards(item) else []
    said = [(card.take_text("content"), card.rest()) for card in cards]
    rest = fields.rest()
    parts = [PartRecord(PartType.TEXT, data, "text", source=rest)] if data is not None or (rest and said) else []
    return parts + [PartRecord(PartType.TEXT, text, "card", source=left) for text, left in said if text or left]


def _has_cards(item: object) -> bool:
    """Tells whether an item has nothing but objects as its cards."""
    cards = item.get("cards") if isinstance(item, dict) else None
    return isinstance(cards, list) and all(isinstance(card, dict) for card in cards)
