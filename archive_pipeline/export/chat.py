"""A path as the messages array that models are trained on: turns, tool calls each with its result.

What has no place in such an array is left out and counted: hidden messages, calls without a result, results without a
call and calls that are not the assistant's (no consumer takes them), contexts that a source shows nobody. Media and
attachments leave a mark in brackets.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

import orjson

from archive_pipeline.domain.batch import BLANK_LINE
from archive_pipeline.export.call_arguments import parse_arguments
from archive_pipeline.retrieval.reading.dialogues import Dialogue
from archive_pipeline.retrieval.reading.messages import COMPLETE, TEXT, Message, Part

_SPOKEN: Final = frozenset({"text", "code", "error"})
_MEDIA: Final = frozenset({"image", "audio", "video", "file"})
_NOT_IN_NAMES: Final = re.compile(r"[^a-zA-Z0-9_-]")
_NAME_CHARACTERS: Final = 64


@dataclass(slots=True)
class Call:
    """A call of a tool; ``arguments`` is a JSON object as text."""

    id: str
    name: str
    arguments: str


@dataclass(slots=True)
class Result:
    """What a tool answered to a call."""

    call_id: str
    name: str
    content: str
    is_error: bool


@dataclass(slots=True)
class Turn:
    """What one side says before the other does.

    Attributes:
        role: system, user or assistant.
        positions: the messages it is made of.
        content: the text, empty if there are only calls.
        thinking: what the model thought before.
        calls: what it called, each with an entry in ``results``.
        is_complete: no part of it was interrupted.
    """

    role: str
    positions: list[int]
    model: str | None
    created_at: datetime | None
    content: str = ""
    thinking: str = ""
    calls: list[Call] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    is_complete: bool = True


def turns(dialogue: Dialogue, path: Iterable[int], roles: Container[str], counts: Counter[str]) -> list[Turn]:
    """Return the turns of a path; neighbours of one role are one turn unless results stand between them.

    Args:
        dialogue: with the messages.
        path: positions of messages, from the root.
        roles: messages of other roles are left out; without ``tool`` calls and results are.
        counts: what is left out is counted here, by name.
    """
    shown = []
    for position in path:
        message = dialogue.message(position)
        if message.is_hidden:
            counts["hidden messages"] += 1
        elif message.role in roles:
            shown.append((position, message))
    builder = _Builder(_answered(shown) if "tool" in roles else frozenset(), counts)
    for position, message in shown:
        builder.add(position, message)
    return [turn for turn in builder.turns if turn.content or turn.calls]


def _answered(shown: Iterable[tuple[int, Message]]) -> frozenset[tuple[int, int]]:
    """Return which calls have a result, as positions of messages and numbers of their parts.

    A result is of the last call before it that has its id: some agents count their calls anew in each turn.
    """
    latest: dict[str, tuple[int, int]] = {}
    answered: set[tuple[int, int]] = set()
    for position, message in shown:
        for number, part in enumerate(message.parts):
            if part.tool_use_id is None:
                continue
            if part.kind == "tool_use":
                latest[part.tool_use_id] = position, number
            elif part.tool_use_id in latest and _is_result(message, part):
                answered.add(latest[part.tool_use_id])
    return frozenset(answered)


def _is_result(message: Message, part: Part) -> bool:
    """Tell whether a part is what a tool gave back; citations and artifacts name calls, too."""
    return part.kind == "tool_result" or message.role == "tool"


class _Builder:
    """Turns of a path, message after message."""

    def __init__(self, answered: frozenset[tuple[int, int]], counts: Counter[str]) -> None:
        self.turns: list[Turn] = []
        self._answered = answered
        self._counts = counts
        self._calling: dict[str, Turn] = {}

    def add(self, position: int, message: Message) -> None:
        """Add a message."""
        for number, part in enumerate(message.parts):
            if part.kind == TEXT and message.role != "tool":
                self._say(position, message, part.text or "")
            elif part.kind == "tool_use":
                self._call(position, message, part, is_answered=(position, number) in self._answered)
            elif _is_result(message, part):
                self._result(part)
            elif part.kind == "thinking":
                self._think(position, message, part)
            else:
                self._say(position, message, self._spoken(part))
        for attachment in message.attachments:
            self._say(position, message, f"[attachment: {attachment.shown_name}]")

    def _spoken(self, part: Part) -> str:
        if part.kind in _SPOKEN:
            return part.text or ""
        if part.kind in _MEDIA:
            self._counts["media"] += 1
            return f"[{part.kind}]"
        self._counts[f"{part.kind} parts"] += 1
        return ""

    def _turn(self, position: int, message: Message) -> Turn:
        last = self.turns[-1] if self.turns else None
        if last is None or last.role != message.role or last.results:
            last = Turn(message.role, [], message.model, message.created_at)
            self.turns.append(last)
        if not last.positions or last.positions[-1] != position:
            last.positions.append(position)
            last.is_complete = last.is_complete and message.state == COMPLETE
        return last

    def _say(self, position: int, message: Message, text: str) -> None:
        if text and message.role != "tool" and not text.isspace():
            turn = self._turn(position, message)
            # What is said after a call without its result belongs to what follows; providers take it as one turn.
            turn.content = f"{turn.content}{BLANK_LINE}{text}" if turn.content else text

    def _think(self, position: int, message: Message, part: Part) -> None:
        if part.text:
            turn = self._turn(position, message)
            turn.thinking = f"{turn.thinking}{BLANK_LINE}{part.text}" if turn.thinking else part.text

    def _call(self, position: int, message: Message, part: Part, *, is_answered: bool) -> None:
        name = part.tool_use_id or ""
        self._calling.pop(name, None)
        if message.role != "assistant":
            self._counts["calls by others than the assistant"] += 1
        elif not is_answered:
            self._counts["calls without a result"] += 1
        else:
            turn = self._turn(position, message)
            turn.calls.append(Call(name, tool_name(part.tool_name), _arguments(part)))
            self._calling[name] = turn

    def _result(self, part: Part) -> None:
        turn = None if part.tool_use_id is None else self._calling.get(part.tool_use_id)
        if turn is None or part.tool_use_id is None:
            self._counts["results without a call"] += 1
            return
        text = part.text or (f"[{part.kind}]" if part.kind in _MEDIA else "")
        for known in turn.results:
            if known.call_id == part.tool_use_id:
                known.content = BLANK_LINE.join(filter(None, (known.content, text)))
                known.is_error = known.is_error or bool(part.is_error)
                return
        turn.results.append(Result(part.tool_use_id, tool_name(part.tool_name), text, bool(part.is_error)))


def tool_name(name: str | None) -> str:
    """Return a name as providers take it: letters, digits, ``_`` and ``-``, at most 64."""
    return _NOT_IN_NAMES.sub("_", name or "tool")[:_NAME_CHARACTERS]


def _arguments(part: Part) -> str:
    """Return the arguments of a call as JSON of an object, as providers take them."""
    value = parse_arguments(part.tool_input) if part.tool_input else None
    if part.tool_input and isinstance(value, dict):
        return part.tool_input  # to the letter: digits that a number loses in a parser stay
    given = (part.text or None) if value is None else value
    return orjson.dumps({} if given is None else {"input": given}).decode()


def answered_turns(found: list[Turn], counts: Counter[str]) -> list[Turn]:
    """Return the turns up to the last whole answer: nothing is trained on what was interrupted."""
    for number, turn in enumerate(found):
        if turn.role == "assistant" and not turn.is_complete:
            counts["interrupted answers"] += 1
            found = found[:number]
            break
    end = len(found)
    while end and (found[end - 1].role != "assistant" or found[end - 1].calls):
        end -= 1
    return found[:end]


def as_messages(
    found: Iterable[Turn], arguments: Callable[[str], Any] = str, *, thinking: str | None = None
) -> Iterator[dict[str, Any]]:
    """Yield turns as chat messages of OpenAI's API, results behind their calls.

    Args:
        found: the turns.
        arguments: what is made of the JSON of a call's arguments; the API takes it as it is.
        thinking: key for what the model thought; None leaves it out.
    """
    for turn in found:
        message: dict[str, Any] = {"role": turn.role, "content": turn.content}
        if thinking and turn.thinking:
            message[thinking] = turn.thinking
        if turn.calls:
            message["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": arguments(call.arguments)},
                }
                for call in turn.calls
            ]
        yield message
        for result in turn.results:
            yield {"role": "tool", "tool_call_id": result.call_id, "name": result.name, "content": result.content}
