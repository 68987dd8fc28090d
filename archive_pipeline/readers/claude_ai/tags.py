"""Thoughts and artifacts in the texts of Claude.ai's answers of 2024: ``<antThinking>`` and ``<antArtifact …>``.

What is no whole element of these stays text, an artifact without an identifier too, and so do tags that stand as code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from archive_pipeline.domain.records import PartType

_OPENING: Final = re.compile(r'(?<!`)<(?:(antThinking)|(antArtifact)((?:\s{1,9}[\w:-]{1,40}="[^"]{0,1000}")+)\s{0,9})>')
_ATTRIBUTE: Final = re.compile(r'([\w:-]+)="([^"]*)"')
_IDENTIFIER: Final = "identifier"


class Said(NamedTuple):
    """A part of a text: prose, a thought, or an artifact with what a call of the tool that makes it would have."""

    part_type: PartType
    text: str
    arguments: Mapping[str, str] | None = None


def said_in(text: str) -> list[Said]:
    """Returns the parts of a text in their order; none if it is nothing but prose."""
    return [*_parts(text)] if "<ant" in text else []


def _parts(text: str) -> Iterator[Said]:
    done = 0
    unclosed: set[str] = set()
    for opening in _OPENING.finditer(text):
        kind = opening[1] or opening[2]
        attributes = dict(_ATTRIBUTE.findall(opening[3] or ""))
        if opening.start() < done or kind in unclosed or (opening[2] and not attributes.get(_IDENTIFIER)):
            continue
        closing = f"</{kind}>"
        end = text.find(closing, opening.end())
        if end < 0:
            unclosed.add(kind)
            continue
        yield from _prose(text[done : opening.start()])
        done = end + len(closing)
        yield _element(text[opening.end() : end], attributes)
    if done:
        yield from _prose(text[done:])


def _prose(text: str) -> Iterator[Said]:
    if text := text.strip():
        yield Said(PartType.TEXT, text)


def _element(body: str, attributes: Mapping[str, str]) -> Said:
    if not attributes:
        return Said(PartType.THINKING, body.strip())
    body = body.removeprefix("\n").removesuffix("\n")
    return Said(PartType.ARTIFACT, body, {**attributes, "id": attributes[_IDENTIFIER], "content": body})
