"""Pages of what has none (DOCX, HTML, Markdown, plain text).

A page ends at an explicit page break. What stands between two breaks is cut into pages of at most ``PAGE_CHARACTERS``:
before the last heading in the page's second half, else between two blocks (paragraphs, lists, tables, code). A block is
cut only if it is longer than ``BLOCK_CHARACTERS``: at the ends of lines, and a line at the end of a page.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from more_itertools import sliced

from archive_pipeline.documents.structure import structure_of

PAGE_CHARACTERS: Final = 4_000
BLOCK_CHARACTERS: Final = 16_000

Block = tuple[str, int]


def markdown_pages(pieces: Iterable[str]) -> list[str]:
    """Return the pages of a Markdown text, given as the pieces between its page breaks. At least one page."""
    return _pages(pieces, _markdown_blocks)


def text_pages(pieces: Iterable[str]) -> list[str]:
    """Return the pages of a plain text, whose blocks are what stands between blank lines. At least one page."""
    return _pages(pieces, _paragraphs)


def _pages(pieces: Iterable[str], blocks_of: Callable[[str], list[Block]]) -> list[str]:
    pages = [page for piece in pieces for page in _cut(blocks_of(piece))]
    return [page for page in pages if page] or [""]


def _cut(blocks: Iterable[Block]) -> Iterator[str]:
    page: list[Block] = []
    length = 0
    for text, level in (small for block in blocks for small in _smaller(block)):
        while page and length + len(text) > PAGE_CHARACTERS:
            at = _place_to_cut(page, length)
            yield _joined(page[:at])
            page = page[at:]
            length = sum(len(left) for left, _ in page)
        page.append((text, level))
        length += len(text)
    yield _joined(page)


def _place_to_cut(page: list[Block], length: int) -> int:
    """Return how many blocks stay: up to the last heading in the second half, or all but headings at the very end."""
    before = length
    for place in range(len(page) - 1, 0, -1):
        text, level = page[place]
        before -= len(text)
        if before * 2 < length:
            break
        if level:
            return place
    return len(page)


def _smaller(block: Block) -> Iterator[Block]:
    text, _ = block
    if len(text) <= BLOCK_CHARACTERS:
        yield block
        return
    piece = ""
    for line in _lines(text):
        for part in sliced(line, PAGE_CHARACTERS):
            if piece and len(piece) + len(part) > PAGE_CHARACTERS:
                yield piece, 0
                piece = ""
            piece += part
    yield piece, 0


def _markdown_blocks(text: str) -> list[Block]:
    lines = _lines(text)
    starts = structure_of(text).blocks
    # What stands before the first block (definitions of links, for example) belongs to it.
    ends = [start for start, _ in starts[1:]] + [len(lines)]
    begins = [0] + [start for start, _ in starts[1:]]
    if not starts:
        return [(text, 0)]
    return [("".join(lines[begin:end]), level) for begin, end, (_, level) in zip(begins, ends, starts, strict=True)]


def _paragraphs(text: str) -> list[Block]:
    blocks: list[list[str]] = []
    is_blank = False
    for line in _lines(text):
        says_something = bool(line.strip())
        if blocks and not ("".join(blocks[-1][-2:]).endswith("\n\n") or (says_something and is_blank)):
            blocks[-1].append(line if says_something else "\n")
        else:
            blocks.append([line])
            is_blank = not says_something
    return [("".join(block), 0) for block in blocks]


def _lines(text: str) -> list[str]:
    """Return the lines as markdown-it-py counts them: ``splitlines`` also cuts at U+2028 and other separators."""
    return list(io.StringIO(text, newline=""))


def _joined(page: list[Block]) -> str:
    return "".join(text for text, _ in page).strip("\r\n")
