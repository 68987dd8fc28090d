"""What a file is, by its first bytes; what could run in a browser is none of the pictures that are shown."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image

from archive_pipeline.ingest.media_types import (
    DOCX,
    HEAD_BYTES,
    HTML,
    INLINE_IMAGES,
    PDF,
    PPTX,
    READABLE,
    TEXT,
    UNKNOWN,
    ZIP,
    media_type,
)
from archive_pipeline_tests.attached import zipped
from archive_pipeline_tests.documents import files


def drawn(kind: str) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (4, 4)).save(buffer, kind)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("PNG", "image/png"), ("JPEG", "image/jpeg"), ("GIF", "image/gif"), ("WEBP", "image/webp"), ("BMP", "image/bmp")],
)
def test_pictures(kind: str, expected: str):
    assert media_type(drawn(kind)) == expected
    assert expected in INLINE_IMAGES


def test_documents(tmp_path: Path):
    for make, name, expected in ((files.pdf, "a.pdf", PDF), (files.docx, "a.docx", DOCX), (files.pptx, "a.pptx", PPTX)):
        assert media_type(make(tmp_path / name).read_bytes()[:HEAD_BYTES]) == expected
        assert expected in READABLE
    assert media_type(zipped({"plan.txt": "word/"})) == ZIP


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"plain words", TEXT),
        ("Grüße".encode(), TEXT),
        ("Grüße".encode("utf-16"), TEXT),
        (b"\xef\xbb\xbf  <!DOCTYPE html><p>", HTML),
        (b"<html><body>", HTML),
        (b'<svg xmlns="http://www.w3.org/2000/svg"/>', "image/svg+xml"),
        (b'<?xml version="1.0"?><svg/>', "image/svg+xml"),
        (b"BM starts a note about a brand", TEXT),
        (b"RIFF\x24\0\0\0WAVEfmt ", "audio/wav"),
        (b"\0\0\0\x20ftypM4A \0\0", "audio/mp4"),
        (b"\0\0\0\x20ftypisom\0\0", "video/mp4"),
        (b"ID3\x04\0", "audio/mpeg"),
        (b"OggS\0", "audio/ogg"),
        (b"latin \xe9t\xe9", TEXT),
        (b"Gr\xc3\xbc\xc3\x9fe, cut within \xc3", TEXT),
        (b"\x01\xe9t\xe9", UNKNOWN),
        (b"a\0b", UNKNOWN),
        (b"", UNKNOWN),
    ],
)
def test_others(head: bytes, expected: str):
    assert media_type(head) == expected


def test_a_text_whose_head_ends_within_a_character_is_a_text():
    text = ("x" * (HEAD_BYTES - 1) + "ü").encode()
    assert media_type(text[:HEAD_BYTES]) == TEXT
    assert media_type(text[: HEAD_BYTES - 1] + b"\xff") == TEXT  # all but its last byte is one
    assert media_type(b"\x01" + text[: HEAD_BYTES - 1]) == TEXT
    assert media_type(b"\x01\xff" + text[: HEAD_BYTES - 2]) == UNKNOWN


@pytest.mark.parametrize("content", [b"<svg onload=alert(1)>", b"<!doctype html>", b"%PDF-1.7", b"<?xml?>", b"GIF"])
def test_nothing_that_could_run_is_shown(content: bytes):
    assert media_type(content) not in INLINE_IMAGES
