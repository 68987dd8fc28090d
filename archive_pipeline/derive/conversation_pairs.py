"""Question-answer pairs of one conversation, as a pure function (seed 004). See ``build_qa_pairs``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import orjson

from archive_pipeline.derive.qa_pairs import content_hash, tool_answer, tool_question
from archive_pipeline.derive.qa_turns import AnswerRule, find_turns
from archive_pipeline.derive.tool_results import chains_of_results, results_followed
from archive_pipeline.text.deep_json import deep_json_text
from archive_pipeline.text.sanitize import json_text

__all__ = ["QAPair", "build_qa_pairs"]


@dataclass(frozen=True, slots=True)
class QAPair:
    """A question-answer pair: a user message with its answer, or a tool call with its result (seed 004).

    Attributes:
        pair_id: ``<conversation>:<start>``, for tool calls ``<conversation>:<start>:<tool call id>``.
        conversation_id: the conversation.
        start_sequence_number, end_sequence_number: of the question's and the answer's message.
        pair_type: ``conversation_turn`` or ``trace_pair``.
        source_id: id of the user message, or of the assistant message that called the tool.
        question, answer: full texts.
        content_hash: SHA-256 over both.
        workspace_id, session_id: as given.
    """

    pair_id: str
    conversation_id: str
    start_sequence_number: int
    end_sequence_number: int
    pair_type: Literal["conversation_turn", "trace_pair"]
    source_id: str
    question: str
    answer: str
    content_hash: str
    workspace_id: str | None = None
    session_id: str | None = None


def build_qa_pairs(
    messages: Iterable[Any] | None,
    conversation_id: str,
    workspace_id: str | None = None,
    session_id: str | None = None,
    *,
    answer: AnswerRule = "final",
) -> list[QAPair]:
    """Return the question-answer pairs of a conversation, in the order of their questions (seed 004).

    Messages are sorted by ``sequence_number``; those whose ``state`` is set and not ``complete`` are left out; system
    messages are passed over; a user message without an assistant message before the next user message has no pair.
    A tool call is paired with the results of its id that follow it, joined by a blank line.

    Args:
        messages: dicts or objects with ``id``, ``role``, ``content``, ``sequence_number`` and, where they apply,
            ``state``, ``tool_calls``, ``tool_call_id``.
        conversation_id: the conversation.
        workspace_id: copied to the pairs.
        session_id: copied to the pairs.
        answer: ``first`` takes the first assistant message and the last result of a tool call's id, as the seed does;
            ``final`` the last assistant message with text before the next user message, so that the answer given after
            tool use is not lost, and all results up to the next call of the id.
    """
    usable = [message for message in messages or () if _get(message, "state") in {None, "", "complete"}]
    ordered = sorted(usable, key=lambda message: int(_get(message, "sequence_number")))
    answers = _answers(ordered, answer)
    context = (conversation_id, workspace_id, session_id)
    traces = _traces(ordered, answer, context)
    pairs: list[QAPair] = []
    for position, message in enumerate(ordered):
        if position in answers:
            given = ordered[answers[position]]
            texts = (_get(message, "content") or "", _get(given, "content") or "")
            pairs.append(_pair(message, given, "", texts, context))
        pairs.extend(traces.get(position, ()))
    return pairs


def _traces(
    ordered: Sequence[Any], answer: AnswerRule, context: tuple[str, str | None, str | None]
) -> dict[int, list[QAPair]]:
    """Return the pairs of tool calls by the position of the message that made them."""
    found: dict[int, list[QAPair]] = {}
    for position, call, results in _last_results(ordered) if answer == "first" else _all_results(ordered):
        message = ordered[position]
        texts = (_call_question(call), tool_answer(_get(result, "content") for result in results))
        found.setdefault(position, []).append(_pair(message, results[-1], f":{_get(call, 'id')}", texts, context))
    return found


def _last_results(ordered: Sequence[Any]) -> Iterator[tuple[int, Any, list[Any]]]:
    """Yield each call with the last result of its id, wherever that is (seed 004)."""
    results = {call_id: message for message in ordered if (call_id := _result_id(message))}
    for position, call in _calls(ordered):
        if _get(call, "id") in results:
            yield position, call, [results[_get(call, "id")]]


def _all_results(ordered: Sequence[Any]) -> Iterator[tuple[int, Any, list[Any]]]:
    """Yield each call, the first one of its id in a message, with the results up to the next call of that id."""
    made: dict[tuple[int, Any], Any] = {}
    for position, call in _calls(ordered):
        made.setdefault((position, _get(call, "id")), call)
    answering = [(position, call_id) for position, message in enumerate(ordered) if (call_id := _result_id(message))]
    parts = [*made, *answering]
    is_result = [False] * len(made) + [True] * len(answering)
    places = range(len(ordered))
    follows = results_followed(
        range(len(parts)),
        [position for position, _ in parts],
        [call_id for _, call_id in parts],
        is_result,
        places,
        [len(ordered)] * len(ordered),
    )
    for part, results in chains_of_results(follows, is_result):
        yield parts[part][0], made[parts[part]], [ordered[parts[result][0]] for result in results]


def _calls(ordered: Sequence[Any]) -> Iterator[tuple[int, Any]]:
    for position, message in enumerate(ordered):
        if _get(message, "role") == "assistant":
            for call in _get(message, "tool_calls") or ():
                yield position, call


def _result_id(message: Any) -> Any:
    return _get(message, "tool_call_id") if _get(message, "role") == "tool" else None


def _answers(ordered: Sequence[Any], answer: AnswerRule) -> dict[int, int]:
    count = len(ordered)
    turns = find_turns(
        range(count),
        range(-1, count - 1),
        [_get(message, "role") for message in ordered],
        [_is_text(_get(message, "content")) for message in ordered],
        [True] * count,
        answer=answer,
    )
    return {turn.question: turn.answer for turn in turns}


def _is_text(content: Any) -> bool:
    return bool(content) and not (isinstance(content, str) and content.isspace())


def _pair(
    question: Any, answer: Any, suffix: str, texts: tuple[str, str], context: tuple[str, str | None, str | None]
) -> QAPair:
    conversation_id, workspace_id, session_id = context
    start = int(_get(question, "sequence_number"))
    return QAPair(
        pair_id=f"{conversation_id}:{start}{suffix}",
        conversation_id=conversation_id,
        start_sequence_number=start,
        end_sequence_number=int(_get(answer, "sequence_number")),
        pair_type="trace_pair" if suffix else "conversation_turn",
        source_id=_get(question, "id"),
        question=texts[0],
        answer=texts[1],
        content_hash=content_hash(*texts),
        workspace_id=workspace_id,
        session_id=session_id,
    )


def _call_question(call: Any) -> str:
    function = _get(call, "function")
    name = (_get(function, "name") if function else None) or _get(call, "name")
    arguments = _get(function, "arguments") if function else None
    if arguments is None or arguments == "":
        arguments = _get(call, "parameters")
    return tool_question(name, arguments if isinstance(arguments, str) else _as_json(arguments))


def _as_json(value: Any) -> str | None:
    try:
        return json_text(value, Counter())
    except (RecursionError, orjson.JSONEncodeError):
        # A caller's objects may be deeper than those of an archive.
        return deep_json_text(value, Counter())


def _get(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
