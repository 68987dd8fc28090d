"""Which encoding a text file is in, and files that are none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from archive_pipeline.documents.limits import check_size
from archive_pipeline.documents.text import decode
from archive_pipeline.errors import UnreadableDocumentError

JAPANESE = "# 日本語の文書"
CUT_UTF_16 = "a.md is not UTF-8; it was read as UTF-16, but for its last character"


@pytest.mark.parametrize(
    ("data", "text", "note"),
    [
        (JAPANESE.encode(), JAPANESE, ()),
        (JAPANESE.encode("utf-16"), JAPANESE, ()),
        (f"{JAPANESE}\U0001f6b2".encode("utf-16")[:-1], f"{JAPANESE}\ufffd", (CUT_UTF_16,)),
        (f"{JAPANESE}\U0001f6b2".encode("utf-16")[:-2], f"{JAPANESE}\ufffd", (CUT_UTF_16,)),
        (b"\xfe\xff\0a\0b\0", "ab\ufffd", (CUT_UTF_16,)),
        (JAPANESE.encode()[:-1], "# 日本語の文\ufffd", ("a.md is not UTF-8; it was read as such, but for 1 places",)),
        (b"\xef\xbb\xbf" + "ää\xff".encode("latin-1"), "ï»¿ääÿ", ("a.md is not UTF-8; it was read as Windows-1252",)),
        ("Größe".encode("latin-1"), "Größe", ("a.md is not UTF-8; it was read as Windows-1252",)),
        (b"caf\xe9", "café", ("a.md is not UTF-8; it was read as Windows-1252",)),
    ],
)
def test_damaged_utf_8_is_told_from_another_encoding(data: bytes, text: str, note: tuple[str, ...]):
    assert decode(data, "a.md") == (text, note)


def test_binary_data_with_the_mark_of_utf_16_is_no_text():
    with pytest.raises(UnreadableDocumentError, match="neither text nor a document"):
        decode(b"\xff\xfe\x00\xd8" + b"a\0" * 9, "a.bin")


def test_what_is_no_file_is_said_to_be_none(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe.md")
    with pytest.raises(UnreadableDocumentError, match="neither a file nor a folder"):
        check_size(tmp_path / "pipe.md", "pipe.md")
