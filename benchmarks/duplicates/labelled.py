"""Pairs of texts of which it is known how one was made from the other."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from archive_pipeline.domain.choices import Normalization
from archive_pipeline.text.normalization import normalize
from benchmarks.corpus_text import TextSource
from benchmarks.words import WORDS

SHORTEST_WORDS: Final = 20
_KNOWN_SHARE: Final = 0.2
# What a near-duplicate is meant to be found for, and what must not be called one; the rest lies between.
SAME: Final = ("case and marks", "1 % of words", "2 % of words", "5 % of words", "sentences reordered", "10 % cut off")
BETWEEN: Final = ("10 % of words", "20 % of words", "25 % cut off")
OTHER: Final = ("50 % cut off", "30 % in common", "50 % in common", "unrelated")
KINDS: Final = (*SAME, *BETWEEN, *OTHER)


@dataclass(frozen=True)
class LabelledTexts:
    """Texts, and the pairs of them that were made, as positions: kind -> pairs."""

    texts: list[str]
    pairs: dict[str, list[tuple[int, int]]]


def labelled_texts(number: int, *, seed: int, real_data: Path | None) -> LabelledTexts:
    """Make ``number`` pairs of each kind, all of different base texts, and shuffle the texts.

    Args:
        number: pairs per kind.
        seed: equal seeds give equal texts.
        real_data: a folder whose ``oasst`` has conversations in JSON lines; half of the base texts are then from
            there.
    """
    rng = random.Random(seed)
    bases = _bases(rng, real_data)
    texts: list[str] = []
    pairs: dict[str, list[tuple[int, int]]] = {}
    for kind in KINDS:
        pairs[kind] = []
        for _ in range(number):
            pair = _make(kind, bases, rng)
            pairs[kind].append((len(texts), len(texts) + 1))
            texts += pair
    place = list(range(len(texts)))
    rng.shuffle(place)
    shuffled = [""] * len(texts)
    for position, text in enumerate(texts):
        shuffled[place[position]] = text
    moved = {kind: [(place[a], place[b]) for a, b in made] for kind, made in pairs.items()}
    return LabelledTexts(shuffled, moved)


def _bases(rng: random.Random, real_data: Path | None) -> Iterator[str]:
    source = TextSource(rng)
    real = _real_texts(real_data) if real_data else []
    rng.shuffle(real)
    seen: set[str] = set()
    while True:
        for made in (source.prompt, source.answer):
            text = real.pop() if real and rng.random() < 0.5 else json.loads(f'"{made()}"')
            if len(text.split()) >= SHORTEST_WORDS and text not in seen:
                seen.add(text)
                yield text


def _real_texts(folder: Path) -> list[str]:
    """Return texts of which none has much of what an earlier one says: their labels have to be the only duplicates."""
    found: list[str] = []
    known: set[str] = set()
    for path in sorted((folder / "oasst").glob("*.jsonl")):
        with path.open(encoding="utf-8") as lines:
            for text in (text for line in lines for text in _texts_in(json.loads(line))):
                shingles = shingles_of(text)
                if len(shingles & known) <= _KNOWN_SHARE * len(shingles):
                    found.append(text)
                known |= shingles
    return found


def shingles_of(text: str) -> set[str]:
    """Return three consecutive words each of the text under ``full``."""
    words = normalize([text], Normalization.FULL)[0].decode().split()
    return {" ".join(words[start : start + 3]) for start in range(max(len(words) - 2, 1))}


def _texts_in(value: Any) -> Iterator[str]:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list):
            waiting += item
        elif isinstance(item, dict):
            waiting += [inner for name, inner in item.items() if name != "text"]
            if isinstance(item.get("text"), str):
                yield item["text"]


def _make(kind: str, bases: Iterator[str], rng: random.Random) -> tuple[str, str]:
    base = next(bases)
    if kind == "unrelated":
        return base, next(bases)
    if kind.endswith("in common"):
        return _with_boilerplate(base, next(bases), next(bases), _percent(kind))
    if kind.endswith("of words"):
        return base, _edited(base, _percent(kind), rng)
    if kind.endswith("cut off"):
        words = base.split(" ")
        return base, " ".join(words[: round(len(words) * (1 - _percent(kind)))])
    return base, _REMADE[kind](base, rng)


def _percent(kind: str) -> float:
    return int(kind.split(" ", maxsplit=1)[0]) / 100


def _edited(text: str, share: float, rng: random.Random) -> str:
    """Replace, drop or insert words at random places, at least one."""
    words = text.split(" ")
    for place in rng.sample(range(len(words)), max(1, round(len(words) * share))):
        edit = rng.random()
        word = rng.choice(WORDS)
        words[place] = word if edit < 0.6 else "" if edit < 0.8 else f"{words[place]} {word}"
    return " ".join(word for word in words if word)


def _with_boilerplate(common: str, first: str, second: str, share: float) -> tuple[str, str]:
    """Two texts of which each has ``share`` of its words from the same text, in front."""
    size = min(len(first.split()), len(second.split()), round(len(common.split()) / share * (1 - share)))
    head = " ".join(common.split()[: round(size / (1 - share) * share)])
    return f"{head} {' '.join(first.split()[:size])}", f"{head} {' '.join(second.split()[:size])}"


def _reordered(text: str, rng: random.Random) -> str:
    sentences = text.replace("\n", " ").split(". ")
    rng.shuffle(sentences)
    return ". ".join(sentences)


def _marked(text: str, _rng: random.Random) -> str:
    return text.upper().replace(".", "!").replace(",", " -")


_REMADE: Final[Mapping[str, Callable[[str, random.Random], str]]] = {
    "case and marks": _marked,
    "sentences reordered": _reordered,
}
