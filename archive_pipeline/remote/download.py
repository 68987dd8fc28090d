"""Copying objects: block by block, several at a time, each object whole and of one version.

An object that fits into a block is one answer of the storage. Of larger ones the version is compared before and after;
every block has to be as long as was asked for, and is written whole.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from archive_pipeline.remote.storage import CONNECTIONS, ObjectUnavailableError, RemoteObject, Storage

BLOCK_BYTES: Final = 8 * 1024 * 1024
# Copying a smaller block is waiting for the storage and little else.
SMALL_BYTES: Final = 256 * 1024
# At a time, each with a block in memory.
LARGE_READERS: Final = 8
SMALL_READERS: Final = CONNECTIONS - LARGE_READERS
_ATTEMPTS: Final = 3


@dataclass(frozen=True, slots=True)
class Copy:
    """An object and the file that becomes its copy, which exists and is empty."""

    source: RemoteObject
    path: Path


def download(
    storage: Storage, copies: Iterable[Copy], on_bytes: Callable[[int], None]
) -> list[tuple[RemoteObject, str]]:
    """Fill the files; return the objects that cannot be copied, each with the reason.

    Args:
        storage: of all of them.
        copies: what to copy.
        on_bytes: called with the bytes of each block that was written, in this thread.

    Raises:
        UnreadableInputError: the storage does not answer; what was copied is of no use.
    """
    left, failed = list(copies), []
    for attempt in range(_ATTEMPTS):
        unavailable, changed = _attempt(storage, left, on_bytes)
        failed += unavailable
        if not changed:
            return failed
        if attempt + 1 < _ATTEMPTS:
            left, gone = _as_they_are_now(storage, changed)
            failed += gone
    reason = "changes while it is read: import it again when nothing writes to it"
    return failed + [(copy.source, f"{copy.source.address} {reason}") for copy in changed]


Failed = list[tuple[RemoteObject, str]]


def _attempt(storage: Storage, copies: Sequence[Copy], on_bytes: Callable[[int], None]) -> tuple[Failed, list[Copy]]:
    """Copy once; return what is not available, and what is not of one version or not the one that was listed."""
    unavailable: dict[int, str] = {}
    changed: set[int] = set()
    with _Readers() as readers:
        blocks = [
            readers.of(min(copy.source.size - start, BLOCK_BYTES)).submit(_copy_block, storage, copy, number, start)
            for number, copy in enumerate(copies)
            for start in range(0, copy.source.size, BLOCK_BYTES)
        ]
        for number, written, reason in _results(blocks):
            on_bytes(written or 0)
            if reason is not None:
                unavailable[number] = reason
            elif written is None:
                changed.add(number)
        several = [number for number, copy in enumerate(copies) if copy.source.size > BLOCK_BYTES]
        checks = [readers.of(0).submit(_check, storage, copies[number], number) for number in several]
        changed.update(number for number, is_same, _ in _results(checks) if not is_same)
    failed = [(copies[number].source, reason) for number, reason in sorted(unavailable.items())]
    return failed, [copies[number] for number in sorted(changed - unavailable.keys())]


class _Readers:
    """Threads that ask the storage, few for large answers and many for small ones; an error cancels what waits."""

    def __init__(self) -> None:
        self._large, self._small = ThreadPoolExecutor(LARGE_READERS), ThreadPoolExecutor(SMALL_READERS)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for pool in (self._large, self._small):
            pool.shutdown(wait=False, cancel_futures=kind is not None)
        for pool in (self._large, self._small):
            pool.shutdown()

    def of(self, size: int) -> ThreadPoolExecutor:
        """Return the threads for answers of so many bytes."""
        return self._small if size <= SMALL_BYTES else self._large


Result = tuple[int, int | None, str | None]


def _results(futures: Sequence[Future[Result]]) -> Iterator[Result]:
    return (future.result() for future in as_completed(futures))


def _copy_block(storage: Storage, copy: Copy, number: int, start: int) -> Result:
    """Copy a block; return the number of its object with the bytes written, None if the object is another one now."""
    end = min(start + BLOCK_BYTES, copy.source.size)
    is_last = end == copy.source.size
    try:
        # A byte more than the last block has tells an object that has grown.
        content = storage.read(copy.source.address, start, end + is_last)
    except ObjectUnavailableError as error:
        return number, 0, str(error)
    if len(content) != end - start:
        return number, None, None
    with copy.path.open("r+b") as file:
        file.seek(start)
        file.write(content)
    return number, len(content), None


def _check(storage: Storage, copy: Copy, number: int) -> Result:
    """Return whether an object is still the one that was listed: 1 or 0."""
    try:
        return number, int(storage.object(copy.source.address) == copy.source), None
    except ObjectUnavailableError:
        return number, 0, None


def _as_they_are_now(storage: Storage, copies: Iterable[Copy]) -> tuple[list[Copy], Failed]:
    """Return the copies with the present version of each object, their files empty, and what is gone."""
    found: list[Copy] = []
    gone: Failed = []
    for copy in copies:
        try:
            found.append(Copy(storage.object(copy.source.address), copy.path))
            os.truncate(copy.path, 0)
        except ObjectUnavailableError as error:
            gone.append((copy.source, str(error)))
    return found, gone
