"""What Qwen Code puts into prompts: what Gemini CLI does, of which it is a fork, and reminders in tags."""

from __future__ import annotations

from typing import Final

from archive_pipeline.readers.claude_code.injected import segments
from archive_pipeline.readers.gemini_cli import wording

_HOOKS: Final = ("<qwen:user-prompt-submit-context>", "</qwen:user-prompt-submit-context>")


def is_of_hook(text: str) -> bool:
    """Tells whether a text is what a hook puts behind a prompt."""
    first, last = _HOOKS
    return text.strip().startswith(first) and text.strip().endswith(last)


def split_prompt(text: str, *, is_file: bool) -> tuple[list[tuple[bool, str]], bool]:
    """Splits a text of a prompt as ``gemini_cli.wording.split_prompt`` does."""
    if is_of_hook(text):
        return [(True, text)], False
    pieces, is_open = wording.split_prompt(text, is_file=is_file)
    return [part for piece in pieces for part in _without_reminders(piece)], is_open


def _without_reminders(piece: tuple[bool, str]) -> list[tuple[bool, str]]:
    is_context, text = piece
    found = [] if is_context else segments(text)
    tagged = [(part.tag is not None, part.text) for part in found]
    return tagged if any(is_put_in for is_put_in, _ in tagged) else [piece]
