"""What datasets say in ways of their own, as OpenAI's messages would: thoughts, calls in texts, values of blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from archive_pipeline.domain.records import PartType, Role
from archive_pipeline.readers.chat_arrays.messages import ROLES
from archive_pipeline.readers.json.fields import is_empty
from archive_pipeline.readers.json.parsing import parse_json
from archive_pipeline.readers.json.shapes import as_text

FUNCTION_CALL: Final = "function_call"
ROLES_OF_DATASETS: Final[Mapping[str, Role]] = {
    **ROLES,
    **dict.fromkeys(("gpt", "chatgpt", "bing", "bard", "claude", "bot", "chatbot"), "assistant"),
    **dict.fromkeys((FUNCTION_CALL, "tool_call", "function-call"), "assistant"),
    **dict.fromkeys(("observation", "tool_response", "function_response", "function-response", "ipython"), "tool"),
}
_CALLING: Final = frozenset({FUNCTION_CALL, "tool_call", "function-call"})
_THOUGHTS: Final = ("reasoning_content", "reasoning", "thinking")
# What DeepSeek's models and those after them think, before what they say.
_THOUGHT: Final = re.compile(r"\s*<think>(.*?)</think>\s*", re.DOTALL)
_MEDIA: Final = {"image_url": PartType.IMAGE, "video_url": PartType.VIDEO, "audio_url": PartType.AUDIO}
# Of blocks that have all in ``value``.
_VALUES: Final = {"text": PartType.TEXT, "reasoning": PartType.THINKING, **_MEDIA}
# Blocks of which nothing is read if they say nothing.
_SAYING: Final = frozenset({"input_text", "output_text", "refusal"})


def reworded(message: dict[str, Any], role: Role, word: str | None) -> dict[str, Any]:
    """Returns a message in OpenAI's words.

    Args:
        message: with ``content``.
        role: who says it.
        word: what the source calls that.
    """
    said = dict(message)
    content = said.get("content")
    blocks = [content] if isinstance(content, str) else content
    if content is None:
        blocks = []
    elif not isinstance(blocks, list):
        return said
    calls: list[Any] = []
    if role == "assistant":
        blocks = [*_thoughts(said), *_thoughts_apart(blocks)]
    if word is not None and word.lower() in _CALLING:
        blocks = list(_calls_apart(blocks, calls))
    blocks = list(_without_values(blocks, calls))
    if calls:
        given = said.get("tool_calls")
        said["tool_calls"] = [*([] if is_empty(given) else given if isinstance(given, list) else [given]), *calls]
    if blocks != ([content] if isinstance(content, str) else content):
        said["content"] = blocks
    return said


def _thoughts(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Takes what the model thought from beside the content."""
    for name in _THOUGHTS:
        if (text := as_text(message.get(name))) is not None:
            del message[name]
            yield {"part_type": PartType.THINKING.value, "text_content": text, "source_type": name}


def _thoughts_apart(blocks: list[Any]) -> Iterator[Any]:
    """Yields blocks, a text that begins with a thought as the thought, which has the whole text, and the rest."""
    for block in blocks:
        found = _THOUGHT.match(block) if isinstance(block, str) else None
        if found is None or not found[1].strip():
            yield block
            continue
        thought = {"part_type": PartType.THINKING.value, "text_content": found[1].strip(), "source_type": "think"}
        yield thought | {"text": block}
        if rest := block[found.end() :]:
            yield rest


def _calls_apart(blocks: list[Any], calls: list[Any]) -> Iterator[Any]:
    """Yields blocks without texts that are calls, which are added to ``calls``."""
    for block in blocks:
        found = _calls(block)
        if found is not None:
            calls += found
        elif isinstance(block, str) and block:
            yield {"part_type": PartType.TOOL_USE.value, "tool_input": block, "source_type": FUNCTION_CALL}
        else:
            yield block


def _calls(text: object) -> list[dict[str, Any]] | None:
    """Returns the calls that a JSON text says, one or several; None if it says none."""
    if not isinstance(text, str):
        return None
    try:
        value, warnings = parse_json(text.encode("utf-8", "surrogatepass"))
    except ValueError:
        return None
    calls = value if isinstance(value, list) else [value]
    is_calls = bool(calls) and all(isinstance(call, dict) and as_text(call.get("name")) for call in calls)
    return calls if is_calls and not warnings else None


def _without_values(blocks: list[Any], calls: list[Any]) -> Iterator[Any]:
    """Yields blocks, those of LLaMA-Factory, which have all in ``value``, as they would be elsewhere."""
    for block in blocks:
        kind = as_text(block.get("type")) if isinstance(block, dict) else None
        if kind is None:
            yield block
        elif block.keys() == {"type", "value"} and kind == "tool_call" and (found := _calls(block["value"])):
            calls += found
        else:
            yield _without_value(block, kind)


def _without_value(block: dict[str, Any], kind: str) -> dict[str, Any]:
    rest = {name: item for name, item in block.items() if name not in ("type", "value")}
    if kind in _SAYING and all(map(is_empty, rest.values())) and is_empty(block.get("value")):
        return {"part_type": PartType.UNKNOWN.value, "source_type": kind}
    part_type = _VALUES.get(kind)
    if part_type is None or not isinstance(block.get("value"), str) or not _OF_OWN_ROWS.isdisjoint(rest):
        return block
    name = "uri" if kind in _MEDIA else "text_content"
    return {**rest, "part_type": part_type.value, name: block["value"], "source_type": kind}


_OF_OWN_ROWS: Final = frozenset(
    {
        *("part_type", "text_content", "source_type", "tool_name", "tool_use_id", "tool_input", "is_error"),
        *("language", "mime_type", "uri", "content_sha256", "text"),
    }
)
