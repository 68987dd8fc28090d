"""What a look-up of a messages array says."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

Level = Literal["exact", "prompts", "normalized"]


@dataclass(frozen=True, slots=True)
class KnownMessage:
    """A message of the archive that answers an array, or follows the last message that is known.

    Attributes:
        message_id, dialogue_id: where it is.
        role: its role.
        content: its visible text, None without any.
        tool_calls: its calls in OpenAI's form, with arguments as JSON text.
        model: that wrote it, None if unknown.
        created_at: when it was written, None if unknown.
        context_hash: of all messages on the way to it, itself included (docs/hashes.md).
        prompt_hash, response_hash, path_hash: of a response; None for other messages.
        follows_level: how well what comes before it fits the array.
        has_media: pictures, recordings or files are parts of it, which ``as_message`` leaves out.
    """

    message_id: str
    dialogue_id: str
    role: str
    content: str | None
    tool_calls: tuple[dict[str, Any], ...]
    model: str | None
    created_at: datetime | None
    context_hash: str
    prompt_hash: str | None
    response_hash: str | None
    path_hash: str | None
    follows_level: Level
    has_media: bool

    def as_message(self) -> dict[str, Any]:
        """Return it as an OpenAI chat message."""
        message: dict[str, Any] = {"role": self.role, "content": self.content}
        return {**message, "tool_calls": list(self.tool_calls)} if self.tool_calls else message


@dataclass(frozen=True, slots=True)
class PathMatch:
    """Where a messages array is in the archive.

    An array that ends with an assistant's message asks for that message: it is the response that is looked for.

    Attributes:
        hit: the whole array is known, and a response to it exists. Never at level ``prompts``: where the archive's
            answers are others than the array's, the array is a branch of what is known.
        created: something was stored.
        level: ``exact``: every message is the same; ``normalized``: the same but for white space and case;
            ``prompts``: the prompts are the same and answers are others; None: the array is not known.
        matched: how many leading messages of the array are known exactly.
        length: how many messages the array has; a response that was given with it is not counted.
        dialogue_id: of the chosen response; without one, of the last known message, or of the first response.
        response_id: the response of a hit: the first of ``responses``, unless the array names one; None without a hit.
        responses: all known responses to the array at its level: those by the model that was asked for first, then the
            newest first.
        alternatives: what follows the last known message in the archive, where the array goes on differently, in the
            same order; at most ``MOST_ALTERNATIVES``.
        ignored: messages of the array without any content, which are neither looked for nor stored.
        context_hash: of the whole array, a response that was given with it included (docs/hashes.md).
        path_hash: of all its prompts, with the options that were asked for.
    """

    hit: bool
    created: bool
    level: Level | None
    matched: int
    length: int
    dialogue_id: str | None
    response_id: str | None
    responses: tuple[KnownMessage, ...]
    alternatives: tuple[KnownMessage, ...]
    ignored: int
    context_hash: str
    path_hash: str

    @property
    def response(self) -> KnownMessage | None:
        """The chosen response."""
        return next((known for known in self.responses if known.message_id == self.response_id), None)


MOST_ALTERNATIVES = 100
