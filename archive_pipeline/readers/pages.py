"""Pages of HTML with one record after the other, each handed on as an object with its HTML; the page is never held.

A page is told from others by its beginning: a stylesheet, and the first records, which name their product.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Final

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.readers.declaration import PageReader
from archive_pipeline.readers.json.blocks import ByteSource

PAGE: Final = "page"
RECORD: Final = "record"
# In place of RECORD, of one that is larger than any is: how large it is.
TOO_LARGE: Final = "bytes_of_record"
MAX_RECORD_BYTES: Final = 16 * 1024 * 1024
_BLOCK_BYTES: Final = 64 * 1024
# Where a record of the product is looked for, in steps: a stylesheet of 140 KB stands before the first.
_HEAD_BYTES: Final = (64 * 1024, 512 * 1024, 2 * 1024 * 1024)
# So much of a record has its header.
_HEADER_BYTES: Final = 4 * 1024
_BOM: Final = b"\xef\xbb\xbf"
_END: Final = b"</html"
_CONTROL: Final = re.compile(rb"[\x00-\x1f]")

PageReaders = Mapping[str, PageReader]


class PageRecords:
    """A page that is read as an array of its records.

    Attributes:
        source: of whose product the page is; None if it has records, all in its beginning of other products.
        others: how many records of other products were passed over.
        reader: how the records are found.
    """

    def __init__(self, stream: ByteSource, head: bytearray, source: str | None, reader: PageReader) -> None:
        self.source = source
        self.reader = reader
        self.others = 0
        self._stream = stream
        self._held = head
        self._has_end = False
        self._unfinished: bytes | None = None  # the last record of a page that breaks off

    def pieces(self) -> Iterator[bytes]:
        """Yields the array, as JSON."""
        separator = b"[\n"
        name = json.dumps(self.source).encode()
        for record, size in self._records():
            if not self.reader.is_own(record[:_HEADER_BYTES]):
                self.others += 1
                continue
            said = b'"%s":%d' % (TOO_LARGE.encode(), size)
            if size == len(record) <= MAX_RECORD_BYTES:
                said = b'"%s":"%s"' % (RECORD.encode(), _escaped(record))
            yield separator + b'{"page":%s,%s}' % (name, said)
            separator = b",\n"
        yield b"[]" if separator == b"[\n" else b"\n]\n"

    def rejected(self, locator: str) -> Iterator[RejectedRecord]:
        """Yields what the end of the page says about it, when it was read."""
        if self._has_end:
            return
        where = "inside its last record, which is not read" if self._unfinished is not None else "behind a record"
        excerpt = (self._unfinished or b"")[:500].decode("utf-8", "replace")
        reason = f"{locator} is cut off {where}: download it again"
        yield RejectedRecord(locator, reason, "unexpected end of file", excerpt or None, whole_file=True)

    def _records(self) -> Iterator[tuple[bytes, int]]:
        """Yields each record with its size; of one that is too large only the beginning."""
        begins, held = self.reader.begins, self._held
        size = 0  # of what was dropped of the present record
        is_inside, searched = False, 0
        while True:
            found = held.find(begins, searched)
            if found >= 0:
                if is_inside:
                    yield _record(held[:found], size)
                del held[:found]
                size, is_inside, searched = 0, True, len(begins)
                continue
            searched = max(len(held) - len(begins) + 1, len(begins) if is_inside and not size else 0)
            if not is_inside or size + len(held) > MAX_RECORD_BYTES:
                size, searched = self._drop(searched, size)
            block = self._stream.read(_BLOCK_BYTES)
            if not block:
                break
            held += block
        if is_inside:
            yield from self._last(bytes(held), size)
        else:
            self._has_end = _END in held.lower()

    def _drop(self, end: int, size: int) -> tuple[int, int]:
        """Keeps the beginning of a record and what may be that of the next one; returns what was dropped, and where."""
        keep = min(_HEADER_BYTES, end)
        dropped = max(end - keep, 0)
        del self._held[keep:end]
        return size + dropped, keep

    def _last(self, record: bytes, size: int) -> Iterator[tuple[bytes, int]]:
        tail = record.lower().rfind(_END)
        self._has_end = tail >= 0
        if self._has_end or size or record.count(b"<div") <= record.count(b"</div"):
            yield _record(record, size)
        else:
            self._unfinished = record


def may_be_page(beginning: bytes) -> bool:
    """Tells by the first bytes of a file whether it may be a page."""
    return beginning.removeprefix(_BOM).lstrip().startswith(b"<")


def page_of(stream: ByteSource, head: bytearray, readers: PageReaders) -> PageRecords | None:
    """Returns the records of a page, if the file is one that a reader knows; else None.

    Args:
        stream: the file, at its start.
        head: empty; has what was read of the file if it is no such page, and if it cannot be read.
        readers: what the sources that have pages declare.
    """
    known: PageReader | None = None
    for size in _HEAD_BYTES:
        while len(head) < size and (block := stream.read(_BLOCK_BYTES)):
            head += block
        for source, reader in readers.items():
            known = reader if reader.begins in head else known
            if _has_own(head, reader):
                return PageRecords(stream, head, source, reader)
        if len(head) < size:
            break
    return None if known is None else PageRecords(stream, head, None, known)


def _has_own(head: bytearray, reader: PageReader) -> bool:
    """Tells whether a record in a page's beginning is of the product."""
    place = head.find(reader.begins)
    while place >= 0:
        following = head.find(reader.begins, place + len(reader.begins))
        end = place + _HEADER_BYTES if following < 0 else min(following, place + _HEADER_BYTES)
        if reader.is_own(bytes(head[place:end])):
            return True
        place = following
    return False


def _record(held: bytes | bytearray, dropped: int) -> tuple[bytes, int]:
    return bytes(held).rstrip(), len(held.rstrip()) + dropped


def _escaped(text: bytes) -> bytes:
    """Returns text as in a string of JSON; bytes that are not UTF-8 stay for whoever reads it."""
    text = text.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return _CONTROL.sub(lambda found: b"\\u%04x" % found[0][0], text)
