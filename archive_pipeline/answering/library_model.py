"""Models of Simon Willison's package ``llm`` and its plugins, with the keys that it keeps."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator
from concurrent.futures import Future
from contextlib import aclosing, nullcontext
from typing import Any, Final

from archive_pipeline.answering.prompt import Prompt
from archive_pipeline.domain.answer_endings import why_not_whole
from archive_pipeline.domain.daemon_threads import in_daemon_thread
from archive_pipeline.domain.optional import import_optional
from archive_pipeline.domain.reasons import first_line
from archive_pipeline.errors import AnswerError, ConfigurationError

EXTRA: Final = "llm"
_END: Final = object()
# Threads that wait for models which are not asynchronous, those among them that nobody waits for any more.
MOST_THREADS: Final = 2
_FREE_THREADS: Final = threading.Semaphore(MOST_THREADS)
_SECONDS_BETWEEN_LOOKS: Final = 0.05


class LibraryModel:
    """A model by its name or alias in ``llm``. Nothing is written to the logs of ``llm``.

    Attributes:
        name: as ``llm`` has it.
    """

    def __init__(self, name: str) -> None:
        """Find the model; nothing is sent yet."""
        library = import_optional("llm", extra=EXTRA, purpose="ARCHIVE_ANSWER_MODEL without ARCHIVE_ANSWER_URL")
        self._model, self._is_async = _find(library, name)
        self.name: str = self._model.model_id

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str, None]:
        """Yield the answer in pieces, as they come."""
        try:
            response = self._model.prompt(prompt.user, system=prompt.system)
            async with nullcontext(response) if self._is_async else aclosing(_in_thread(response)) as pieces:
                async for piece in pieces:
                    yield str(piece)
            cut_off = why_not_whole(response.response_json)
        except Exception as error:  # plugins raise what their vendors' packages raise
            raise AnswerError(f"{self.name}: {first_line(error)}") from error
        if cut_off is not None:
            raise AnswerError(cut_off)


def _find(library: Any, name: str) -> tuple[Any, bool]:
    """Return the model, and whether it is asynchronous: not all plugins have both."""
    try:
        return library.get_async_model(name), True
    except library.UnknownModelError:
        return _find_synchronous(library, name), False
    except Exception as error:  # a plugin that is not whole keeps all others from being loaded
        raise ConfigurationError(
            f"the plugins of llm cannot be loaded ({first_line(error)}); `llm plugins` says more"
        ) from error


def _find_synchronous(library: Any, name: str) -> Any:
    try:
        return library.get_model(name)
    except library.UnknownModelError as error:
        raise ConfigurationError(
            f"ARCHIVE_ANSWER_MODEL={name!r}: llm has no such model; `llm models` lists them, and ARCHIVE_ANSWER_URL "
            "names an endpoint to ask instead"
        ) from error


async def _in_thread(response: Any) -> AsyncGenerator[Any, None]:
    """Yield the pieces of a model that blocks, each waited for in a thread that nothing else needs.

    An answer keeps its place among them to its end. One that is given up leaves it when its thread ends.
    """
    pieces = iter(response)
    while not _FREE_THREADS.acquire(blocking=False):
        await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)
    waited: Future[Any] = Future()
    waited.set_result(None)
    try:
        while True:
            waited = in_daemon_thread(lambda: next(pieces, _END))
            piece = await asyncio.wrap_future(waited)
            if piece is _END:
                return
            yield piece
    finally:
        waited.add_done_callback(lambda _: _FREE_THREADS.release())
