"""The process that reads files ahead of the one that writes: ``ahead.ReadAhead`` starts it.

It has no database. It keeps each group until that is written, since rows and prepared dialogues are asked for only when
it is known which of them are new, and goes on reading meanwhile. It ends when nobody is at the other end of the
connection.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from multiprocessing.connection import Connection
from typing import Any, Final

from archive_pipeline.domain.records import RejectedRecord
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
from archive_pipeline.ingest.collection import seldom_collected
from archive_pipeline.ingest.groups import ReadGroup, read_groups
from archive_pipeline.ingest.new_rows import Kinds
from archive_pipeline.readers.file_reading import FileReading, ReadDialogue
from archive_pipeline.readers.reading import ArchiveReading, read_paths

# Groups that are read and not yet written: one that is being written, one that waits for it.
GROUPS_AHEAD: Final = 2
# Of a dialogue that cannot be written: the importer rejects it.
_OF_DIALOGUES: Final = (ValueError, TypeError)


class _Reader:
    """Reads one file after another, and answers meanwhile what it is asked."""

    def __init__(self, connection: Connection[Reply, Request], reading: ArchiveReading, kinds: Kinds) -> None:
        self._connection = connection
        self._reading = reading
        self._kinds = kinds
        self._groups: dict[int, ReadGroup] = {}
        self._number = 0

    def read(self, request: ReadFile) -> None:
        """Read a file, and go on answering until all of its groups are released."""
        file = self._reading.file(request.locator)
        if file is None:
            self._connection.send(NoSuchFile())
            return
        with seldom_collected():
            for group in read_groups(self._records(file), request.context, self._kinds):
                self._groups[self._number] = group
                self._connection.send(GroupRead(self._number, group.items, file.bytes_read))
                self._number += 1
                while len(self._groups) >= GROUPS_AHEAD:
                    self._do(self._connection.recv())
        self._connection.send(FileRead(file.outcome()))
        while self._groups:
            self._do(self._connection.recv())

    def _records(self, file: FileReading) -> Iterator[ReadDialogue | RejectedRecord]:
        for item in file.records():
            while self._connection.poll():
                self._do(self._connection.recv())
            yield item

    def _do(self, request: Request) -> None:
        if isinstance(request, Release):
            del self._groups[request.group]
        elif isinstance(request, Call):
            self._connection.send(_answer(self._groups[request.group], request))


def _answer(group: ReadGroup, call: Call) -> Answer:
    methods: dict[str, Any] = {"rows": group.rows, "prepared": group.prepared}
    try:
        return Answer(methods[call.method](*call.arguments))
    except _OF_DIALOGUES as error:
        return Answer(error=error)


def serve(connection: Connection[Any, Any]) -> None:
    """Read what is asked for until the connection ends."""
    try:
        begin: Begin = connection.recv()
        reader = _Reader(connection, read_paths(begin.paths, source=begin.source), begin.kinds)
        while True:
            request = connection.recv()
            if isinstance(request, ReadFile):
                reader.read(request)
    except (EOFError, ConnectionError):
        return  # the importer is done, or gone
    except Exception as error:  # noqa: BLE001 - said to the importer, which is waiting
        connection.send(Failed(f"{type(error).__name__}: {error}"))


def main() -> None:
    """Serve the connection whose file descriptor is the first argument."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the importer says when it is over
    serve(Connection(int(sys.argv[1])))


if __name__ == "__main__":
    main()
