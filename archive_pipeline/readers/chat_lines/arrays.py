"""Which arrays of an object are its messages: one array, or what was said before alternatives, and these.

Preferences are such: the array of a prompt, and one array for each of two answers. Where an answer's array begins as
the prompt does, it has all of the conversation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import dropwhile, islice, takewhile
from typing import Any, Final

from archive_pipeline.readers.chat_lines.text_answers import is_of_model, take_answers, take_rejected
from archive_pipeline.readers.declaration import RECOGNISED, Evidence
from archive_pipeline.readers.json.fields import is_empty

Message = Mapping[str, Any]
_STEMS: Final = ("messages", "conversation", "conversations", "traj", "items", "prompt")
# The answer that is preferred comes first.
_ENDINGS: Final = (
    ("chosen", "rejected"),
    ("chosen_messages", "rejected_messages"),
    ("preferred_output", "non_preferred_output"),
    ("completion",),
)
_REJECTED: Final = "rejected_messages"
# OpenAI's preferences have the prompt in an object of its own.
_INPUT: Final = "input"
_IN_INPUT: Final = "messages"
# Of messages and of conversations that other products write: ids, and who follows whom.
OF_OTHERS: Final = frozenset(
    {
        *("id", "_id", "uuid", "messageId", "message_id", "parent", "parentId", "parent_id", "parentMessageId"),
        *("parent_message_id", "parent_uuid", "children", "childrenIds", "author", "sender"),
    }
)
OF_OTHER_CONVERSATIONS: Final = frozenset(
    {
        *("mapping", "chat_messages", "linear_conversation", "current_node", "chunkedPrompt", "currentId"),
        *("conversationId", "sessionId", "projectHash"),
    }
)
# Others have all of a conversation in these, tables nothing.
_MAY_BE_EMPTY: Final = frozenset({"history", "responses"})
_INSTRUCTING: Final = ("system", "developer")
_LOOKED_AT: Final = 50
_WEAK: Final = 0.1


@dataclass(frozen=True, slots=True)
class Way:
    """Messages from the first to the last, each with the name of the array that it is in."""

    messages: tuple[tuple[str, Message], ...]


@dataclass(frozen=True, slots=True)
class ChatArrays:
    """The arrays of one object.

    Attributes:
        ways: the messages; several if there are alternatives. The preferred one is the last: of paths of one length
            the one that came last is the primary one.
        beside: all other fields, and in place of an array what in it is no object.
        unread: how many entries of arrays are no objects.
    """

    ways: tuple[Way, ...]
    beside: dict[str, Any]
    unread: int


class _Arrays:
    """Takes arrays out of the fields of an object."""

    def __init__(self, value: Message) -> None:
        self.beside = dict(value)
        self.unread = 0

    def take(self, name: str) -> Way | None:
        """Takes an array with objects in it, or an object in the place of one."""
        said = self.beside.get(name)
        found = Way(tuple((name, item) for item in _objects(said)))
        if not found.messages:
            return None
        del self.beside[name]
        rest = [item for item in said if not isinstance(item, dict)] if isinstance(said, list) else []
        self.unread += len(rest)
        if any(not is_empty(item) for item in rest):
            self.beside[name] = rest
        return found

    def take_input(self) -> Way | None:
        """Takes the prompt of OpenAI's preferences."""
        said = self.beside.get(_INPUT)
        if not isinstance(said, dict):
            return None
        inner = _Arrays(said)
        found = inner.take(_IN_INPUT)
        if found is not None:
            self.beside[_INPUT] = inner.beside
            self.unread += inner.unread
        return found

    def take_alternatives(self, stem: Way) -> list[Way]:
        """Takes answers that are texts, or what the whole of an array is preferred to, as ms-swift has it."""
        _, last = stem.messages[-1]
        if answers := take_answers(self.beside, last):
            return [Way((*stem.messages, answer)) for answer in reversed(answers)]
        asked = _without_answer(stem)
        if (other := self.take(_REJECTED)) is not None:
            is_whole = _said(other)[:1] == _said(stem)[:1]
            rejected = other if is_whole else Way((*asked, *other.messages))
            return [rejected, stem] if is_whole or is_of_model(last) else [rejected]
        text = take_rejected(self.beside, last)
        return [stem] if text is None else [Way((*asked, text)), stem]


def chat_arrays(value: Message) -> ChatArrays | None:
    """Returns the arrays of an object; None if it has none with objects in it."""
    arrays = _Arrays(value)
    stems = (arrays.take(name) for name in _STEMS if isinstance(value.get(name), list))
    stem = next((found for found in stems if found is not None), None)
    endings = [found for name in _ending_names(value) if (found := arrays.take(name)) is not None]
    if stem is None and endings:
        stem = arrays.take_input()
    if stem is not None and not endings:
        ways = arrays.take_alternatives(stem)
    else:
        ways = _ways(_without_ending(stem, endings), endings)
    return ChatArrays(tuple(ways), arrays.beside, arrays.unread) if ways else None


