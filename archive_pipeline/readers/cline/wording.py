"""What in the user's place is the user's: Cline and its forks put tags around it, and write around them.

Results of tools stand there too, in earlier versions as texts that begin with the tool's name. What tools read may have
the same tags in it, so that these count only where the program writes them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_AT_START: Final = re.compile(r'\s*<(task|feedback|answer|user_message|user_input)(?: mode="[^"\n]*")?>')
# Behind a line in which the program says whose words follow.
_LATER: Final = re.compile(r"\n<(feedback|user_message)>(?=\n)")
_ANNOUNCING: Final = ("user", "instructions")
# Says that the user has changed between planning and acting, before the words.
_NOTICE: Final = re.compile(r"<mode_notice(?: [^>\n]*)?>")
_NOTICE_END: Final = "</mode_notice>"
_RESULT: Final = re.compile(r"\[([A-Za-z_][\w.-]*)(?=[ \]])")
_RESULT_END: Final = "] Result:"
_PUT_IN: Final = ("<environment_details>", "[ERROR]", "[TASK RESUMPTION]")
# Tools by which the user is asked: their results begin with what the user says.
_ASKING: Final = frozenset(
    {"ask_followup_question", "attempt_completion", "plan_mode_respond", "plan_mode_response", "new_task", "condense"}
)
_ENVIRONMENT: Final = re.compile(r"^# Current (?:Working|Workspace) Directory \(([^\n]+)\) Files$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a text.

    Attributes:
        tag: what the program put around the user's words; None of what the program wrote.
        text: without tags.
    """

    tag: str | None
    text: str


def pieces_of(text: str, *, may_begin: bool = True) -> list[Piece]:
    """Returns the pieces of a text, without blank ones of the program; a text without the user's words is one piece.

    Args:
        text: in the user's place, or of a result.
        may_begin: it may begin with the user's words.
    """
    found: list[Piece] = []
    end = 0
    opening = _AT_START.match(text) if may_begin else None
    while (opening := opening or _announced(text, end)) is not None:
        start, close = opening.end(), text.find(f"</{opening[1]}>", opening.end())
        if close < 0:
            break
        notice = _end_of_notice(text, start, close)
        found += [_of_program(text[end : opening.start()]), _of_program(text[start:notice])]
        found.append(Piece(opening[1], text[notice:close].strip("\n")))
        end = close + len(opening[1]) + len("</>")
        opening = None
    found.append(_of_program(text[end:]))
    return [piece for piece in found if piece.tag is not None or piece.text]


def _of_program(text: str) -> Piece:
    return Piece(None, text.strip("\n") if text.strip() else "")


def _announced(text: str, begin: int) -> re.Match[str] | None:
    """Returns the next tag behind a line that speaks of the user."""
    for opening in _LATER.finditer(text, begin):
        line = text[text.rfind("\n", 0, opening.start()) + 1 : opening.start()].lower()
        if any(word in line for word in _ANNOUNCING):
            return opening
    return None


def _end_of_notice(text: str, start: int, close: int) -> int:
    opening = _NOTICE.match(text, start, close)
    end = -1 if opening is None else text.find(_NOTICE_END, start, close)
    return start if end < 0 else end + len(_NOTICE_END)


def result_in(text: str) -> tuple[str, str] | None:
    """Returns the name of the tool whose result a text is, and the result; None if it is none."""
    opening = _RESULT.match(text)
    end = -1 if opening is None else text.find(_RESULT_END, opening.end())
    if opening is None or end < 0:
        return None
    return opening[1], text[end + len(_RESULT_END) :].lstrip(" \n")


def asks_user(tool: str | None) -> bool:
    """Tells whether a tool asks the user."""
    return tool in _ASKING


def is_put_in(text: str) -> bool:
    """Tells a text that the program puts in as a whole."""
    return text.lstrip().startswith(_PUT_IN)


def folder_in(text: str) -> str | None:
    """Returns the working folder that a text of the program names."""
    found = _ENVIRONMENT.search(text) if text.lstrip().startswith(_PUT_IN[0]) else None
    return None if found is None else found[1]
