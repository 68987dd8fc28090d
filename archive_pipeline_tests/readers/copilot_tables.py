"""Tables as Microsoft's privacy dashboard exports them: a byte order mark, CRLF behind rows, the newest row first."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Sequence

ACTIVITY = ("Conversation", "Time", "Author", "Message")
CHAT = ("CreatedAt", "MessageContent", "Author", "ChatName")
PROMPTS = ("Timestamp", "ClientApp", "Prompt")


def table(rows: Iterable[Sequence[str]], columns: Sequence[str] = ACTIVITY, delimiter: str = ",") -> bytes:
    """A table in UTF-8 whose titles and messages are quoted."""
    lines = [delimiter.join(columns), *(delimiter.join(map(quoted, row)) for row in rows)]
    return codecs.BOM_UTF8 + "".join(f"{line}\r\n" for line in lines).encode()


def quoted(value: str) -> str:
    """A value in quotes if it is no time or name of who speaks."""
    plain = value.replace(":", "").replace("-", "")
    return value if plain.isalnum() and " " not in value else '"' + value.replace('"', '""') + '"'


def exchange(title: str, time: str, asked: str, answered: str) -> list[tuple[str, str, str, str]]:
    """A question and its answer, which stands before it and has the same time."""
    return [(title, time, "AI", answered), (title, time, "Human", asked)]
