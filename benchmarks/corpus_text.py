"""Texts for the generated corpus: prompts, answers, code and titles, as the inside of JSON strings.

Prompts are drawn word by word. Answers are put together from a pool of sentences drawn once, which is what makes the
generator faster than the importer it feeds. Every text is ASCII with JSON escapes already in place.
"""

from __future__ import annotations

import json
import random
from itertools import accumulate
from math import log
from typing import Final

from benchmarks.words import WORDS

POOL_SIZE: Final = 20_000
SENTENCE_CHARACTERS: Final = 78
WORD_CHARACTERS: Final = 5.4
PROMPT_MEAN: Final = 250
ANSWER_MEAN: Final = 1_780
PROMPT_SIGMA: Final = 1.0
ANSWER_SIGMA: Final = 0.8
LONGEST: Final = 40_000
CODE_FENCE_RATE: Final = 0.12
PARAGRAPH_RATE: Final = 0.2
TAILS: Final = (".", ".", ".", ".", ".", ".", "!", ":", "\u2026", " \u2014 or not.")
CODE: Final = (
    'def total(rows):\n    return sum(row["price"] * row["count"] for row in rows)',
    'for name in sorted(names):\n    print(f"{name}: {counts[name]:,}")',
    "SELECT city, count(*) AS visits\nFROM visits\nGROUP BY city\nORDER BY visits DESC;",
    'with open("data.csv", newline="") as file:\n    rows = list(csv.DictReader(file))',
    "mean = sum(values) / len(values)\nspread = max(values) - min(values)\nmean, spread",
    "const open = tasks.filter((task) => !task.done);\nconsole.log(`${open.length} left`);",
    "git switch -c draft\ngit add notes.md\ngit commit -m 'First draft'",
    "class Timer:\n    def __enter__(self):\n        self.start = time.perf_counter()\n        return self",
)


def escaped(text: str) -> str:
    """Return the text as it stands between the quotes of a JSON string, in ASCII."""
    return json.dumps(text)[1:-1]


class TextSource:
    """Draws texts from one random generator; equal seeds give equal texts."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._weights = list(accumulate(1 / (rank + 2.7) for rank in range(1, len(WORDS) + 1)))
        self._pool = [escaped(self._sentence()) for _ in range(POOL_SIZE)]
        self._code = [escaped(snippet) for snippet in CODE]

    def prompt(self) -> str:
        """Return what a user writes: a few sentences, now and then a page."""
        size = self._length(PROMPT_MEAN, PROMPT_SIGMA)
        words = self._words(max(3, round(size / WORD_CHARACTERS)))
        for start in range(0, len(words), 14):
            words[start] = words[start].capitalize()
            words[start - 1] += "." if start else "?"
        return " ".join(words)

    def answer(self) -> str:
        """Return what an assistant writes: paragraphs of sentences, sometimes with a code fence."""
        rng = self._rng
        size = self._length(ANSWER_MEAN, ANSWER_SIGMA)
        sentences = rng.choices(self._pool, k=max(1, round(size / SENTENCE_CHARACTERS)))
        parts: list[str] = []
        start = 0
        while start < len(sentences):
            end = start + 2 + int(rng.random() * 6)
            parts.append(" ".join(sentences[start:end]))
            start = end
        if rng.random() < CODE_FENCE_RATE:
            parts.insert(1 + int(rng.random() * len(parts)), f"```\\n{self.code()}\\n```")
        return "\\n\\n".join(parts)

    def code(self) -> str:
        """Return a snippet of code, made its own by a first line that names a number."""
        return f"# step {int(self._rng.random() * 1e6)}\\n{self._rng.choice(self._code)}"

    def title(self) -> str:
        """Return a title of two to six words."""
        return " ".join(self._words(2 + int(self._rng.random() * 5))).capitalize()

    def _length(self, mean: float, sigma: float) -> float:
        size = self._rng.lognormvariate(log(mean) - sigma * sigma / 2, sigma)
        return min(size, LONGEST)

    def _words(self, count: int) -> list[str]:
        return self._rng.choices(WORDS, cum_weights=self._weights, k=count)

    def _sentence(self) -> str:
        rng = self._rng
        words = self._words(5 + int(rng.random() * 17))
        if len(words) > 10:
            words[len(words) // 2] += ","
        if rng.random() < 0.05:
            words[1] = f'"{words[1]}"'
        return " ".join(words).capitalize() + rng.choice(TAILS)
