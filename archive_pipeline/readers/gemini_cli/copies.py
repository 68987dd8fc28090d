"""Copies of messages: what Gemini CLI writes again, with new ids, whenever it changes what the model is told.

Outputs of tools are masked, a summary takes the place of the first messages, or a saved chat is taken up: then the
messages that go on are recorded anew. A copy lacks thoughts, calls, model and time, and may be several messages of one
role in a row. It says the same as they did, but for the outputs of tools.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from archive_pipeline.readers.gemini_cli.wording import is_snapshot
from archive_pipeline.readers.json.fields import is_empty
from archive_pipeline.readers.json.shapes import as_identifier, as_list, as_object, as_text

Key: TypeAlias = str | int
Message: TypeAlias = Mapping[str, Any]
_SPEAKERS: Final = frozenset({"user", "gemini"})
_CALLS: Final = "toolCalls"
_RESULT: Final = "result"
_WITHOUT_WIDTH: Final = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u200e\u200f\ufeff"))
# How many places are tried for each message, and how many messages one copy may be: work grows with the file alone.
_TRIES: Final = 16
_LONGEST_RUN: Final = 16


@dataclass(frozen=True, slots=True)
class Substance:
    """What a message says, whatever form it has: its words without white space, and ids of calls and results."""

    speaker: str | None
    words: str
    things: tuple[str, ...]

    def __bool__(self) -> bool:
        return self.speaker is not None and bool(self.words or self.things)


def substance(message: Message) -> Substance:
    """Returns what a message says."""
    speaker = as_text(message.get("type"))
    words: list[str] = []
    things: dict[str, None] = {}
    content = message.get("content")
    for part in content if isinstance(content, list) else [content]:
        _add(part, words, things)
    if speaker == "gemini":
        things |= dict.fromkeys(_thing("call", call) for call in as_list(message.get(_CALLS)))
    return Substance(speaker if speaker in _SPEAKERS else None, _plain("".join(words)), tuple(things))


def _add(part: object, words: list[str], things: dict[str, None]) -> None:
    fields = as_object(part)
    if isinstance(part, str):
        words.append(part)
    elif "functionCall" in fields:
        things[_thing("call", fields["functionCall"])] = None
    elif "functionResponse" in fields:
        things[_thing(_RESULT, fields["functionResponse"])] = None
    elif isinstance(fields.get("text"), str):
        words += [] if fields.get("thought") else [fields["text"]]
    elif not is_empty(part):
        things[json.dumps(part, sort_keys=True)] = None


def _thing(kind: str, value: object) -> str:
    fields = as_object(value)
    return f"{kind} {as_identifier(fields.get('id')) or as_text(fields.get('name'))}"


def _plain(text: str) -> str:
    """Returns a text without what is left out of answers that are recorded: comments, marks without width, ends."""
    first, *others = text.split("<!--")
    visible = first + "".join(piece.partition("-->")[2] if "-->" in piece else piece for piece in others)
    return "".join(visible.translate(_WITHOUT_WIDTH).split())


def says_snapshot(message: Message) -> bool:
    """Tells whether a message is what the model is told instead of all that went before."""
    content = message.get("content")
    parts = content if isinstance(content, list) else [content]
    texts = (as_text(part) or as_text(as_object(part).get("text")) for part in parts)
    return message.get("type") == "user" and any(text is not None and is_snapshot(text) for text in texts)


def given_again(before: Message, given: Message) -> dict[str, Any]:
    """Returns a message that is given once more: outputs of tools and words stay as they were said first."""
    kept = {**before, **given}
    if "content" in before and substance(before) == substance(kept):
        kept["content"] = before["content"]
    first = {as_text(as_object(call).get("id")): as_object(call).get(_RESULT) for call in as_list(before.get(_CALLS))}
    calls = kept.get(_CALLS)
    if isinstance(calls, list):
        kept[_CALLS] = [_with_result(call, first) for call in calls]
    return kept


def _with_result(call: Any, first: Mapping[str | None, Any]) -> Any:
    name = as_text(as_object(call).get("id"))
    earlier = None if name is None else first.get(name)
    return call if is_empty(earlier) else {**call, _RESULT: earlier}


def find_copies(
    before: Sequence[tuple[Key, Message]], given: Sequence[tuple[Key, Message]], *, from_end: bool
) -> dict[Key, tuple[Key, ...]]:
    """Finds the messages that others are copies of, both in order.

    Args:
        before: what is no longer told.
        given: what may be copies.
        from_end: True where copies are those of the last messages, not of the first.
    """
    originals = [(key, said) for key, message in before if (said := substance(message))]
    copies = [(key, said) for key, message in given if (said := substance(message))]
    found: dict[Key, tuple[Key, ...]] = {}
    low, high = 0, len(originals)
    tries = _TRIES * (len(originals) + len(copies))
    for key, said in reversed(copies) if from_end else copies:
        for start in range(high - 1, low - 1, -1) if from_end else range(low, high):
            end = _end_of_run(originals, start, high, said)
            tries -= 1
            if end:
                found[key] = tuple(name for name, _ in originals[start:end])
                low, high = (low, start) if from_end else (end, high)
                break
            if tries < 0:
                return found
    return found


def _end_of_run(originals: Sequence[tuple[Key, Substance]], start: int, high: int, copy: Substance) -> int | None:
    """Returns where the messages end that say together what a copy says; None if they do not."""
    words, things = 0, 0
    for place in range(start, min(high, start + _LONGEST_RUN)):
        said = originals[place][1]
        is_next = copy.words.startswith(said.words, words) and _is_at(copy.things, things, said.things)
        if said.speaker != copy.speaker or not is_next:
            return None
        words, things = words + len(said.words), things + len(said.things)
        if (words, things) == (len(copy.words), len(copy.things)):
            return place + 1
    return None


def _is_at(things: tuple[str, ...], place: int, some: tuple[str, ...]) -> bool:
    return things[place : place + len(some)] == some
