"""Messages as tracing tools log them, in the words of OpenAI's: one message, the input of a call, its answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.domain.records import PartType
from archive_pipeline.readers.chat_lines.wording import ROLES_OF_DATASETS
from archive_pipeline.readers.json.fields import is_empty
from archive_pipeline.readers.json.shapes import as_list, as_object, as_text
from archive_pipeline.readers.llm_spans import ai_sdk
from archive_pipeline.readers.llm_spans.langchain import is_of_langchain, unpacked
from archive_pipeline.readers.llm_spans.parts import block_of, blocks_in, item_of, parsed, text_of, without_prefix

_Message = dict[str, Any]
_SAYING: Final = ("content", "parts", "tool_calls", "contents", "function_call")
# Of a call in the words of OpenAI's.
_CALL_WORDS: Final = {"args": "arguments", "input": "arguments", "toolCallId": "id", "toolName": "name"}


def listed(value: Any) -> list[Any]:
    """Returns the parts of instructions: an array, JSON text of one, or a text."""
    said = parsed(value)
    if isinstance(said, list):
        return said
    return [] if is_empty(said) else [{"type": "text", "content": text_of(said)}]


def message_of(value: Any, role: str) -> Any:
    """Returns a message in OpenAI's words.

    Args:
        value: as a producer has it.
        role: of a message that names none.
    """
    if not isinstance(value, dict):
        return _value_as_message(value, role)
    message = dict(unpacked(without_prefix(value, "message")))
    if as_text(message.get("role")) is None:
        if not is_empty(message.get("role")):
            return {"role": role, "content": text_of(value)}
        message["role"] = role
    _put_content(message)
    if isinstance(message.get("tool_calls"), list):
        message["tool_calls"] = _without_blocks([_call_of(call) for call in message["tool_calls"]], message)
    return message


def _put_content(message: _Message) -> None:
    """Puts blocks into the content of a message, wherever and however it has them."""
    if isinstance(message.get("parts"), list) and is_empty(message.get("content")):
        message["content"] = [block_of(part) for part in message.pop("parts")]
    elif isinstance(message.get("contents"), list) and is_empty(message.get("content")):
        message["content"] = [item_of(item) for item in message.pop("contents")]
    elif isinstance(message.get("content"), str) and ROLES_OF_DATASETS.get(message["role"].lower()) != "tool":
        message["content"] = blocks_in(message["content"])
    if isinstance(message.get("content"), list):
        message["content"] = [ai_sdk.block_of(block) for block in message["content"]]


def _value_as_message(value: Any, role: str) -> _Message:
    if isinstance(value, str):
        return {"role": role, "content": value}
    return {"role": role, "content": [{"part_type": PartType.UNKNOWN.value, "source_type": "value", "value": value}]}


def _call_of(given: Any) -> Any:
    call = without_prefix(given, "tool_call")
    if not isinstance(call, dict):
        return call
    flat = {name: item for name, item in call.items() if name.startswith("function.")}
    if flat and "function" not in call:
        rest = {name: item for name, item in call.items() if name not in flat}
        return {**rest, "function": {name.removeprefix("function."): item for name, item in flat.items()}}
    if isinstance(call.get("function"), dict):
        return call
    renamed = {_CALL_WORDS.get(name, name): item for name, item in call.items()}
    return renamed if len(renamed) == len(call) else call


def _without_blocks(calls: list[Any], message: Mapping[str, Any]) -> list[Any]:
    """Returns calls without those that the content has too, as LangChain writes those of Anthropic's models."""
    blocks = {
        (block.get("id"), block.get("name"), text_of(block.get("input")))
        for block in as_list(message.get("content"))
        if isinstance(block, dict) and block.get("type") == "tool_use" and as_text(block.get("id"))
    }
    if not blocks:
        return calls
    return [
        call
        for call in calls
        if not isinstance(call, dict)
        or not call.keys() <= {"id", "name", "arguments", "type"}
        or (call.get("id"), call.get("name"), text_of(call.get("arguments"))) not in blocks
    ]


