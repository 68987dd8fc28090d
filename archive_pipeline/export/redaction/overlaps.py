"""Which of the findings in a text are replaced, so that none overlap and own words take nothing from the others."""

from __future__ import annotations

from bisect import bisect, insort
from collections.abc import Callable, Iterable, Iterator, Sequence

from archive_pipeline.export.redaction.rules import Finder, Span


def first_wins(text: str, rules: Iterable[Finder], taken: list[tuple[int, int]]) -> list[Span]:
    """Return what rules find, without overlaps; of rules that overlap the first wins.

    Args:
        text: where they look.
        rules: in their order.
        taken: places in order that nothing may overlap; those of what is found are added.
    """
    chosen: list[Span] = []
    for rule in rules:
        for span in rule(text):
            if span.start < span.end and _is_free(taken, span):
                chosen.append(span)
                insort(taken, (span.start, span.end))
    return sorted(chosen)


def apart_from(taken: Sequence[tuple[int, int]], spans: Iterable[Span]) -> Iterator[Span]:
    """Yield the spans that overlap none of some places, which are in order."""
    return (span for span in spans if _is_free(taken, span))


def _is_free(taken: Sequence[tuple[int, int]], span: Span) -> bool:
    place = bisect(taken, (span.start, span.end))
    begins_after = place == 0 or taken[place - 1][1] <= span.start
    return begins_after and (place == len(taken) or span.end <= taken[place][0])


def united(words: Iterable[Span], found: Sequence[Span]) -> list[Span]:
    """Return one span for all that overlap, with the rule of the longest; a word's goes before one of the same place.

    Less than the union would leave a part of an address or of a name beside a placeholder.
    """
    unions: list[Span] = []
    longest = 0
    for span in sorted([*words, *found], key=lambda span: span.start):
        length = span.end - span.start
        if not unions or span.start >= unions[-1].end:
            unions.append(span)
            longest = length
            continue
        last = unions[-1]
        unions[-1] = Span(last.start, max(last.end, span.end), span.rule if length > longest else last.rule)
        longest = max(longest, length)
    return unions


def before_replacing(replaced: Sequence[Span], found: Iterable[Span], placeholder: Callable[[Span], str]) -> list[Span]:
    """Return where in a text stands what was found in it after spans of it were replaced.

    Args:
        replaced: what was replaced, in order.
        found: what overlaps none of the placeholders, in order.
        placeholder: what stands for a span.
    """
    moved: list[Span] = []
    shift = place = 0
    for span in found:
        while place < len(replaced) and replaced[place].start < span.start + shift:
            before = replaced[place]
            shift += before.end - before.start - len(placeholder(before))
            place += 1
        moved.append(Span(span.start + shift, span.end + shift, span.rule))
    return moved
