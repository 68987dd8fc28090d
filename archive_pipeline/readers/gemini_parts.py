"""Parts of what Gemini is given and gives, as Google's API writes them: texts, inline data, files, calls, code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from archive_pipeline.domain.records import PartRecord, PartType
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_object, as_text, base64_sha256, joined

CODE_EXECUTION: Final = "code_execution"
MEDIA: Final = {"image": PartType.IMAGE, "audio": PartType.AUDIO, "video": PartType.VIDEO}
_INLINE: Final = ("inlineData", "inlineFile", "inlineImage", "inlineAudio", "inlineVideo")
_SUCCESSES: Final = frozenset({"OUTCOME_OK", "OUTCOME_UNSPECIFIED"})


def content_parts(value: object, kind: str, warnings: Counter[str]) -> Iterator[PartRecord]:
    """Yields the parts of a content: a text, a part, or a list of both.

    Args:
        value: the content.
        kind: the field it stands in, which its texts are named after.
        warnings: where parts of no known kind are counted.
    """
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, str):
            if item:
                yield PartRecord(PartType.TEXT, item, kind)
        elif not is_empty(item):
            yield from _part(item, kind, warnings)


def _part(item: object, kind: str, warnings: Counter[str]) -> Iterator[PartRecord]:
    fields = Fields(item)
    is_thought = fields.fields_left().get("thought") is True
    text = fields.take_text("text")
    made = [*media_parts(fields), *code_parts(fields), *call_parts(fields)]
    rest = fields.rest()
    if text is not None:
        yield PartRecord(PartType.THINKING if is_thought else PartType.TEXT, text, kind, source=rest)
        yield from made
    elif made:
        made[-1].source = {**as_object(made[-1].source), **rest} if rest else made[-1].source
        yield from made
    elif rest is not None or not isinstance(item, dict):
        name = next(iter(as_object(item)), "none")
        warnings[f"unknown_part:{name}"] += 1
        yield PartRecord(PartType.UNKNOWN, source_type=name, source=item)


def media_parts(fields: Fields) -> Iterator[PartRecord]:
    """Takes content that stands in the file itself; it is kept where it is hashed."""
    for name in _INLINE:
        inline = fields.fields_left().get(name)
        data = as_text(as_object(inline).get("data"))
        if data is None:
            continue
        fields.take(name)
        mime_type = as_text(as_object(inline).get("mimeType"))
        part_type = MEDIA.get((mime_type or "").partition("/")[0], PartType.FILE)
        yield PartRecord(
            part_type, source_type=name, mime_type=mime_type, content_sha256=base64_sha256(data), source={name: inline}
        )


def code_parts(fields: Fields) -> Iterator[PartRecord]:
    """Takes code that the model had run, and what came of it."""
    code = Fields(fields.fields_left().get("executableCode"))
    text = code.take_text("code")
    if text is not None:
        fields.take("executableCode")
        language = code.take_text("language")
        yield PartRecord(PartType.CODE, text, "executableCode", language=language, source=code.rest())
    result = Fields(fields.fields_left().get("codeExecutionResult"))
    outcome = as_text(result.fields_left().get("outcome"))
    output = result.take_text("output")
    if output is not None or outcome is not None:
        fields.take("codeExecutionResult")
        yield PartRecord(
            PartType.TOOL_RESULT,
            output,
            "codeExecutionResult",
            tool_name=CODE_EXECUTION,
            is_error=None if outcome is None else outcome not in _SUCCESSES,
            source=result.rest(),
        )


def call_parts(fields: Fields) -> Iterator[PartRecord]:
    """Takes the call of a function, and what a function gave back."""
    call = fields.fields_left().get("functionCall")
    if isinstance(call, dict) and call:
        fields.take("functionCall")
        yield tool_call(Fields(call), "functionCall")
    response = fields.fields_left().get("functionResponse")
    if isinstance(response, dict) and response:
        fields.take("functionResponse")
        yield tool_response(Fields(response))


def tool_call(call: Fields, kind: str) -> PartRecord:
    """Takes the call of a tool."""
    return PartRecord(
        PartType.TOOL_USE,
        source_type=kind,
        tool_name=call.take_text("name"),
        tool_use_id=call.take_identifier("id"),
        tool_input=call.take("args"),
        source=call.rest(),
    )


def tool_response(fields: Fields) -> PartRecord:
    """Takes what a tool gave back: its output or its error."""
    said = fields.take_text("response")
    given = Fields(fields.fields_left().get("response"))
    error = given.take_text("error")
    text = joined([said, given.take_text("output"), error])
    if isinstance(fields.fields_left().get("response"), dict):
        fields.fields_left()["response"] = given.rest()
    return PartRecord(
        PartType.TOOL_RESULT,
        text,
        "functionResponse",
        tool_name=fields.take_text("name"),
        tool_use_id=fields.take_identifier("id"),
        is_error=True if error is not None else None,
        source=fields.rest(),
    )