def _ways(stem: Way | None, endings: list[Way]) -> list[Way]:
    ways = [ending if stem is None else _joined(stem, ending) for ending in reversed(endings)]
    if stem is not None and all(_is_whole(ending, stem) for ending in endings):
        ways.insert(-1, stem)
    return ways


def _without_answer(way: Way) -> tuple[tuple[str, Message], ...]:
    """Returns the messages before those of the model at the end."""
    answer = takewhile(lambda item: is_of_model(item[1]), reversed(way.messages))
    return way.messages[: len(way.messages) - len([*answer])]


def _objects(said: object) -> list[Message]:
    if isinstance(said, dict):
        return [said]
    return [item for item in said if isinstance(item, dict)] if isinstance(said, list) else []


def _ending_names(value: Message) -> tuple[str, ...]:
    found = (names for names in _ENDINGS if any(_objects(value.get(name)) for name in names))
    # Without the preferred answer, the array before it is all of the preferred conversation.
    return next((names for names in found if names[-1] != _REJECTED or names[0] in value), ())


def _without_ending(stem: Way | None, endings: list[Way]) -> Way | None:
    """Returns what was said before the alternatives: an array of all messages has the first of them at its end, too."""
    said = _said(stem) if stem is not None else []
    for ending in endings:
        before = len(said) - len(ending.messages)
        if stem is not None and before >= 0 and said[before:] == _said(ending):
            return Way(stem.messages[:before]) if before else None
    return stem


def _joined(stem: Way, ending: Way) -> Way:
    """Returns the whole of an alternative, which may begin with the prompt, or with all of it but instructions."""
    if _is_whole(ending, stem):
        return ending
    spoken = list(dropwhile(lambda item: _is_instruction(item[1]), stem.messages))
    if spoken and _is_whole(ending, Way(tuple(spoken))):
        return Way(stem.messages[: len(stem.messages) - len(spoken)] + ending.messages)
    return Way(stem.messages + ending.messages)


def _is_whole(ending: Way, stem: Way) -> bool:
    return _said(ending)[: len(stem.messages)] == _said(stem)


def _said(way: Way) -> list[Message]:
    return [message for _, message in way.messages]


def _is_instruction(message: Message) -> bool:
    return any(message.get(name) in _INSTRUCTING for name in ("role", "from"))


def _is_any(_: Iterable[Message]) -> bool:
    """Takes all messages of a format for a conversation."""
    return True


def judge(
    value: Message,
    is_message: Callable[[Message], bool],
    what: str,
    *,
    is_spoken: Callable[[Iterable[Message]], bool] = _is_any,
) -> Evidence:
    """Judges an object by its arrays: it is a conversation if all in them are messages, and it is nobody else's.

    Of preferences, whose fields nobody else writes, some are enough: inside of them is an array of messages again.

    Args:
        value: the object.
        is_message: tells a message of the format.
        what: what messages have, for the reason.
        is_spoken: tells whether messages of the format are a conversation together.
    """
    if value.keys().isdisjoint(_NAMES):
        return Evidence(0.0, f"no array of messages with {what}")
    found = chat_arrays(value)
    messages = [message for way in found.ways for _, message in islice(way.messages, _LOOKED_AT)] if found else []
    plain = [is_message(message) and not has_any(message, OF_OTHERS) for message in messages]
    if found is None or not any(plain) or _is_of_others(value):
        return Evidence(0.0, f"no array of messages with {what}")
    if not is_spoken(messages):
        return Evidence(_WEAK, f"an array of messages with {what}, but by nobody who speaks")
    if len(_ending_names(value)) > 1 or (all(plain) and not found.unread):
        return Evidence(RECOGNISED, f"an array of messages with {what}")
    return Evidence(_WEAK, f"an array of which only some are messages with {what}")


def _is_of_others(value: Message) -> bool:
    is_named = any(value[name] is not None for name in OF_OTHER_CONVERSATIONS.intersection(value))
    return is_named or has_any(value, _MAY_BE_EMPTY)


def has_any(fields: Message, names: frozenset[str]) -> bool:
    """Tells whether one of the fields says something: tables have all columns in each row, and null where none is."""
    return any(not is_empty(fields[name]) for name in names.intersection(fields))


_NAMES: Final = frozenset({*_STEMS, _INPUT, *(name for names in _ENDINGS for name in names)})
# Where no conversation of a product needs to be looked for: tools are described in hundreds of objects.
OWN_FIELDS: Final = _NAMES | {"tools", "functions"}
