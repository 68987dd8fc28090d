"""A model behind an endpoint that speaks OpenAI's ``/chat/completions``, as Ollama, llama.cpp, vLLM and vendors do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any, Final

import tenacity

from archive_pipeline.answering.events import DONE, LONGEST_LINE_BYTES, parse_piece, read_events
from archive_pipeline.answering.prompt import Prompt
from archive_pipeline.domain.answer_endings import STREAM_ENDED, why_cut_off
from archive_pipeline.domain.optional import import_optional
from archive_pipeline.errors import AnswerError, ConfigurationError
from archive_pipeline.web.endpoint import Endpoint, PassingError, RetryPolicy, bearer, split_address

EXTRA: Final = "search"
KEY_VARIABLE: Final = "ARCHIVE_ANSWER_API_KEY"
# Somebody waits. How long a model may think is the caller's matter, so that requests have no limit of their own.
POLICY: Final = RetryPolicy(attempts=2, wait=2, timeout=20)
_LONGEST_ERROR_BYTES: Final = 10_000


class EndpointModel:
    """A model of an endpoint.

    Attributes:
        name: of the model.
    """

    def __init__(self, url: str, name: str, *, api_key: str | None) -> None:
        """Prepare requests; nothing is sent yet.

        Args:
            url: to which ``/chat/completions`` is appended. It is shown, so that it must not hold a key.
            name: of the model.
            api_key: sent as a bearer token.
        """
        self._httpx = import_optional("httpx", extra=EXTRA, purpose="an endpoint that answers")
        parts = split_address(url)
        if parts is None or parts.fragment:
            raise ConfigurationError(f"ARCHIVE_ANSWER_URL: write https://HOST/v1, and its key into {KEY_VARIABLE}")
        self.name = name
        self._endpoint = Endpoint(url.rstrip("/") + "/chat/completions", KEY_VARIABLE, AnswerError, api_key)
        # Compressed streams are held back by servers until there is enough of them.
        self._headers = {**bearer(api_key), "Accept-Encoding": "identity"}

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str, None]:
        """Yield the answer in pieces, as they come."""
        body = {
            "model": self.name,
            "messages": [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}],
            "stream": True,
        }
        client, request = self._prepared(body)
        async with client:
            response = await self._open(client, request)
            try:
                async for text in self._pieces(response):
                    yield text
            except self._httpx.HTTPError as error:
                raise AnswerError(f"the connection was lost ({type(error).__name__})") from error
            except AnswerError as error:
                raise AnswerError(self._endpoint.shown(str(error))) from error
            finally:
                await response.aclose()

    def _prepared(self, body: dict[str, Any]) -> tuple[Any, Any]:
        """Return a client and its request.

        Raises:
            ConfigurationError: proxies and certificates of the environment, the address, or the model's name are not
                such as a request can be made with.
        """
        try:
            timeout = self._httpx.Timeout(None, connect=POLICY.timeout)
            client = self._httpx.AsyncClient(headers=self._headers, timeout=timeout)
            return client, client.build_request("POST", self._endpoint.url, json=body)
        except (ValueError, ImportError, OSError, self._httpx.InvalidURL) as error:
            raise self._endpoint.unusable(error) from error

    async def _open(self, client: Any, request: Any) -> Any:
        try:
            return await tenacity.AsyncRetrying(**POLICY.options(), sleep=asyncio.sleep)(self._send, client, request)
        except tenacity.RetryError as error:
            raise self._endpoint.unanswered(POLICY, error) from error

    async def _send(self, client: Any, request: Any) -> Any:
        """Send the request; return the answer as soon as its headers are there.

        Raises:
            AnswerError: the endpoint refuses it.
            PassingError: it may be answered later.
        """
        try:
            response = await client.send(request, stream=True)
            if not response.is_success:
                said = await _read(response, _LONGEST_ERROR_BYTES)
                await response.aclose()
                self._endpoint.check(response.status_code, response.headers, said)
        except self._httpx.TransportError as error:
            raise PassingError(f"{type(error).__name__}: {error}") from error
        except self._httpx.HTTPError as error:  # such as an answer that is not packed as it says
            raise AnswerError(
                f"{self._endpoint.url} sent no answer that can be read ({type(error).__name__})"
            ) from error
        return response

    async def _pieces(self, response: Any) -> AsyncIterator[str]:
        reason: str | None = None
        if "text/event-stream" not in response.headers.get("Content-Type", "text/event-stream").lower():
            # Some servers do not stream.
            piece = parse_piece(await _read(response, LONGEST_LINE_BYTES))
            yield piece.text
            reason = piece.finish_reason or "stop"
        else:
            async for data in read_events(response.aiter_bytes()):
                if data.strip() == DONE:
                    reason = reason or "stop"
                    break
                piece = parse_piece(data)
                yield piece.text
                reason = piece.finish_reason or reason
        cut_off = STREAM_ENDED if reason is None else why_cut_off(reason)
        if cut_off is not None:
            raise AnswerError(cut_off)


async def _read(response: Any, most: int) -> str:
    """Return the beginning of an answer's text."""
    said = b""
    async for chunk in response.aiter_bytes():
        said += chunk
        if len(said) >= most:
            break
    return said[:most].decode("utf-8", "replace")
