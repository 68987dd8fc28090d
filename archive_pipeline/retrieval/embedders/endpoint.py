"""Embeddings from an HTTP endpoint that speaks OpenAI's ``/embeddings``, as vLLM, Ollama, TEI and llama.cpp do.

Texts are sent in batches. What may pass is tried again; for a query, which somebody waits for, once and soon. A request
is made in a thread, since httpx bounds the time between two bytes of an answer and not that of the whole.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import tenacity
from more_itertools import constrained_batches

from archive_pipeline.domain.daemon_threads import in_daemon_thread
from archive_pipeline.domain.optional import import_optional
from archive_pipeline.errors import ConfigurationError, EmbeddingError
from archive_pipeline.retrieval.embedders.interface import Vectors, normalized
from archive_pipeline.web.endpoint import Endpoint, PassingError, RetryPolicy, bearer, split_address

EXTRA: Final = "search"
_KEY_VARIABLE: Final = "ARCHIVE_EMBEDDING_API_KEY"
# OpenAI takes 2,048 texts and 300,000 tokens in a request.
_TEXTS_AT_ONCE: Final = 256
_CHARACTERS_AT_ONCE: Final = 250_000

# Vectors of so many texts may be 17 MB.
BULK: Final = RetryPolicy(attempts=6, wait=60, timeout=120)
INTERACTIVE: Final = RetryPolicy(attempts=2, wait=2, timeout=20)


class _Answer(NamedTuple):
    """What an endpoint sent."""

    status: int
    headers: Mapping[str, str]
    content: bytes


class EndpointEmbedder:
    """A model behind an endpoint.

    Attributes:
        name: ``<url>#<model>``.
    """

    cut_texts = 0  # an endpoint refuses a text that is too long

    def __init__(self, name: str, *, api_key: str | None, requests_per_minute: int = 0) -> None:
        """Prepare requests; nothing is sent yet.

        Args:
            name: ``<url>#<model>``, to which ``/embeddings`` is appended. It is stored and shown, so that it must not
                hold a key.
            api_key: sent as a bearer token.
            requests_per_minute: most requests in a minute; 0 for as many as the endpoint answers.
        """
        self._httpx = import_optional("httpx", extra=EXTRA, purpose="an embedding endpoint")
        parts = split_address(name)
        if parts is None or not parts.fragment:
            raise ConfigurationError(
                f"ARCHIVE_EMBEDDING_MODEL: write an endpoint as https://HOST/v1#MODEL, and its key into {_KEY_VARIABLE}"
            )
        self.name = name
        self._model = parts.fragment
        self._url = parts._replace(fragment="").geturl().rstrip("/") + "/embeddings"
        self._endpoint = Endpoint(self._url, _KEY_VARIABLE, EmbeddingError, api_key)
        try:
            self._client: Any = self._httpx.Client(headers=bearer(api_key), timeout=BULK.timeout)
        except (ValueError, ImportError, OSError, self._httpx.InvalidURL) as error:
            raise self._endpoint.unusable(error) from error
        self._interval = 60 / requests_per_minute if requests_per_minute else 0.0
        self._next_request = 0.0
        self._dimensions: int | None = None

    @property
    def dimensions(self) -> int:
        """Numbers in a vector; asks the endpoint the first time."""
        if self._dimensions is None:
            self.embed(["dimensions"])
        return self._dimensions or 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector of length 1 per text."""
        batches = constrained_batches(texts, _CHARACTERS_AT_ONCE, _TEXTS_AT_ONCE, strict=False)
        found = [self._same_size(self._embed(batch, BULK)) for batch in batches]
        return np.concatenate(found) if found else np.empty((0, self._dimensions or 0), dtype=np.float32)

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a query."""
        vector: Vectors = self._embed([text], INTERACTIVE)[0]
        return vector

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of queries for which nobody waits."""
        return self.embed(texts)

    def _embed(self, texts: Sequence[str], policy: RetryPolicy) -> Vectors:
        answer = self._request({"model": self._model, "input": list(texts), "encoding_format": "float"}, policy)
        try:
            rows = sorted(answer["data"], key=lambda row: row["index"])
            with np.errstate(over="ignore"):  # numbers that are too large become infinite, and are refused
                vectors = np.array([row["embedding"] for row in rows], dtype=np.float32)
                are_broken = (
                    vectors.ndim != 2 or not vectors.size or not np.isfinite(np.linalg.norm(vectors, axis=1)).all()
                )
        except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
            raise EmbeddingError(
                f"{self._url} answered without vectors; is it an OpenAI-compatible endpoint?"
            ) from error
        if are_broken or len(vectors) != len(texts):
            raise EmbeddingError(f"{self._url} answered {len(vectors)} vectors to {len(texts)} texts, or broken ones")
        return normalized(vectors)

    def _same_size(self, vectors: Vectors) -> Vectors:
        """Return vectors that are as long as those before them; what queries have is the index's matter."""
        if self._dimensions not in {None, vectors.shape[1]}:
            raise EmbeddingError(
                f"{self._url} answered vectors of {vectors.shape[1]} dimensions after ones of {self._dimensions}"
            )
        self._dimensions = int(vectors.shape[1])
        return vectors

    def _request(self, body: Mapping[str, Any], policy: RetryPolicy) -> Any:
        try:
            return tenacity.Retrying(**policy.options(), sleep=time.sleep)(self._post, body, policy)
        except tenacity.RetryError as error:
            raise self._endpoint.unanswered(policy, error) from error

    def _post(self, body: Mapping[str, Any], policy: RetryPolicy) -> Any:
        """Send one request.

        Raises:
            EmbeddingError: the endpoint refuses it.
            PassingError: it may be answered later.
        """
        self._wait_for_turn()
        try:
            answer = in_daemon_thread(lambda: self._sent(body, policy.timeout)).result(policy.timeout)
        except TimeoutError as error:
            raise _too_slow(policy.timeout) from error
        self._endpoint.check(answer.status, answer.headers, answer.content.decode("utf-8", "replace"))
        return _json(answer.content, self._url)

    def _sent(self, body: Mapping[str, Any], seconds: float) -> _Answer:
        end = time.monotonic() + seconds
        content = bytearray()
        try:
            with self._client.stream("POST", self._url, json=body, timeout=seconds) as response:
                for some in response.iter_bytes():
                    content += some
                    if time.monotonic() > end:  # nobody waits any more
                        raise _too_slow(seconds)
                return _Answer(response.status_code, response.headers, bytes(content))
        except self._httpx.TransportError as error:
            raise PassingError(f"{type(error).__name__}: {error}") from error
        except self._httpx.HTTPError as error:  # such as an answer that is not packed as it says
            raise EmbeddingError(f"{self._url} sent no answer that can be read ({type(error).__name__})") from error
        except (ValueError, self._httpx.InvalidURL) as error:
            raise self._endpoint.unusable(error) from error

    def _wait_for_turn(self) -> None:
        now = time.monotonic()
        if now < self._next_request:
            time.sleep(self._next_request - now)
        self._next_request = max(now, self._next_request) + self._interval


def _too_slow(seconds: float) -> PassingError:
    return PassingError(f"no whole answer in {seconds:g} seconds")


def _json(content: bytes, url: str) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise EmbeddingError(f"{url} answered something that is not JSON") from error
