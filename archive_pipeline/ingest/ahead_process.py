"""A process that reads files ahead of the one that writes: ``reading_processes`` starts it.

It has no database. It keeps each group until that is written, since rows and prepared dialogues are asked for only when
it is known which of them are new, and goes on reading meanwhile. Where all dialogues were new so far, it encodes rows
before they are asked for: who writes would wait for that. It ends when nobody is at the other end of the connection.
"""

from __future__ import annotations

import select
import signal
import sys
from collections import deque
from multiprocessing.connection import Connection
from typing import Any, Final

from archive_pipeline.ingest.ahead_messages import (
    Answer,
    Begin,
    Call,
    Failed,
    FileRead,
    GroupRead,
    Misguessed,
    NoSuchFile,
    ReadFile,
    Release,
    Reply,
    Request,
)
from archive_pipeline.ingest.collection import seldom_collected
from archive_pipeline.ingest.groups import ReadGroup, read_groups
from archive_pipeline.ingest.new_rows import Kinds
from archive_pipeline.readers.json.treatment import MisguessedElementError
from archive_pipeline.readers.reading import ArchiveReading, FileReading, read_paths
from archive_pipeline.readers.shares import Share

# Groups that are read and not yet written: one that is being written, one that waits for it.
GROUPS_AHEAD: Final = 2
# Of a dialogue that cannot be written: the importer rejects it.
_OF_DIALOGUES: Final = (ValueError, TypeError)


class _AnsweringShare(Share):
    """Has what is asked meanwhile answered before each record."""

    def __init__(self, request: ReadFile, reader: _Reader) -> None:
        super().__init__(request.number, request.of, request.exact_from)
        self._reader = reader

    def takes(self, size: int | None) -> bool:
        self._reader.answer()
        return super().takes(size)


class _Reader:
    """Reads one file after another, and answers meanwhile what it is asked.

    Attributes:
        locator: of the file that it reads.
    """

    def __init__(self, connection: Connection[Reply, Request], reading: ArchiveReading, kinds: Kinds) -> None:
        self.locator = ""
        self._connection = connection
        self._reading = reading
        self._kinds = kinds
        self._asked: deque[ReadFile] = deque()
        self._groups: dict[int, ReadGroup] = {}
        self._number = 0
        self._encodes_ahead = True
        self._poll = select.poll()  # several times faster than the connection's own, for each record
        self._poll.register(connection.fileno(), select.POLLIN)

    def read_next(self) -> None:
        """Read the next file that is asked for."""
        while not self._asked:
            self._do(self._connection.recv())
        request = self._asked.popleft()
        self.locator = request.locator
        file = self._reading.file(request.locator)
        if file is None:
            self._connection.send(NoSuchFile())
            return
        try:
            with seldom_collected():
                self._read(file, _AnsweringShare(request, self))
        except MisguessedElementError:
            self._connection.send(Misguessed())
        else:
            self._connection.send(FileRead(file.outcome()))

    def _read(self, file: FileReading, share: Share) -> None:
        for group in read_groups(file, share, self._kinds, is_partial=False):
            if self._encodes_ahead:
                group.encode_ahead(self.answer)
            self._groups[self._number] = group
            self._connection.send(GroupRead(self._number, group.contents, file.bytes_read))
            self._number += 1
            while len(self._groups) >= GROUPS_AHEAD:
                self._do(self._connection.recv())

    def answer(self) -> None:
        """Answer what is asked, if anything is."""
        while self._poll.poll(0):
            self._do(self._connection.recv())

    def _do(self, request: Request) -> None:
        if isinstance(request, Release):
            released = self._groups.pop(request.group)
            # What follows is mostly as what was written: of an archive's first export all dialogues are new.
            self._encodes_ahead = released.are_all_new
        elif isinstance(request, Call):
            self._connection.send(_answer(self._groups[request.group], request))
        else:
            self._asked.append(request)


def _answer(group: ReadGroup, call: Call) -> Answer:
    methods: dict[str, Any] = {"rows": group.rows, "prepared": group.prepared, "prepare_again": group.prepare_again}
    try:
        return Answer(methods[call.method](*call.arguments))
    except _OF_DIALOGUES as error:
        return Answer(error=error)


def serve(connection: Connection[Any, Any]) -> None:
    """Read what is asked for until the connection ends."""
    reader = None
    try:
        begin: Begin = connection.recv()
        reader = _Reader(connection, read_paths(begin.places, source=begin.source), begin.kinds)
        while True:
            reader.read_next()
    except (EOFError, ConnectionError):
        return  # the importer is done, or gone
    except Exception as error:  # noqa: BLE001 - said to the importer, which is waiting
        connection.send(Failed(f"{type(error).__name__}: {error}", reader.locator if reader else ""))


def main() -> None:
    """Serve the connection whose file descriptor is the first argument."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the importer says when it is over
    serve(Connection(int(sys.argv[1])))
