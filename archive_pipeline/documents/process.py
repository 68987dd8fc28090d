"""Documents are read in a process of their own: what a file makes its reader do ends that process and nothing else."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, Self

import archive_pipeline
from archive_pipeline.documents.confinement import EXIT_OUT_OF_MEMORY
from archive_pipeline.documents.framing import BrokenFrameError, Frame, read_frame, write_frame
from archive_pipeline.documents.limits import (
    MAX_CPU_SECONDS,
    MAX_MEMORY_BYTES,
    MAX_SILENT_SECONDS,
    check_characters,
    check_pages,
)
from archive_pipeline.documents.records import Document, Heading, Kind, Page, PageImage, no_images
from archive_pipeline.errors import ArchiveError, MissingExtraError, UnreadableDocumentError
from archive_pipeline.program import command

# Neither the database's address nor keys of services are of any use to a reader.
_PASSED_ON: Final = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
# What a reader that something got hold of may answer.
_MALFORMED: Final = (KeyError, TypeError, ValueError, AttributeError)
_LAST_ANSWERS: Final = frozenset({"read", "drawn", "unreadable", "missing_extra"})
_SECONDS_TO_END: Final = 30
_SHOWN_OF_ERRORS: Final = 4_096


class ReaderProcess:
    """Reads documents in a process with limits of memory and time; a context manager.

    The process is started with the first document and reads all of a batch. One that ended with a document is replaced
    for the next one. Use it in one thread: the kernel ends the process together with the thread that started it.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None
        # What is being read; answers belong to it.
        self._name = ""
        self._documents = 0
        # It has not answered all of what it was asked: if nobody waits for that any more, it is of no more use.
        self._is_busy = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the process, whatever it does."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait(_SECONDS_TO_END)
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    stream.close()
        if self._errors is not None:
            self._errors.close()
            self._errors = None

    def read(self, path: Path, *, name: str | None = None, kind: Kind | None = None) -> Document:
        """Read a document, as ``reading.read_document`` does; its images can be had until the next one is read.

        Raises:
            UnreadableDocumentError: it cannot be read, or not within the limits; the message says why.
            MissingExtraError: the packages that parse documents are not installed.
        """
        self._name = str(path) if name is None else name
        self._documents += 1
        self._ask({"do": "read", "path": str(path), "name": self._name, "kind": kind})
        try:
            document = self._document()
        except _MALFORMED as error:
            raise self._failed(error) from error
        return document

    def _document(self) -> Document:
        pages: list[Page] = []
        characters = 0
        while (answer := self._answer()[0])["is"] != "read":
            if answer["is"] == "page":
                pages.append(_page(answer["page"]))
                characters += pages[-1].characters
                check_characters(characters, self._name)
                check_pages(len(pages), self._name)
        kind, number = Kind(answer["kind"]), self._documents
        draws = kind.has_images
        if not draws:
            self._replace_if_full(answer)
        return Document(
            kind,
            str(answer["extension"]),
            tuple(pages),
            page_images=(lambda: self._images(number, len(pages))) if draws else no_images,
            notes=tuple(map(str, answer["notes"])),
        )

    def _images(self, number: int, pages: int) -> Iterator[tuple[int, PageImage]]:
        if number != self._documents:
            raise RuntimeError("another document was read meanwhile")
        self._ask({"do": "draw"})
        while (image := self._image(pages)) is not None:
            yield image

    def _image(self, pages: int) -> tuple[int, PageImage] | None:
        """Return the next image of a page; None after the last one."""
        try:
            frame = self._answer()
            if frame[0]["is"] == "image":
                return _image(frame, pages)
        except _MALFORMED as error:
            raise self._failed(error) from error
        self._replace_if_full(frame[0])
        return None

    def _ask(self, request: Mapping[str, Any]) -> None:
        process = self._process
        if process is None or self._is_busy or process.poll() is not None:
            process = self._start()
        self._is_busy = True
        assert process.stdin is not None  # noqa: S101 (mypy: it is a pipe)
        try:
            write_frame(process.stdin.fileno(), request)
        except BrokenPipeError as error:
            raise self._failed(error) from error

    def _answer(self) -> Frame:
        frame = self._next_frame()
        what = frame[0].get("is")
        self._is_busy = what not in _LAST_ANSWERS
        if what == "unreadable":
            raise UnreadableDocumentError(str(frame[0].get("reason")))
        if what == "missing_extra":
            raise MissingExtraError(str(frame[0].get("reason")))
        return frame

    def _next_frame(self) -> Frame:
        process = self._process
        if process is None or process.stdout is None:
            raise RuntimeError("no document is being read")
        try:
            frame = read_frame(process.stdout.fileno(), timeout=MAX_SILENT_SECONDS)
        except (BrokenFrameError, TimeoutError) as error:
            raise self._failed(error) from error
        if frame is None:
            raise self._failed(None)
        return frame

    def _failed(self, error: Exception | None) -> UnreadableDocumentError:
        """End the process, and return what is said of the document that it did not read."""
        name, process = self._name, self._process
        if isinstance(error, TimeoutError):
            reason = f"{name} was given up: no page of it was read within {MAX_SILENT_SECONDS // 60} minutes"
        elif process is None or isinstance(error, _MALFORMED):
            reason = f"{name} cannot be read: its reader does not answer as it should"
        else:
            reason = f"{name} {_why_it_ended(_code_of(process))}"
        self.close()
        return UnreadableDocumentError(reason)

    def _replace_if_full(self, answer: Mapping[str, Any]) -> None:
        if answer.get("is_full"):
            self.close()

    def _start(self) -> subprocess.Popen[bytes]:
        self.close()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the process)
        self._process = process = subprocess.Popen(  # noqa: S603 (this Python and a module of ours)
            command("archive_pipeline.documents.worker", str(os.getpid())),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=_environment(),
            process_group=0,  # Ctrl-C is for this process, which ends the other one
        )
        assert process.stdout is not None  # noqa: S101 (mypy: it is a pipe)
        try:
            frame = read_frame(process.stdout.fileno(), timeout=MAX_SILENT_SECONDS)
        except (BrokenFrameError, TimeoutError):
            frame = None
        if frame is None:
            said = self._what_it_said()
            self.close()
            raise ArchiveError(f"the process that reads documents cannot be started: {said}")
        return process

    def _what_it_said(self) -> str:
        if self._errors is None:
            return "it says nothing"
        self._errors.seek(0)
        lines = self._errors.read(_SHOWN_OF_ERRORS).decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else "it says nothing"


