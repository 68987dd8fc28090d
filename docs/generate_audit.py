"""Writes ``docs/audit.md`` from ``docs/audit.tsv``: requirements of the seeds, where each is met, what shows it.

Run by ``make docs``. ``archive_pipeline_tests/docs/test_audit.py`` checks that every place, test and decision is there.
"""
# ruff: noqa: INP001 (a folder of documents, not a package)

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

SOURCE: Final = Path(__file__).with_name("audit.tsv")
TARGET: Final = Path(__file__).with_name("audit.md")
SEEDS: Final = {
    "000": "trees, paths, sequences, exchanges, hashes",
    "001": "prompt-response pairs",
    "002": "contexts with citations",
    "003": "hashes and matching of messages arrays",
    "004": "question-answer pairs",
}
HEAD: Final = """\
# The seeds, requirement by requirement

Written by `make docs` from `docs/audit.tsv`, a line per requirement; not edited by hand. A test checks that every
place, test and decision that is named is there.

"Where" names files, with a name that stands in them. "Shown by" names tests in `archive_pipeline_tests` and decisions.
What is done otherwise than a seed says has its reason.
"""
_PREFIXES: Final = ("archive_pipeline/", "archive_pipeline_tests/")


class Requirement(NamedTuple):
    """A line of ``audit.tsv``.

    Attributes:
        seed: its number.
        text: what the seed demands.
        where: places in the code: ``file`` or ``file:name``.
        shown_by: tests (``file::function``) and decisions (``docs/decisions.md#section``, ``docs/decisions/….md``).
        difference: what is otherwise, and why; empty if nothing is.
    """

    seed: str
    text: str
    where: tuple[str, ...]
    shown_by: tuple[str, ...]
    difference: str


def requirements() -> list[Requirement]:
    """Return the lines of ``audit.tsv``."""
    with SOURCE.open(encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
    return [
        Requirement(seed, text, tuple(where.split("; ")), tuple(shown_by.split("; ")), difference)
        for seed, text, where, shown_by, difference in rows
    ]


def document() -> str:
    """Return the text of ``audit.md``."""
    return "\n".join([HEAD, *_document(requirements())]) + "\n"


def _document(found: Sequence[Requirement]) -> Iterator[str]:
    otherwise = sum(1 for each in found if each.difference)
    same = len(found) - otherwise
    yield f"{len(found)} requirements: {same} are met as the seed says, {otherwise} otherwise, with the reason."
    for seed, subject in SEEDS.items():
        yield from ("", f"## Seed {seed}: {subject}", "")
        yield from ("| requirement | where | shown by | otherwise, and why |", "|---|---|---|---|")
        for each in found:
            if each.seed == seed:
                cells = (each.text, _places(each.where), _places(each.shown_by), each.difference)
                yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _places(places: Sequence[str]) -> str:
    return "<br>".join(_link(place) for place in places)


def _link(place: str) -> str:
    """Return a decision as a link, anything else as code without the folder that all of them are in."""
    if place.startswith("docs/decisions"):
        return f"[decision]({place.removeprefix('docs/')})"
    for prefix in _PREFIXES:
        place = place.removeprefix(prefix)
    return f"`{place}`"


def main() -> None:
    """Write the file."""
    TARGET.write_text(document(), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
