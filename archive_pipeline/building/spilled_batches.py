"""Batches in a temporary file: reading one back takes a tenth of the time in which PostgreSQL gives it."""

from __future__ import annotations

import logging
import pickle
import tempfile
from collections.abc import Hashable
from dataclasses import dataclass, field, fields
from typing import IO, Final

from archive_pipeline.domain.batch import DialogueBatch

_FIELDS: Final = tuple(each.name for each in fields(DialogueBatch) if each.init)

_log = logging.getLogger(__name__)


class _NoRoomError(Exception):
    """What is written does not fit."""


class _Bounded:
    """A file to which only so many bytes are written."""

    def __init__(self, file: IO[bytes], room: int) -> None:
        self._file = file
        self._room = room

    def write(self, content: bytes | pickle.PickleBuffer) -> int:
        """Write what fits; what does not is an error. Large arrays come as buffers, which have no length."""
        self._room -= memoryview(content).nbytes
        if self._room < 0:
            raise _NoRoomError
        return self._file.write(content)


@dataclass
class SpilledBatches:
    """Batches of one run, without what was computed of them, in a file that has no name and goes with the process.

    Attributes:
        budget: bytes of the file; what does not fit is not kept. Nor is it where the disk is full.
    """

    budget: int
    _file: IO[bytes] | None = field(default=None, repr=False)
    _places: dict[Hashable, int] = field(default_factory=dict, repr=False)
    _end: int = 0

    def put(self, key: Hashable, batch: DialogueBatch) -> None:
        """Keep a batch if there is room."""
        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile(prefix="llm-archive-")  # noqa: SIM115 (open as long as this is)
            self._file.seek(self._end)
            # Piece by piece: as one object of bytes, a large dialogue would be in memory a second time.
            values = [getattr(batch, name) for name in _FIELDS]
            pickle.dump(values, _Bounded(self._file, self.budget - self._end), protocol=pickle.HIGHEST_PROTOCOL)
            self._file.flush()
        except _NoRoomError:
            return
        except OSError as error:
            self._stop(error)
            return
        self._places[key] = self._end
        self._end = self._file.tell()

    def get(self, key: Hashable) -> DialogueBatch | None:
        """Return a batch, None if it was not kept or cannot be read."""
        if self._file is None or key not in self._places:
            return None
        try:
            self._file.seek(self._places[key])  # writes what is left of a batch that did not fit
            values = pickle.load(self._file)  # noqa: S301 (nobody else can open the file)
        except OSError as error:
            self._stop(error)
            return None
        return DialogueBatch(**dict(zip(_FIELDS, values, strict=True)))

    def _stop(self, error: OSError) -> None:
        _log.info("batches are read again from the database: the temporary file cannot be used (%s)", error)
        self.budget = 0
