"""Questions with their answers from published conversations, and questions that ask the same in other words.

Converters for benchmarks only; the folder is that of ``ARCHIVE_REAL_DATA``.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

_FEWEST_WORDS: Final = 5
_SHARE: Final = 0.4


@dataclass(frozen=True)
class Task:
    """Find one of the targets of each query among the texts.

    Attributes:
        name: what it is.
        texts: what is searched.
        queries: what is asked.
        targets: per query, the texts that are right.
        itself: per query, its own place among the texts, which does not count; None if it is not among them.
    """

    name: str
    texts: list[str]
    queries: list[str]
    targets: list[set[int]]
    itself: list[int] | None = None


def tasks(folder: Path, *, most_pairs: int, seed: int) -> list[Task]:
    """Return the tasks; ``most_pairs`` bounds the question-answer pairs that are searched."""
    chance = random.Random(seed)
    pairs = list(dict.fromkeys([*_open_assistant(folder), *_glaive(folder)]))
    if len(pairs) > most_pairs:
        pairs = chance.sample(pairs, most_pairs)
    answers = [answer for _, answer in pairs]
    asked = [question for question, _ in pairs if len(question.split()) >= _FEWEST_WORDS]
    own = [{at for at, pair in enumerate(pairs) if pair[0] == question} for question in asked]
    partial = [_part(question, chance) for question in asked]
    questions = list(dict.fromkeys(question for question, _ in pairs))
    place = {question: at for at, question in enumerate(questions)}
    return [
        Task("question → its answer", answers, asked, own),
        Task("part of a question → its answer", answers, partial, own),
        Task("part of a question → the question", questions, partial, [{place[question]} for question in asked]),
        _paraphrases(folder),
    ]


def _part(question: str, chance: random.Random) -> str:
    """Return two fifths of the words of a question, at least three, in their order."""
    words = question.split()
    number = max(3, int(len(words) * _SHARE))
    return " ".join(words[at] for at in sorted(chance.sample(range(len(words)), number)))


def _open_assistant(folder: Path) -> Iterator[tuple[str, str]]:
    with (folder / "oasst" / "en_100_tree.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            yield from _replies(json.loads(line)["prompt"])


def _replies(root: dict[str, Any]) -> Iterator[tuple[str, str]]:
    open_nodes = [root]
    while open_nodes:
        node = open_nodes.pop()
        for reply in node.get("replies", []):
            if node["role"] == "prompter":
                yield node["text"], reply["text"]
            open_nodes.append(reply)


def _glaive(folder: Path) -> Iterator[tuple[str, str]]:
    path = folder / "sharegpt" / "glaive_toolcall_en_demo.json"
    for dialogue in json.loads(path.read_text(encoding="utf-8")):
        question = None
        for turn in dialogue["conversations"]:
            if turn["from"] == "human":
                question = turn["value"]
            elif turn["from"] == "gpt" and question:
                yield question, turn["value"]
                question = None


def _paraphrases(folder: Path) -> Task:
    """Return first requests of tau-bench: four trials of one task ask the same in other words."""
    path = folder / "openai_messages" / "tau-bench-gpt-4o-airline.json"
    trials = json.loads(path.read_text(encoding="utf-8"))
    requests = [next(turn["content"] for turn in trial["traj"] if turn["role"] == "user") for trial in trials]
    names = [trial["task_id"] for trial in trials]
    targets = [
        {other for other, name in enumerate(names) if name == names[at] and other != at} for at in range(len(names))
    ]
    return Task("request → the same in other words", requests, requests, targets, itself=list(range(len(requests))))
