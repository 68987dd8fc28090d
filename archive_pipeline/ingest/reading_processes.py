"""A process that reads files for this one, from this one's side: how it is started, asked, and ended."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any, Final

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.errors import ReaderProcessError
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
from archive_pipeline.ingest.child_process import ending, start_child
from archive_pipeline.ingest.groups import GroupContents, Header
from archive_pipeline.ingest.linking import NOTHING_KNOWN
from archive_pipeline.ingest.prepare import PreparedDialogue
from archive_pipeline.readers.json.treatment import MisguessedElementError
from archive_pipeline.readers.shares import FileOutcome
from archive_pipeline.store.copy_binary import EncodedTable

_SECONDS_TO_END: Final = 30
WHAT_NOW: Final = "what was committed stays, run the import again"


class ReadingProcess:
    """A process that reads ahead, and the connection with it.

    Attributes:
        locator: of the file that is waited for, to tell people of.
    """

    def __init__(self, begin: Begin) -> None:
        own, other = Pipe()
        self.locator = ""
        self._connection: Connection[Request | Begin, Reply] = own
        self._waiting: deque[Reply] = deque()
        with other:
            self._process = start_child("archive_pipeline.ingest.ahead_process", other)
        self._send(begin)

    def ask_for(self, request: ReadFile) -> None:
        """Have a file read when those that were asked for before are."""
        self._send(request)

    def has_found(self, locator: str) -> bool:
        """Tell whether the process has found the next file that it was asked for, which is the one named so."""
        self.locator = locator
        first = self._next()
        if isinstance(first, NoSuchFile):
            return False
        self._waiting.appendleft(first)
        return True

    def next_group(self) -> GroupElsewhere | FileOutcome:
        """Return the next group that the process has of the file; what is known of the file after the last one.

        Raises:
            MisguessedElementError: from this group on the file is to be read exactly; the process has no more of it.
        """
        reply = self._next()
        if isinstance(reply, Misguessed):
            raise MisguessedElementError
        if isinstance(reply, FileRead):
            return reply.outcome
        if not isinstance(reply, GroupRead):
            raise TypeError(f"expected a group, got {type(reply).__name__}")
        return GroupElsewhere(self, reply)

    def release(self, group: int) -> None:
        """Say that a group is of no more use."""
        self._send(Release(group))

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
            name = reply.locator or self.locator
            raise ReaderProcessError(f"{name}: cannot be read on ({reply.error}); {WHAT_NOW}")
        return reply

    def _ended(self) -> ReaderProcessError:
        how = ending(self._process, _SECONDS_TO_END)
        return ReaderProcessError(f"{self.locator}: a process that reads it ended ({how}); {WHAT_NOW}")


class GroupElsewhere:
    """A group in another process.

    Attributes:
        contents: what was read.
        bytes_read: how many bytes of the file were read by then.
    """

    def __init__(self, process: ReadingProcess, read: GroupRead) -> None:
        self.contents: GroupContents = read.contents
        self.bytes_read = read.bytes_read
        self._process = process
        self._number = read.group

    def release(self) -> None:
        """Let the process forget the group."""
        self._process.release(self._number)

    def prepare_again(self, position: int, occurrence: int) -> Header | RejectedRecord:
        """Return a dialogue without an id anew, of which the file has so many before that begin like it."""
        found: Header | RejectedRecord = self._process.call(self._number, "prepare_again", position, occurrence)
        return found

    def rows(self, positions: Sequence[int], import_id: str) -> Mapping[str, EncodedTable]:
        """Return all rows of some dialogues, as of new ones that an import brings, by table."""
        found: Mapping[str, EncodedTable] = self._process.call(self._number, "rows", positions, import_id)
        return found

    def prepared(self, position: int, known: Mapping[str, str | None] = NOTHING_KNOWN) -> PreparedDialogue:
        """Return a dialogue."""
        found: PreparedDialogue = self._process.call(self._number, "prepared", position, known)
        return found
