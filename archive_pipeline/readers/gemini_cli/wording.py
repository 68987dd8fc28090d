"""What Gemini CLI writes in the name of the user or the model, told by its wording; nothing else marks it."""

from __future__ import annotations

from typing import Final

_SNAPSHOT: Final = "<state_snapshot>"
# The model thinks aloud before it sums up.
_SNAPSHOTS: Final = (_SNAPSHOT, "<scratchpad>")
_FOR_THE_MODEL: Final = " This is for your information only."
_PUT_IN: Final = (
    "<session_context>",
    "<hook_context>",
    f"Here is the user's editor context as a JSON object.{_FOR_THE_MODEL}",
    f"Here is a summary of changes in the user's editor context, in JSON format.{_FOR_THE_MODEL}",
)
_ANSWERS: Final = frozenset(
    {
        "Got it. Thanks for the additional context!",
        "[The previous response was interrupted before it completed.]",
    }
)
_FILES: Final = "--- Content from referenced files ---"
_END_OF_FILES: Final = "--- End of content ---"


def is_snapshot(text: str) -> bool:
    """Tells whether a text is what the model is told instead of all that went before."""
    return text.lstrip().startswith(_SNAPSHOTS) and _SNAPSHOT in text


def is_put_in(text: str) -> bool:
    """Tells whether a text in the user's name is the program's."""
    return text.lstrip().startswith(_PUT_IN) or is_snapshot(text)


def is_put_in_answer(text: str) -> bool:
    """Tells whether a text in the model's name is the program's."""
    return text.strip() in _ANSWERS


def split_prompt(text: str, *, is_file: bool) -> tuple[list[tuple[bool, str]], bool]:
    """Splits a text of a prompt into what the user typed and the files that it names with ``@``.

    Args:
        text: of one part; the files stand in it, or in parts of their own.
        is_file: True behind the beginning of the files.

    Returns:
        Pieces that are together the text, each with whether it is put in; and whether the next part is a file.
    """
    if is_file:
        return [(True, text)], not text.lstrip().startswith(_END_OF_FILES)
    if is_put_in(text):
        return [(True, text)], False
    start = _start_of_files(text)
    if start < 0:
        return [(False, text)], False
    end = text.rfind(_END_OF_FILES, start)
    is_open = end < 0
    end = len(text) if is_open else end + len(_END_OF_FILES)
    if not text[end:].strip():
        end = len(text)
    pieces = [(False, text[:start]), (True, text[start:end]), (False, text[end:])]
    return [(is_context, piece) for is_context, piece in pieces if piece], is_open


def _start_of_files(text: str) -> int:
    """Returns where the files begin, on a line of their own; -1 without any."""
    if text.startswith(_FILES):
        return 0
    return text.find(f"\n{_FILES}")
