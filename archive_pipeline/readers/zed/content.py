"""What a message of a thread says. Zed names what it is in the only field of an object: ``{"Text": "..."}``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from archive_pipeline.domain.records import PartRecord, PartType
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.parsing import parse_json
from archive_pipeline.readers.json.shapes import as_object, as_text, base64_sha256, is_same, joined
from archive_pipeline.readers.zed.mentions import address, named

_MIME_TYPE: Final = "image/png"  # to which Zed converts every picture
_TEXTS: Final = ("Text", "text")
_IMAGES: Final = ("Image", "image")


def variant(value: object) -> tuple[str, Any]:
    """Returns what a value is, in Zed's words, and what it says."""
    if isinstance(value, dict) and len(value) == 1:
        return next(iter(value.items()))
    if isinstance(value, str):
        return value, None
    return "none" if isinstance(value, dict) else type(value).__name__, value


def _block(item: object) -> tuple[str, Any]:
    return variant(item) if isinstance(item, dict) else (type(item).__name__, item)


class ContentReader:
    """Reads what the messages of one thread say, in their order: results bear the names of tools called before."""

    def __init__(self, warnings: Counter[str]) -> None:
        self._warnings = warnings
        self._tools: dict[str, str | None] = {}

    def prompt(self, items: Iterable[Any]) -> tuple[PartRecord, ...]:
        """Returns the parts of a prompt: one text, with a link where something is mentioned, and behind it what is."""
        text: list[str] = []
        parts: list[PartRecord] = []
        contexts: list[PartRecord] = []
        for item in items:
            kind, said = _block(item)
            if kind in _TEXTS and isinstance(said, str):
                text.append(said)
            elif kind == "Mention" and "uri" in as_object(said):
                link, context = _mention(said)
                text.append(link)
                contexts.append(context)
            else:
                parts += [*_text("".join(text)), *self._other(kind, item, said)]
                text.clear()
        return (*parts, *_text("".join(text)), *contexts)

    def answer(self, items: Iterable[Any]) -> tuple[PartRecord, ...]:
        """Returns the parts of an answer."""
        return tuple(part for item in items for part in self._of_answer(item))

    def _of_answer(self, item: Any) -> Iterator[PartRecord]:
        kind, said = _block(item)
        read = _ANSWERS.get(kind)
        if kind in _TEXTS and isinstance(said, str):
            yield from _text(said)
        elif kind == "ToolUse" and isinstance(said, dict):
            yield self.call(kind, said)
        elif read is not None:
            yield from read(item, said)
        else:
            yield from self._other(kind, item, said)

    def call(self, kind: str, said: Mapping[str, Any]) -> PartRecord:
        """Returns a call of a tool.

        Args:
            kind: what the source calls it.
            said: its fields.
        """
        fields = Fields(said)
        call, tool, given = fields.take_identifier("id"), fields.take_text("name"), fields.take("input")
        if call is not None:
            self._tools.setdefault(call, tool)
        raw = as_text(fields.fields_left().get("raw_input"))
        if raw is not None and _says(raw, given):
            fields.take_text("raw_input")
        return PartRecord(
            PartType.TOOL_USE,
            source_type=kind,
            tool_name=tool,
            tool_use_id=call,
            tool_input=given,
            source=fields.rest(),
        )

    def result(self, kind: str, said: Mapping[str, Any], call: str | None = None) -> Iterator[PartRecord]:
        """Yields the result of a tool, and the pictures in it.

        Args:
            kind: what the source calls it.
            said: its fields.
            call: the id of the call, where that stands beside it.
        """
        fields = Fields(said)
        own = as_text(fields.fields_left().get("tool_use_id"))
        if own is not None and own == (call or own):
            fields.take_text("tool_use_id")
        call = call or own
        tool = fields.take_text("tool_name") or self._tools.get(call or "")
        is_error = fields.take_flag("is_error")
        texts, media, left = _result_items(fields.take_items("content"), call)
        fields.put_back("content", left)
        text = joined(texts)
        if text is not None and fields.fields_left().get("output") == text:
            fields.take("output")
        self._warnings["unpaired_tool_result"] += call is None or call not in self._tools
        yield PartRecord(
            PartType.TOOL_RESULT,
            text,
            kind,
            tool_name=tool,
            tool_use_id=call,
            is_error=is_error,
            source=fields.rest(),
        )
        yield from media

    def unknown(self, kind: str, value: object) -> Iterator[PartRecord]:
        """Yields what is not known here, and counts it."""
        if not is_empty(value):
            self._warnings[f"unknown_part:{kind}"] += 1
            yield PartRecord(PartType.UNKNOWN, source_type=kind, source=value)

    def _other(self, kind: str, item: Any, said: Any) -> Iterator[PartRecord]:
        if kind in _IMAGES and as_text(as_object(said).get("source")) is not None:
            yield _image(item, said)
        elif kind not in _TEXTS or not is_empty(said):
            yield from self.unknown(kind, item)


