"""Terms of the index that are words of a query but for marks on their letters: "zürich" for "zurich" and "zuerich"."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

import psycopg

from archive_pipeline.store.rows import fetch_column
from archive_pipeline.text.marks import WITH_MARKS, plain_spellings

# Of a letter, so many postings are looked at: half a second.
MOST_POSTINGS: Final = 1_000_000
# Spellings that are kept: some 30 MB.
MOST_HELD: Final = 200_000


class MarkedTerms:
    """The terms with marks by their plain spellings, read when a word with the same first letter is asked for.

    Several threads may use one; two may read the same.
    """

    def __init__(self) -> None:
        # First letter of plain spellings -> plain spelling -> terms.
        self._held: dict[str, Mapping[str, Sequence[str]]] = {}

    def of_words(self, connection: psycopg.Connection[Any], words: Collection[str]) -> dict[str, Sequence[str]]:
        """Return of lower-case words the terms that are them with marks; what is written with marks has no others."""
        held = self._of_letters(connection, words)
        return {word: held[word[:1]].get(word, ()) for word in words if word[:1] in held}

    def beginning_with(self, connection: psycopg.Connection[Any], prefix: str) -> set[str]:
        """Return the terms whose plain spellings begin so."""
        of_letter = self._of_letters(connection, [prefix]).get(prefix[:1], {})
        return {term for plain, terms in of_letter.items() if plain.startswith(prefix) for term in terms}

    def _of_letters(
        self, connection: psycopg.Connection[Any], words: Collection[str]
    ) -> dict[str, Mapping[str, Sequence[str]]]:
        letters = {word[:1] for word in words if word.isascii() and word[:1].isalpha()}
        known = self._held
        held = {letter: known[letter] for letter in letters & known.keys()}
        if new := letters - held.keys():
            held |= _read(connection, new)
            # Replaced, since other threads look into what is there.
            self._held = held if sum(map(len, known.values())) > MOST_HELD else {**known, **held}
        return held


def _read(connection: psycopg.Connection[Any], letters: Collection[str]) -> dict[str, Mapping[str, Sequence[str]]]:
    """Return for each letter the plain spellings that begin with it, and their terms."""
    marked = {letter for plain, some in WITH_MARKS.items() if plain[0] in letters for letter in some}
    asked = {"letters": sorted(marked.union(letters)), "most": MOST_POSTINGS}
    found: dict[str, defaultdict[str, list[str]]] = {letter: defaultdict(list) for letter in letters}
    for term in fetch_column(connection, "lexical/terms_with_marks", str, asked):
        for plain in {each for each in plain_spellings(term) if each[0] in letters}:
            found[plain[0]][plain].append(term)
    return {letter: dict(of_letter) for letter, of_letter in found.items()}
