"""Embeddings over HTTP, against a server on this machine: batches, retries, refusals, and no key anywhere."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from archive_pipeline.errors import ConfigurationError, EmbeddingError
from archive_pipeline.retrieval.embedders import endpoint
from archive_pipeline.retrieval.embedders.endpoint import BULK, INTERACTIVE, EndpointEmbedder
from archive_pipeline.web.endpoint import RetryPolicy
from archive_pipeline_tests.retrieval.embedders.endpoint_stub import DRIPS, DRIPS_HEADERS, Stub, serve

pytest.importorskip("httpx")
pytestmark = pytest.mark.usefixtures("no_authorities")

KEY = "sk-very-secret"


@pytest.fixture
def stub() -> Iterator[Stub]:
    with serve() as stub:
        yield stub


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Waiting takes no time but is kept."""
    waits: list[float] = []
    monkeypatch.setattr(endpoint.time, "sleep", waits.append)
    return waits


def embedder(stub: Stub, *, per_minute: int = 0) -> EndpointEmbedder:
    return EndpointEmbedder(f"{stub.url}#small", api_key=KEY, requests_per_minute=per_minute)


def test_texts_go_out_in_batches_and_vectors_come_back_in_their_order(stub: Stub):
    texts = [f"{chr(97 + number % 26)}{'x' * (number % 5)}" for number in range(600)]
    found = embedder(stub).embed(texts)
    expected = np.array([[len(text), ord(text[0]), 1.0] for text in texts], dtype=np.float32)
    np.testing.assert_allclose(found, expected / np.linalg.norm(expected, axis=1, keepdims=True), rtol=1e-5)
    assert [len(request["input"]) for request in stub.requests] == [256, 256, 88]
    assert {(request["path"], request["model"]) for request in stub.requests} == {("/v1/embeddings", "small")}
    assert set(stub.keys) == {f"Bearer {KEY}"}


def test_a_batch_has_a_bounded_number_of_characters(stub: Stub):
    embedder(stub).embed(["a" * 100_000] * 5)
    assert [len(request["input"]) for request in stub.requests] == [2, 2, 1]


def test_dimensions_are_asked_for_once(stub: Stub):
    model = embedder(stub)
    assert (model.dimensions, model.dimensions) == (3, 3)
    assert len(stub.requests) == 1


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_what_may_pass_is_tried_again_when_the_server_says(stub: Stub, slept: list[float], status: int):
    stub.answers += [(status, {"Retry-After": "7"}, {}), (status, {}, {})]
    assert embedder(stub).embed(["abc"]).shape == (1, 3)
    assert len(stub.requests) == 3
    assert slept[0] == 7
    assert 1 <= slept[1] <= 2


def test_waiting_has_an_end(stub: Stub, slept: list[float]):
    stub.answers += [(503, {"Retry-After": "60"}, {})] * BULK.attempts
    with pytest.raises(EmbeddingError, match="did not answer after 6 attempts"):
        embedder(stub).embed(["abc"])
    assert len(stub.requests) == BULK.attempts
    assert slept == [60.0] * (BULK.attempts - 1)


def test_a_query_does_not_wait_long(stub: Stub, slept: list[float]):
    stub.answers += [(503, {}, {})] * BULK.attempts
    with pytest.raises(EmbeddingError, match="did not answer after 2 attempts"):
        embedder(stub).embed_query("abc")
    assert len(stub.requests) == INTERACTIVE.attempts
    assert sum(slept) <= INTERACTIVE.wait


@pytest.mark.parametrize(("is_query", "seconds"), [(False, 86_400), (False, 61), (True, 3)])
def test_a_server_that_asks_for_a_longer_wait_is_not_asked_again(
    stub: Stub, slept: list[float], is_query: bool, seconds: int
):
    stub.answers.append((503, {"Retry-After": str(seconds)}, {}))
    model = embedder(stub)
    with pytest.raises(EmbeddingError, match=f"no requests for {seconds:,} seconds .*HTTP 503.* try again after that"):
        _ = model.embed_query("abc") if is_query else model.embed(["abc"])
    assert (len(stub.requests), slept) == (1, [])


