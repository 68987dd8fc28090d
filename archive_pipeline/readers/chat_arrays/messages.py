"""Messages arrays as APIs take them: OpenAI chat messages, Anthropic's, those of ``llm``, and the project's own rows.

The forms are told apart message by message and block by block, so an array may mix them. One message may be several
records: Anthropic sends tool results in a user's message, which here are messages of their own, as everywhere else.
A message in the project's own rows is one record: the archive has it so.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from archive_pipeline.domain.records import AttachmentRecord, MessageRecord, PartRecord, PartType, Role
from archive_pipeline.errors import InvalidMessagesError
from archive_pipeline.readers.chat_arrays.attachments import attachment
from archive_pipeline.readers.chat_arrays.blocks import (
    Block,
    is_result,
    read_block,
    read_blocks,
    result_with_parts,
)
from archive_pipeline.readers.chat_arrays.calls import legacy_call, tool_call
from archive_pipeline.readers.chat_arrays.llm_messages import is_llm_message, with_blocks
from archive_pipeline.readers.chat_arrays.objects import as_mapping, message_mapping
from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.shapes import as_text

ROLES: Final[Mapping[str, Role]] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
}


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A record and the index of the message in the array that it comes from."""

    index: int
    record: MessageRecord


def read_chat_messages(messages: Sequence[object]) -> tuple[ChatMessage, ...]:
    """Return the records of a messages array; each follows the one before it.

    Args:
        messages: dictionaries with a ``role`` and ``content`` (text, blocks or null), ``llm.Message``, objects that can
            say so by ``model_dump`` or ``to_dict``, as API clients return them, or any with such attributes.

    Raises:
        InvalidMessagesError: the array or one of its messages is no such thing.
    """
    if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Sequence):
        raise InvalidMessagesError("messages is not a list: give a list of objects with role and content")
    return tuple(
        ChatMessage(index, record)
        for index, message in enumerate(messages)
        for record in _records(_as_mapping(message, f"messages[{index}]"), f"messages[{index}]")
    )


def _as_mapping(message: object, place: str) -> Mapping[str, Any]:
    said = message_mapping(message)
    if said is None:
        raise InvalidMessagesError(f"{place} is a {type(message).__name__}, not an object with role and content")
    return with_blocks(said, place) if is_llm_message(said) else said


def _records(message: Mapping[str, Any], place: str) -> Iterator[MessageRecord]:
    role = _role(message, place)
    is_stored = _is_stored(message)
    fields = Fields(message)
    fields.take("role")
    blocks = _content(fields, role, place, is_stored=is_stored)
    calls = _calls(fields, place)
    attachments = _attachments(fields, place)
    model, author = fields.take_text("model"), fields.take_text("name")
    blocks += ([call] for call in calls)
    is_whole = is_stored or role == "assistant"
    groups = [(False, [part for block in blocks for part in block])] if is_whole else list(_results_apart(blocks))
    own = [not is_answer or role == "tool" for is_answer, _ in groups]
    for (is_answer, parts), is_own in zip(groups, own, strict=True):
        yield MessageRecord(
            source_id=None,
            parent_source_id=None,
            role="tool" if is_answer else role,
            parts=tuple(parts),
            # A user's files belong to what the user says, and to the answers only if that is nothing.
            attachments=attachments if is_own or not any(own) else (),
            model=model,
            author_name=author,
            source=fields.rest(),
        )


def _role(message: Mapping[str, Any], place: str) -> Role:
    given = message.get("role")
    name = given.value if isinstance(given, Enum) else given
    role = ROLES.get(name) if isinstance(name, str) else None
    if role is None:
        raise InvalidMessagesError(f"{place}.role is {name!r}; known are {', '.join(ROLES)}")
    return role


def _is_stored(message: Mapping[str, Any]) -> bool:
    """Tell whether a message is as the archive has it: its content is rows of ``raw.content_parts`` only."""
    rows = message.get("content_parts")
    return isinstance(rows, list | tuple) and all("part_type" in (as_mapping(row) or ()) for row in rows)


def _content(fields: Fields, role: Role, place: str, *, is_stored: bool) -> list[Block]:
    name = "content" if fields.fields_left().get("content_parts") is None else "content_parts"
    content = fields.take(name)
    if content is not None and not isinstance(content, str | list | tuple):
        raise InvalidMessagesError(f"{place}.{name} is a {type(content).__name__}, not text, a list or null")
    blocks = read_blocks([content] if isinstance(content, str) else content or (), f"{place}.{name}")
    blocks += _beside_content(fields, place)
    # An id of a call is OpenAI's: rows name it themselves.
    is_whole = is_stored and fields.fields_left().get("tool_call_id") is None
    if role != "tool" or is_whole or any(is_result(block) for block in blocks):
        return blocks
    return [_as_result(fields, blocks)]


def _beside_content(fields: Fields, place: str) -> list[Block]:
    """What OpenAI's and Ollama's messages say beside ``content``, as the blocks that would say it there."""
    images = fields.take("images") or ()
    if isinstance(images, str | bytes):
        images = [images]
    if not isinstance(images, list | tuple):
        raise InvalidMessagesError(f"{place}.images is a {type(images).__name__}, not a list")
    blocks = [_image(image, f"{place}.images[{index}]") for index, image in enumerate(images)]
    for name in ("refusal", "audio"):
        said = fields.take(name)
        if said:
            block = {"type": name, name: said}
            blocks.append(read_block(block, place))
    return blocks


def _image(image: object, place: str) -> Block:
    """An image as Ollama's clients take it (bytes, base64, a path), or a block as routers of models return one."""
    if isinstance(image, bytes):
        image = base64.b64encode(image).decode()
    if not isinstance(image, str):
        return read_block(image, place)
    try:
        return read_block({"type": "image", "source": {"data": image}}, place)
    except InvalidMessagesError:  # no base64
        return read_block({"type": "image_url", "image_url": image}, place)


def _as_result(fields: Fields, blocks: Sequence[Block]) -> Block:
    """A tool's message in OpenAI's form is one result."""
    result = PartRecord(
        PartType.TOOL_RESULT,
        source_type="tool_result",
        tool_name=as_text(fields.fields_left().get("name")),
        tool_use_id=fields.take_identifier("tool_call_id"),
    )
    return result_with_parts(result, [part for block in blocks for part in block])


def _calls(fields: Fields, place: str) -> list[PartRecord]:
    calls = fields.take("tool_calls") or []
    if not isinstance(calls, list | tuple):
        raise InvalidMessagesError(f"{place}.tool_calls is a {type(calls).__name__}, not a list")
    parts = [tool_call(call, f"{place}.tool_calls[{index}]") for index, call in enumerate(calls)]
    legacy = fields.take("function_call")
    return parts if legacy is None else [*parts, legacy_call(legacy, f"{place}.function_call")]


def _attachments(fields: Fields, place: str) -> tuple[AttachmentRecord, ...]:
    files = fields.take("attachments") or ()
    if not isinstance(files, list | tuple):
        raise InvalidMessagesError(f"{place}.attachments is a {type(files).__name__}, not a list")
    return tuple(attachment(file, f"{place}.attachments[{index}]") for index, file in enumerate(files))


def _results_apart(blocks: Sequence[Block]) -> Iterator[tuple[bool, list[PartRecord]]]:
    """Yield groups of parts that make a message each: every tool result one of its own, the rest in between."""
    rest: list[PartRecord] = []
    count = 0
    for block in blocks:
        if not is_result(block):
            rest += block
            continue
        if rest:
            yield False, rest
            rest = []
        yield True, block
        count += 1
    if rest or not count:
        yield False, rest
