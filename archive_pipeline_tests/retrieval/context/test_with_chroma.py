"""Seed 002's integration requirements: contexts from a real embedded Chroma, found by a real query of it."""

from __future__ import annotations

import asyncio
import base64
import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.retrieval.context.builder import ContextBuilder
from archive_pipeline_tests.retrieval.context.library import Document, Store
from archive_pipeline_tests.retrieval.context.texts import CHINESE, CODE, ENGLISH

CRISIS = Document("abc123", "crisis-report.pdf", ["Title.", "Loans were cheap.", f"Code:\n```\n{CODE}```", CHINESE])
WATER = Document("def456", "water.pdf", [ENGLISH, "Wells stay open.\n\n<!-- page 1 -->\n\nNot a page."])
DIALOGUE = Document("8f14e45f", "Why did banks fail?", ["User: Why?", "User: More?\n\nAssistant: Liquidity."], "")


def vector(text: str) -> list[float]:
    """Embed a text as how often it has each of some letters: enough to find what shares words."""
    return [text.lower().count(letter) / (len(text) + 1) for letter in "abcdefghilmnoprstuw"]


class ChromaSearch:
    """Seed 002's search engine over the collections, by cosine distance."""

    def __init__(self, store: Store) -> None:
        self.store = store

    async def search(self, query: str, num_results: int = 10, search_mode: str = "hybrid") -> list[dict[str, Any]]:
        collections = {"visual": self.store.visual_collection, "text": self.store.text_collection}
        results = []
        for name, collection in collections.items():
            if search_mode in {name, "hybrid"}:
                found = collection.query(query_embeddings=[vector(query)], n_results=num_results)
                for metadata, distance in zip(found["metadatas"][0], found["distances"][0], strict=True):
                    names = {field: metadata[field] for field in ("doc_id", "page", "filename")}
                    results.append({**names, "score": 1 - distance, "metadata": metadata})
        return sorted(results, key=lambda result: -result["score"])[:num_results]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    import chromadb  # half a second and 9 MB, which only the worker that has this file is to pay
    from chromadb.config import Settings as ChromaSettings

    path: Path = tmp_path_factory.mktemp("chroma")
    client = chromadb.PersistentClient(str(path), settings=ChromaSettings(anonymized_telemetry=False))
    configuration: Any = {"hnsw": {"space": "cosine"}}
    collections = {
        name: client.create_collection(name, configuration=configuration, embedding_function=None)
        for name in ("visual", "text")
    }
    for name, documents in (("visual", (CRISIS, WATER)), ("text", (CRISIS, DIALOGUE))):
        for document in documents:
            pages = range(1, len(document.pages) + 1)
            collections[name].add(
                ids=[f"{document.doc_id}-{page}" for page in pages],
                embeddings=[vector(document.pages[page - 1]) for page in pages],
                metadatas=[document.metadata(page) for page in pages],
            )
    yield Store(collections["visual"], collections["text"])
    client.close()


def build(store: Store, **options: Any) -> Any:
    return asyncio.run(ContextBuilder(ChromaSearch(store), store).build_context("banks fail liquidity", **options))


def test_end_to_end_context_building(store: Store):
    context = build(store, num_results=20)
    pages = {(d.doc_id, n): text for d in (CRISIS, WATER, DIALOGUE) for n, text in enumerate(d.pages, start=1)}
    assert {(s.doc_id, s.page) for s in context.sources} == set(pages)
    for source in context.sources:
        assert source.markdown_content == pages[source.doc_id, source.page].strip("\n")
        assert source.markdown_content in context.formatted_text
    scores = [source.relevance_score for source in context.sources]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > 0.5
    assert context.left_out == {"duplicate": 4}


def test_metadata_is_retrieved_from_the_visual_collection(store: Store):
    source = asyncio.run(ContextBuilder(ChromaSearch(store), store).get_source_metadata("abc123", 2))
    assert source.thumbnail_path == "/data/images/abc123_page_002_thumb.jpg"
    assert (source.timestamp, source.section_path) == ("2025-10-17T12:00:00Z", "Introduction > Methods")
    assert source.markdown_content == "Loans were cheap."


def test_a_missing_page_raises_value_error(store: Store):
    with pytest.raises(ValueError, match="Document abc123 page 9 not found"):
        asyncio.run(ContextBuilder(ChromaSearch(store), store).get_source_metadata("abc123", 9))


def test_compressed_markdown_is_decompressed_and_its_page_extracted(store: Store):
    stored = store.visual_collection.get(ids=["def456-2"], include=["metadatas"])["metadatas"][0]
    assert "Wells" in gzip.decompress(base64.b64decode(stored["full_markdown_compressed"])).decode()
    source = asyncio.run(ContextBuilder(ChromaSearch(store), store).get_source_metadata("def456", 2))
    assert source.markdown_content == "Wells stay open.\n\n<!-- page 1 -->\n\nNot a page."


def test_hybrid_mode_returns_both_and_deduplicates_across_collections(store: Store):
    hybrid, text, visual = (
        [(s.doc_id, s.page) for s in build(store, num_results=20, include_text=t, include_visual=v).sources]
        for t, v in ((True, True), (True, False), (False, True))
    )
    assert {doc_id for doc_id, _ in text} == {"abc123", "8f14e45f"}
    assert {doc_id for doc_id, _ in visual} == {"abc123", "def456"}
    assert set(hybrid) == set(text) | set(visual)
    assert len(hybrid) == len(set(hybrid)) == 8


def test_a_document_deleted_after_the_search_is_reported(store: Store):
    class Deleting(ChromaSearch):
        async def search(self, *args: Any, **options: Any) -> list[dict[str, Any]]:
            results = await super().search(*args, **options)
            row = store.text_collection.get(ids=["8f14e45f-2"], include=["metadatas", "embeddings"])
            store.text_collection.delete(ids=["8f14e45f-2"])
            self.row = row
            return results

    search = Deleting(store)
    try:
        context = asyncio.run(ContextBuilder(search, store).build_context("banks fail liquidity", num_results=20))
    finally:
        store.text_collection.add(**{name: search.row[name] for name in ("ids", "metadatas", "embeddings")})
    gone = [(s.doc_id, s.page, s.reason) for s in context.skipped if s.reason != "duplicate"]
    assert gone == [("8f14e45f", 2, "not_found")]
    assert list(context.get_citation_map()) == list(range(1, 8))
