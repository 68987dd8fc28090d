"""Time and memory of finding duplicates in many messages: `python -m benchmarks.duplicates.scale MESSAGES`.

Dialogues of a prompt and an answer from the corpus' texts. One in ten repeats an earlier answer with a few words
changed, one in twenty as it is. Making the texts is not part of the time. Prints one line of JSON; the memory is that
of the process, so each size takes a process of its own.
"""

from __future__ import annotations

import json
import random
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np

from archive_pipeline.domain.batch import DialogueBatch, Media, ToolParts
from archive_pipeline.domain.choices import Normalization
from archive_pipeline.duplicates.finder import duplicate_finder
from archive_pipeline.duplicates.signatures import signatures_of
from benchmarks.corpus_text import TextSource

MESSAGES_PER_BATCH: Final = 10_000
NEAR_RATE: Final = 0.10
EXACT_RATE: Final = 0.05
_REMEMBERED: Final = 2_000


def main() -> None:
    """Measure one size."""
    messages = int(sys.argv[1])
    seconds, processor, characters = 0.0, 0.0, 0
    normalizations = [Normalization.NONE, Normalization.FULL]
    with duplicate_finder(normalizations, Path(tempfile.gettempdir())) as finder:
        for batch in batches(messages):
            characters += sum(len(text) for text in batch.text if text is not None)
            started, started_processor = time.perf_counter(), time.process_time()
            finder.add(signatures_of(batch, normalizations))
            seconds += time.perf_counter() - started
            processor += time.process_time() - started_processor
        before = _peak_megabytes()
        started, started_processor = time.perf_counter(), time.process_time()
        rows, clusters = 0, 0
        for some in finder.clusters():
            rows += len(some)
            clusters += int(some["is_kept"].sum())
        clustering = time.perf_counter() - started
        clustering_processor = time.process_time() - started_processor
    result = {
        "messages": messages,
        "megabytes_of_text": round(characters / 1e6),
        "seconds_adding": round(seconds, 1),
        "seconds_clustering": round(clustering, 1),
        "processor_seconds_adding": round(processor, 1),
        "processor_seconds_clustering": round(clustering_processor, 1),
        "messages_per_second": round(messages / (seconds + clustering)),
        "peak_megabytes_adding": before,
        "peak_megabytes": _peak_megabytes(),
        "rows": rows,
        "clusters": clusters,
    }
    print(json.dumps(result))


def batches(messages: int) -> Iterator[DialogueBatch]:
    """Yield so many messages, two a dialogue."""
    rng = random.Random(messages)
    source = TextSource(rng)
    remembered: list[str] = []
    for first in range(0, messages, MESSAGES_PER_BATCH):
        texts: list[str] = []
        for _ in range(min(MESSAGES_PER_BATCH, messages - first) // 2):
            texts += (source.prompt(), _answer(rng, source, remembered))
        yield _batch([json.loads(f'"{text}"') for text in texts], first)


def _answer(rng: random.Random, source: TextSource, remembered: list[str]) -> str:
    chance = rng.random()
    if remembered and chance < EXACT_RATE:
        return rng.choice(remembered)
    if remembered and chance < EXACT_RATE + NEAR_RATE:
        words = rng.choice(remembered).split(" ")
        for place in rng.sample(range(len(words)), max(1, len(words) // 50)):
            words[place] = f"{int(rng.random() * 1e6)}"
        return " ".join(words)
    answer = source.answer()
    if len(remembered) < _REMEMBERED:
        remembered.append(answer)
    else:
        remembered[int(rng.random() * _REMEMBERED)] = answer
    return answer


def _batch(texts: list[str], first: int) -> DialogueBatch:
    count = len(texts)
    return DialogueBatch(
        dialogue_ids=[f"00000000-0000-4000-8000-{first + number:012d}" for number in range(count // 2)],
        active_ids=[None] * (count // 2),
        message_ids=[f"00000000-0000-4000-9000-{first + number:012d}" for number in range(count)],
        dialogue=[number // 2 for number in range(count)],
        parent=[-1 if number % 2 == 0 else number - 1 for number in range(count)],
        role=["user", "assistant"] * (count // 2),
        sequence_number=[number % 2 for number in range(count)],
        created_at=np.arange(first, first + count, dtype=np.int64),
        is_complete=[True] * count,
        is_hidden=[False] * count,
        text=list(texts),
        has_other_content=[False] * count,
        tools=ToolParts([], [], [], [], [], [], []),
        media=Media([], [], [], [], []),
        options=[None] * count,
    )


def _peak_megabytes() -> int:
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


if __name__ == "__main__":
    main()