def is_message(value: Any) -> bool:
    """Tells whether a value is one message by itself."""
    message = without_prefix(value, "message")
    if not isinstance(message, dict):
        return False
    role = as_text(message.get("role"))
    has_content = any(name in message for name in _SAYING)
    if role is not None:
        return has_content or role.lower() in ROLES_OF_DATASETS
    return is_of_langchain(message)


def given_in(value: Any, role: str) -> list[Any]:
    """Returns the messages that a value is: an array of them, one, or a text; JSON text is what it says."""
    said = parsed(value)
    if isinstance(said, list) and len(said) == 1 and isinstance(said[0], list):
        said = said[0]  # LangChain logs a batch of one
    is_array = isinstance(said, list) and all(isinstance(item, dict | str) for item in said)
    if is_array and any(map(is_message, said)):
        return [message_of(item, role) for item in said]
    if is_message(said):
        return [message_of(said, role)]
    return [] if is_empty(said) else [{"role": role, "content": text_of(value)}]


def take_input(value: Any) -> tuple[list[Any], Any]:
    """Returns the messages of a call's input, and what else it says."""
    said = parsed(value)
    if not isinstance(said, dict) or is_message(said):
        return given_in(value, "user"), None
    fields = dict(said)
    for name in ("messages", "prompt", "input"):
        if isinstance(fields.get(name), list | str) and fields[name]:
            messages = given_in(fields.pop(name), "user")
            return [*_instructions(fields), *messages], fields or None
    return given_in(value, "user"), None


def _instructions(fields: dict[str, Any]) -> list[Any]:
    """Takes instructions that APIs take beside messages."""
    for name in ("system", "instructions"):
        if isinstance(fields.get(name), str | list) and fields[name]:
            return [message_of({"role": "system", "content": fields.pop(name)}, "system")]
    return []


def take_output(value: Any) -> tuple[list[list[Any]], Any]:
    """Returns the answers of a call, and what else its output says."""
    said = parsed(value)
    if isinstance(said, dict) and not is_message(said):
        fields = dict(said)
        for name, read in (("choices", _choices), ("generations", _generations), ("messages", _last)):
            if isinstance(fields.get(name), list) and (answers := read(fields[name])):
                del fields[name]
                return answers, fields or None
        if any(not is_empty(said.get(name)) for name in _SAYING):
            return [[message_of(said, "assistant")]], None
    answered = given_in(value, "assistant")
    return [answered] if answered else [], None


def _choices(choices: list[Any]) -> list[list[Any]]:
    found = [_beside(choice, "message") for choice in choices]
    return [[message] for message in found] if all(found) else []


def _generations(generations: list[Any]) -> list[list[Any]]:
    """Returns the answers of LangChain's models: the first list is that of the only prompt."""
    inner = generations[0] if len(generations) == 1 and isinstance(generations[0], list) else generations
    found = [_generation(item) for item in inner]
    return [[message] for message in found] if found and all(found) else []


def _generation(item: Any) -> _Message | None:
    if isinstance(item, dict) and isinstance(item.get("message"), dict):
        text = item.get("text")
        said = {name: field for name, field in item.items() if name != "text" or not _says(item["message"], text)}
        return _beside(said, "message")
    return {**item, "role": "assistant", "content": item["text"]} if as_text(as_object(item).get("text")) else None


def _says(message: _Message, text: Any) -> bool:
    return bool(as_object(unpacked(message)).get("content") == text)


def _beside(item: Any, name: str) -> _Message | None:
    """Returns a message with what stands beside it; None if there is none, or both have a field."""
    message = as_object(item).get(name)
    if not isinstance(message, dict):
        return None
    read: _Message = message_of(message, "assistant")
    rest = {field: value for field, value in item.items() if field != name}
    return {**rest, **read} if rest.keys().isdisjoint(read) else {**read, "beside": rest}


def _last(messages: list[Any]) -> list[list[Any]]:
    return [[message_of(item, "assistant") for item in messages]] if any(map(is_message, messages)) else []
