"""A file that is an array of one conversation's messages, told by its name, read as one object with them.

What else such a file would say of its conversation is in its folder's name, so that is handed on too: the file becomes
``{"file": name, "folder": name, "messages": [...]}``. Other files, and what is no array, pass as they are.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
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


def as_one_conversation(source: ByteSource, path: PurePosixPath, names: frozenset[str]) -> ByteSource:
    """Returns what the file is read from.

    Args:
        source: the open file, at its start.
        path: of the file, without what compressed files are named by.
        names: of files that are such arrays.
    """
    return _Array(source, path) if path.name in names else source


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
