"""What a file is, by its first bytes. Names and types that exports give are somebody's word and are not asked."""

from __future__ import annotations

import re
from typing import Final

# So many of the first bytes tell what a file is; members of office documents begin within them.
HEAD_BYTES: Final = 65_536
UNKNOWN: Final = "application/octet-stream"
TEXT: Final = "text/plain"
HTML: Final = "text/html"
PDF: Final = "application/pdf"
ZIP: Final = "application/zip"
DOCX: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PPTX: Final = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
XLSX: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
# What browsers draw and cannot run: SVG is not among them, it may hold scripts.
INLINE_IMAGES: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp"})
# What ``documents`` takes text from.
READABLE: Final = frozenset({PDF, DOCX, PPTX, HTML, TEXT})

_MAGIC: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
    (b"ID3", "audio/mpeg"),
    (b"fLaC", "audio/flac"),
    (b"OggS", "audio/ogg"),
    (b"\x1aE\xdf\xa3", "video/webm"),
    (b"\x1f\x8b", "application/gzip"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
    (b"SQLite format 3\0", "application/vnd.sqlite3"),
    (b"{\\rtf", "application/rtf"),
)
_RIFF: Final = {b"WEBP": "image/webp", b"WAVE": "audio/wav", b"AVI ": "video/x-msvideo"}
_BRANDS: Final = {
    b"avif": "image/avif",
    b"avis": "image/avif",
    b"heic": "image/heic",
    b"heix": "image/heic",
    b"mif1": "image/heif",
    b"qt  ": "video/quicktime",
    b"M4A ": "audio/mp4",
}
_PDF_WITHIN: Final = 1_024
_MP3_FRAME: Final = re.compile(rb"\xff[\xe2\xe3\xf2\xf3\xfa\xfb]")
_AAC_FRAME: Final = re.compile(rb"\xff[\xf0\xf1\xf8\xf9]")
_BITMAP: Final = re.compile(rb"BM.{4}\0{4}", re.DOTALL)
_OFFICE: Final = re.compile(rb"PK\x03\x04.{26}(word|ppt|xl)/", re.DOTALL)
_OFFICE_TYPES: Final = {b"word": DOCX, b"ppt": PPTX, b"xl": XLSX}
_HTML: Final = (b"<!doctype html", b"<html")
_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")
_SPACE: Final = b"\xef\xbb\xbf \t\r\n"
# What is no UTF-8 may be damaged, or in an encoding of single bytes; other files have these early. Logs of terminals
# have bells, backspaces and escapes.
_CONTROLS: Final = re.compile(rb"[\x01-\x06\x0e-\x1a\x1c-\x1f]")


def media_type(head: bytes) -> str:
    """Return the media type of a file, ``application/octet-stream`` if nothing tells.

    Args:
        head: its first ``HEAD_BYTES`` bytes, or all if there are fewer.
    """
    for magic, name in _MAGIC:
        if head.startswith(magic):
            return name
    return _in_container(head) or _framed(head) or _text(head) or UNKNOWN


def _in_container(head: bytes) -> str | None:
    if head.startswith(b"RIFF"):
        return _RIFF.get(head[8:12])
    if head[4:8] == b"ftyp":
        return _BRANDS.get(head[8:12], "video/mp4")
    if head.startswith(b"PK\x03\x04"):
        office = _OFFICE.search(head)
        return _OFFICE_TYPES[office[1]] if office else ZIP
    return None


def _framed(head: bytes) -> str | None:
    if b"%PDF-" in head[:_PDF_WITHIN]:
        return PDF
    if _BITMAP.match(head):
        return "image/bmp"
    if _MP3_FRAME.match(head):
        return "audio/mpeg"
    return "audio/aac" if _AAC_FRAME.match(head) else None


def _text(head: bytes) -> str | None:
    if head.startswith(_UTF_16):
        return TEXT if _decodes(head[: len(head) // 2 * 2], "utf-16") else None
    if not head or b"\0" in head or (_CONTROLS.search(head) and not _decodes(head, "utf-8")):
        return None
    start = head.lstrip(_SPACE).lower()
    if start.startswith(_HTML):
        return HTML
    return "image/svg+xml" if b"<svg" in start[:_PDF_WITHIN] and start.startswith((b"<svg", b"<?xml")) else TEXT


def _decodes(head: bytes, encoding: str) -> bool:
    try:
        head.decode(encoding)
    except UnicodeDecodeError as error:
        # The head may end within a character.
        return len(head) == HEAD_BYTES and error.start >= HEAD_BYTES - 4
    return True
