"""A streamed text as it may be shown and stored: whole characters, line ends of one kind, no controls."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from archive_pipeline.text.sanitize import clean_text

# Controls but tab and line end, and marks that turn the writing direction: a model has no use for them.
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
# What a terminal takes for one command: a text with its end (titles, links, the clipboard), a sequence of numbers
# (colours, moves), or another one. Of one that is cut off, what there is; a text ends with its line at the latest.
# No text begins with one character of the 8-bit set, which quotation marks in a wrong encoding have too.
_COMMANDS: Final = re.compile(
    r"\x1b[\]PX^_][^\x07\n\r\x1b\x9c]{0,4000}(?:\x07|\x1b\\|\x9c)?"
    r"|(?:\x1b\[|\x9b)[0-?]{0,100}[ -/]{0,100}[@-~]?"
    r"|\x1b[ -/]{0,100}[0-~]?"
)
_THINKING: Final = "<think>"
_ANSWERING: Final = "</think>"
_LINE_ENDS: Final = re.compile(r"\r\n?")


class TextCleaner:
    """Cleans a text piece by piece. What may be the first half of something waits for the next piece."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> str:
        """Take the next piece; return what is clean by now."""
        text = self._held + piece.replace("\0", "")
        end = _end_of_whole(text)
        self._held = text[end:]
        return _clean(text[:end])

    def finish(self) -> str:
        """Return the rest."""
        held, self._held = self._held, ""
        return _clean(held)


class ThinkingFilter:
    """Leaves out what a model thinks aloud before its answer: local models begin with ``<think>…</think>``."""

    def __init__(self) -> None:
        self._held = ""
        self._is_over = False

    def feed(self, piece: str) -> str:
        """Take the next piece; return what belongs to the answer."""
        if self._is_over:
            return piece
        self._held += piece
        text = self._held.lstrip()
        if text.startswith(_THINKING):
            _, closing, answer = text.partition(_ANSWERING)
            # What is thought is not kept, but for what may be the beginning of its end.
            self._held = _THINKING + text[len(_THINKING) :][-len(_ANSWERING) :]
            text = answer.lstrip()
            self._is_over = bool(closing and text)
            if closing and not text:
                self._held = _THINKING + _ANSWERING
            return text
        self._is_over = not _THINKING.startswith(text)
        return self.finish() if self._is_over else ""

    def finish(self) -> str:
        """Return the rest."""
        held, self._held = self._held, ""
        return "" if held.lstrip().startswith(_THINKING) else held


def _end_of_whole(text: str) -> int:
    """Return where what may go on in the next piece begins."""
    for command in _COMMANDS.finditer(text):
        if command.end() == len(text):
            return command.start()
    waits = text[-1:] == "\r" or "\ud800" <= text[-1:] <= "\udbff"
    return len(text) - waits


def _clean(text: str) -> str:
    return _CONTROLS.sub("", _COMMANDS.sub("", _LINE_ENDS.sub("\n", clean_text(text, Counter()))))
