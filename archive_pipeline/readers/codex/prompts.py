"""What the desktop application or an editor writes around the user's words, and what of that the user wrote, too.

Sections with headings of their own stand before the question, which has a heading as well. Comments on a page or a
change are the user's words among what says where they are; answers to the model's questions are JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import orjson

from archive_pipeline.readers.json.shapes import as_list, as_object, as_text

# Pieces of a prompt, each with whether it is put in.
Pieces = list[tuple[bool, str]]

# What is open or at hand: nobody says it.
_AMBIENT: Final = (
    "# Context from my IDE setup:",
    "# Files mentioned by the user:",
    "# Files pasted by the user:",
    "# In app browser",
    "<in-app-browser-context",
)
# What the user chose to send, perhaps without a word about it.
_SENT: Final = (
    "# Browser comments:",
    "# Diff comments:",
    "# Selected text:",
    "# Response annotations:",
    "# Review findings:",
    "# Failing PR checks:",
)
_REQUEST: Final = re.compile(r"^## My request(?: for Codex)?:[ \t]*\n?", re.MULTILINE)
_BROWSER: Final = re.compile(r"\s*<in-app-browser-context[^>]*>.*?</in-app-browser-context>\s*", re.DOTALL)
_COMMENTS: Final = re.compile(r"^# (?:Browser|Diff) comments:", re.MULTILINE)
_COMMENT: Final = re.compile(r"^Comment:[ \t]*\n?", re.MULTILINE)
_END_OF_COMMENT: Final = re.compile(
    rf"^(?:## (?:User )?Comment \d|## My request|{'|'.join(map(re.escape, (*_AMBIENT, *_SENT)))})", re.MULTILINE
)
_REPLY: Final = re.compile(
    r"\s*<send_user_message_question_reply>(.*)</send_user_message_question_reply>\s*", re.DOTALL
)


def split_prompt(text: str) -> Pieces:
    """Returns the pieces of a prompt; joined they are the text, but of answers to questions."""
    start = text.lstrip()
    if not start.startswith((*_AMBIENT, *_SENT)):
        return _replies(text)
    end = _end_of_shown(text)
    found = [*_commented(text[:end]), *_replies(text[end:])]
    pieces = [(is_put_in or not piece.strip(), piece) for is_put_in, piece in found]
    is_told = start.startswith(_AMBIENT) or not all(is_put_in for is_put_in, _ in pieces)
    return pieces if is_told else [(False, text)]


def _end_of_shown(text: str) -> int:
    """Returns where the question begins: without a heading behind what the browser shows, or behind all comments."""
    if (heading := _REQUEST.search(text)) is not None:
        return heading.end()
    if (browser := _BROWSER.match(text)) is not None:
        return browser.end()
    return len(text) if _COMMENTS.search(text) is not None else 0


def _commented(text: str) -> Iterator[tuple[bool, str]]:
    """Yields what stands before the question, the user's comments apart from it."""
    section = _COMMENTS.search(text)
    place, heading = 0, None if section is None else _COMMENT.search(text, section.end())
    while heading is not None:
        end = _END_OF_COMMENT.search(text, heading.end())
        said = text[heading.end() : None if end is None else end.start()].rstrip()
        yield True, text[place : heading.end()]
        yield False, said
        place = heading.end() + len(said)
        heading = _COMMENT.search(text, place)
    yield True, text[place:]


def _replies(text: str) -> Pieces:
    """Returns the questions and answers of a reply; of other text the words."""
    reply = _REPLY.fullmatch(text)
    try:
        items = [] if reply is None else as_list(orjson.loads(reply[1]))
    except ValueError:
        items = []
    said = [(as_text(as_object(item).get("question")), as_text(as_object(item).get("answer"))) for item in items]
    if not said or any(answer is None for _, answer in said):
        return [(False, text)]
    return [piece for asked, answer in said for piece in ((True, asked or ""), (False, answer or ""))]
