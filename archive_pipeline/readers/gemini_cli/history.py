"""The messages of a session in their order, with the branches that were left behind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from archive_pipeline.readers.gemini_cli.copies import Key, find_copies, given_again, says_snapshot, substance
from archive_pipeline.readers.left_out_lines import is_left_out


@dataclass(slots=True)
class History:
    """Messages by id.

    Attributes:
        messages: each one once, in the order in which they came first.
        line: the present branch, in order.
        places: of what is on it.
    """

    messages: dict[Key, dict[str, Any]] = field(default_factory=dict)
    line: list[Key] = field(default_factory=list)
    places: dict[Key, int] = field(default_factory=dict)
    # Of the line, what the model is told: not what a summary stands for, and not what the program said to the user.
    _told: set[Key] = field(default_factory=set)
    _parents: dict[Key, Key | None] = field(default_factory=dict)
    _copies: dict[Key, tuple[Key, ...]] = field(default_factory=dict)
    _originals: set[Key] = field(default_factory=set)

    def put(self, key: Key, message: dict[str, Any]) -> list[Any]:
        """Takes a message, which is the next one or written again; returns what it takes the place of."""
        if key in self._copies:
            return [message]
        before = self.messages.get(key)
        self.messages[key] = message
        self._told.add(key)
        if key not in self.places:
            self.places[key] = len(self.line)
            self.line.append(key)
        return [] if before is None or before == message else [before]

    def give(self, key: Key, message: dict[str, Any]) -> list[Any]:
        """Takes a message that is given anew; returns what of its forms is in none of the messages."""
        before = self.messages.get(key)
        if before is None or is_left_out(before):
            return self.put(key, message)
        kept = given_again(before, message)
        forms = [] if kept == message else [message]
        return [*self.put(key, kept), *forms]

    def meant(self, name: Key) -> tuple[Key, ...]:
        """Returns the messages that an id means: of a copy those that it repeats."""
        return self._copies.get(name, (name,))

    def place_of(self, name: Key) -> int | None:
        """Returns where on the line a message is."""
        return self.places.get(self.meant(name)[0])

    def told(self) -> Iterator[Key]:
        """Yields what the model is told, in order."""
        return (key for key in self.line if key in self._told)

    def parent_of(self, key: Key) -> Key | None:
        """Returns the message before: on the line, or where a branch that was left behind began."""
        place = self.places.get(key)
        if place is None:
            parent = self._parents.get(key)
            return parent if parent is None else self.meant(parent)[-1]
        return self.line[place - 1] if place else None

    def in_order(self) -> Iterator[Key]:
        """Yields all messages, each behind its parent."""
        seen: set[Key] = set()
        for key in self.messages:
            way: list[Key] = []
            ancestor: Key | None = key
            while ancestor is not None and ancestor not in seen:
                seen.add(ancestor)
                way.append(ancestor)
                ancestor = self.parent_of(ancestor)
            yield from reversed(way)

    def cut(self, place: int) -> None:
        """Leaves the line behind from a place on, if it is that long."""
        if place < len(self.line):
            self._leave(self.line[place:], self.line[place - 1] if place else None)
            del self.line[place:]

    def _leave(self, keys: list[Key], parent: Key | None) -> None:
        for key in keys:
            self._parents[key] = parent
            parent = key
            del self.places[key]
            self._told.discard(key)

    def follow(self, told: list[Key], fresh: Collection[Key]) -> list[Any]:
        """Takes what the model is told from now on; returns copies of messages that are there.

        Args:
            told: messages of the line, in order.
            fresh: those of them that were not there before.
        """
        now = set(told)
        gone = [key for key in self.line if key not in now]
        given = self._given_again(told, gone, fresh)
        copies: dict[Key, tuple[Key, ...]] = {}
        for is_told in (True, False):  # a saved chat may go on before a summary
            before = [key for key in gone if (key in self._told) is is_told]
            copies |= self._copies_among(before, [key for key in given if key not in copies])
        self._copies |= copies
        self._originals.update(key for keys in copies.values() for key in keys)
        told = list(dict.fromkeys(key for name in told for key in self.meant(name)))
        is_summed_up = any(says_snapshot(self.messages[key]) for key in given if key not in copies)
        left = [] if is_summed_up else self._taken_back(told, fresh, copies)
        self._arrange(told, {*left, *copies})
        return [self.messages.pop(key) for key in copies]

    def _given_again(self, told: list[Key], gone: list[Key], fresh: Collection[Key]) -> list[Key]:
        """Returns what may be copies: the messages behind all those that the model is told no longer."""
        ends = [self.places[key] for key in gone if key in self._told]
        behind = max(ends, default=len(self.line))
        return [key for key in told if (key in fresh or self.places[key] > behind) and key not in self._originals]

    def _copies_among(self, before: list[Key], given: list[Key]) -> dict[Key, tuple[Key, ...]]:
        """Finds copies: of the last messages where a summary takes the place of the others."""
        originals, copies = ([(key, self.messages[key]) for key in keys] for keys in (before, given))
        return find_copies(originals, copies, from_end=any(says_snapshot(message) for _, message in copies))

    def _taken_back(self, told: list[Key], fresh: Collection[Key], copies: Collection[Key]) -> list[Key]:
        """Leaves behind what was said last and is told no longer, from the first words on; returns it."""
        now = set(told)
        last = next((key for key in reversed(told) if key not in fresh), None)
        place = 0 if last is None else self.places[last] + 1
        behind = [key for key in self.line[place:] if key not in now and key not in copies]
        first = next(
            (at for at, key in enumerate(behind) if key in self._told and substance(self.messages[key])), len(behind)
        )
        left = behind[first:]
        self._leave(left, behind[first - 1] if first else last)
        return left

    def _arrange(self, told: list[Key], gone: Collection[Key]) -> None:
        """Puts the line into the order of what is told; all else stays behind the message that it came after."""
        now = set(told)
        behind: defaultdict[Key | None, list[Key]] = defaultdict(list)
        current: Key | None = None
        for key in self.line:
            if key in now:
                current = key
            elif key not in gone:
                behind[current].append(key)
        self.line = [*behind[None], *(key for own in told for key in (own, *behind[own]))]
        self.places = {key: place for place, key in enumerate(self.line)}
        self._told = now
