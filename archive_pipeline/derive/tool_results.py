"""Which tool call a result belongs to, along every path of a tree.

Shared by hashes of messages, the table ``qa_pairs`` and the public ``build_qa_pairs``, to which a list of messages is a
tree of one path. A result belongs to the nearest call with its id before it on its path; a call may have
several.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence

from archive_pipeline.derive.forest import forest_of
from archive_pipeline.domain.batch import DialogueBatch


def results_followed(
    parts: Iterable[int],
    message: Sequence[int],
    keys: Sequence[Hashable],
    is_result: Sequence[bool],
    left: Sequence[int],
    right: Sequence[int],
) -> dict[int, int]:
    """Return, per result that belongs to a call, the part it follows: the call, or the result of the call before it.

    A result comes after the one it follows. The work is linear in the parts, but for sorting them.

    Args:
        parts: numbers of the calls and results to look at.
        message: per part, its message.
        keys: per part, what a call and its results have in common; dialogues have no key in common.
        is_result: per part, False for a call.
        left: per message, its place in the depth-first order of its dialogue.
        right: per message, the largest of these places among itself and its descendants.
    """
    ordered = sorted(parts, key=lambda part: (left[message[part]], part))
    # Depth first, the parts with one key that are still above are nested: a stack, whose rest has been left for good.
    above: defaultdict[Hashable, list[int]] = defaultdict(list)
    follows: dict[int, int] = {}
    for part in ordered:
        stack = above[keys[part]]
        while stack and right[message[stack[-1]]] < left[message[part]]:
            stack.pop()
        if is_result[part]:
            if not stack:
                continue
            follows[part] = stack[-1]
        stack.append(part)
    return follows


def answered_calls(batch: DialogueBatch, parts: Iterable[int]) -> dict[int, int]:
    """Return, for tool results among some parts of a batch that have an id of a call, the call they answer."""
    tools, forest = batch.tools, forest_of(batch)
    keys = [(batch.dialogue[position], call) for position, call in zip(tools.message, tools.tool_use_id, strict=True)]
    follows = results_followed(parts, tools.message, keys, tools.is_result, forest.tree_left, forest.tree_right)
    return calls_of(follows, tools.is_result)


def calls_of(follows: Mapping[int, int], is_result: Sequence[bool]) -> dict[int, int]:
    """Return the call of each result, from what ``results_followed`` returned."""
    calls: dict[int, int] = {}
    for result, before in follows.items():
        calls[result] = calls[before] if is_result[before] else before
    return calls


def chains_of_results(follows: Mapping[int, int], is_result: Sequence[bool]) -> list[tuple[int, list[int]]]:
    """Return each call with its results on one path, in order; a call with results on several branches once for each.

    A path on which fewer results follow than on another one that shares them adds nothing. Calls are in the order of
    their numbers, chains of one call in that of their last results.
    """
    ends = {*follows} - {*follows.values()}
    chains: list[tuple[int, list[int]]] = []
    for end in sorted(ends):
        results, part = [], end
        while is_result[part]:
            results.append(part)
            part = follows[part]
        chains.append((part, results[::-1]))
    return sorted(chains, key=lambda chain: chain[0])
