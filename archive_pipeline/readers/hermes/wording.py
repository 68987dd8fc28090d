"""What Hermes writes in the user's place: skills around what was asked, summaries of what was said, and notices."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from archive_pipeline.domain.records import PartType
from archive_pipeline.readers.json.shapes import as_object, as_text, joined

_SKILL: Final = re.compile(r'\[(?:IMPORTANT|SYSTEM): The user has invoked the "')
_ASKED: Final = "The user has provided the following instruction alongside the skill invocation: "
_NOTE: Final = "\n\n[Runtime note:"
_BUNDLE: Final = re.compile(r'\[(?:IMPORTANT|SYSTEM): The user has invoked the "[^"]*" skill bundle,')
_ASKED_OF_BUNDLE: Final = "\nUser instruction: "
_OF_BUNDLE: Final = "\n\n[Loaded as part of the "
_LOADED: Final = re.compile(r'\[IMPORTANT: The "[^"]*" skill is auto-loaded\.')
_END_OF_LOADED: Final = "then run them with the terminal tool using the absolute path."
_STEER: Final = re.compile(r"\[OUT-OF-BAND USER MESSAGE[^\]]*\]\n")
_END_OF_STEER: Final = "\n[/OUT-OF-BAND USER MESSAGE]"

# What is nobody's prompt: reviews of a session, what is told again after a compression, what ended in the background.
_NOTICES: Final = (
    "Review the conversation above and update the skill library",
    "Review the conversation above and consider saving to memory",
    "[Your active task list was preserved across context compression]",
    "Continue from the compressed conversation context above. This marker exists because",
    "[System: Your previous response was truncated",
    "[System: The previous response was cut off",
    "[System: Your previous tool call",
    "[IMPORTANT: Background process ",
    "[ASYNC DELEGATION ",
)

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
    start, end = _words(text)
    pieces = [(PartType.CONTEXT, text[:start]), (PartType.TEXT, text[start:end]), (PartType.CONTEXT, text[end:])]
    return [(part_type, piece) for part_type, piece in pieces if piece.strip()]


def _words(text: str) -> tuple[int, int]:
    """Returns where the user's words are in a prompt: of a skill, since it may quote itself, at the last mark."""
    if text.lstrip().startswith(_NOTICES):
        return len(text), len(text)
    if _BUNDLE.match(text):
        return _between(text, text.find, _ASKED_OF_BUNDLE, _OF_BUNDLE)
    if _SKILL.match(text):
        return _between(text, text.rfind, _ASKED, _NOTE)
    if _LOADED.match(text):
        return _between(text, text.rfind, _END_OF_LOADED, None)
    steer = _STEER.match(text)
    if steer is not None and (end := text.rfind(_END_OF_STEER)) >= steer.end():
        return steer.end(), end
    return 0, len(text)


def _between(text: str, find: Callable[[str], int], mark: str, end: str | None) -> tuple[int, int]:
    """Returns where what stands between two marks is: nowhere without the first, to the end without the second."""
    place = find(mark)
    if place < 0:
        return len(text), len(text)
    start = place + len(mark)
    stop = -1 if end is None else text.find(end, start)
    return start, stop if stop >= 0 else len(text)


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
