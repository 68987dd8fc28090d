"""The process that reads documents can use no more of the machine than it needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CONFINED = """
import mmap, os, sys
from archive_pipeline.documents.confinement import confine
from archive_pipeline.documents.limits import MAX_MAPPED_BYTES
file = open(sys.argv[1], "w+b", buffering=0)
file.truncate(MAX_MAPPED_BYTES)
confine(os.getppid())
uses = (lambda size: os.pwrite(file.fileno(), b"x", size - 1), lambda size: mmap.mmap(file.fileno(), size))
for use, size in ((0, 1_000_000), (0, 1_000_001), (1, 1_000_000_000), (1, MAX_MAPPED_BYTES)):
    try: uses[use](size)
    except OSError: print("refused")
    else: print("given")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux enforces limits of memory")
def test_files_and_addresses_of_a_reader_are_bounded(tmp_path: Path):
    arguments = [sys.executable, "-c", CONFINED, str(tmp_path / "file")]
    ended = subprocess.run(arguments, capture_output=True, text=True, check=True)
    assert ended.stdout.split() == ["given", "refused"] * 2
