"""What in the user's place is the user's: Cline and its forks put tags around it, and write around them.

Results of tools stand there too, in earlier versions as texts that begin with the tool's name. What tools read may have
the same tags and sentences in it, so that these count only where the program writes them.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Final

from more_itertools import last

_AT_START: Final = re.compile(r'\s*<(?P<tag>task|feedback|answer|user_message|user_input)(?: mode="[^"\n]*")?>')
# Blocks that may stand before the user's words: those of a slash command replace it.
_BLOCK: Final = re.compile(r"\s*<(explicit_instructions|hook_context|environment_details)(?: [^>\n]*)?>")
# Sentences behind which the user's words follow, as the versions have them.
_SENTENCES: Final = (
    "The user provided the following feedback:",
    "The user denied this operation and provided the following feedback:",
    "The user approved this operation and provided the following context:",
    "You seem to be having trouble proceeding. The user has provided the following feedback to help guide you:",
    (
        "The user has provided feedback on the results."
        " Consider their input to continue the task, and then attempt completion again."
    ),
    (
        "The user is not pleased with the results."
        " Use the feedback they provided to successfully complete the task, and then attempt completion again."
    ),
    "The user provided feedback instead of creating a new task:",
    "The user provided feedback on the condensed conversation summary:",
    "The user did not submit the bug, and provided feedback on the Github issue generated instead:",
    "The user also provided the following message when switching to ACT MODE:",
    "New instructions for task continuation:",
    *(
        f"New message to respond to with {tool} tool (be sure to provide your response in the <response> parameter):"
        for tool in ("plan_mode_respond", "plan_mode_response")
    ),
)
_SENTENCE: Final = rf"(?:{'|'.join(map(re.escape, _SENTENCES))})\n<(?P<tag>feedback|user_message)>(?=\n)"
_SWITCHED: Final = re.escape("[The user has switched to ACT MODE, so you may now proceed with the task.]")
_ANNOUNCED: Final = re.compile(rf"\s*(?:{_SWITCHED}\s*)?{_SENTENCE}")
_LATER: Final = re.compile(_SENTENCE)
_RESUMED: Final = "[TASK RESUMPTION]"
_SPOKEN: Final = re.compile(r"<(?P<tag>user_message)>(?=\n)")
# Of Roo Code, without a tag: the words are the rest of the text.
_REPEATED: Final = re.compile(r"Tool repetition limit reached\. User feedback: ")
# A command may print anything before the words, which end the text.
_RUNNING: Final = "Command is still running in "
_BEHIND_OUTPUT: Final = re.compile(rf"\n(?:{re.escape(_SENTENCES[0])})?\n<(?P<tag>feedback|user_message)>(?=\n)")
_COMMANDING: Final = frozenset({"execute_command", "attempt_completion"})
# What follows the tag that closes the words: nothing, or what the program was asked to show, which has tags too.
_CLOSED: Final = r"(?=\s*\Z|\n\n<[a-z])"
# The user's words in JSON, as Roo Code writes them before what a tool gave, or in its place.
_STRING: Final = r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"'
_IN_JSON: Final = re.compile(
    rf'\s*\{{"status":"(?:denied|approved|guidance)",(?:"message":{_STRING},)?"feedback":({_STRING})\}}(?=\s*\Z|\n\n)'
)
# Says that the user has changed between planning and acting, before the words.
_NOTICE: Final = re.compile(r"<mode_notice(?: [^>\n]*)?>")
_NOTICE_END: Final = "</mode_notice>"
# Names of tools are words joined by underscores, but for three.
_RESULT: Final = re.compile(
    r"\[([a-z][a-z0-9]*(?:_[a-z0-9]+)+|condense|edit|skill)(?:(?=\] Result:)| (?:for|to|in|with) )"
)
# What these were asked may have lines; files that are shown have the same beginning on a line of its own.
_LONG: Final = frozenset({"execute_command", "ask_followup_question", "new_task", "switch_mode", "codebase_search"})
_SUBTASK: Final = re.compile(r"\[(new_task) completed\] Result:")
_RESULT_END: Final = re.compile(r"\] Result:[ \t]*(?=\n|\Z)")
# Of sessions, in the tag of the user's words: that the task goes on, and that the user lets the plan be carried out.
_GOES_ON: Final = re.compile(
    r'\s*<user_input(?: mode="[^"\n]*")?>\s*(?:<mode_notice(?: [^>\n]*)?>[^<]*</mode_notice>\s*)?'
    r"(?:\[TASK RESUMPTION\]"
    r"|The user approved switching to act mode\. Continue with the approved plan now\.\s*</user_input>)"
)
_PUT_IN: Final = ("<environment_details>", "[ERROR] You did not ", _RESUMED)
# Tools by which the user is asked: their results begin with what the user says.
_ASKING: Final = frozenset(
    {"ask_followup_question", "attempt_completion", "plan_mode_respond", "plan_mode_response", "new_task", "condense"}
)
_ENVIRONMENT: Final = re.compile(
    r"^# Current (?:(?:Working|Workspace) Directory \(([^\n]+)\) Files|Working Directory\n([^\n]+))$", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a text.

    Attributes:
        tag: what the program put around the user's words; None of what the program wrote.
        text: without tags.
    """

    tag: str | None
    text: str


