"""Messages of the package ``llm``: a role and ``parts``, which say in other words what blocks and attachments say.

Its present messages are ``llm.Message``, made by ``llm.system``, ``llm.user``, ``llm.assistant`` and
``llm.tool_message``; what is read is what their ``to_dict`` returns. The package itself is not needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.errors import InvalidMessagesError
from archive_pipeline.readers.chat_arrays.objects import as_mapping
from archive_pipeline.readers.json.shapes import as_object, as_text

_Fields = Mapping[str, Any]
_TYPES: Final = ("text", "reasoning", "tool_call", "tool_result", "attachment")


def is_llm_message(message: _Fields) -> bool:
    """Tell whether a message has parts and no content."""
    return message.get("parts") is not None and message.get("content") is None and message.get("content_parts") is None


def with_blocks(message: _Fields, place: str) -> dict[str, Any]:
    """Return a message of ``llm`` with blocks as ``content``, and ``attachments`` of its own.

    Raises:
        InvalidMessagesError: the parts are no list, or one is of no known type.
    """
    parts = message["parts"]
    if not isinstance(parts, list | tuple):
        raise InvalidMessagesError(f"{place}.parts is a {type(parts).__name__}, not a list")
    content: list[Any] = []
    attachments: list[Any] = []
    for index, given in enumerate(parts):
        part = as_mapping(given)
        kind = None if part is None else part.get("type")
        if part is None or kind not in _TYPES:
            raise InvalidMessagesError(f"{place}.parts[{index}].type is {kind!r}; known are {', '.join(_TYPES)}")
        if kind == "attachment":
            attachments.append({**as_object(part.get("attachment")), **_rest(part, "type", "attachment")})
        else:
            content.append(_block(part, as_text(kind)))
    other = {name: value for name, value in message.items() if name != "parts"}
    return {**other, "content": content, "attachments": [*(message.get("attachments") or ()), *attachments]}


def _block(part: _Fields, kind: str | None) -> dict[str, Any]:
    if kind == "reasoning":
        return {"type": "thinking", "thinking": part.get("text"), **_rest(part, "type", "text")}
    if kind == "tool_call":
        call = {"type": "tool_use", "id": part.get("tool_call_id"), "input": part.get("arguments")}
        return {**call, **_rest(part, "type", "tool_call_id", "arguments")}
    if kind == "tool_result":
        return _result(part)
    return dict(part)


def _result(part: _Fields) -> dict[str, Any]:
    output, files = part.get("output"), part.get("attachments") or ()
    content = [output] if isinstance(output, str) else []
    result = {
        "type": "tool_result",
        "tool_use_id": part.get("tool_call_id"),
        "content": [*content, *(_media(as_object(file)) for file in files)],
    }
    if part.get("exception") is not None:
        result["is_error"] = True
    return {**result, **_rest(part, "type", "tool_call_id", "output", "attachments")}


def _media(file: _Fields) -> dict[str, Any]:
    kind = as_text(file.get("type"))
    source = {"media_type": kind, "data": file.get("content"), "url": file.get("url") or file.get("path")}
    is_image = kind is None or kind.startswith("image/")
    return {"type": "image" if is_image else "document", "source": source}


def _rest(part: _Fields, *read: str) -> dict[str, Any]:
    return {name: value for name, value in part.items() if name not in read}