def _environment() -> dict[str, str]:
    passed_on = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    package = str(Path(archive_pipeline.__file__).resolve().parent.parent)
    paths = [package, *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**passed_on, "PYTHONPATH": os.pathsep.join(paths), "PYTHONUTF8": "1"}


def _code_of(process: subprocess.Popen[bytes]) -> int:
    """Return how a process ended whose answers did; one that goes on is ended."""
    try:
        return process.wait(1)
    except subprocess.TimeoutExpired:
        return 0


def _why_it_ended(code: int) -> str:
    if code == -signal.SIGXCPU:
        return f"takes more than {MAX_CPU_SECONDS} seconds of processor time for a page, and is not read: split it"
    if code == -signal.SIGKILL:
        return "was given up: the system ended its reader, as it does when memory is short"
    if code < 0:
        return f"is damaged, or needs more than {_megabytes()} MB of memory: it ended its reader ({_signal(code)})"
    if code == EXIT_OUT_OF_MEMORY:
        return f"needs more than {_megabytes()} MB of memory to be read: split it"
    return f"is damaged: its reader ended ({code}) without an answer"


def _megabytes() -> str:
    return f"{MAX_MEMORY_BYTES / 1e6:,.0f}"


def _signal(code: int) -> str:
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"


def _image(frame: Frame, pages: int) -> tuple[int, PageImage]:
    answer, content = frame
    number, size = int(answer["number"]), int(answer["png_bytes"])
    if not 1 <= number <= pages:
        raise ValueError(f"there is no page {number}")
    return number, PageImage(content[:size], content[size:])


def _page(values: Mapping[str, Any]) -> Page:
    headings = tuple(Heading(int(each["level"]), str(each["text"])) for each in values["headings"])
    return Page(**{**values, "headings": headings})
