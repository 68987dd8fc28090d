"""Reading ahead: large files are read, and what they hold is prepared, in a process of its own while this one writes.

Of the processor time of an import, reading and preparing take two thirds and PostgreSQL nearly all of the rest, so two
processors do both at the same time. What is held ahead is bounded: ``ahead_process.GROUPS_AHEAD`` groups.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import archive_pipeline
from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.errors import ReaderProcessError
from archive_pipeline.ingest.ahead_messages import (
    Answer,
    Begin,
    Call,
    Failed,
    FileRead,
    GroupRead,
    NoSuchFile,
    ReadFile,
    Release,
    Reply,
    Request,
)
from archive_pipeline.ingest.groups import Group, Header, ImportContext, read_groups
from archive_pipeline.ingest.linking import NOTHING_KNOWN
from archive_pipeline.ingest.new_rows import Kinds
from archive_pipeline.ingest.prepare import PreparedDialogue
from archive_pipeline.readers.reading import ArchiveReading, FileReading
from archive_pipeline.store.copy_text import EncodedTable

# Of JSON. A process takes as long to start as it takes to read a third of this.
AHEAD_FROM_BYTES: Final = 6_000_000
_SECONDS_TO_END: Final = 30


class ReadAhead:
    """Gives the groups of files; a context manager, at whose end the process that read ahead has ended.

    Args:
        reading: what is imported.
        kinds: how columns are written.
        is_partial: of the import. Partial exports are prepared with what is stored, and are read in this process.
    """

    def __init__(self, reading: ArchiveReading, kinds: Kinds, *, is_partial: bool) -> None:
        self._reading = reading
        self._kinds = kinds
        self._is_partial = is_partial
        self._process: _Process | None = None

    def __enter__(self) -> Self:
        if any(map(self._is_worth_it, self._reading.files)):
            self._process = _Process(Begin(self._reading.paths, self._reading.source, self._kinds))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None:
            self._process.close()

    def groups(self, file: FileReading, context: ImportContext) -> Iterator[Group]:
        """Yield the groups of a file; one is of use until the next one is asked for.

        Raises:
            ReaderProcessError: the process that reads ahead ended.
        """
        if self._process is not None and self._is_worth_it(file) and self._process.ask_for(file, context):
            yield from self._process.groups(file)
        else:
            yield from read_groups(file.records(), context, self._kinds)

    def _is_worth_it(self, file: FileReading) -> bool:
        return file.size >= AHEAD_FROM_BYTES and not self._is_partial and (os.cpu_count() or 1) > 1


class _Process:
    """The process that reads ahead, and the connection with it."""

    def __init__(self, begin: Begin) -> None:
        own, other = Pipe()
        self._connection: Connection[Request | Begin, Reply] = own
        self._waiting: deque[Reply] = deque()
        package = str(Path(archive_pipeline.__file__).resolve().parent.parent)
        with other:
            # -P: no module comes from the present folder, which may hold anything.
            self._process = subprocess.Popen(  # noqa: S603 (this Python and a module of ours)
                [sys.executable, "-P", "-m", "archive_pipeline.ingest.ahead_process", str(other.fileno())],
                stdin=subprocess.DEVNULL,
                pass_fds=[other.fileno()],
                env={**os.environ, "PYTHONPATH": os.pathsep.join([package, os.environ.get("PYTHONPATH", "")])},
                process_group=0,  # Ctrl-C is for this process, which ends the other one
            )
        self._name = ""
        self._send(begin)

    def ask_for(self, file: FileReading, context: ImportContext) -> bool:
        """Have a file read; tell whether the process has found it."""
        self._name = file.locator
        self._send(ReadFile(file.locator, context))
        first = self._next()
        if isinstance(first, NoSuchFile):
            return False
        self._waiting.append(first)
        return True

    def groups(self, file: FileReading) -> Iterator[Group]:
        """Yield the groups of the file that was asked for; its state is that of the other process's in the end."""
        while isinstance(reply := self._next(), GroupRead):
            file.bytes_read_elsewhere = reply.bytes_read
            yield _GroupElsewhere(self, reply.group, reply.items)
            self._send(Release(reply.group))
        if not isinstance(reply, FileRead):
            raise TypeError(f"expected a group, got {type(reply).__name__}")
        file.adopt(reply.outcome)

    def call(self, group: int, method: str, *arguments: Any) -> Any:
        """Return what a method of a group returns there."""
        self._send(Call(group, method, arguments))
        while not isinstance(reply := self._receive(), Answer):
            self._waiting.append(reply)
        if reply.error is not None:
            raise reply.error
        return reply.value

    def close(self) -> None:
        """End the process, whatever it does."""
        self._connection.close()
        self._process.kill()
        self._process.wait(_SECONDS_TO_END)

    def _next(self) -> Reply:
        return self._waiting.popleft() if self._waiting else self._receive()

    def _send(self, request: Request | Begin) -> None:
        try:
            self._connection.send(request)
        except ConnectionError as error:
            raise self._ended() from error

    def _receive(self) -> Reply:
        try:
            reply = self._connection.recv()
        except (EOFError, ConnectionError) as error:
            raise self._ended() from error
        if isinstance(reply, Failed):
            raise ReaderProcessError(f"{self._name}: cannot be read on ({reply.error}); {_WHAT_NOW}")
        return reply

    def _ended(self) -> ReaderProcessError:
        code = self._process.wait(_SECONDS_TO_END)
        how = f"by signal {-code}, as the system does when memory is short" if code < 0 else f"with code {code}"
        return ReaderProcessError(f"{self._name}: the process that reads it ended ({how}); {_WHAT_NOW}")


_WHAT_NOW: Final = "what was committed stays, run the import again"


class _GroupElsewhere:
    """A group in the other process."""

    def __init__(self, process: _Process, number: int, items: Sequence[Header | RejectedRecord]) -> None:
        self.items = items
        self._process = process
        self._number = number

    def rows(self, positions: Sequence[int]) -> Mapping[str, EncodedTable]:
        """Return all rows of some dialogues, as of new ones, by table."""
        found: Mapping[str, EncodedTable] = self._process.call(self._number, "rows", positions)
        return found

    def prepared(self, position: int, known: Mapping[str, str | None] = NOTHING_KNOWN) -> PreparedDialogue:
        """Return a dialogue."""
        found: PreparedDialogue = self._process.call(self._number, "prepared", position, known)
        return found
