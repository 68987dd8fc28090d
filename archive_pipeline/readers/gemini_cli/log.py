"""The lines of a session: messages as they grow, changes of what is said of it, and going back.

A message is written again, whole, whenever something comes to it: the last one counts. ``$rewindTo`` goes back to
before a message; what follows is another branch. ``$set`` changes fields of the session, or gives all of its messages
anew. So a message is the child of the one that came before it when it was written first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from archive_pipeline.readers.json.shapes import as_identifier, as_list, as_object
from archive_pipeline.readers.json_lines import is_unreadable
from archive_pipeline.readers.left_out_lines import is_left_out, lacks_message

_REWIND: Final = "$rewindTo"
_SET: Final = "$set"
_MESSAGES: Final = "messages"
_PROMPT: Final = "user"


@dataclass(slots=True)
class SessionLog:
    """What lines say together.

    Attributes:
        head: fields of the session.
        messages: by id, in the order in which they came first; those without an id by the number of their line.
        parents: of each message, None at the beginning.
        current: the messages of the present branch.
        relinked: how often going back led to a message that is not in the file.
        earlier: what lines say that is not in the above: messages that were written again in another form, fields that
            were changed, lines of no known kind.
    """

    head: dict[str, Any] = field(default_factory=dict)
    messages: dict[str | int, dict[str, Any]] = field(default_factory=dict)
    parents: dict[str | int, str | int | None] = field(default_factory=dict)
    current: list[str | int] = field(default_factory=list)
    relinked: int = 0
    earlier: list[Any] = field(default_factory=list)
    _places: dict[str | int, int] = field(default_factory=dict)
    # Where messages would be that are not read, by id, and where the last line is whose id nothing tells.
    _gaps: dict[str, int] = field(default_factory=dict)
    _gap: int | None = None

    def add(self, number: int, line: Any) -> None:
        """Takes the next line."""
        if is_unreadable(line):
            self._gap = len(self.current)
            self.earlier.append(line)
        elif is_left_out(line):
            self._pass_over(line)
        elif isinstance(line.get(_REWIND), str):
            self._rewind(line[_REWIND])
            self.earlier.append(line)
        elif isinstance(line.get("id"), str):
            self._put(line["id"], line)
        elif isinstance(line.get(_SET), dict):
            self._set(number, line)
        elif "type" in line and "content" in line:
            self._put(number, line)
        elif isinstance(line.get("sessionId"), str):
            self._change(line)
        else:
            self.earlier.append(line)

    def _pass_over(self, line: dict[str, Any]) -> None:
        """Takes a line that is left out: a prompt is a message all the same, while nothing else is known of it."""
        name = line.get("id")
        if isinstance(name, str) and lacks_message(line) and line.get("type") == _PROMPT and name not in self.messages:
            self._put(name, line)
            return
        self.earlier.append(line)
        if isinstance(name, str):
            self._gaps[name] = len(self.current)
        else:
            self._gap = len(self.current)

    def _put(self, key: str | int, message: dict[str, Any]) -> None:
        before = self.messages.get(key)
        if before is None:
            self.parents[key] = self.current[-1] if self.current else None
        elif before != message:
            self.earlier.append(before)
        self.messages[key] = message
        if key not in self._places:
            self._places[key] = len(self.current)
            self.current.append(key)

    def _rewind(self, key: str) -> None:
        """Goes back to before a message: of one that was not read to where it is, of an unknown one to the start."""
        place = self._places.get(key, self._gaps.get(key, self._gap))
        self.relinked += key not in self._places and place is not None
        place = place or 0
        for gone in self.current[place:]:
            del self._places[gone]
        del self.current[place:]

    def _set(self, number: int, line: Mapping[str, Any]) -> None:
        changes = dict(as_object(line[_SET]))
        listed = as_list(changes.get(_MESSAGES))
        others = {name: value for name, value in line.items() if name != _SET}
        if listed:
            del changes[_MESSAGES]
            self._give_anew(number, listed)
        self._change(changes)
        if others:
            self.earlier.append(others)

    def _give_anew(self, number: int, listed: list[Any]) -> None:
        """Takes all messages of the session: those that are not among them were left behind."""
        self.current.clear()
        self._places.clear()
        self._gaps.clear()
        self._gap = None
        for place, item in enumerate(listed):
            if isinstance(item, dict):
                self._put(as_identifier(item.get("id")) or -(number * 1_000_000 + place + 1), item)
            else:
                self.earlier.append(item)

    def _change(self, changes: Mapping[str, Any]) -> None:
        replaced = {name: self.head[name] for name, value in changes.items() if self.head.get(name, value) != value}
        if replaced:
            self.earlier.append(replaced)
        self.head.update(changes)
