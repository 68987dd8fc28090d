"""Question-answer pairs by their definition (seed 004 and the decisions): turns and tool traces, path by path."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from archive_pipeline_tests.derive.reference import Dialogue, Message, ToolPart


def turns(paths: list[list[Message]], answer: str) -> set[tuple[str, str]]:
    """(user message, answer) of every path, by seed 004's rule or the decision's."""
    found = set()
    for path in paths:
        usable = [message for message in path if message.is_usable]
        for at, message in enumerate(usable):
            if message.role != "user":
                continue
            turn = usable[at + 1 :]
            end = next((n for n, later in enumerate(turn) if later.role == "user"), len(turn))
            answers = [later for later in turn[:end] if later.role == "assistant"]
            with_text = [later for later in answers if later.text is not None]
            if answers:
                chosen = answers[0] if answer == "first" else (with_text or answers)[-1]
                found.add((message.id, chosen.id))
    return found


@dataclass(frozen=True)
class Trace:
    """A tool call with its results on one path."""

    call: ToolPart
    results: tuple[ToolPart, ...]


def traces(dialogue: Dialogue) -> dict[str, Trace]:
    """Each call of a complete assistant message with the results it has on each path, by the pair's id.

    A result is that of the nearest call with its id before it on the path. What is the beginning of a longer list of
    results of the same call is told by that one.
    """
    found: dict[ToolPart, set[tuple[ToolPart, ...]]] = defaultdict(set)
    for path in dialogue.paths():
        for call, results in _on_path(path).items():
            found[call].add(tuple(results))
    pairs: dict[str, Trace] = {}
    for call, lists in found.items():
        longest = [own for own in lists if own and not any(own == other[: len(own)] for other in lists - {own})]
        primary = [own for own in longest if dialogue.by_id[own[-1].message] in dialogue.primary_path()]
        rest = sorted(set(longest) - set(primary), key=lambda own: dialogue.by_id[own[-1].message].number)
        for place, own in enumerate([*primary, *rest]):
            name = f"{dialogue.id}:{dialogue.by_id[call.message].number}:{call.id}"
            suffix = f"@{dialogue.by_id[own[-1].message].number}" if place else ""
            pairs[name + suffix] = Trace(call, own)
    return pairs


def _on_path(path: list[Message]) -> dict[ToolPart, list[ToolPart]]:
    found: dict[ToolPart, list[ToolPart]] = {}
    for message in path:
        for part in message.tools if message.is_usable else ():
            own = [call for call in found if call.id == part.id]
            if part.is_result:
                if own:
                    found[own[-1]].append(part)
            elif message.role == "assistant" and part.id and not any(call.message == message.id for call in own):
                found[part] = []
    return found
