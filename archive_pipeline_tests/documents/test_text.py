"""Which encoding a text file is in, and files that are none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from archive_pipeline.documents.limits import check_size
from archive_pipeline.documents.text import decode
from archive_pipeline.errors import UnreadableDocumentError

JAPANESE = "# 日本語の文書"


@pytest.mark.parametrize(
    ("data", "text", "note"),
    [
        (JAPANESE.encode(), JAPANESE, ()),
        (JAPANESE.encode("utf-16"), JAPANESE, ()),
        (JAPANESE.encode()[:-1], "# 日本語の文\ufffd", ("a.md is not UTF-8; it was read as such, but for 1 places",)),
        (b"\xef\xbb\xbf" + "ää\xff".encode("latin-1"), "ï»¿ääÿ", ("a.md is not UTF-8; it was read as Windows-1252",)),
        ("Größe".encode("latin-1"), "Größe", ("a.md is not UTF-8; it was read as Windows-1252",)),
        (b"caf\xe9", "café", ("a.md is not UTF-8; it was read as Windows-1252",)),
    ],
)
def test_damaged_utf_8_is_told_from_another_encoding(data: bytes, text: str, note: tuple[str, ...]):
    assert decode(data, "a.md") == (text, note)


def test_what_is_no_file_is_said_to_be_none(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe.md")
    with pytest.raises(UnreadableDocumentError, match="neither a file nor a folder"):
        check_size(tmp_path / "pipe.md", "pipe.md")
