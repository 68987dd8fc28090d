"""A path as the messages array that models are trained on: turns, tool calls each with its result.

What has no place in such an array is left out and counted: hidden messages, calls without a result, results without a
call and calls that are not the assistant's (no consumer takes them), contexts that a source shows nobody, messages of
errors, which nobody said, and what is in media and attachments. Those leave a mark in brackets, but for attachments of
results. ``answers`` says what of it is trained.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator
from typing import Any, Final

import orjson

from archive_pipeline.domain.batch import BLANK_LINE
from archive_pipeline.domain.records import LEFT_OUT_LINE
from archive_pipeline.export.call_arguments import parse_arguments
from archive_pipeline.export.tool_names import tool_name
from archive_pipeline.export.turns import FAILED, Call, Result, Turn, joined, unfinished
from archive_pipeline.retrieval.reading.dialogues import Dialogue
from archive_pipeline.retrieval.reading.messages import COMPLETE, TEXT, Attachment, Message, Part

_SPOKEN: Final = frozenset({"text", "code"})
_MEDIA: Final = frozenset({"image", "audio", "video", "file"})
_SAYING: Final = _SPOKEN | _MEDIA | {"tool_use", "tool_result"}
_ERROR: Final = "error"
HIDDEN: Final = "hidden messages"
# Some agents log a failed request as a message of the system.
_ANSWERING: Final = frozenset({"assistant", "system"})


def turns(dialogue: Dialogue, path: Iterable[int], roles: Container[str], counts: Counter[str]) -> list[Turn]:
    """Return the turns of a path; neighbours of one role are one turn unless results stand between them.

    The arguments are those of ``turns_by_state``.
    """
    return joined(turns_by_state(dialogue, path, roles, counts))


def turns_by_state(dialogue: Dialogue, path: Iterable[int], roles: Container[str], counts: Counter[str]) -> list[Turn]:
    """Return the turns of a path, what was interrupted behind a whole answer as a turn of its own.

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
            counts[HIDDEN] += 1
        elif message.role in roles:
            shown.append((position, message))
    builder = _Builder(_answered(shown) if "tool" in roles else frozenset(), counts)
    for position, message in shown:
        builder.add(position, message)
    counts.update(unfinished(turn.state) for turn in builder.turns if not (turn.is_spoken or turn.is_complete))
    return [turn for turn in builder.turns if turn.is_spoken]


def _is_apart(last: Turn, state: str) -> bool:
    """Tell whether a message is no part of the turn before it: that is whole without it, or was a thought cut short.

    What follows words that were interrupted may go on with them, so it is no whole answer.
    """
    is_other = last.role == "assistant" and last.is_complete != (state == COMPLETE)
    return is_other and last.is_spoken == last.is_complete


def _state(message: Message) -> str:
    """Return the state of a message; one of nothing but errors failed, whatever its source says."""
    return FAILED if message.state == COMPLETE and _says_only_errors(message) else message.state


def _says_only_errors(message: Message) -> bool:
    return any(part.kind == _ERROR for part in message.parts) and not any(
        part.kind in _SAYING and part.has_content for part in message.parts
    )


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
            elif part.kind == _ERROR:
                self._error(message)
            else:
                self._say(position, message, self._spoken(part))
        for attachment in message.attachments:
            self._attach(position, message, attachment)
        self._end(position, message)

    def _attach(self, position: int, message: Message, attachment: Attachment) -> None:
        if message.role == "tool":
            self._counts["attachments of results"] += 1
        self._say(position, message, f"[attachment: {attachment.shown_name}]")
        if attachment.text:
            self._counts["texts of attachments"] += 1

    def _end(self, position: int, message: Message) -> None:
        """Count an answer of which nothing is left."""
        has_turn = bool(self.turns) and self.turns[-1].positions[-1] == position
        if not has_turn and message.role in _ANSWERING and (state := _state(message)) != COMPLETE:
            self._counts[unfinished(state)] += 1

    def _error(self, message: Message) -> None:
        if message.role not in _ANSWERING or not _says_only_errors(message):
            self._counts["error parts"] += 1

    def _spoken(self, part: Part) -> str:
        if part.kind in _SPOKEN:
            return part.text or ""
        if part.kind in _MEDIA:
            self._counts["media"] += 1
            return f"[{part.kind}]"
        if part.source_type == LEFT_OUT_LINE:
            self._counts["messages that were not read"] += 1
            return "[not read]"
        self._counts[f"{part.kind} parts"] += 1
        return ""

    def _turn(self, position: int, message: Message) -> Turn:
        last = self.turns[-1] if self.turns else None
        if last is not None and last.positions[-1] == position and not last.results:
            return last
        state = _state(message)
        if last is None or last.role != message.role or last.results or _is_apart(last, state):
            last = Turn(message.role, [position], message.model, message.created_at, state=state)
            self.turns.append(last)
            return last
        last.positions.append(position)
        last.state = state if last.is_complete else last.state
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
        is_media = part.kind in _MEDIA
        if is_media:
            self._counts["media"] += 1
        text = part.text or (f"[{part.kind}]" if is_media else "")
        for known in turn.results:
            if known.call_id == part.tool_use_id:
                known.content = BLANK_LINE.join(filter(None, (known.content, text)))
                known.is_error = known.is_error or bool(part.is_error)
                return
        turn.results.append(Result(part.tool_use_id, tool_name(part.tool_name), text, bool(part.is_error)))


def _arguments(part: Part) -> str:
    """Return the arguments of a call as JSON of an object, as providers take them."""
    value = parse_arguments(part.tool_input) if part.tool_input else None
    if part.tool_input and isinstance(value, dict):
        return part.tool_input  # to the letter: digits that a number loses in a parser stay
    given = (part.text or None) if value is None else value
    return orjson.dumps({} if given is None else {"input": given}).decode()


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