def _text(text: str) -> Iterator[PartRecord]:
    if text:
        yield PartRecord(PartType.TEXT, text, "Text")


def _thinking(item: Any, said: Any) -> Iterator[PartRecord]:
    fields = Fields(said)
    text = fields.take_text("text")
    yield PartRecord(PartType.THINKING, text, "Thinking", source=fields.rest() if isinstance(said, dict) else item)


def _redacted(item: Any, _said: Any) -> Iterator[PartRecord]:
    yield PartRecord(PartType.THINKING, source_type="RedactedThinking", source=item)


_ANSWERS: Final[Mapping[str, Callable[[Any, Any], Iterator[PartRecord]]]] = {
    "Thinking": _thinking,
    "RedactedThinking": _redacted,
}


def _mention(said: Mapping[str, Any]) -> tuple[str, PartRecord]:
    """Returns the link of a mention in the text, and what is mentioned."""
    fields = Fields(said)
    kind, about = variant(fields.fields_left().get("uri"))
    place = address(kind, as_object(about))
    name = named(kind, as_object(about))
    link = f"@{name}" if place is None else f"[@{name}]({place})"
    text = fields.take_text("content")
    return link, PartRecord(PartType.CONTEXT, text, "Mention", uri=place, source=fields.rest())


def _image(item: Any, said: Mapping[str, Any], call: str | None = None) -> PartRecord:
    return PartRecord(
        PartType.IMAGE,
        source_type="Image",
        tool_use_id=call,
        mime_type=as_text(said.get("mime_type")) or _MIME_TYPE,
        content_sha256=base64_sha256(said.get("source")),
        source=item,
    )


def _result_items(items: list[Any], call: str | None) -> tuple[list[str], list[PartRecord], list[Any]]:
    """Returns the texts of a result, its pictures, and what is neither. Versions wrote them in several forms."""
    texts: list[str] = []
    media: list[PartRecord] = []
    left: list[Any] = []
    for item in items:
        text = _result_text(item)
        fields = _lowered(item)
        picture = as_object(fields["image"]) if fields.keys() == {"image"} else fields
        if text is not None:
            texts.append(text)
        elif as_text(picture.get("source")) is not None and "text" not in picture:
            media.append(_image(item, picture, call))
        elif not is_empty(item):
            left.append(item)
    return texts, media, left


def _result_text(item: Any) -> str | None:
    """Returns the text of an item of a result; None if it is none, or says more."""
    fields = _lowered(item)
    if isinstance(item, str):
        return item
    is_text = fields.keys() <= {"text", "type"} and fields.get("type", "text") in _TEXTS
    return as_text(fields.get("text")) if is_text and len(fields) == len(as_object(item)) else None


def _lowered(item: Any) -> dict[str, Any]:
    """Returns the fields of an item by their names in lower case, as Zed reads them."""
    return {name.lower(): inner for name, inner in as_object(item).items()}


def _says(raw: str, given: Any) -> bool:
    """Tells whether the text that the model wrote for a call says what the call was read as."""
    try:
        return is_same(parse_json(raw.encode("utf-8", "surrogatepass"))[0], given)
    except ValueError:
        return False
