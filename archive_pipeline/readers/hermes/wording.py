"""What Hermes writes in the user's place: skills around what was asked, and summaries instead of what was said."""

from __future__ import annotations

from typing import Any, Final

from archive_pipeline.domain.records import PartType
from archive_pipeline.readers.json.shapes import as_object, as_text, joined

_SKILL: Final = '[SYSTEM: The user has invoked the "'
_ASKED: Final = "The user has provided the following instruction alongside the skill invocation: "
_NOTE: Final = "\n\n[Runtime note:"

_SUMMARY: Final = "[CONTEXT COMPACTION"
_END_OF_SUMMARY: Final = "--- END OF CONTEXT SUMMARY — respond to the message below, not the summary above ---"
_PRIOR: Final = "[PRIOR CONTEXT — for reference only; not a new message]"
_END_OF_PRIOR: Final = "[END OF PRIOR CONTEXT — COMPACTION SUMMARY BELOW]"
# Early versions write the other one, which users may write too.
_SUMMARIES: Final = (_SUMMARY, "[CONTEXT SUMMARY]:")

# Of content that is no text: what stands before its JSON, of present and of earlier versions.
_JSON: Final = ("\x01json:", "\x00json:")


def pieces_of(text: str) -> list[tuple[PartType, str]]:
    """Returns the pieces of a prompt, without blank ones."""
    if not text.startswith(_SKILL):
        return [(PartType.TEXT, text)]
    before, marker, asked = text.partition(_ASKED)
    words, note, behind = asked.partition(_NOTE)
    pieces = [(PartType.CONTEXT, before + marker), (PartType.TEXT, words), (PartType.CONTEXT, note + behind)]
    return [(part_type, piece) for part_type, piece in pieces if piece.strip()]


def split_summary(content: Any) -> list[tuple[Any, bool]]:
    """Returns content in pieces that are not empty, each with whether the program put it in, as a summary."""
    if not isinstance(content, str | list):
        return [(content, False)]
    put_in, said = _split([{"text": content}] if isinstance(content, str) else content)
    if not put_in:
        return [(content, False)]
    pieces = [(put_in, True), (said, False)]
    if _text(put_in[0]).startswith((_PRIOR, _END_OF_PRIOR)):
        pieces.reverse()
    if isinstance(content, str):
        return [(joined(map(_text, blocks)), is_put_in) for blocks, is_put_in in pieces if blocks]
    return [(blocks, is_put_in) for blocks, is_put_in in pieces if blocks]


def _split(blocks: list[Any]) -> tuple[list[Any], list[Any]]:
    first = _text(blocks[0]) if blocks else ""
    summary, mark, words = first.partition(_END_OF_SUMMARY)
    if mark and first.lstrip().startswith(_SUMMARIES):
        return [{**blocks[0], "text": summary + mark}], [*_block(blocks[0], words), *blocks[1:]]
    if first.lstrip().startswith(_SUMMARY):
        return blocks, []
    for number, block in enumerate(blocks):
        before, mark, behind = _text(block).partition(_END_OF_PRIOR)
        if mark and (first.startswith(_PRIOR) or behind.lstrip().startswith(_SUMMARIES)):
            head, said = _without_head([*blocks[:number], *_block(block, before)])
            return [*head, {**block, "text": mark + behind}, *blocks[number + 1 :]], said
    return [], blocks


def _without_head(blocks: list[Any]) -> tuple[list[Any], list[Any]]:
    first = _text(blocks[0]) if blocks else ""
    if not first.startswith(_PRIOR):
        return [], blocks
    return [{**blocks[0], "text": _PRIOR}], [*_block(blocks[0], first.removeprefix(_PRIOR)), *blocks[1:]]


def _block(block: dict[str, Any], text: str) -> list[Any]:
    return [{**block, "text": text.strip()}] if text.strip() else []


def _text(block: Any) -> str:
    return as_text(as_object(block).get("text")) or ""


def json_in(content: str) -> str | None:
    """Returns the JSON that stands for content in blocks; None of a text."""
    return next((content.removeprefix(prefix) for prefix in _JSON if content.startswith(prefix)), None)
