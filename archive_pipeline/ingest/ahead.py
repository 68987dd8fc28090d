"""Reading ahead: files are read, and what they hold is prepared, in processes of their own while this one writes.

Of the processor time of an import, reading and preparing take two thirds and PostgreSQL nearly all of the rest. A large
file is read by all of the processes, each of which makes the records of a share of its groups and passes over the
others; small ones, and databases, which may change between two readings, are read whole, one process each, while those
before them are written. Groups come here in the order of the file, so that what becomes of them does not depend on how
many processes there are. What is held ahead is bounded: ``ahead_process.GROUPS_AHEAD`` groups in each process.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from types import TracebackType
from typing import Final, Self

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.errors import ReaderProcessError
from archive_pipeline.ingest.ahead_messages import Begin, ReadFile
from archive_pipeline.ingest.groups import Group, ReadGroup, read_groups
from archive_pipeline.ingest.new_rows import Kinds
from archive_pipeline.ingest.reading_processes import WHAT_NOW, GroupElsewhere, ReadingProcess
from archive_pipeline.readers.json.treatment import MisguessedElementError
from archive_pipeline.readers.reading import ArchiveReading, FileReading
from archive_pipeline.readers.shares import FileOutcome, Share

# Of JSON, for each process. One takes as long to start as it takes to read a third of this.
AHEAD_FROM_BYTES: Final = 6_000_000
# PostgreSQL is busy with what two or three of them read.
MAX_PROCESSES: Final = 4
_CHANGED: Final = "it changed while it was read"
# Of a file on disk: which one it is, its size, and when it was written.
_State = tuple[int, int, int, int]


class ReadAhead:
    """Gives the groups of files; a context manager, at whose end the processes that read ahead have ended.

    Args:
        reading: what is imported.
        kinds: how columns are written.
        is_partial: of the import. Partial exports are prepared with what is stored, and are read in this process.
        workers: how many processes may be busy, this one among them; if it is the only one, it reads as well.
    """

    def __init__(self, reading: ArchiveReading, kinds: Kinds, *, is_partial: bool, workers: int) -> None:
        self._reading = reading
        self._kinds = kinds
        self._is_partial = is_partial
        self._workers = workers
        self._processes: list[ReadingProcess] = []
        self._stack = ExitStack()
        self._asked: list[Sequence[ReadingProcess]] = []  # who reads a file, of the files in their order
        self._small = 0
        self._begun = 0
        self._states: dict[str, _State | None] = {}  # of the files that are being read, by locator

    def __enter__(self) -> Self:
        self._start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def groups(self, file: FileReading) -> Iterator[Group]:
        """Yield the groups of the next file; one is of use until the next one is asked for.

        Of a file that is read anew, and is not what it was when it was asked for first, the last group says so: its
        first groups are those of another file.

        Raises:
            ReaderProcessError: a process that reads ahead ended, or two of them have read different files.
        """
        self._begun += 1
        processes, first = self._ask(), 0
        is_read_anew = False
        while _have_found(file, processes):
            try:
                for group in _groups(file, processes, first):
                    first += 1
                    yield group
            except MisguessedElementError:
                processes = self._ask_exactly(file, first)
                is_read_anew = True
            else:
                break
        else:
            yield from read_groups(file, Share(exact_from=first), self._kinds, is_partial=self._is_partial)
        if is_read_anew and _state_of(file) != self._states[file.locator]:
            yield self._changed(file)

    def _changed(self, file: FileReading) -> Group:
        group = ReadGroup(self._kinds, is_partial=self._is_partial)
        group.add(RejectedRecord(file.locator, f"{_CHANGED}: import it again", whole_file=True))
        return group

    def _start(self) -> None:
        with ExitStack() as stack:
            for _ in range(self._number_of_processes()):
                process = ReadingProcess(Begin(self._reading.places, self._reading.source, self._kinds))
                stack.callback(process.close)
                self._processes.append(process)
            self._stack = stack.pop_all()

    def _ask_exactly(self, file: FileReading, first: int) -> Sequence[ReadingProcess]:
        """Have a file read by new processes, without guesses, from a group on; return who reads it.

        What the old ones have of this file and of later ones is worth nothing, or comes too early.
        """
        self._stack.close()
        self._processes.clear()
        self._start()
        del self._asked[self._begun - 1 :]
        self._asked.append(self._readers_of(file, exact_from=first))
        return self._ask()

    def _number_of_processes(self) -> int:
        if self._is_partial:
            return 0
        return min(self._workers - 1, MAX_PROCESSES, self._reading.total_bytes // max(AHEAD_FROM_BYTES, 1))

    def _ask(self) -> Sequence[ReadingProcess]:
        """Have the present file read, and those that come soon; return who reads the present one."""
        if not self._processes:
            return ()
        for file in self._reading.files[len(self._asked) : self._begun + len(self._processes)]:
            self._asked.append(self._readers_of(file))
        return self._asked[self._begun - 1]

    def _readers_of(self, file: FileReading, exact_from: int | None = None) -> Sequence[ReadingProcess]:
        processes = self._processes
        if exact_from is None:
            self._states[file.locator] = _state_of(file)
        if file.size < AHEAD_FROM_BYTES or file.may_change:
            processes = [processes[self._small % len(processes)]]
            self._small += 1
        for number, process in enumerate(processes):
            process.ask_for(ReadFile(file.locator, number, len(processes), exact_from))
        return tuple(processes)


def _have_found(file: FileReading, processes: Sequence[ReadingProcess]) -> bool:
    """Tell whether the processes have found the file; if not all have, since files came or went, none goes on."""
    found = [process for process in processes if process.has_found(file.locator)]
    if found and len(found) == len(processes):
        return True
    for process in found:
        with suppress(MisguessedElementError):
            deque(_groups(file, [process]), maxlen=0)
    return False


def _groups(file: FileReading, processes: Sequence[ReadingProcess], first: int = 0) -> Iterator[GroupElsewhere]:
    """Yield the groups that some processes have of a file, in the file's order; adopt what is known of it."""
    number = first
    while isinstance(group := processes[number % len(processes)].next_group(), GroupElsewhere):
        file.bytes_read_elsewhere = group.bytes_read
        yield group
        group.release()
        number += 1
    # Whoever would have had the next group has come to the end, and so have all.
    place = number % len(processes)
    ends = [group if other == place else process.next_group() for other, process in enumerate(processes)]
    outcomes = [end for end in ends if isinstance(end, FileOutcome)]
    if len(outcomes) < len(ends):
        raise ReaderProcessError(f"{file.locator}: {_CHANGED}; {WHAT_NOW}")
    file.adopt(outcomes[0])


def _state_of(file: FileReading) -> _State | None:
    """Return what tells a file on disk, or the zip that it is in, from another one; None if it cannot be found."""
    try:
        found = file.path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
