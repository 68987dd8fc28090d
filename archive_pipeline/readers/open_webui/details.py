"""The parts of an answer as Open WebUI renders it: ``<details>`` elements among its text.

``<details type="reasoning" …>`` has thoughts as a quotation, ``type="tool_calls"`` a call with its arguments and its
result in attributes, newer ones the result in the element, ``type="code_interpreter"`` code that was run, with what it
gave in an attribute. What is no whole element of these stays text, and so does one that is shown in a code block.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Final

from archive_pipeline.domain.records import PartRecord, PartType
from archive_pipeline.readers.open_webui.output import CODE_INTERPRETER, given_input, run_result, unquoted
from archive_pipeline.readers.open_webui.pictures import text_parts
from archive_pipeline.text.markdown import code_blocks_in

# Open WebUI begins a line with each; within a line it is a word about them.
_OPENING: Final = re.compile(
    r'^<details\s+type="(reasoning|tool_calls|code_interpreter)"([^<>]{0,10000000})>', re.MULTILINE
)
_CLOSING: Final = "</details>"
_ATTRIBUTE: Final = re.compile(r'([a-z_]+)="([^"]*)"')
_SUMMARY: Final = re.compile(r"\A\s*<summary>.{0,200}?</summary>\n?", re.DOTALL)
# Code that was run, up to its last fence: it may have fences and closing tags of its own.
_RUN: Final = re.compile(
    r"\s*(?:<summary>[^\n]{0,200}?</summary>\s*)?```[^\n]*\n(?:(?!<details\s)[^\n]*\n)*?```\s*(?=</details>)"
)
_FENCED: Final = re.compile(r"```[^\S\n]*+(\S*+)[^\n]*+\n(.*?)\n?```\s*", re.DOTALL)
_QUOTE: Final = re.compile(r"^(?:>|&gt;) ?", re.MULTILINE)


def rendered_parts(content: str) -> list[PartRecord]:
    """Returns the text of an answer and the elements in it, in their order; it is one text if there are none."""
    if "<details" not in content:
        return list(text_parts(content, "content"))
    return list(_parts(content))


def _parts(content: str) -> Iterator[PartRecord]:
    done = 0
    code = _ShownCode(content)
    for opening in _OPENING.finditer(content):
        if opening.start() < done or code.has(opening.start(), done):
            continue  # in the thoughts of the one before, or shown as code
        end = _end(content, opening)
        if end < 0:
            break
        yield from _text(content[done : opening.start()])
        done = end + len(_CLOSING)
        yield from _element(opening, content[opening.end() : end])
    yield from _text(content[done:])


def _text(text: str) -> Iterator[PartRecord]:
    if text := text.strip("\n"):
        yield from text_parts(text, "content")


class _ShownCode:
    """The code blocks of an answer between its elements; a fence that nothing closes shows none of what follows."""

    def __init__(self, content: str) -> None:
        self._content = content
        self._end = 0  # of the last one that was asked about
        self._unclosed: tuple[str, ...] = ()

    def has(self, place: int, done: int) -> bool:
        """Tells whether a place is in a code block that begins after the last element; both places only grow.

        Args:
            place: what is asked about.
            done: where the last element ends.
        """
        if place < self._end:
            return True
        *_, last = (None, *code_blocks_in(self._content, max(done, self._end), place))
        if last is None or last.closing is None or last.closing.strip().startswith(self._unclosed):
            return False
        block = next(code_blocks_in(self._content, last.start, len(self._content)))
        if block.closing is not None:
            self._unclosed += (block.closing.strip(),)
            return False
        self._end = block.end
        return True


def _end(content: str, opening: re.Match[str]) -> int:
    """Returns where the body of an element ends; -1 if it is not closed."""
    if opening[1] == CODE_INTERPRETER and (run := _RUN.match(content, opening.end())):
        return run.end()
    return content.find(_CLOSING, opening.end())


def _element(opening: re.Match[str], body: str) -> Iterator[PartRecord]:
    kind = opening.group(1)
    given = {name: html.unescape(text) for name, text in _ATTRIBUTE.findall(opening.group(2))}
    body = _SUMMARY.sub("", body).strip("\n")
    if kind == "reasoning":
        is_escaped = body.startswith("&gt;")
        text = _QUOTE.sub("", body)
        yield PartRecord(PartType.THINKING, html.unescape(text) if is_escaped else text, kind)
        return
    if kind == CODE_INTERPRETER:
        yield from _run(kind, body, given.get("output"))
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


def _run(kind: str, body: str, output: str | None) -> Iterator[PartRecord]:
    fenced = _FENCED.fullmatch(body)
    language, code = fenced.groups() if fenced else (None, body)
    yield PartRecord(PartType.CODE, code.strip("\n") or None, kind, language=language or None)
    if result := run_result(kind, unquoted(output)):
        yield result
