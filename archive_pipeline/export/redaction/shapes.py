"""Patterns for keys that have a shape of their own, and what tells that one is not worth a try on a text.

Few texts have a word as long as a key; a pattern that is tried on each of them at every character costs more than all
other rules.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Traits:
    """What tells whether a pattern is worth a try.

    Attributes:
        text: the text.
        lowered: the text in which each letter that patterns take for one of ASCII in any case is that one, but for i.
        longest_word: characters of the longest of its words.
    """

    text: str
    lowered: str
    longest_word: int

    @classmethod
    def of(cls, text: str) -> Traits:
        """Return those of a text."""
        return cls(text, text.lower().replace("\u017f", "s"), max(map(len, text.split()), default=0))


@dataclass(frozen=True, slots=True)
class ShapedRule:
    """A pattern for keys that have a shape of their own.

    Attributes:
        pattern: what finds them.
        shortest_word: a text in which it finds something has a word of so many characters,
        needles: and one of these; empty if nothing is known of it.
    """

    pattern: re.Pattern[str]
    shortest_word: int
    needles: tuple[str, ...]

    def may_find(self, traits: Traits) -> bool:
        """Tell whether it is worth a try."""
        if traits.longest_word < self.shortest_word:
            return False
        where = traits.lowered if self.pattern.flags & re.IGNORECASE else traits.text
        return not self.needles or any(needle in where for needle in self.needles)
