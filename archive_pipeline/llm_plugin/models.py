"""Models that answer from the archive, and ask the model behind them for what it does not have."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator
from typing import TYPE_CHECKING, Any, Final

import llm
from llm.parts import StreamEvent

from archive_pipeline.errors import InvalidMessagesError
from archive_pipeline.llm_plugin.requests import KnowableRequest, knowable_request, storable_answer

if TYPE_CHECKING:
    from archive_pipeline.llm_plugin.memory import Recalled

_PREFIX: Final = "archive/"
# What `llm` asks a model about itself.
_TRAITS: Final = (
    "can_stream",
    "attachment_types",
    "supports_schema",
    "supports_tools",
    "supports_conversation",
    "needs_key",
    "key_env_var",
    "Options",
)
_SyncModel = llm.Model | llm.KeyModel
_AsyncModel = llm.AsyncModel | llm.AsyncKeyModel


def _take_traits(archived: Any, model: Any) -> None:
    archived.model_id = f"{_PREFIX}{model.model_id}"
    for name in _TRAITS:
        setattr(archived, name, getattr(model, name))


def _look_up(prompt: llm.Prompt, model_id: str) -> tuple[KnowableRequest | None, Recalled | None]:
    """Return the request, None if the archive cannot have it, and the archive's answer."""
    request = knowable_request(prompt)
    if request is None:
        return None, None
    from archive_pipeline.llm_plugin.memory import recall

    try:
        return request, recall(request, model_id)
    except InvalidMessagesError:  # such as messages without a word
        return None, None


class _ModelsTraits:
    """What both kinds of models take from the model that they ask."""

    model: Any
    key: str | None

    @property
    def supported_server_side_tools(self) -> tuple[type[llm.ServerSideTool], ...]:
        """Those of the model."""
        return tuple(self.model.supported_server_side_tools)

    def get_key(self, explicit_key: str | None = None) -> str | None:
        """Return the key that was given: the archive needs none, and the model's own is looked for when it is asked."""
        return explicit_key or self.key


class ArchivedModel(_ModelsTraits, llm.KeyModel):
    """A model whose answers are taken from the archive where it has them, and stored there where it has not.

    Args:
        model: that is asked for what the archive does not have; only its own answers are taken.
    """

    model: _SyncModel

    def __init__(self, model: _SyncModel) -> None:
        self.model = model
        _take_traits(self, model)

    def execute(
        self,
        prompt: llm.Prompt,
        stream: bool,  # noqa: FBT001 (llm's own)
        response: llm.Response,
        conversation: llm.Conversation | None,
        key: str | None,
    ) -> Iterator[str | StreamEvent]:
        """Yield the archive's answer in one piece, or the model's as it comes; a complete one is stored."""
        request, known = _look_up(prompt, self.model.model_id)
        if known is not None:
            response.response_json = {"archive": known.place}
            yield known.text
            return
        if request is not None:
            response.on_done(lambda done: self._remember(request, done))  # type: ignore[no-untyped-call]
        # As `llm` itself calls a model: by keywords.
        if isinstance(self.model, llm.KeyModel):
            key = self.model.get_key(key)
            yield from self.model.execute(prompt, stream=stream, response=response, conversation=conversation, key=key)
        else:
            yield from self.model.execute(prompt, stream=stream, response=response, conversation=conversation)

    def _remember(self, request: KnowableRequest, response: llm.Response) -> None:
        from archive_pipeline.llm_plugin.memory import remember

        answer = storable_answer(response.messages(), response.attachments, response.response_json)
        if answer is not None:
            remember(request, answer, self.model.model_id)


class ArchivedAsyncModel(_ModelsTraits, llm.AsyncKeyModel):
    """``ArchivedModel`` for asynchronous models; the archive is asked in a thread.

    Args:
        model: that is asked for what the archive does not have; only its own answers are taken.
    """

    model: _AsyncModel

    def __init__(self, model: _AsyncModel) -> None:
        self.model = model
        _take_traits(self, model)

    async def execute(
        self,
        prompt: llm.Prompt,
        stream: bool,  # noqa: FBT001 (llm's own)
        response: llm.AsyncResponse,
        conversation: llm.AsyncConversation | None,
        key: str | None,
    ) -> AsyncGenerator[str | StreamEvent, None]:
        """Yield the archive's answer in one piece, or the model's as it comes; a complete one is stored."""
        request, known = await asyncio.to_thread(_look_up, prompt, self.model.model_id)
        if known is not None:
            response.response_json = {"archive": known.place}
            yield known.text
            return
        if request is not None:
            await response.on_done(lambda done: self._remember(request, done))  # type: ignore[no-untyped-call]
        if isinstance(self.model, llm.AsyncKeyModel):
            key = self.model.get_key(key)
            chunks = self.model.execute(prompt, stream=stream, response=response, conversation=conversation, key=key)
        else:
            chunks = self.model.execute(prompt, stream=stream, response=response, conversation=conversation)
        async for chunk in chunks:
            yield chunk

    async def _remember(self, request: KnowableRequest, response: llm.AsyncResponse) -> None:
        from archive_pipeline.llm_plugin.memory import remember

        answer = storable_answer(await response.messages(), response.attachments, response.response_json)
        if answer is not None:
            await asyncio.to_thread(remember, request, answer, self.model.model_id)
