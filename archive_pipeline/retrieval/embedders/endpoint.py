"""Embeddings from an HTTP endpoint that speaks OpenAI's ``/embeddings``, as vLLM, Ollama, TEI and llama.cpp do.

Texts are sent in batches. What may pass (no connection, 408, 409, 429, 5xx) is tried again, after the time the server
asks for or longer and longer ones; for a query, which somebody waits for, once and soon.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final
from urllib.parse import urlsplit

import numpy as np
import tenacity
from more_itertools import constrained_batches

from archive_pipeline.domain.optional import import_optional
from archive_pipeline.errors import ConfigurationError, EmbeddingError
from archive_pipeline.retrieval.embedders.interface import Vectors, normalized

EXTRA: Final = "search"
# OpenAI takes 2,048 texts and 300,000 tokens in a request.
_TEXTS_AT_ONCE: Final = 256
_CHARACTERS_AT_ONCE: Final = 250_000
_PASSING: Final = frozenset({408, 409, 425, 429})
_SERVER_ERROR: Final = 500
_REFUSED: Final = frozenset({401, 403})
_SHOWN: Final = 200


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long an answer is tried for.

    Attributes:
        attempts: most requests.
        wait: most seconds between two of them.
        timeout: most seconds for one.
    """

    attempts: int
    wait: float
    timeout: float

    def wait_for(self, state: tenacity.RetryCallState) -> float:
        """Return the seconds to the next attempt: what the server asked for, else longer and longer ones."""
        error = state.outcome.exception() if state.outcome else None
        asked = error.retry_after if isinstance(error, _PassingError) else None
        if asked is None:
            # Spread, so that several clients do not come back together.
            asked = tenacity.wait_exponential(0.5)(state) + tenacity.wait_random(0, 1)(state)
        return min(asked, self.wait)


class _PassingError(EmbeddingError):
    """A request that may be answered later, after ``retry_after`` seconds if the server says when."""

    def __init__(self, reason: str, retry_after: float | None = None) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


BULK: Final = RetryPolicy(attempts=6, wait=60, timeout=60)
INTERACTIVE: Final = RetryPolicy(attempts=2, wait=2, timeout=20)


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
        parts = urlsplit(name)
        if not parts.fragment or not parts.hostname or parts.username or parts.password or parts.query:
            raise ConfigurationError(
                "ARCHIVE_EMBEDDING_MODEL: write an endpoint as https://HOST/v1#MODEL, and its key into "
                "ARCHIVE_EMBEDDING_API_KEY"
            )
        self.name = name
        self._model = parts.fragment
        self._url = parts._replace(fragment="").geturl().rstrip("/") + "/embeddings"
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._client: Any = self._httpx.Client(headers=headers, timeout=BULK.timeout)
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
        found = [self._embed(batch, BULK) for batch in batches]
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
            vectors = np.array([row["embedding"] for row in rows], dtype=np.float32)
        except (KeyError, TypeError, ValueError) as error:
            raise EmbeddingError(
                f"{self._url} answered without vectors; is it an OpenAI-compatible endpoint?"
            ) from error
        if vectors.ndim != 2 or len(vectors) != len(texts) or not np.isfinite(vectors).all():
            raise EmbeddingError(f"{self._url} answered {len(vectors)} vectors to {len(texts)} texts, or broken ones")
        if self._dimensions not in {None, vectors.shape[1]}:
            raise EmbeddingError(
                f"{self._url} answered vectors of {vectors.shape[1]} dimensions after ones of {self._dimensions}"
            )
        self._dimensions = int(vectors.shape[1])
        return normalized(vectors)

    def _request(self, body: Mapping[str, Any], policy: RetryPolicy) -> Any:
        retrying = tenacity.Retrying(
            stop=tenacity.stop_after_attempt(policy.attempts),
            wait=policy.wait_for,
            retry=tenacity.retry_if_exception_type(_PassingError),
            sleep=time.sleep,
        )
        try:
            return retrying(self._post, body, policy)
        except tenacity.RetryError as error:
            raise EmbeddingError(
                f"{self._url} did not answer after {policy.attempts} attempts ({error.last_attempt.exception()}); "
                "try again later"
            ) from error

    def _post(self, body: Mapping[str, Any], policy: RetryPolicy) -> Any:
        """Send one request.

        Raises:
            EmbeddingError: the endpoint refuses it.
            _PassingError: it may be answered later.
        """
        self._wait_for_turn()
        try:
            response = self._client.post(self._url, json=body, timeout=policy.timeout)
        except self._httpx.TransportError as error:
            raise _PassingError(f"{type(error).__name__}: {error}") from error
        if response.is_success:
            return _json(response, self._url)
        if response.status_code not in _PASSING and response.status_code < _SERVER_ERROR:
            raise EmbeddingError(self._reason(response))
        raise _PassingError(self._reason(response), retry_after(response.headers.get("Retry-After"), datetime.now(UTC)))

    def _reason(self, response: Any) -> str:
        if response.status_code in _REFUSED:
            return f"{self._url} refused the key (HTTP {response.status_code}); set ARCHIVE_EMBEDDING_API_KEY"
        said = " ".join(response.text.split())[:_SHOWN]
        return f"{self._url} answered HTTP {response.status_code}: {said}"

    def _wait_for_turn(self) -> None:
        now = time.monotonic()
        if now < self._next_request:
            time.sleep(self._next_request - now)
        self._next_request = max(now, self._next_request) + self._interval


def retry_after(header: str | None, now: datetime) -> float | None:
    """Return the seconds that a ``Retry-After`` header asks to wait, as a number or a date; None if it says nothing."""
    if header is None:
        return None
    if header.strip().isdigit():
        return float(header)
    try:
        return max((parsedate_to_datetime(header) - now).total_seconds(), 0.0)
    except (TypeError, ValueError):
        return None


def _json(response: Any, url: str) -> Any:
    try:
        return response.json()
    except ValueError as error:
        raise EmbeddingError(f"{url} answered something that is not JSON") from error
