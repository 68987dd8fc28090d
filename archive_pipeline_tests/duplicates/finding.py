"""Finding duplicates in batches made by hand, and rows as plain values."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from archive_pipeline.domain.batch import DialogueBatch
from archive_pipeline.domain.choices import Normalization
from archive_pipeline.duplicates.finder import duplicate_finder
from archive_pipeline.duplicates.signatures import signatures_of
from archive_pipeline_tests.derive.batches import Row, Talk, Tool, batch_of, linear

NORMALIZATIONS = (Normalization.NONE, Normalization.FULL)
# fmt: off
WORDS = (
    "river", "stone", "window", "paper", "garden", "engine", "silver", "market", "letter", "forest", "bridge",
    "candle", "winter", "planet", "harbor", "ticket", "museum", "pepper", "saddle", "velvet", "anchor", "basket",
    "camera", "desert", "fabric", "guitar", "hammer", "island", "jacket", "kettle", "ladder", "magnet", "needle",
    "orange", "pencil", "quiver", "ribbon", "shadow", "temple", "umbrella", "valley", "wallet", "yellow",
    "zephyr", "almond", "butter", "copper", "dragon",
)
# fmt: on


def find(*batches: DialogueBatch) -> list[dict[str, Any]]:
    """Return the rows of all clusters."""
    with duplicate_finder(NORMALIZATIONS, Path(tempfile.gettempdir())) as finder:
        for batch in batches:
            # As they come from another process.
            finder.add(pickle.loads(pickle.dumps(signatures_of(batch, NORMALIZATIONS))))  # noqa: S301 (made here)
        return [dict(row) for rows in finder.clusters() for row in rows.to_dict("records")]


def messages(rows: Iterable[dict[str, Any]], method: str) -> list[dict[str, Any]]:
    """Return the rows about messages of one method."""
    return [row for row in rows if row["entity_type"] == "message" and row["method"] == method]


def clusters(rows: Iterable[dict[str, Any]]) -> set[frozenset[str]]:
    """Return the members of each cluster."""
    found: dict[str, set[str]] = {}
    for row in rows:
        found.setdefault(row["cluster_id"], set()).add(row["entity_id"])
    return {frozenset(members) for members in found.values()}


def saying(*texts: str | None) -> tuple[DialogueBatch, list[str]]:
    """Return a batch of dialogues of one user message each, and the ids of the messages in order of the texts."""
    talks = [linear(f"d{number}", ("user", text)) for number, text in enumerate(texts)]
    return batch_of(*talks), [talk.message("0") for talk in talks]


def prose(words: int, *, start: int = 0, step: int = 7) -> str:
    """Return a text of different runs of words; another start or step gives another text."""
    return " ".join(
        f"{WORDS[(start + number * step) % len(WORDS)]}{(start + number) % 10 or ''}" for number in range(words)
    )


def changed(text: str, *places: int) -> str:
    """Return the text with other words at the given places."""
    words = text.split(" ")
    for place in places:
        words[place] = f"changed{place}"
    return " ".join(words)


def run(name: str, results: Iterable[str], *, time: int | None = None) -> Talk:
    """Return a dialogue in which a tool was asked for these results, and gave them; what is said is its own."""
    rows = [Row("0", None, "user", f"what {name} asks", time=time)]
    for number, text in enumerate(results):
        call = Tool(f"call{number}", name="find", input=f'{{"name": "{text}"}}')
        answer = Tool(f"call{number}", is_result=True, text=f"There is {text}.")
        rows.append(Row(f"{number}c", rows[-1].id, "assistant", tools=(call,), time=time))
        rows.append(Row(f"{number}r", rows[-1].id, "tool", tools=(answer,), time=time))
    return Talk(name, tuple(rows))


__all__ = [
    "Talk",
    "batch_of",
    "changed",
    "clusters",
    "find",
    "linear",
    "messages",
    "prose",
    "run",
    "saying",
]
