"""Models that the suite opens hundreds of times: each worker of pytest loads them once, and reads a text once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from archive_pipeline.retrieval.embedders.interface import MINILM
from archive_pipeline.retrieval.embedders.onnx import OnnxEmbedder
from archive_pipeline.retrieval.embedders.static import StaticEmbedder
from archive_pipeline.retrieval.onnx.model import Numbers


@contextmanager
def models_shared() -> Iterator[None]:
    """Have models of packages keep what they load and give: it is the same whoever asks.

    Each archive that is indexed has a thousand words read by the model of queries, always the same ones.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(StaticEmbedder, "__init__", _loaded_once(StaticEmbedder.__init__))
        patch.setattr(OnnxEmbedder, "_vector", _read_once(OnnxEmbedder._vector))
        yield


def _loaded_once(load: Callable[[StaticEmbedder], None]) -> Callable[[StaticEmbedder], None]:
    loaded: dict[str, object] = {}

    def init(self: StaticEmbedder) -> None:
        if not loaded:
            load(self)
            loaded.update(vars(self))
        vars(self).update(loaded)

    return init


def _read_once(read: Callable[[OnnxEmbedder, str], Numbers]) -> Callable[[OnnxEmbedder, str], Numbers]:
    known: dict[str, tuple[Numbers, int]] = {}

    def vector(self: OnnxEmbedder, text: str) -> Numbers:
        if self.name != MINILM:
            return read(self, text)
        if text not in known:
            before = self.cut_texts
            numbers = read(self, text)
            known[text] = numbers, self.cut_texts - before
            self.cut_texts = before
        numbers, cut = known[text]
        self.cut_texts += cut
        return numbers

    return vector
