"""Files of one conversation of which only their names say which it is: these are handed on with what is in the file.

A file that is an array of messages, told by its name, becomes ``{"file": name, "folder": name, "messages": [...]}``. An
object, told by the end of its name and by its beginning, gets its name as ``file``. Other files pass as they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import PurePosixPath
from typing import Final

from archive_pipeline.readers.decided import Decided, Pieces
from archive_pipeline.readers.json.blocks import ByteSource, blocks_of
from archive_pipeline.readers.json.slices import BLANK

FILE: Final = "file"
FOLDER: Final = "folder"
MESSAGES: Final = "messages"
_BLOCK_BYTES: Final = 16 * 1024


def as_one_conversation(
    source: ByteSource, path: PurePosixPath, names: frozenset[str], named: Mapping[str, re.Pattern[bytes]]
) -> ByteSource:
    """Returns what the file is read from.

    Args:
        source: the open file, at its start.
        path: of the file, without what compressed files are named by.
        names: of files that are such arrays.
        named: what such an object begins with, by the end of its file's name.
    """
    if path.name in names:
        return _Array(source, path)
    begins = next((begins for end, begins in named.items() if path.name.endswith(end)), None)
    return source if begins is None else _Object(source, path, begins)


class _Array(Decided):
    """A file that is an array, or read as it is: what it is shows when it is read first."""

    def __init__(self, source: ByteSource, path: PurePosixPath) -> None:
        super().__init__(source)
        self._path = path

    def _decide(self) -> bytes:
        blocks = blocks_of(self._source, _BLOCK_BYTES)
        head = next(blocks, b"")
        if not head.lstrip(BLANK).startswith(b"["):
            self._source = Pieces(blocks)
            return head
        self._source = Pieces(self._as_object(chain([head], blocks)))
        return b""

    def _as_object(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        names = json.dumps({FILE: self._path.name, FOLDER: self._path.parent.name}).removesuffix("}")
        yield f'{names},"{MESSAGES}":'.encode()
        yield from blocks
        yield b"}\n"


class _Object(Decided):
    """A file that is an object, which gets the file's name as its first field if it begins as one that needs it."""

    def __init__(self, source: ByteSource, path: PurePosixPath, begins: re.Pattern[bytes]) -> None:
        super().__init__(source)
        self._name = path.name
        self._begins = begins

    def _decide(self) -> bytes:
        blocks = blocks_of(self._source, _BLOCK_BYTES)
        head = b""
        while len(head) < _BLOCK_BYTES and (block := next(blocks, b"")):
            head += block
        self._source = Pieces(blocks)
        if self._begins.match(head) is None:
            return head
        return json.dumps({FILE: self._name}).removesuffix("}").encode() + b"," + head.lstrip(BLANK).removeprefix(b"{")
