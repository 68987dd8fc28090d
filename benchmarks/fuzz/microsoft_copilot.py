"""Rows of Microsoft Copilot's tables in every layout, each text a mark, as conversations and as files of CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from random import Random
from typing import Any, Final, Literal

from benchmarks.fuzz.marks import Marks

_AUTHORS: Final = ("Human", "AI", "user", "assistant", "api_tool", "robot")
_COLUMNS: Final = ("Conversation", "Time", "Author", "Message")


def conversation(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a conversation of up to six rows of one layout."""
    make, title = random.choice(LAYOUTS), marks.text()
    return {
        "csv": "microsoft_copilot",
        "rows": [make(random, marks, title, random.choice(_AUTHORS)) for _ in range(random.randint(1, 6))],
    }


def table(random: Random, marks: Marks) -> tuple[bytes, list[list[str]]]:
    """Return a file of up to ten rows of up to three conversations, and the texts of each conversation."""
    titles = ["", *(marks.text() for _ in range(2))]
    make, more = random.choice(LAYOUTS), random.choice(([], [], [marks.text()]))
    rows = [make(random, marks, random.choice(titles), random.choice(_AUTHORS)) for _ in range(random.randint(0, 10))]
    rows = [row | dict.fromkeys(more, marks.text()) for row in rows]
    columns = list(rows[0]) if rows else list(_COLUMNS)
    random.shuffle(columns)
    written = io.StringIO()
    delimiter = random.choice(",,;\t")
    is_quoted = random.random() < 0.5
    quoting: Literal[0, 1] = csv.QUOTE_ALL if is_quoted else csv.QUOTE_MINIMAL
    writer = csv.DictWriter(written, columns, delimiter=delimiter, quoting=quoting)
    writer.writeheader()
    writer.writerows(rows)
    data = written.getvalue().encode(random.choice(("utf-8", "utf-8-sig", "utf-16")))
    said: dict[str, list[str]] = {}
    for number, row in enumerate(rows):
        title = row.get("Conversation", row.get("ChatName", f"row {number}"))
        said.setdefault(title, []).extend(row.values())
    return data, [*said.values()]


def activity(random: Random, marks: Marks, title: str, author: str) -> dict[str, Any]:
    """Return a row of what was said in Copilot's own app."""
    time = f"2026-07-{random.randint(1, 28):02}T23:{random.randint(0, 59):02}:56"
    return {"Conversation": title, "Time": time, "Author": author, "Message": _text(random, marks)}


def chat(random: Random, marks: Marks, title: str, author: str) -> dict[str, Any]:
    """Return a row of what was said in Chat or in an app of Microsoft 365."""
    time = f"{random.randint(1, 12)}/{random.randint(1, 28)}/2026 {random.randint(0, 23)}:05:06 +00:00"
    return {"CreatedAt": time, "MessageContent": _text(random, marks), "Author": author, "ChatName": title}


def prompt(random: Random, marks: Marks, _title: str, _author: str) -> dict[str, Any]:
    """Return a row of what was asked in an app of Windows."""
    time = f"2026-07-{random.randint(1, 28):02}T23:20:56Z"
    return {"Timestamp": time, "ClientApp": marks.text(), "Prompt": _text(random, marks)}


def _text(random: Random, marks: Marks) -> str:
    return random.choice(("{}", '"{}", and\n\nmore;\ttext', "{},", "")).format(marks.text())


LAYOUTS: Final[tuple[Callable[[Random, Marks, str, str], dict[str, Any]], ...]] = (activity, chat, prompt)
