"""A log of changes as the session that it makes: a line has the whole session, or what to set, push or delete in it.

What a change replaces is kept, unless what replaces it begins with it. Each value is copied once and compared once, so
that the work grows with the file alone.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

from archive_pipeline.readers.copilot_chat.recognition import is_snapshot
from archive_pipeline.readers.json.fields import is_empty
from archive_pipeline.readers.json.parsing import MAX_DEPTH
from archive_pipeline.readers.json.shapes import as_list
from archive_pipeline.readers.json.structure import extent_of
from archive_pipeline.readers.json_lines import is_unreadable
from archive_pipeline.readers.left_out_lines import is_left_out

_SET: Final = 1
_PUSH: Final = 2
_DELETE: Final = 3
_OF_LINE: Final = frozenset({"kind", "k", "v", "i"})
_NOTHING: Final = object()


@dataclass(slots=True)
class Log:
    """The session that the lines of a log make.

    Attributes:
        session: as it is behind the last line; None without a line that has it whole.
        lines: what changed nothing, by the numbers of the lines: no JSON, a change of what is not there, or one behind
            a line that is left out. Changes name places by numbers, which that line may have moved.
        replaced: what changes replaced, by the numbers of their lines: its path, and the value.
        changed: the names of fields that changes were made to or in.
    """

    warnings: Counter[str]
    session: dict[str, Any] | None = None
    lines: dict[str, Any] = field(default_factory=dict)
    replaced: dict[str, Any] = field(default_factory=dict)
    changed: set[str] = field(default_factory=set)
    _lacks_a_line: bool = False

    def take(self, number: int, line: Any) -> None:
        """Takes the next line."""
        is_stand_in = is_left_out(line)
        if is_stand_in or is_unreadable(line) or not self._apply(str(number), line):
            self._lacks_a_line |= is_stand_in
            self.warnings["malformed_message"] += not is_stand_in
            self.lines[str(number)] = line
            return
        self.changed.update(name for name in as_list(line.get("k")) if isinstance(name, str))
        rest = {name: value for name, value in line.items() if name not in _OF_LINE}
        if rest:
            self.lines[str(number)] = rest

    def _apply(self, number: str, line: dict[str, Any]) -> bool:
        if is_snapshot(line) and not ("k" in line or "i" in line):
            new = _copied(line["v"])
            self._keep(number, [], self.session, new)
            self.session = new
            self._lacks_a_line = False
            return True
        place = self._place(line)
        if place is None or self._lacks_a_line:
            return False
        kind, path, (container, key) = line["kind"], line["k"], place
        if kind == _PUSH:
            return self._push(number, path, line, container, key)
        if kind == _DELETE:
            return not ("v" in line or "i" in line) and self._set(number, path, _NOTHING, container, key)
        return "i" not in line and self._set(number, path, line.get("v", _NOTHING), container, key)

    def _place(self, line: dict[str, Any]) -> tuple[Any, Any] | None:
        """Returns the container that a change is for, and the key in it; None if there is none, or it is too deep."""
        kind, path, value = line.get("kind"), line.get("k"), line.get("v")
        is_change = type(kind) is int and kind in (_SET, _PUSH, _DELETE)
        if not is_change or not isinstance(path, list) or not path or self.session is None:
            return None
        if len(path) + extent_of(value).depth > MAX_DEPTH:
            return None
        container: Any = self.session
        for key in path[:-1]:
            if not _has(container, key, len(container) - 1):
                return None
            container = container[key]
            if not isinstance(container, dict | list):
                return None
        return (container, path[-1]) if _is_key(container, path[-1]) else None

    def _set(self, number: str, path: list[Any], value: Any, container: Any, key: Any) -> bool:
        """Sets a value, or deletes one if it is ``_NOTHING``; an array keeps its other items where they are."""
        is_list = isinstance(container, list)
        if is_list and key > len(container) - (value is _NOTHING):
            return False
        is_there = key < len(container) if is_list else key in container
        if value is _NOTHING and not is_there:
            return False
        new = None if value is _NOTHING else _copied(value)
        self._keep(number, path, container[key] if is_there else None, value if value is _NOTHING else new)
        if is_list and not is_there:
            container.append(new)
        elif is_list or value is not _NOTHING:
            container[key] = new
        else:
            del container[key]
        return True

    def _push(self, number: str, path: list[Any], line: dict[str, Any], container: Any, key: Any) -> bool:
        """Cuts an array off at an index if there is one, and adds values."""
        is_there = _has(container, key, len(container) - 1)
        target = (container[key] or []) if is_there else []
        values, index = line.get("v") or [], line.get("i")
        if (
            not isinstance(target, list)
            or not isinstance(values, list)
            or (isinstance(container, list) and not is_there)
        ):
            return False
        index = len(target) if index is None else index
        if type(index) is not int or not 0 <= index <= len(target):
            return False
        new = _copied(values)
        for place, old in enumerate(target[index:]):
            self._keep(number, [*path, index + place], old, new[place] if place < len(new) else None)
        target[index:] = new
        container[key] = target
        return True

    def _keep(self, number: str, path: list[Any], old: Any, new: Any) -> None:
        if new is _NOTHING or not _is_said(old, new):
            self.replaced.setdefault(number, []).append({"k": path, "v": old})


def replayed(lines: list[Any], warnings: Counter[str]) -> Log:
    """Returns what the lines of a log make."""
    log = Log(warnings)
    for number, line in enumerate(lines, 1):
        log.take(number, line)
    return log


def _is_key(container: Any, key: Any) -> bool:
    return isinstance(key, str) if isinstance(container, dict) else type(key) is int and key >= 0


def _has(container: Any, key: Any, last: int) -> bool:
    return _is_key(container, key) and (key in container if isinstance(container, dict) else key <= last)


def _copied(value: Any) -> Any:
    """Returns a value of its own, so that changes of the session are none of the lines."""
    if isinstance(value, dict):
        return {name: _copied(item) for name, item in value.items()}
    return [_copied(item) for item in value] if isinstance(value, list) else value


def _is_said(old: Any, new: Any) -> bool:
    """Tells whether a value begins with another: nothing is lost where it takes its place."""
    if old is False or is_empty(old):
        return True
    if isinstance(old, str):
        return isinstance(new, str) and new.startswith(old)
    if isinstance(old, dict):
        return isinstance(new, dict) and all(name in new and _is_said(item, new[name]) for name, item in old.items())
    if isinstance(old, list):
        is_longer = isinstance(new, list) and len(new) >= len(old)
        return is_longer and all(map(_is_said, old, new))
    return type(old) is type(new) and old == new
