"""Pictures in the text of an answer: Markdown with the content as base64, which Open WebUI keeps by default."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from archive_pipeline.domain.records import PartRecord, PartType
from archive_pipeline.readers.json.shapes import base64_sha256
from archive_pipeline.text.markdown import CodeBlock, code_blocks

IMAGE: Final = "image"
_PICTURE: Final = re.compile(
    r'(?<!`)!\[([^\[\]\n]*)\]\(data:(image/[\w.+-]+);base64,([A-Za-z0-9+/]+=*)(?:[ \t]+"[^"\n]*")?\)'
)


def text_parts(text: str, source_type: str) -> Iterator[PartRecord]:
    """Yields a text as it is, or what stands around its pictures and these, in their order."""
    done = 0
    for picture, digest in _pictures(text):
        yield from _words(text[done : picture.start()], source_type)
        alt = {"alt": picture[1]} if picture[1] else None
        yield PartRecord(PartType.IMAGE, source_type=IMAGE, mime_type=picture[2], content_sha256=digest, source=alt)
        done = picture.end()
    if done:
        yield from _words(text[done:], source_type)
    else:
        yield PartRecord(PartType.TEXT, text, source_type)


def _pictures(text: str) -> Iterator[tuple[re.Match[str], str]]:
    """Yields the pictures outside of code blocks, with the SHA-256 of their content."""
    if ";base64," not in text:
        return
    position = 0
    closed = [block for block in code_blocks(text) if block.closing is None]
    for block in [*closed, CodeBlock(len(text), len(text))]:
        for picture in _PICTURE.finditer(text, position, block.start):
            if digest := base64_sha256(picture[3]):
                yield picture, digest
        position = block.end


def _words(text: str, source_type: str) -> Iterator[PartRecord]:
    if text := text.strip():
        yield PartRecord(PartType.TEXT, text, source_type)
