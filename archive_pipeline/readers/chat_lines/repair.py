"""Messages of files as ``chat_arrays`` takes them: what it refuses of one is set apart, so that the rest is read.

Callers of an API can be told what is wrong; of a file each message is read as far as it can be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from archive_pipeline.domain.records import PartType
from archive_pipeline.errors import InvalidMessagesError
from archive_pipeline.readers.chat_arrays.messages import read_chat_messages
from archive_pipeline.readers.json.fields import is_empty
from archive_pipeline.readers.json.shapes import as_text

# What is read of a message beside its role.
_FIELDS: Final = (
    *("content", "content_parts", "parts", "tool_calls", "function_call", "images", "refusal", "audio"),
    "attachments",
)


def mended(message: dict[str, Any], warnings: Counter[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns a message that can be read, made of one that cannot, and the fields that are set apart.

    Args:
        message: with a known ``role``.
        warnings: where unknown blocks and what is set apart are counted.
    """
    said = dict(message)
    apart: dict[str, Any] = {}
    for name in _FIELDS:
        if name not in said or _is_readable({"role": message["role"], name: said[name]}):
            continue
        value = said[name]
        if name == "content" and isinstance(value, list):
            said[name] = list(_blocks(value, warnings))
        elif name == "tool_calls" and isinstance(value, list):
            calls = [(call, _is_readable({"role": "assistant", name: [call]})) for call in value]
            said[name] = [call for call, is_call in calls if is_call]
            apart[name] = [call for call, is_call in calls if not is_call and not is_empty(call)]
        else:
            apart[name] = said.pop(name)
    if not _is_readable(said):
        apart |= {name: said.pop(name) for name in _FIELDS if name in said}
    warnings["malformed_content"] += bool(apart)
    return said, apart


def _is_readable(message: Mapping[str, Any]) -> bool:
    try:
        read_chat_messages([message])
    except InvalidMessagesError:
        return False
    return True


def _blocks(blocks: list[Any], warnings: Counter[str]) -> Iterator[Any]:
    """Yields blocks that can be read: one that cannot is a part of unknown type, with all of it."""
    for block in blocks:
        if is_empty(block):
            continue
        known = _with_known_blocks(block, warnings)
        if _is_readable({"role": "assistant", "content": [known]}):
            yield known
            continue
        kind = (as_text(block.get("type")) if isinstance(block, dict) else None) or "block"
        warnings[f"unknown_part:{kind}"] += 1
        yield {"part_type": PartType.UNKNOWN.value, "source_type": kind, "block": block}


def _with_known_blocks(block: Any, warnings: Counter[str]) -> Any:
    """Returns a tool's result with blocks that can be read; any other block as it is."""
    inner = block.get("content") if isinstance(block, dict) and block.get("type") == "tool_result" else None
    return {**block, "content": list(_blocks(inner, warnings))} if isinstance(inner, list) else block
