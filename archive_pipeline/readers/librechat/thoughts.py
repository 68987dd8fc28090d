"""Thoughts that LibreChat keeps in a text: older answers have them between ``:::thinking`` and ``:::``."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

from archive_pipeline.domain.records import PartRecord, PartType
from archive_pipeline.text.markdown import code_blocks

_OPENING: Final = ":::thinking"
# A directive, such as ``:::artifact``, closes nothing.
_CLOSING: Final = re.compile(r":::(?![\w:])")
_TAGS: Final = ("<think>", "</think>")


def said_with_thoughts(text: str) -> list[PartRecord]:
    """Returns a text and the thoughts in it, in their order; nothing if it has none."""
    parts: list[PartRecord] = []
    done = 0
    shown = [block for block in code_blocks(text) if block.closing is None] if _OPENING in text else []
    begins = [block.start for block in shown]
    for opening in re.finditer(_OPENING, text):
        start = opening.start()
        number = bisect_right(begins, start) - 1
        if start < done or (number >= 0 and start < shown[number].end):
            continue  # within a thought, or shown as code
        end = _CLOSING.search(text, opening.end())
        if end is None:
            break
        parts += _part(PartType.TEXT, text[done:start])
        parts += _part(PartType.THINKING, text[opening.end() : end.start()])
        done = end.end()
    return [*parts, *_part(PartType.TEXT, text[done:])] if done else []


def _part(part_type: PartType, text: str) -> Iterator[PartRecord]:
    if text := text.strip():
        yield PartRecord(part_type, text, "text")


def bare_thought(text: str) -> str:
    """Returns a thought without the tags around it."""
    opening, closing = _TAGS
    is_tagged = text.startswith(opening) or text.endswith(closing)
    return text.removeprefix(opening).removesuffix(closing).strip() if is_tagged else text
