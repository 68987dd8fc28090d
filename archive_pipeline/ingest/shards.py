"""Shards: a large export is cut into numbered files, and one that lacks a number was not given whole."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Final

from archive_pipeline.readers.compressed import unpacked_name

_SHARD: Final = re.compile(r"(.*?conversations-)([0-9]{3})(\.json|\.zip)(?:/.*)?", re.DOTALL)
# The parts of one export by the privacy portal, which number their shards together.
_PORTAL_PART: Final = re.compile(r"(Conversations__[^/]*?)(?:-[0-9]{4})?(?:-part-[0-9]{4})?(?:\.zip)?/")


def missing_shards(locators: Iterable[str]) -> list[str]:
    """Return a line for each numbered file of conversations that is missing below the highest number that was given."""
    numbers: dict[tuple[str, str], set[int]] = defaultdict(set)
    for locator in locators:
        found = _SHARD.fullmatch(_PORTAL_PART.sub(r"\1/", unpacked_name(locator)))
        if found is not None:
            beginning, number, suffix = found.groups()
            numbers[beginning, suffix].add(int(number))
    return [
        f"{beginning}{number:03}{suffix}: was not given, but later ones were"
        for (beginning, suffix), given in numbers.items()
        for number in range(min(1, *given), max(given))
        if number not in given
    ]
