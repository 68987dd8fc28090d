"""Members of a zip as streams. The zip's directory is read once for all of them, not once for each."""

from __future__ import annotations

import os
import shutil
import struct
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, BinaryIO, Final, Self, cast

from archive_pipeline.domain.zip_errors import DAMAGED_ZIP
from archive_pipeline.errors import UnreadableInputError

# The record that ends a zip: signature, numbers of its parts, how many members there are, and more.
_END: Final = struct.Struct("<4s6xH10x")
_END_SIGNATURE: Final = b"PK\5\6"
_COUNTED_ELSEWHERE: Final = 0xFFFF
_IN_MEMORY_BYTES: Final = 16 * 1024 * 1024
_COPY_BYTES: Final = 1024 * 1024


def lists_all(archive: zipfile.ZipFile, file: BinaryIO) -> bool:
    """Tells whether the directory of a zip names as many members as its end says; damage makes it swallow some."""
    file.seek(-_END.size - len(archive.comment), os.SEEK_END)
    signature, declared = _END.unpack(file.read(_END.size))
    if signature != _END_SIGNATURE or declared == _COUNTED_ELSEWHERE:
        return True
    return bool(len(archive.infolist()) % (_COUNTED_ELSEWHERE + 1) == declared)


class OpenZip:
    """A zip that is opened with the first member that is read, and closed with the last.

    Attributes:
        unread: how many members are still to be opened; zips in it with members of their own are among them.
    """

    def __init__(self, opener: Callable[[], BinaryIO]) -> None:
        self.unread = 0
        self._opener = opener
        self._users = 0
        self._file: BinaryIO | None = None
        self._archive: zipfile.ZipFile | None = None

    def open_member(self, entry: zipfile.ZipInfo) -> BinaryIO:
        """Opens a member; may raise ``OSError`` or ``UnreadableInputError``."""
        self.unread -= 1
        self._users += 1
        try:
            if self._archive is None:
                self._file = self._opener()
                self._archive = zipfile.ZipFile(self._file)
            stream = _MemberStream(self._archive.open(entry), entry, self)
        except DAMAGED_ZIP as error:
            self.release()
            raise _damaged(entry.filename, error) from error
        except BaseException:
            self.release()
            raise
        return cast("BinaryIO", stream)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keeps the zip open, once a member was read, until the block ends."""
        self._users += 1
        try:
            yield
        finally:
            self.release()

    def release(self) -> None:
        """Closes the zip if no member is being read and none is left."""
        self._users -= 1
        if self._users == 0 and self.unread <= 0:
            if self._archive is not None:
                self._archive.close()
            if self._file is not None:
                self._file.close()
            self._file = self._archive = None

    def close(self) -> None:
        """Closes the zip, though members are left; those that are being read are closed by their reader."""
        self._users += 1
        self.unread = 0
        self.release()

    def open_zip(self, entry: zipfile.ZipInfo) -> BinaryIO:
        """Opens a member that is a zip itself, at a copy that can be read in any order.

        A small one is in memory, a larger one in a file without a name, which is gone with this process.
        """
        copy = tempfile.SpooledTemporaryFile(_IN_MEMORY_BYTES)  # noqa: SIM115 - the caller closes it
        try:
            with self.open_member(entry) as stream:
                shutil.copyfileobj(stream, copy, _COPY_BYTES)
            copy.seek(0)
        except BaseException:
            copy.close()
            raise
        return cast("BinaryIO", copy)


class _MemberStream:
    """A zip member as a stream that never gives more than the member declares."""

    def __init__(self, stream: IO[bytes], entry: zipfile.ZipInfo, owner: OpenZip) -> None:
        self._stream = stream
        self._owner = owner
        self._left = entry.file_size
        self._name = entry.filename

    def read(self, size: int = -1, /) -> bytes:
        try:
            data = self._stream.read(size)
        except DAMAGED_ZIP as error:
            raise _damaged(self._name, error) from error
        self._left -= len(data)
        if self._left < 0:
            msg = f"{self._name} unpacks to more than it declares"
            raise UnreadableInputError(msg)
        return data

    def close(self) -> None:
        self._stream.close()
        self._owner.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _damaged(name: str, error: Exception) -> UnreadableInputError:
    return UnreadableInputError(f"{name} is damaged: {error}")
