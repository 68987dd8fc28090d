"""How much is read of a document: what exceeds a bound is turned away with its reason, before memory is used up.

Bounds of a single page, picture or member of a zip are not enough: a small file can hold very many of them. So the sums
over a file are bounded too, and, since no bound foresees all, the process that reads it (``process``).
"""

from __future__ import annotations

import stat
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from archive_pipeline.domain.zip_limits import is_bomb
from archive_pipeline.errors import UnreadableDocumentError

MAX_BYTES: Final = 500_000_000
# Parsers of text formats hold many times the size of the text.
MAX_TEXT_BYTES: Final = 20_000_000
MAX_XML_BYTES: Final = 100_000_000
MAX_UNPACKED_BYTES: Final = 1_000_000_000
MAX_MEMBERS: Final = 20_000
MAX_PAGES: Final = 5_000
# Of the text of all pages, with the headings that they stand below.
MAX_CHARACTERS: Final = 40_000_000
MAX_PIXELS: Final = 100_000_000
# Of all frames of a picture.
MAX_PIXELS_TOGETHER: Final = 20_000_000_000
# Of the images of all pages.
MAX_IMAGE_BYTES: Final = 4_000_000_000

# The process that reads. A picture of ``MAX_PIXELS`` has 400 MB.
MAX_MEMORY_BYTES: Final = 1_000_000_000
# Of addresses, libraries included.
MAX_MAPPED_BYTES: Final = 4_000_000_000
# One that holds more after a document is replaced, so that each document has nearly all of the memory.
MAX_IDLE_BYTES: Final = 300_000_000
# Of processor time, so that the load of the machine does not matter: for a page, or for what has none until it is read.
MAX_CPU_SECONDS: Final = 60
MAX_CPU_SECONDS_PER_PAGE: Final = 1
# Only something that waits, such as a file on a server that is gone, takes so much longer than its processor time.
MAX_SILENT_SECONDS: Final = 600


def check_size(path: Path, name: str, most: int = MAX_BYTES) -> None:
    """Raise ``UnreadableDocumentError`` if a file is none, empty or too large."""
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise UnreadableDocumentError(f"{name} is neither a file nor a folder")
    check_bytes(found.st_size, name, most)


def check_bytes(size: int, name: str, most: int = MAX_BYTES) -> None:
    """Raise ``UnreadableDocumentError`` if a file of so many bytes is empty or too large."""
    if size == 0:
        raise UnreadableDocumentError(f"{name} is empty")
    if size > most:
        raise UnreadableDocumentError(
            f"{name} has {size / 1e6:,.0f} MB; at most {most / 1e6:,.0f} MB are read of this format: split it"
        )


def check_pages(number: int, name: str) -> None:
    """Raise ``UnreadableDocumentError`` if a document has no page or too many."""
    if number == 0:
        raise UnreadableDocumentError(f"{name} has no pages")
    if number > MAX_PAGES:
        raise UnreadableDocumentError(f"{name} has {number:,} pages; at most {MAX_PAGES:,} are read: split it")


def check_member(entry: zipfile.ZipInfo, name: str) -> None:
    """Raise ``UnreadableDocumentError`` if a member of a zip is encrypted, too large, or unpacks as nothing real does.

    What a member declares is what it is: ``zipfile`` reads no further.
    """
    if entry.flag_bits & 0x1:
        raise UnreadableDocumentError(f"{name} is encrypted: save it without a password")
    if entry.file_size > MAX_BYTES or is_bomb(entry.file_size, entry.compress_size):
        ratio = entry.file_size / max(entry.compress_size, 1)
        raise UnreadableDocumentError(
            f"{name} unpacks to {entry.file_size / 1e6:,.0f} MB, {ratio:,.0f} times its size, and is not read"
        )


def check_office_zip(archive: zipfile.ZipFile, name: str) -> None:
    """Raise ``UnreadableDocumentError`` if a DOCX or PPTX is a decompression bomb."""
    entries = archive.infolist()
    for entry in entries:
        check_member(entry, f"{name}/{entry.filename}")
    check_members(entries, name)
    unpacked = sum(entry.file_size for entry in entries)
    xml = sum(entry.file_size for entry in entries if entry.filename.lower().endswith((".xml", ".rels")))
    if unpacked > MAX_UNPACKED_BYTES or xml > MAX_XML_BYTES:
        raise UnreadableDocumentError(
            f"{name} unpacks to {unpacked / 1e6:,.0f} MB, {xml / 1e6:,.0f} MB of it XML, and is not read: split it"
        )


def check_members(entries: Sequence[zipfile.ZipInfo], name: str) -> None:
    """Raise ``UnreadableDocumentError`` if members of a zip are too many, or unpack together as nothing real does."""
    if len(entries) > MAX_MEMBERS:
        raise UnreadableDocumentError(f"{name} has {len(entries):,} members; at most {MAX_MEMBERS:,} are read")
    unpacked = sum(entry.file_size for entry in entries)
    # Members may overlap: the same bytes, compressed once, unpack as often as the directory of the zip says.
    packed = {entry.header_offset: entry.compress_size for entry in entries}
    if is_bomb(unpacked, sum(packed.values())):
        ratio = unpacked / max(sum(packed.values()), 1)
        raise UnreadableDocumentError(
            f"{name} unpacks to {unpacked / 1e6:,.0f} MB, {ratio:,.0f} times its size, and is not read"
        )


def check_characters(number: int, name: str) -> None:
    """Raise ``UnreadableDocumentError`` if the pages of a document have too much text together."""
    if number > MAX_CHARACTERS:
        raise UnreadableDocumentError(
            f"{name} has more than {MAX_CHARACTERS / 1e6:,.0f} million characters of text: split it"
        )


def check_pixels(size: tuple[int, int], name: str) -> int:
    """Return how many pixels a picture has; raise ``UnreadableDocumentError`` if there are too many or none."""
    width, height = size
    pixels = width * height
    if not 0 < pixels <= MAX_PIXELS:
        raise UnreadableDocumentError(f"{name} has {width:,} x {height:,} pixels; from 1 to {MAX_PIXELS:,} are read")
    return pixels


def check_pixels_together(pixels: int, name: str) -> None:
    """Raise ``UnreadableDocumentError`` if the frames of a picture have too many pixels together."""
    if pixels > MAX_PIXELS_TOGETHER:
        raise UnreadableDocumentError(
            f"{name} has {pixels:,} pixels in its frames; at most {MAX_PIXELS_TOGETHER:,} are read"
        )
