"""Batches in a temporary file: reading one back takes a tenth of the time in which PostgreSQL gives it.

What assets computed of a batch is written behind it, and read back with it: it takes longer to compute again.
"""

from __future__ import annotations

import logging
import pickle
import tempfile
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, fields
from threading import Lock
from typing import IO, Any, Final

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
class _Places:
    """Where a batch is in the file, where results of it are, and of which functions these are."""

    batch: int
    results: list[int] = field(default_factory=list)
    functions: set[Hashable] = field(default_factory=set)


@dataclass
class SpilledBatches:
    """Batches of one run in a file that has no name and goes with the process; several threads may use it.

    Attributes:
        budget: bytes of the file; what does not fit is not kept. Nor is it where the disk is full.
    """

    budget: int
    _file: IO[bytes] | None = field(default=None, repr=False)
    _places: dict[Hashable, _Places] = field(default_factory=dict, repr=False)
    _end: int = 0
    _lock: Lock = field(default_factory=Lock, repr=False)

    def put(self, key: Hashable, batch: DialogueBatch) -> None:
        """Keep a batch if there is room."""
        with self._lock:
            # Piece by piece: as one object of bytes, a large dialogue would be in memory a second time.
            place = self._append([getattr(batch, name) for name in _FIELDS])
            if place is not None:
                self._places[key] = _Places(place)

    def put_results(self, key: Hashable, results: Mapping[Hashable, Any]) -> None:
        """Keep what was computed of a batch that is kept, by function, if there is room."""
        with self._lock:
            places = self._places.get(key)
            if places is None:
                return
            new = {function: result for function, result in results.items() if function not in places.functions}
            place = self._append(new) if new else None
            if place is not None:
                places.results.append(place)
                places.functions.update(new)

    def get(self, key: Hashable) -> DialogueBatch | None:
        """Return a batch with the results of it, None if it was not kept or cannot be read."""
        with self._lock:
            places = self._places.get(key)
            if places is None or self._file is None:
                return None
            try:
                batch = DialogueBatch(**dict(zip(_FIELDS, self._read(self._file, places.batch), strict=True)))
                for place in places.results:
                    batch.results.update(self._read(self._file, place))
            except OSError as error:
                self._stop(error)
                return None
            return batch

    def _append(self, value: object) -> int | None:
        """Write a value at the end; return where it is, None if there was no room."""
        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile(prefix="llm-archive-")  # noqa: SIM115 (open as long as this is)
            place = self._file.seek(self._end)
            pickle.dump(value, _Bounded(self._file, self.budget - place), protocol=pickle.HIGHEST_PROTOCOL)
            self._file.flush()
        except _NoRoomError:
            return None
        except OSError as error:
            self._stop(error)
            return None
        self._end = self._file.tell()
        return place

    def _read(self, file: IO[bytes], place: int) -> Any:
        file.seek(place)  # writes what is left of a value that did not fit
        return pickle.load(file)  # noqa: S301 (nobody else can open the file)

    def _stop(self, error: OSError) -> None:
        _log.info("batches are read again from the database: the temporary file cannot be used (%s)", error)
        self.budget = 0
