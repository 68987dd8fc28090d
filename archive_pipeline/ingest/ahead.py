"""Reading ahead: files are read, and what they hold is prepared, in processes of their own while this one writes.

Of the processor time of an import, reading and preparing take two thirds and PostgreSQL nearly all of the rest. A large
file is read by all of the processes, each of which makes the records of a share of its groups; small ones are read
whole, one process each, while those before them are written. Groups come here in the order of the file, so that what
becomes of them does not depend on how many processes there are. What is held ahead is bounded:
``ahead_process.GROUPS_AHEAD`` groups in each process.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Final, Self

from archive_pipeline.ingest.ahead_messages import Begin, ReadFile
from archive_pipeline.ingest.groups import Group, read_groups
from archive_pipeline.ingest.new_rows import Kinds
from archive_pipeline.ingest.reading_processes import GroupElsewhere, ReadingProcess
from archive_pipeline.readers.reading import ArchiveReading, FileReading
from archive_pipeline.readers.shares import FileOutcome, Share

# Of JSON, for each process. One takes as long to start as it takes to read a third of this.
AHEAD_FROM_BYTES: Final = 6_000_000
# Each goes through all of a large file, and PostgreSQL is busy with what three of them read.
MAX_PROCESSES: Final = 4


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

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            for _ in range(self._number_of_processes()):
                process = ReadingProcess(Begin(self._reading.places, self._reading.source, self._kinds))
                stack.callback(process.close)
                self._processes.append(process)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def groups(self, file: FileReading) -> Iterator[Group]:
        """Yield the groups of the next file; one is of use until the next one is asked for.

        Raises:
            ReaderProcessError: a process that reads ahead ended.
        """
        processes = self._ask()
        found = [process for process in processes if process.has_found(file.locator)]
        if found and len(found) == len(processes):
            yield from _groups(file, found)
            return
        for process in found:  # files came or went meanwhile
            deque(_groups(file, [process]), maxlen=0)
        yield from read_groups(file, Share(), self._kinds, is_partial=self._is_partial)

    def _number_of_processes(self) -> int:
        if self._is_partial:
            return 0
        return min(self._workers - 1, MAX_PROCESSES, self._reading.total_bytes // max(AHEAD_FROM_BYTES, 1))

    def _ask(self) -> Sequence[ReadingProcess]:
        """Have the next file read, and those that come soon; return who reads the next one."""
        self._begun += 1
        if not self._processes:
            return ()
        for file in self._reading.files[len(self._asked) : self._begun + len(self._processes)]:
            self._asked.append(self._readers_of(file))
        return self._asked[self._begun - 1]

    def _readers_of(self, file: FileReading) -> Sequence[ReadingProcess]:
        processes = self._processes
        if file.size < AHEAD_FROM_BYTES:
            processes = [processes[self._small % len(processes)]]
            self._small += 1
        for number, process in enumerate(processes):
            process.ask_for(ReadFile(file.locator, number, len(processes)))
        return processes


def _groups(file: FileReading, processes: Sequence[ReadingProcess]) -> Iterator[GroupElsewhere]:
    """Yield the groups that some processes have of a file, in the file's order; adopt what is known of it."""
    number = 0
    while isinstance(group := processes[number % len(processes)].next_group(), GroupElsewhere):
        file.bytes_read_elsewhere = group.bytes_read
        yield group
        group.release()
        number += 1
    # Whoever would have had the next group has come to the end, and so have all.
    place = number % len(processes)
    outcomes = [group if other == place else process.next_group() for other, process in enumerate(processes)]
    if not isinstance(outcomes[0], FileOutcome):
        raise TypeError(f"expected the end of a file, got {type(outcomes[0]).__name__}")
    file.adopt(outcomes[0])
