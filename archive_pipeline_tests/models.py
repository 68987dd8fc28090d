"""Models that the suite opens hundreds of times: each worker of pytest loads them once, and one of all reads a text."""

from __future__ import annotations

import fcntl
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pytest

from archive_pipeline.retrieval.embedders.interface import MINILM
from archive_pipeline.retrieval.embedders.onnx import OnnxEmbedder
from archive_pipeline.retrieval.embedders.static import StaticEmbedder
from archive_pipeline.retrieval.onnx.model import Numbers


@contextmanager
def models_shared(folder: Path) -> Iterator[None]:
    """Have models of packages keep what they load and give: it is the same whoever asks.

    Each archive that is indexed has a thousand words read by the model of queries, always the same ones.

    Args:
        folder: where all workers keep what the model of queries gave.
    """
    vectors = KeptVectors(folder / "vectors.sqlite")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(StaticEmbedder, "__init__", _loaded_once(StaticEmbedder.__init__))
        patch.setattr(OnnxEmbedder, "_vector", _read_once(OnnxEmbedder._vector, vectors))
        yield


def _loaded_once(load: Callable[[StaticEmbedder], None]) -> Callable[[StaticEmbedder], None]:
    loaded: dict[str, object] = {}

    def init(self: StaticEmbedder) -> None:
        if not loaded:
            load(self)
            loaded.update(vars(self))
        vars(self).update(loaded)

    return init


class KeptVectors:
    """What a model gave, in a file that processes share: each asks by a connection of its own, also after a fork."""

    def __init__(self, file: Path) -> None:
        self._file = file
        with closing(self._connect()) as connection:
            connection.execute("CREATE TABLE IF NOT EXISTS vectors (text BLOB PRIMARY KEY, numbers BLOB, cut INTEGER)")

    def of(self, text: str) -> tuple[Numbers, int] | None:
        """Return a text's vector and whether the text was cut, None if nobody has read it yet."""
        with closing(self._connect()) as connection:
            asked = connection.execute("SELECT numbers, cut FROM vectors WHERE text = ?", [_key(text)])
            found = asked.fetchone()
        return None if found is None else (np.frombuffer(found[0], dtype=np.float32), found[1])

    def keep(self, text: str, numbers: Numbers, cut: int) -> None:
        with closing(self._connect()) as connection:
            row = (_key(text), numbers.astype(np.float32, casting="no").tobytes(), cut)
            connection.execute("INSERT OR IGNORE INTO vectors VALUES (?, ?, ?)", row)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Have all others who come here wait: they ask for the same texts in the same order."""
        with self._file.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            try:
                yield
            finally:
                fcntl.flock(lock, fcntl.LOCK_UN)  # also of a process that was forked meanwhile

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._file, isolation_level=None, timeout=60.0)
        connection.execute("PRAGMA synchronous = off")
        return connection


def _key(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _read_once(
    read: Callable[[OnnxEmbedder, str], Numbers], kept: KeptVectors
) -> Callable[[OnnxEmbedder, str], Numbers]:
    known: dict[str, tuple[Numbers, int]] = {}

    def vector(self: OnnxEmbedder, text: str) -> Numbers:
        if self.name != MINILM:
            return read(self, text)
        if text not in known:
            with kept.alone():
                known[text] = kept.of(text) or _read(self, text)
        numbers, cut = known[text]
        self.cut_texts += cut
        return numbers

    def _read(self: OnnxEmbedder, text: str) -> tuple[Numbers, int]:
        before = self.cut_texts
        numbers = read(self, text)
        cut, self.cut_texts = self.cut_texts - before, before
        kept.keep(text, numbers, cut)
        return numbers, cut

    return vector
