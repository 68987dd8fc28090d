"""Sessions as a ChatGPT export."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final

_BETWEEN_MESSAGES: Final = 40.0


@dataclass(slots=True)
class Session:
    """A dialogue to write: exchanges in order, the name of each message that matters."""

    name: str
    title: str
    start: datetime
    exchanges: list[tuple[str, str]] = field(default_factory=list)

    def message(self, exchange: int, side: int) -> str:
        """Return the source id of a message: 0 for the question, 1 for the answer."""
        return f"{self.name}-{2 * exchange + side}"


def write_sessions(path: Path, sessions: Iterable[Session]) -> Path:
    """Write an export and return its path."""
    path.write_text(json.dumps([_conversation(session) for session in sessions]), encoding="utf-8")
    return path


def _conversation(session: Session) -> dict[str, Any]:
    texts = [text for exchange in session.exchanges for text in exchange]
    return linear_conversation(session.name, session.title, session.start.timestamp(), texts)


def linear_conversation(name: str, title: str, start: float, texts: Iterable[str]) -> dict[str, Any]:
    """Return a conversation in which user and assistant take turns."""
    mapping: dict[str, Any] = {f"{name}-root": {"id": f"{name}-root", "parent": None, "message": None}}
    parent, moment = f"{name}-root", start
    for number, text in enumerate(texts):
        node = f"{name}-{number}"
        mapping[node] = {
            "id": node,
            "parent": parent,
            "message": {
                "id": node,
                "author": {"role": "assistant" if number % 2 else "user"},
                "create_time": moment,
                "content": {"content_type": "text", "parts": [text]},
                "status": "finished_successfully",
            },
        }
        parent = node
        moment += _BETWEEN_MESSAGES
    return {
        "id": name,
        "title": title,
        "create_time": start,
        "update_time": moment,
        "current_node": parent,
        "mapping": mapping,
    }
