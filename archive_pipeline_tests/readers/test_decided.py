"""What is read in advance to decide what a file is, is given as from a file, in whichever pieces."""

from __future__ import annotations

import io
from time import process_time

from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.readers.decided import Decided


class Beginning(Decided):
    """A file of which so many bytes are read to decide that it is read as it is."""

    def __init__(self, content: bytes, in_advance: int) -> None:
        super().__init__(io.BytesIO(content))
        self._in_advance = in_advance

    def _decide(self) -> bytes:
        return self._source.read(self._in_advance)


@given(st.binary(max_size=20), st.integers(0, 25), st.lists(st.integers(0, 9), max_size=9))
def test_any_reads_give_the_bytes_of_the_file(content: bytes, in_advance: int, sizes: list[int]):
    file = Beginning(content, in_advance)
    read = [file.read(size) for size in sizes]
    assert all(len(piece) <= size for piece, size in zip(read, sizes, strict=True))
    ends = [number for number, (piece, size) in enumerate(zip(read, sizes, strict=True)) if size and not piece]
    assert all(b"".join(read[:number]) == content for number in ends)
    assert b"".join(read) + file.read() == content
    assert file.read(1) == b""


def test_a_long_beginning_is_gone_through_once():
    file = Beginning(b"a" * 32_000_000, 32_000_000)
    started = process_time()
    assert sum(map(len, iter(lambda: file.read(4_096), b""))) == 32_000_000
    assert process_time() - started < 5
