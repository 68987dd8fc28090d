"""Published conversations (ARCHIVE_REAL_DATA) as one archive, and two lists of questions about them.

``published_questions.jsonl`` has questions as somebody asks who remembers the gist: they were written from the
conversations, in other words, one by one, by language models that had no search. The other list is made from the files:
``part`` asks with two fifths of the words of what a user said, ``trial`` with the first request of one run of a task
for the other runs of it: four simulated users ask the same in words of their own.
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from benchmarks.duplicates.trials import write_trials
from benchmarks.quality.fillers import NONSENSE
from benchmarks.quality.questions import Asked, Kind, Question

NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)
_TREES: Final = Path("oasst") / "en_100_tree.jsonl"
_TRIALS: Final = Path("openai_messages") / "tau-bench-gpt-4o-airline.json"
_OPENING_WORDS: Final = 5
_SHARE: Final = 0.4
WRITTEN: Final = Path(__file__).with_name("published_questions.jsonl")
# Real questions of others, on what nobody asked in these conversations.
_UNASKED: Final = (
    "difference between TCP and UDP",
    "explain monads in simple terms",
    "how to tie a bow tie",
    "what is a leap second",
    "how to knit a sock heel",
    "who invented the zipper",
    "chords of a twelve-bar blues",
    "how do I waterproof a tent seam",
    "how does a sextant work",
    "best fertiliser against moss on a roof",
    "why do cats purr",
    "how to descale an espresso machine",
    "rules of offside in soccer",
    "how are diamonds graded",
    "how to sharpen a chainsaw",
    "how do elevators know where to stop",
)


def published(folder: Path, data: Path, *, seed: int) -> Asked:
    """Write the conversations as exports and return what is asked of them.

    Args:
        folder: for the exports.
        data: with the published files, as ARCHIVE_REAL_DATA names it.
        seed: of the words that are left out.
    """
    chance = random.Random(seed)
    trees = [json.loads(line)["prompt"] for line in (data / _TREES).read_text(encoding="utf-8").splitlines()]
    tree_file, trial_file = folder / "trees.json", folder / "trials.json"
    tree_file.write_text(json.dumps([_conversation(tree) for tree in trees]), encoding="utf-8")
    write_trials(data / _TRIALS, trial_file)
    nothing = [
        Question(f"{kind.name}:{text}", kind, text)
        for kind, texts in ((Kind.UNASKED, _UNASKED), (Kind.NONSENSE, NONSENSE))
        for text in texts
    ]
    names = frozenset(tree["message_id"] for tree in trees)
    questions = {
        "published": [*_written(names), *nothing],
        "published, words by chance": [*_parts(trees, chance), *_trials(data / _TRIALS), *nothing],
    }
    return Asked("published", [tree_file, trial_file], questions, NOW)


def _written(trees: frozenset[str]) -> Iterator[Question]:
    for line in WRITTEN.read_text(encoding="utf-8").splitlines():
        written = json.loads(line)
        kind = Kind(written["kind"])
        gold = {dialogue: frozenset(messages) for dialogue, messages in written["gold"].items()}
        source = "trees" if trees.issuperset(gold) else "an airline's tasks"
        yield Question(f"{kind.name}:{written['text']}", kind, written["text"], gold, source=source)


def _nodes(tree: dict[str, Any]) -> Iterator[tuple[str | None, dict[str, Any]]]:
    """Yield the messages of a tree, each with its parent's id."""
    waiting: list[tuple[str | None, dict[str, Any]]] = [(None, tree)]
    while waiting:
        parent, node = waiting.pop()
        yield parent, node
        waiting += [(node["message_id"], reply) for reply in reversed(node["replies"])]


def _conversation(tree: dict[str, Any]) -> dict[str, Any]:
    mapping: dict[str, Any] = {}
    last = None
    for parent, node in _nodes(tree):
        last = node["message_id"]
        mapping[last] = {"id": last, "parent": parent, "message": _message(node)}
    return {"id": tree["message_id"], "title": "", "current_node": last, "mapping": mapping}


def _message(node: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": node["message_id"],
        "author": {"role": "user" if node["role"] == "prompter" else "assistant"},
        "content": {"content_type": "text", "parts": [node["text"]]},
        "status": "finished_successfully",
    }


def _parts(trees: list[dict[str, Any]], chance: random.Random) -> Iterator[Question]:
    for tree in trees:
        for _, node in _nodes(tree):
            words = node["text"].split()
            if node["role"] != "prompter" or len(words) < _OPENING_WORDS:
                continue
            number = max(3, int(len(words) * _SHARE))
            text = " ".join(words[at] for at in sorted(chance.sample(range(len(words)), number)))
            own = node["message_id"]
            yield Question(f"{Kind.PART.name}:{own}", Kind.PART, text, {tree["message_id"]: frozenset({own})})


def _trials(path: Path) -> Iterator[Question]:
    runs = json.loads(path.read_text(encoding="utf-8"))
    requests: dict[str, tuple[str, str]] = {}
    by_task: dict[int, list[str]] = defaultdict(list)
    for run in runs:
        name = f"task{run['task_id']}-trial{run['trial']}"
        number, text = next((at, turn["content"]) for at, turn in enumerate(run["traj"]) if turn["role"] == "user")
        requests[name] = text, f"{name}-{number}"
        by_task[run["task_id"]].append(name)
    for names in by_task.values():
        for name in names:
            gold = {other: frozenset({requests[other][1]}) for other in names if other != name}
            yield Question(f"{Kind.TRIAL.name}:{name}", Kind.TRIAL, requests[name][0], gold, itself=name)
