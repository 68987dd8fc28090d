"""Scores of a search's texts within a time, those that are known already from memory."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from more_itertools import chunked

from archive_pipeline.errors import RerankerError
from archive_pipeline.retrieval.rerank.interface import Reranker, Scores
from archive_pipeline.retrieval.rerank.remembered import Remembered, text_key

# For a search; a batch that has begun is finished.
SECONDS: Final = 2.0
# A cross-encoder of six layers scores so many chunks in a sixth of a second on two cores.
TEXTS_AT_ONCE: Final = 8
# Some 300 bytes each: 6 MB, the best texts of 400 searches.
MOST_REMEMBERED: Final = 20_000

_Key = tuple[str, bytes, bytes]


@dataclass
class TimedReranker:
    """A model whose answers are bounded in time and remembered. Several threads may use one.

    Attributes:
        reranker: the model; it is asked by one thread at a time.
        seconds: that a search may take, waiting for other searches included.
        most_remembered: scores that are kept, the last used ones.
        clock: seconds that only go forward.
    """

    reranker: Reranker
    seconds: float = SECONDS
    most_remembered: int = MOST_REMEMBERED
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)
    _remembered: Remembered[_Key, float] = field(init=False, repr=False)
    _remembering: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)
    _scoring: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def __post_init__(self) -> None:
        self._remembered = Remembered(self.most_remembered)

    @property
    def end(self) -> float:
        """When the time of a search that begins now is over, on the clock."""
        return self.clock() + self.seconds

    def scores(self, question: str, texts: Sequence[str], end: float | None = None) -> Scores | None:
        """Return the score of each text, higher is better; shape (texts,). None if the time ends before that.

        What was scored until then is remembered, so that the same question gets further when it is asked again.

        Args:
            question: what is asked.
            texts: what is read.
            end: of the search's time, on the clock; by default that of a search that begins now.

        Raises:
            RerankerError: the model fails.
        """
        end = self.end if end is None else end
        keys = self._keys(question, texts)
        known = self._known(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        # Texts of one length make a batch: shorter ones would be filled up.
        for batch in chunked(sorted(missing.items(), key=lambda item: len(item[1])), TEXTS_AT_ONCE):
            found = self._scored(question, [text for _, text in batch], end)
            if found is None:
                return None
            new = {key: float(score) for (key, _), score in zip(batch, found, strict=True)}
            self._remember(new)
            known |= new
        return np.array([known[key] for key in keys], dtype=np.float32)

    def _scored(self, question: str, texts: list[str], end: float) -> Scores | None:
        """Return the scores of a batch; None if there is no time to begin it."""
        left = end - self.clock()
        if left <= 0 or not self._scoring.acquire(timeout=left):
            return None
        try:
            found = self.reranker.scores(question, texts)
        finally:
            self._scoring.release()
        if found.shape != (len(texts),) or not np.isfinite(found).all():
            raise RerankerError(f"the reranker {self.reranker.name!r} gave something else than a number for each text")
        return found

    def _keys(self, question: str, texts: Sequence[str]) -> list[_Key]:
        asked = text_key(question)
        return [(self.reranker.name, asked, text_key(text)) for text in texts]

    def _known(self, keys: Sequence[_Key]) -> dict[_Key, float]:
        with self._remembering:
            return self._remembered.known(keys)

    def _remember(self, scores: Mapping[_Key, float]) -> None:
        with self._remembering:
            self._remembered.add(scores)
