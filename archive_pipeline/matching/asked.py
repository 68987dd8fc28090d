"""A messages array as the archive would have it: the same records, the same batch, the same hashes.

Nothing here hashes anything itself: the array becomes the batch that its rows would give, and goes through the function
that makes ``derived.response_hashes``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import orjson

from archive_pipeline.derive.response_hashes import MessageHashes, hash_messages
from archive_pipeline.domain.choices import API
from archive_pipeline.domain.records import DialogueRecord, MessageRecord, PartRecord, PartType
from archive_pipeline.errors import InvalidMessagesError
from archive_pipeline.ingest.prepare import prepare
from archive_pipeline.matching.chain import chain_batch
from archive_pipeline.readers.chat_arrays.messages import read_chat_messages
from archive_pipeline.text.sanitize import json_text

_PROBE: Final = MessageRecord(None, None, "assistant", (PartRecord(PartType.TEXT, "?"),))


@dataclass(frozen=True, slots=True)
class AskedMessage:
    """A message of the array that has content.

    Attributes:
        index: of the message in the array.
        record: as it would be stored, but for ids.
        context_hash, normalized_hash: of the way to it, itself included (docs/hashes.md).
        prompts_hash: of the prompts on the way to it, itself included; None for an assistant's message.
        prompt_hash, response_hash: of an assistant's message; None for others.
        open_prompt_hash: of any other message, the ``prompt_hash`` of a response to it without options.
    """

    index: int
    record: MessageRecord
    context_hash: str
    normalized_hash: str
    prompts_hash: str | None
    prompt_hash: str | None
    response_hash: str | None
    open_prompt_hash: str | None


@dataclass(frozen=True, slots=True)
class HashedConversation:
    """A messages array, hashed.

    Attributes:
        messages: those with content, in order; a response that was given with the array is the last.
        length: how many messages the array has, without that response.
        prompt_hash: that a response to the array has, with the options that were asked for.
        path_hash: the same of all prompts on the way.
        options: the options as JSON text, None if none were given.
        names_response: it ends with an assistant's message, which is the response that is asked for.
    """

    messages: tuple[AskedMessage, ...]
    length: int
    prompt_hash: str
    path_hash: str
    options: str | None
    names_response: bool

    @property
    def prompts(self) -> tuple[AskedMessage, ...]:
        """The messages before the response that is asked for."""
        return self.messages[:-1] if self.names_response else self.messages

    @property
    def response(self) -> AskedMessage | None:
        """The response that the array ends with."""
        return self.messages[-1] if self.names_response else None

    @property
    def response_above(self) -> AskedMessage | None:
        """The last response before the one that is asked for."""
        return next((message for message in reversed(self.prompts) if message.record.role == "assistant"), None)

    @property
    def context_hash(self) -> str:
        """The hash of the whole array."""
        return self.messages[-1].context_hash

    @property
    def ignored(self) -> int:
        """How many messages of the array have no content."""
        return self.length - len({message.index for message in self.messages if message.index < self.length})


def hash_conversation(
    messages: Sequence[object],
    *,
    response: object = None,
    model: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> HashedConversation:
    """Read and hash a messages array.

    Args:
        messages: see ``read_chat_messages``.
        response: what answers it: a text or an assistant's message, which is appended.
        model: that wrote the response.
        options: of the request, such as temperature; only deterministic ones count.

    Raises:
        InvalidMessagesError: the array, the response or the options cannot be read, or nothing in the array says
            anything.
    """
    try:
        read, length, encoded, hashes = _read(messages, response, model, options)
    except RecursionError as error:
        raise InvalidMessagesError("the messages are nested too deeply") from error
    known = [position for position in range(len(read)) if hashes.is_canonical[position]]
    if not known:
        raise InvalidMessagesError("no message has any content: there is nothing to look for")
    if response is not None and read[known[-1]][0] != length:
        raise InvalidMessagesError("the response has no content: there is nothing to store")
    asked = tuple(_asked(*read[position], hashes, position) for position in known)
    names_response = asked[-1].record.role == "assistant"
    last = known[-1] if names_response else -1  # the probe, where nothing answers the array
    prompt, path = hashes.prompt_hash[last], hashes.path_hash[last]
    if prompt is None or path is None:
        raise TypeError("a response without hashes of its prompts")
    return HashedConversation(asked, length, prompt, path, encoded, names_response)


def _read(
    messages: Sequence[object], response: object, model: str | None, options: Mapping[str, Any] | None
) -> tuple[list[tuple[int, MessageRecord]], int, str | None, MessageHashes]:
    """Return the records of an array with their places in it, its length, its options as JSON, and the hashes."""
    read = [(message.index, message.record) for message in read_chat_messages(messages)]
    length = len(messages)
    if response is not None:
        read += [(length, replace(record, model=record.model or model)) for record in _response(response)]
    encoded = _options(options)
    return read, length, encoded, _hash([record for _, record in read], encoded)


def _response(response: object) -> list[MessageRecord]:
    message = {"role": "assistant", "content": response} if isinstance(response, str) else response
    try:
        records = [read.record for read in read_chat_messages([message])]
    except InvalidMessagesError as error:
        raise InvalidMessagesError(str(error).replace("messages[0]", "the response", 1)) from error
    if any(record.role != "assistant" for record in records):
        raise InvalidMessagesError("the response is not an assistant's message")
    return records


def _options(options: Mapping[str, Any] | None) -> str | None:
    if options is None:
        return None
    try:
        orjson.dumps(dict(options))
    except (TypeError, ValueError) as error:
        raise InvalidMessagesError(f"options cannot be written as JSON ({error})") from error
    return json_text(dict(options), Counter())


def _hash(records: Sequence[MessageRecord], options: str | None) -> MessageHashes:
    """Hash a chain of records and a probe behind it, whose prompt is the array's whatever it says itself."""
    chain = DialogueRecord(API, "asked", API, messages=(*records, _PROBE), is_linear_source=True)
    prepared = prepare(chain, b"")
    return hash_messages(chain_batch(prepared, options))


def _asked(index: int, record: MessageRecord, hashes: MessageHashes, position: int) -> AskedMessage:
    context, normalized = hashes.context_hash[position], hashes.normalized_hash[position]
    if context is None or normalized is None:
        raise TypeError(f"message {position} counts as canonical and has no hash")
    return AskedMessage(
        index,
        record,
        context,
        normalized,
        hashes.prompt_path_hash[position],
        hashes.prompt_hash[position],
        hashes.message_hash[position] if record.role == "assistant" else None,
        hashes.open_prompt_hash[position],
    )