def pieces_of(text: str) -> list[Piece]:
    """Returns the pieces of a text in the user's place, without blank ones of the program."""
    repeated = _REPEATED.match(text)
    if repeated is not None:
        return [_of_program(repeated[0]), Piece("feedback", text[repeated.end() :])]
    if _GOES_ON.match(text) is not None:
        return [_of_program(text)]
    begin = _end_of_blocks(text)
    return _pieces(text, _AT_START.match(text, begin) or _announced(text, begin))


def words_in_result(text: str, tool: str | None) -> list[Piece]:
    """Returns what the user says in a text of a tool's result: an answer, or why a call was denied."""
    begin = _end_of_blocks(text) if asks_user(tool) else 0
    opening = _AT_START.match(text, begin) if asks_user(tool) else None
    opening = opening or _announced(text, begin)
    if opening is None and tool in _COMMANDING:
        opening = _behind_output(text)
    return [piece for piece in _pieces(text, opening) if piece.tag is not None]


def _pieces(text: str, opening: re.Match[str] | None) -> list[Piece]:
    if opening is None:
        return _pieces_in_json(text)
    tag, start = opening["tag"], opening.end()
    close = _closing(text, tag, start)
    if close < 0:
        return [_of_program(text)]
    notice = _end_of_notice(text, start, close)
    found = [
        _of_program(text[: opening.start("tag") - len("<")]),
        _of_program(text[start:notice]),
        Piece(tag, text[notice:close].strip("\n")),
        _of_program(text[close + len(tag) + len("</>") :]),
    ]
    return [piece for piece in found if piece.tag is not None or piece.text]


def _pieces_in_json(text: str) -> list[Piece]:
    found = _IN_JSON.match(text)
    if found is None:
        return [_of_program(text)]
    rest = _of_program(text[found.end() :])
    return [Piece("feedback", json.loads(found[1])), *([rest] if rest.text else [])]


def _of_program(text: str) -> Piece:
    return Piece(None, text.strip("\n") if text.strip() else "")


def _end_of_blocks(text: str) -> int:
    """Returns where the blocks end that a text begins with."""
    end = 0
    while (block := _BLOCK.match(text, end)) is not None:
        close = text.find(f"</{block[1]}>", block.end())
        if close < 0:
            break
        end = close + len(block[1]) + len("</>")
    return end


def _announced(text: str, begin: int) -> re.Match[str] | None:
    """Returns a tag behind a sentence that a text begins with, or that follows the word that a task goes on."""
    if text[begin:].lstrip().startswith(_RESUMED):
        return _LATER.search(text, begin) or _SPOKEN.search(text, begin)
    return _ANNOUNCED.match(text, begin)


def _behind_output(text: str) -> re.Match[str] | None:
    """Returns the tag that the user spoke in while a command ran: the last one, if the text ends with it."""
    opening = last(_BEHIND_OUTPUT.finditer(text), None) if text.startswith(_RUNNING) else None
    return opening if opening is not None and text.rstrip().endswith(f"</{opening['tag']}>") else None


def _closing(text: str, tag: str, begin: int) -> int:
    """Returns where the tag is that closes the words, which may have the same tag in them; -1 if there is none.

    The program closes at the beginning of a line, and mostly with the end of the text or a block behind it.
    """
    close = f"</{tag}>"
    for pattern in (rf"(?<=\n){close}{_CLOSED}", rf"{close}{_CLOSED}"):
        if (found := re.compile(pattern).search(text, begin)) is not None:
            return found.start()
    line = text.rfind(f"\n{close}\n", begin)
    return text.rfind(close, begin) if line < 0 else line + len("\n")


def _end_of_notice(text: str, start: int, close: int) -> int:
    opening = _NOTICE.match(text, start, close)
    end = -1 if opening is None else text.find(_NOTICE_END, start, close)
    return start if end < 0 else end + len(_NOTICE_END)


def result_in(text: str) -> tuple[str, str] | None:
    """Returns the name of the tool whose result a text is, and the result; None if it is none."""
    end = _SUBTASK.match(text)
    opening = end or _RESULT.match(text)
    if opening is not None and end is None:
        line = len(text) if opening[1] in _LONG else len(text.partition("\n")[0])
        end = _RESULT_END.search(text, opening.end(), line)
    return None if opening is None or end is None else (opening[1], text[end.end() :].lstrip(" \n"))


def asks_user(tool: str | None) -> bool:
    """Tells whether a tool asks the user."""
    return tool in _ASKING


def is_put_in(text: str) -> bool:
    """Tells a text that the program puts in as a whole."""
    end = _end_of_blocks(text)
    is_whole = text.lstrip().startswith(_PUT_IN) or _GOES_ON.match(text) is not None
    return is_whole or (end > 0 and not text[end:].strip())


def folder_in(text: str) -> str | None:
    """Returns the working folder that a text of the program names."""
    found = _ENVIRONMENT.search(text) if text.lstrip().startswith(_PUT_IN[0]) else None
    return None if found is None else found[1] or found[2]