def test_no_server_is_an_error_after_all_attempts(slept: list[float]):
    with serve() as stub:
        pass
    with pytest.raises(EmbeddingError, match="did not answer") as raised:
        embedder(stub).embed(["abc"])
    assert KEY not in str(raised.value)
    assert len(slept) == BULK.attempts - 1


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_not_tried_again_and_not_shown(stub: Stub, status: int):
    stub.answers.append((status, {}, {"error": "no"}))
    model = embedder(stub)
    with pytest.raises(EmbeddingError, match="ARCHIVE_EMBEDDING_API_KEY") as raised:
        model.embed(["abc"])
    assert KEY not in f"{raised.value} {model!r} {vars(model)['name']}"
    assert len(stub.requests) == 1


def test_a_refused_text_says_why(stub: Stub):
    stub.answers.append((400, {}, {"error": {"message": "the text is too long"}}))
    with pytest.raises(EmbeddingError, match=r"HTTP 400: .*the text is too long"):
        embedder(stub).embed(["abc"])


@pytest.mark.parametrize(
    "answer",
    [
        b"<html>",
        {},
        {"data": []},
        {"data": [{"index": 0, "embedding": [1, 2]}, {"index": 1, "embedding": [1]}]},
        {"data": [{"index": 0, "embedding": [1, None]}, {"index": 1, "embedding": [1, 2]}]},
        {"data": [{"index": 0, "embedding": [1, 2]}]},
        {"data": [{"index": 0, "embedding": []}, {"index": 1, "embedding": []}]},
        {"data": [{"index": 0, "embedding": [10**400]}, {"index": 1, "embedding": [1]}]},
        {"data": [{"index": 0, "embedding": [1e300]}, {"index": 1, "embedding": [1]}]},
        {"data": [{"index": 0, "embedding": [3e38, 3e38]}, {"index": 1, "embedding": [1, 2]}]},
        b"[" * 100_000,
    ],
    ids=lambda answer: str(answer)[:80],
)
@pytest.mark.filterwarnings("error")
def test_an_answer_that_is_no_vectors_is_an_error(stub: Stub, answer: object):
    stub.answers.append((200, {}, answer))
    with pytest.raises(EmbeddingError) as raised:
        embedder(stub).embed(["abc", "d"])
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("is_query", [True, False])
def test_an_answer_that_does_not_end_is_given_up(
    stub: Stub, slept: list[float], monkeypatch: pytest.MonkeyPatch, is_query: bool
):
    monkeypatch.setattr(endpoint, "INTERACTIVE" if is_query else "BULK", RetryPolicy(attempts=2, wait=0, timeout=0.2))
    stub.answers += [(200, {}, DRIPS), (200, {}, DRIPS_HEADERS)]
    model = embedder(stub)
    with pytest.raises(EmbeddingError, match=r"after 2 attempts \(no whole answer in 0.2 seconds\)"):
        _ = model.embed_query("abc") if is_query else model.embed(["abc"])
    assert (len(stub.requests), slept) == (2, [0])


def test_vectors_of_another_size_are_an_error(stub: Stub):
    model = embedder(stub)
    model.embed(["abc"])
    stub.answers.append((200, {}, {"data": [{"index": 0, "embedding": [1, 2]}]}))
    with pytest.raises(EmbeddingError, match="2 dimensions after ones of 3"):
        model.embed(["abc"])


def test_requests_are_spread_over_the_minute(stub: Stub, slept: list[float]):
    model = embedder(stub, per_minute=30)
    for _ in range(3):
        model.embed(["abc"])
    assert len(slept) == 2
    assert slept[0] == pytest.approx(2, abs=0.5)
    assert slept[1] == pytest.approx(4, abs=0.5)  # nothing was slept: the turns are what is planned


@pytest.mark.parametrize(
    "name", ["http://host/v1", "https://user:pass@host/v1#m", "https://host/v1?key=abc#m", "http:///v1#m"]
)
def test_a_name_that_holds_a_key_or_no_model_is_refused(name: str):
    with pytest.raises(ConfigurationError, match="ARCHIVE_EMBEDDING_API_KEY"):
        EndpointEmbedder(name, api_key=None)
