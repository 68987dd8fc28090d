"""Files packed by other programs than those that make zips: told by their beginning, with what to do."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.readers.attached_files import attached_files
from archive_pipeline.readers.reading import read_paths
from archive_pipeline_tests.attached import file_id, talk

EXPORT = json.dumps([talk("c1")]).encode()


@pytest.mark.parametrize(
    ("packer", "pack"),
    [
        ("gzip", gzip.compress),
        ("bzip2", bz2.compress),
        ("xz", lzma.compress),
        ("zstd", lambda data: b"\x28\xb5\x2f\xfd" + data),
        ("7-Zip", lambda data: b"7z\xbc\xaf\x27\x1c" + data),
        ("RAR", lambda data: b"Rar!\x1a\x07" + data),
    ],
)
@pytest.mark.parametrize("name", ["conversations.json", "conversations.json.bz2", "export"])
def test_a_packed_file_is_rejected_with_what_to_do(
    tmp_path: Path, packer: str, pack: Callable[[bytes], bytes], name: str
):
    path = tmp_path / name
    path.write_bytes(pack(EXPORT))
    [item] = [item for file in read_paths([path]) for item in file.records()]
    assert isinstance(item, RejectedRecord)
    assert item.reason == f"{path} is packed with {packer}: unpack it and import what was in it"
    assert item.whole_file


def test_a_packed_file_that_came_with_a_message_is_kept_as_it_is(tmp_path: Path):
    path = tmp_path / f"{file_id(1)}-logs.gz"
    path.write_bytes(gzip.compress(b"log"))
    [file] = attached_files([path])
    assert not isinstance(file, RejectedRecord)
    assert file.ids == (file_id(1),)
