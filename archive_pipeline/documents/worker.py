"""The process that reads documents, apart from the one that has the database: ``process.ReaderProcess`` starts it.

It is asked on standard input and answers on standard output, in frames, one document after another. A document is
answered with its pages, a frame each, and is then drawn if that is asked for.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import psutil

from archive_pipeline.documents.confinement import EXIT_OUT_OF_MEMORY, TimeAllowance, confine
from archive_pipeline.documents.framing import read_frame, write_frame
from archive_pipeline.documents.limits import MAX_IDLE_BYTES
from archive_pipeline.documents.reading import damaged, read_document
from archive_pipeline.documents.records import Document, Kind
from archive_pipeline.errors import MissingExtraError, UnreadableDocumentError


class _Worker:
    def __init__(self, answers: int) -> None:
        self._answers = answers
        self._document: Document | None = None
        self._name = ""
        self._time = TimeAllowance()

    def answer(self, request: dict[str, Any]) -> None:
        """Do what is asked, and say how it ended."""
        work: Callable[[], None] = self._draw if request["do"] == "draw" else lambda: self._read(request)
        try:
            work()
        except MissingExtraError as error:
            self._say("missing_extra", reason=str(error))
        except UnreadableDocumentError as error:
            self._say("unreadable", reason=str(error))

    def _read(self, request: dict[str, Any]) -> None:
        self._document, self._name = None, request["name"]
        self._time = TimeAllowance()
        kind = None if request["kind"] is None else Kind(request["kind"])
        self._document = document = read_document(
            Path(request["path"]), name=self._name, kind=kind, page_done=self._page_done
        )
        for page in document.pages:
            self._say("page", page=asdict(page))
        self._say("read", kind=document.kind, extension=document.extension, notes=document.notes, is_full=_is_full())

    def _draw(self) -> None:
        document = self._document
        if document is None:
            raise RuntimeError("no document was read")
        try:
            for number, image in document.page_images():
                self._say("image", image.png + image.thumbnail, number=number, png_bytes=len(image.png))
                self._time.page_done()
        except Exception as error:  # parsers of damaged files raise anything
            if isinstance(error, MissingExtraError):
                raise
            raise damaged(self._name, error) from error
        self._say("drawn", is_full=_is_full())

    def _page_done(self) -> None:
        self._time.page_done()
        self._say("progress")

    def _say(self, what: str, content: bytes = b"", **values: Any) -> None:
        write_frame(self._answers, {"is": what, **values}, content)


def _is_full() -> bool:
    """Tell whether this process holds so much memory that the next document had better be read by another one."""
    return bool(psutil.Process().memory_info().rss > MAX_IDLE_BYTES)


def main() -> None:
    """Answer until there is nothing more to do, or nobody who asks."""
    try:
        _answer_all()
    except BrokenPipeError:
        sys.exit(1)  # the parent is gone


def _answer_all() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent says when it is over
    answers = os.dup(1)
    os.dup2(2, 1)  # what libraries print is no answer
    confine(int(sys.argv[1]))
    worker = _Worker(answers)
    write_frame(answers, {"is": "ready"})
    try:
        while (frame := read_frame(0)) is not None:
            worker.answer(frame[0])
    except MemoryError:
        # What a library was in the midst of is unknown, so nothing is read, or even said, after it.
        os._exit(EXIT_OUT_OF_MEMORY)
