"""The lines of a session: messages as they grow, changes of what is said of it, and going back.

A message is written again, whole, whenever something comes to it: the last one counts. ``$rewindTo`` goes back to
before a message; what follows is another branch. ``$set`` changes fields of the session, or gives all of its messages
anew; ``$patch`` changes some of them. What the model is no longer told stays where it was said, unless it was last:
then the user took it back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from archive_pipeline.readers.gemini_cli.copies import Key, given_again
from archive_pipeline.readers.gemini_cli.history import History
from archive_pipeline.readers.json.shapes import as_identifier, as_list, as_object
from archive_pipeline.readers.json_lines import is_unreadable
from archive_pipeline.readers.left_out_lines import is_left_out, lacks_message

_REWIND: Final = "$rewindTo"
_SET: Final = "$set"
_PATCH: Final = "$patch"
_MESSAGES: Final = "messages"
_PROMPT: Final = "user"
_RESPONSE: Final = {"type": "functionResponse"}


@dataclass(slots=True)
class SessionLog:
    """What lines say together.

    Attributes:
        head: fields of the session.
        history: its messages; those without an id by the number of their line.
        relinked: how often going back led to a message that is not in the file.
        earlier: what lines say that is not in the above: messages that were written again in another form, fields that
            were changed, copies, patches, lines of no known kind.
    """

    head: dict[str, Any] = field(default_factory=dict)
    history: History = field(default_factory=History)
    relinked: int = 0
    earlier: list[Any] = field(default_factory=list)
    # Where messages would be that are not read, by id, and where the last line is whose id nothing tells.
    _gaps: dict[str, int] = field(default_factory=dict)
    _gap: int | None = None

    def add(self, number: int, line: Any) -> None:
        """Takes the next line."""
        if is_unreadable(line):
            self._gap = len(self.history.line)
            self.earlier.append(line)
        elif is_left_out(line):
            self._pass_over(line)
        elif isinstance(line.get(_REWIND), str):
            self._rewind(line[_REWIND])
            self.earlier.append(line)
        elif isinstance(line.get(_PATCH), dict):
            self._patch(line[_PATCH])
            self.earlier.append(line)
        else:
            self._say(number, line)

    def _say(self, number: int, line: dict[str, Any]) -> None:
        if isinstance(line.get("id"), str):
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
        is_prompt = line.get("type") == _PROMPT and _RESPONSE not in as_list(line.get("content"))
        if isinstance(name, str) and lacks_message(line) and is_prompt and name not in self.history.messages:
            self._put(name, line)
            return
        self.earlier.append(line)
        if isinstance(name, str):
            self._gaps[name] = len(self.history.line)
        else:
            self._gap = len(self.history.line)

    def _put(self, key: Key, message: dict[str, Any]) -> None:
        self.earlier += self.history.put(key, message)

    def _rewind(self, key: str) -> None:
        """Goes back to before a message: of one that was not read to where it is, of an unknown one to the start."""
        own = self.history.place_of(key)
        place = self._gaps.get(key, self._gap) if own is None else own
        self.relinked += own is None and place is not None
        self.history.cut(place or 0)

    def _patch(self, changes: Mapping[str, Any]) -> None:
        for update in map(as_object, [changes, *as_list(changes.get("updates"))]):
            self._update(update)
        removed = dict.fromkeys(self._named(changes.get("removeIds")))
        order = dict.fromkeys(self._named(changes.get("orderIds")))
        if removed or order:
            told = [key for key in self.history.told() if key not in removed]
            known = set(told)
            behind = [key for key in order if key in known]
            ordered = [*(key for key in told if key not in order), *behind]
            self.earlier += self.history.follow(ordered, frozenset())

    def _named(self, names: object) -> Iterator[Key]:
        return (key for name in as_list(names) if isinstance(name, str) for key in self.history.meant(name))

    def _update(self, update: Mapping[str, Any]) -> None:
        """Takes what changes in a message: its content, and results of its calls."""
        name = update.get("id")
        message = self.history.messages.get(name) if isinstance(name, str) else None
        if message is None:
            return
        given = {} if update.get("content") is None else {"content": update["content"]}
        results = {as_identifier(as_object(call).get("id")): call for call in as_list(update.get("toolCalls"))}
        calls = message.get("toolCalls")
        if isinstance(calls, list) and results:
            given["toolCalls"] = [_with_result(call, results) for call in calls]
        changed = given_again(message, given)
        if changed != message:
            self.earlier.append(message)
            self.history.messages[str(name)] = changed

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
        """Takes all messages that the model is told."""
        self._gaps.clear()
        self._gap = None
        told: dict[Key, None] = {}
        fresh: set[Key] = set()
        for place, item in enumerate(listed):
            if not isinstance(item, dict):
                self.earlier.append(item)
                continue
            key = as_identifier(item.get("id")) or -(number * 1_000_000 + place + 1)
            if key not in self.history.places and self.history.meant(key) == (key,):
                fresh.add(key)
            self.earlier += self.history.give(key, item)
            told |= dict.fromkeys(self.history.meant(key))
        self.earlier += self.history.follow(list(told), fresh)

    def _change(self, changes: Mapping[str, Any]) -> None:
        replaced = {name: self.head[name] for name, value in changes.items() if self.head.get(name, value) != value}
        if replaced:
            self.earlier.append(replaced)
        self.head.update(changes)


def _with_result(call: Any, results: Mapping[str | None, Any]) -> Any:
    name = as_identifier(as_object(call).get("id"))
    given = as_object(results.get(name)) if name is not None else {}
    return {**call, "result": given["result"]} if "result" in given else call
