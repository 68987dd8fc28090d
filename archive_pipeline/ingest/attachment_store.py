"""Contents of attached files as files: ``ARCHIVE_HOME/attachments/ab/abcdef…``, named by their SHA-256.

A file is written under another name, renamed, and flushed to the disk, before a row of the database speaks of it. So a
process that is killed leaves a file that no row speaks of, never a row without its file; ``remove_strays`` removes it,
if the same archive wrote it. Whoever writes or removes here holds the archive's writer lock.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, Final

from more_itertools import chunked

from archive_pipeline.errors import ArchiveError
from archive_pipeline.ingest.attachment_owner import LIST, Owner
from archive_pipeline.ingest.media_types import HEAD_BYTES, media_type
from archive_pipeline.store.home import private_folder

FOLDER: Final = "attachments"
_PARTIAL: Final = ".partial"
_NAME: Final = re.compile(r"[0-9a-f]{64}")
_BLOCK_BYTES: Final = 1 << 20
_PER_QUESTION: Final = 1_000


@dataclass(frozen=True, slots=True)
class StoredContent:
    """A content that is on the disk: hash of its bytes (hex), their number, and what they are."""

    sha256: str
    size_bytes: int
    media_type: str


@dataclass(frozen=True, slots=True)
class AttachmentStore:
    """The folder of contents in a home.

    Attributes:
        folder: ``ARCHIVE_HOME/attachments``; it is created with the first content.
    """

    folder: Path

    @classmethod
    def of(cls, home: Path) -> AttachmentStore:
        """Return the store of a home."""
        return cls(home / FOLDER)

    def path_of(self, sha256: str) -> Path:
        """Return where a content is, or would be."""
        return self.folder / sha256[:2] / sha256

    def has(self, sha256: str, size_bytes: int) -> bool:
        """Tell whether a content is there in full length."""
        try:
            return self.path_of(sha256).stat().st_size == size_bytes
        except OSError:
            return False

    def is_intact(self, sha256: str) -> bool:
        """Tell whether a content is there and its bytes are what its name says; they are all read."""
        try:
            with self.path_of(sha256).open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest() == sha256
        except OSError:
            return False

    def add(self, stream: BinaryIO, owner: Owner) -> StoredContent:
        """Store what a stream gives, to its end; ``flush`` makes it outlive a power cut.

        Args:
            stream: the content.
            owner: the archive that it is written for.

        Raises:
            ArchiveError: nothing can be written. What the stream raises is raised as it is, and nothing is left.
        """
        with self._writing():
            private_folder(self.folder)
            descriptor, name = tempfile.mkstemp(_PARTIAL, f"{owner.name}-", self.folder)  # mode 0600
        partial = Path(name)
        try:
            with os.fdopen(descriptor, "wb") as target:
                content = self._copy(stream, target)
            with self._writing():
                path = self.path_of(content.sha256)
                private_folder(path.parent)
                owner.add(content.sha256)
                partial.replace(path)
        except BaseException:
            partial.unlink(missing_ok=True)
            raise
        return content

    def _copy(self, stream: BinaryIO, target: IO[bytes]) -> StoredContent:
        digest, head, size = hashlib.sha256(), b"", 0
        while block := stream.read(_BLOCK_BYTES):
            digest.update(block)
            head += block[: HEAD_BYTES - len(head)]
            size += len(block)
            with self._writing():
                target.write(block)
        with self._writing():
            target.flush()
        return StoredContent(digest.hexdigest(), size, media_type(head))

    def flush(self, hashes: Iterable[str]) -> None:
        """Have contents on the disk, and their names; many at once cost little more than one.

        Raises:
            ArchiveError: they cannot be written.
        """
        paths = [self.path_of(sha256) for sha256 in hashes]
        folders = {folder for path in paths for folder in (path.parent, self.folder)}
        with self._writing():
            for path in (*paths, *sorted(folders)):
                descriptor = os.open(path, os.O_RDONLY)
                try:
                    os.fsync(descriptor)
                finally:
                    os.close(descriptor)

    def _remove(self, sha256: str) -> None:
        path = self.path_of(sha256)
        path.unlink(missing_ok=True)
        with suppress(OSError):  # another content is in it, or it was not there either
            path.parent.rmdir()

    def strays(self, known: Callable[[Sequence[str]], set[str]]) -> Iterator[Path]:
        """Yield files that no content of the archive is kept in: those of interrupted imports, and of other archives.

        Args:
            known: returns those of some hashes whose content is kept.
        """
        for paths in chunked(self._files(), _PER_QUESTION):
            named = {path: path.name for path in paths if self._is_in_place(path)}
            kept = known(list(named.values())) if named else set()
            yield from (path for path in paths if named.get(path) not in kept)

    def claim(self, owner: Owner, known: Callable[[Sequence[str]], set[str]]) -> None:
        """Have an archive without a list, of an earlier version or moved to another server, own what it keeps.

        Args:
            owner: the archive.
            known: returns those of some hashes whose content is kept.
        """
        if owner.written() is None:
            with self._writing():
                there = {path.name for path in self._files() if self._is_in_place(path)}
                owner.claim(_kept(known, there), there)

    def remove_strays(self, owner: Owner, known: Callable[[Sequence[str]], set[str]]) -> None:
        """Remove what an archive wrote, no content of it is kept in, and no other archive wrote too.

        Args:
            owner: the archive.
            known: returns those of some hashes whose content is kept.
        """
        with self._writing():
            written = owner.written() or set()
            kept = _kept(known, written)
            for sha256 in written - kept - owner.written_by_others():
                self._remove(sha256)
            for partial in self.folder.glob(f"{owner.name}-*{_PARTIAL}"):
                partial.unlink(missing_ok=True)
            if kept != written:
                owner.replace(kept)

    def _is_in_place(self, path: Path) -> bool:
        return bool(_NAME.fullmatch(path.name)) and path == self.path_of(path.name)

    def _files(self) -> Iterator[Path]:
        for folder, _names, files in os.walk(self.folder):
            yield from (Path(folder, name) for name in files if not name.endswith(LIST))

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Tell errors of writing, of which the disk is the cause, from those of reading a damaged export."""
        try:
            yield
        except OSError as error:
            raise ArchiveError(
                f"attached files cannot be written below {self.folder} ({error.strerror or error}); make room and "
                "import again, or import with --no-attachments; what was committed stays"
            ) from error


def _kept(known: Callable[[Sequence[str]], set[str]], hashes: Iterable[str]) -> set[str]:
    return {sha256 for some in chunked(hashes, _PER_QUESTION) for sha256 in known(some)}
