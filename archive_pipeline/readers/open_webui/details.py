"""The parts of an answer as Open WebUI renders it: ``<details>`` elements among its text.

``<details type="reasoning" …>`` has thoughts as a quotation, ``type="tool_calls"`` a call with its arguments and its
result in attributes, newer ones the result in the element, ``type="code_interpreter"`` code that was run. What is
no whole element of these stays text.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Final

from archive_pipeline.domain.records import PartRecord, PartType
from archive_pipeline.readers.open_webui.output import given_input, unquoted

_OPENING: Final = re.compile(r'<details\s+type="(reasoning|tool_calls|code_interpreter)"([^<>]{0,10000000})>')
_CLOSING: Final = "</details>"
_ATTRIBUTE: Final = re.compile(r'([a-z_]+)="([^"]*)"')
_SUMMARY: Final = re.compile(r"\A\s*<summary>.{0,200}?</summary>\n?", re.DOTALL)
_QUOTE: Final = re.compile(r"^(?:>|&gt;) ?", re.MULTILINE)


def rendered_parts(content: str) -> list[PartRecord]:
    """Returns the text of an answer and the elements in it, in their order; it is one text if there are none."""
    if "<details" not in content:
        return [PartRecord(PartType.TEXT, content, "content")]
    return list(_parts(content))


def _parts(content: str) -> Iterator[PartRecord]:
    done = 0
    for opening in _OPENING.finditer(content):
        if opening.start() < done:
            continue  # in the thoughts of the one before
        end = content.find(_CLOSING, opening.end())
        if end < 0:
            break
        yield from _text(content[done : opening.start()])
        done = end + len(_CLOSING)
        yield from _element(opening, content[opening.end() : end])
    yield from _text(content[done:])


def _text(text: str) -> Iterator[PartRecord]:
    if text := text.strip("\n"):
        yield PartRecord(PartType.TEXT, text, "content")


def _element(opening: re.Match[str], body: str) -> Iterator[PartRecord]:
    kind = opening.group(1)
    given = {name: html.unescape(text) for name, text in _ATTRIBUTE.findall(opening.group(2))}
    body = _SUMMARY.sub("", body).strip("\n")
    if kind == "reasoning":
        is_escaped = body.startswith("&gt;")
        text = _QUOTE.sub("", body)
        yield PartRecord(PartType.THINKING, html.unescape(text) if is_escaped else text, kind)
        return
    if kind == "code_interpreter":
        yield PartRecord(PartType.CODE, body or None, kind)
        return
    call, name = given.get("id") or None, given.get("name") or None
    yield PartRecord(
        PartType.TOOL_USE,
        source_type=kind,
        tool_name=name,
        tool_use_id=call,
        tool_input=given_input(given["arguments"]) if given.get("arguments") else None,
    )
    result = given.get("result") or html.unescape(body)
    if result and given.get("done") != "false":
        said = unquoted(result)
        text = said if isinstance(said, str) else result
        yield PartRecord(PartType.TOOL_RESULT, text, kind, tool_name=name, tool_use_id=call)
