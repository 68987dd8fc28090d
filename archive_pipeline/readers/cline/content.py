"""The content of messages of Cline and its forks: Anthropic's blocks, and the user's words between the program's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

from archive_pipeline.domain.records import PartRecord, PartType
from archive_pipeline.readers.claude_code import content as anthropic
from archive_pipeline.readers.cline.wording import Piece, asks_user, is_put_in, pieces_of, result_in, words_in_result
from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.shapes import as_object, as_text, base64_sha256

# Of tools' results, in sessions: what a tool gave for each thing that it was asked.
_GIVEN: Final = "result"
_FILE: Final = "file"


class ContentReader(anthropic.ContentReader):
    """Reads the blocks of one task's messages, in their order: results bear the names of the tools called before."""

    def __init__(self, warnings: Counter[str]) -> None:
        super().__init__(warnings)
        self._open: list[PartRecord] = []

    def answer(self, blocks: list[Any]) -> tuple[PartRecord, ...]:
        """Returns the parts of an answer, whose calls the results that follow belong to."""
        parts = self.parts(blocks)
        self._open = [part for part in parts if part.part_type is PartType.TOOL_USE]
        return parts

    def said(self, blocks: list[Any]) -> tuple[list[list[PartRecord]], list[PartRecord]]:
        """Returns the results in a user's message, each with its pictures, and what else is in it.

        The words in tags are the user's. Where the program has marked nothing, all texts are.
        """
        return _Said(self).read(blocks)

    def opened(self, tool: str) -> str | None:
        """Returns the id of the first call of a tool that has no result yet: they are carried out in their order."""
        for number, part in enumerate(self._open):
            if part.tool_name == tool:
                return self._open.pop(number).tool_use_id
        return None

    def _parts(self, block: Any, text_type: PartType, name: str) -> Iterator[PartRecord]:
        if as_object(block).get("type") != _FILE:
            yield from super()._parts(block, text_type, name)
            return
        fields = Fields(block)
        fields.take("type")
        yield PartRecord(PartType.FILE, source_type=_FILE, uri=fields.take_text("path"), source=fields.rest())

    def _result(self, fields: Fields, kind: str) -> Iterator[PartRecord]:
        content = fields.fields_left().get("content")
        if isinstance(content, list):
            fields.fields_left()["content"] = [_with_text(item) for item in content]
        yield from super()._result(fields, kind)

    def _medium(self, block: dict[str, Any], kind: str, call: str | None = None) -> PartRecord:
        part = super()._medium(block, kind, call)
        part.mime_type = part.mime_type or as_text(block.get("mediaType"))
        part.content_sha256 = part.content_sha256 or base64_sha256(block.get("data"))
        return part


def _texts(block: Any) -> Iterator[str]:
    """Yields the texts of a result one by one: words of the user begin one of them."""
    content = as_object(block).get("content")
    for item in content if isinstance(content, list) else [content]:
        text = as_text(item) or as_text(as_object(_with_text(item)).get("text"))
        if text is not None:
            yield text


def _with_text(item: Any) -> Any:
    """Returns an item of a result by the names of a text."""
    if not isinstance(item, dict) or "text" in item or not isinstance(item.get(_GIVEN), str):
        return item
    return {"text" if name == _GIVEN else name: value for name, value in item.items()}


class _Said:
    """One message in the user's place."""

    def __init__(self, content: ContentReader) -> None:
        self._content = content
        self._results: list[list[PartRecord]] = []
        self._rest: list[PartRecord] = []
        self._is_marked = False
        self._unmarked: list[PartRecord] = []
        self._awaited: str | None = None  # the tool whose result is the next text
        self._depicted: PartRecord | None = None  # the result that the next pictures belong to

    def read(self, blocks: list[Any]) -> tuple[list[list[PartRecord]], list[PartRecord]]:
        for block in blocks:
            self._block(block)
        if self._is_marked:
            for part in self._unmarked:
                part.part_type = PartType.CONTEXT
        return self._results, self._rest

    def _block(self, block: Any) -> None:
        text = anthropic.text_of(block)
        if anthropic.is_result(block):
            self._add_result(list(self._content.parts([block])), _texts(block))
        elif text is not None and (found := result_in(text)) is not None:
            self._result_in_text(block, text, *found)
        elif text is not None and self._awaited is not None and not is_put_in(text):
            self._continue_result(block, text)
        elif text is not None:
            self._depicted = None
            self._text(block, text)
        else:
            self._add_others(list(self._content.parts([block])))

    def _add_others(self, parts: list[PartRecord]) -> None:
        """Takes blocks that are no text: pictures behind a result are the tool's, unless the user spoke in it."""
        result = self._depicted
        if result is None or any(part.part_type is not PartType.IMAGE for part in parts):
            self._rest += parts
            return
        for part in parts:
            part.tool_use_id = result.tool_use_id
        self._results[-1] += parts

    def _add_result(self, parts: list[PartRecord], texts: Iterable[str]) -> None:
        """Takes a result, what the user says in its texts, and the pictures in it that the user attached to that."""
        self._is_marked = True
        self._awaited = None
        result, *media = parts
        words = [piece for text in texts for piece in words_in_result(text, result.tool_name)]
        self._rest += [_part(piece) for piece in words if piece.text]
        is_users = bool(words) or asks_user(result.tool_name)
        self._results.append([result] if is_users else parts)
        self._rest += [replace(part, tool_use_id=None) for part in media] if is_users else []
        self._depicted = None if is_users else result

    def _result_in_text(self, block: Any, text: str, tool: str, given: str) -> None:
        """Takes a result of earlier versions, whose text may be the next block."""
        source = {**(_beside_text(block) or {}), "text": text}
        call = self._content.opened(tool)
        part = PartRecord(PartType.TOOL_RESULT, given or None, "text", tool_name=tool, tool_use_id=call, source=source)
        self._add_result([part], [given])
        self._awaited = None if given else tool

    def _continue_result(self, block: Any, text: str) -> None:
        """Takes the text of a result whose beginning was a block of its own."""
        begun, *media = self._results.pop()
        source = {**begun.source, "next": {**(_beside_text(block) or {}), "text": text}}
        self._add_result([replace(begun, text=text, source=source), *media], [text])

    def _text(self, block: Any, text: str) -> None:
        pieces = pieces_of(text)
        if all(piece.tag is None for piece in pieces):
            parts = list(self._content.parts([block]))
            self._rest += parts
            self._unmarked += [part for part in parts if part.part_type is PartType.TEXT]
            self._is_marked = self._is_marked or is_put_in(text)
            return
        self._is_marked = True
        parts = [_part(piece) for piece in pieces if piece.text] or [PartRecord(PartType.CONTEXT, None, pieces[0].tag)]
        parts[0].source = {**(_beside_text(block) or {}), "text": text}
        self._rest += parts


def _part(piece: Piece) -> PartRecord:
    return PartRecord(PartType.CONTEXT if piece.tag is None else PartType.TEXT, piece.text, piece.tag or "text")


def _beside_text(block: Any) -> dict[str, Any] | None:
    fields = Fields(block)
    fields.take("type")
    fields.take("text")
    return fields.rest()
