"""Seed 002's testing and performance requirements, with a store and a search in memory."""

from __future__ import annotations

import asyncio
import inspect
import json
import math
import re
import threading
from typing import Any
from unittest.mock import AsyncMock

import pytest

from archive_pipeline.retrieval.context.builder import ContextBuilder, ResearchContext, SourceDocument
from archive_pipeline.retrieval.context.documents import SkipReason
from archive_pipeline.text.token_estimates import HeuristicCounter
from archive_pipeline.text.tokens import TokenizerCounter
from archive_pipeline_tests.retrieval.context.building import (
    CRISIS,
    DIALOGUE,
    ECONOMICS,
    RESULTS,
    STORE,
    build,
    builder,
    source,
)
from archive_pipeline_tests.retrieval.context.library import Collection, Document, Search, Store, result, store_of
from archive_pipeline_tests.retrieval.context.texts import ENGLISH
from archive_pipeline_tests.work import steps


def other(document: Document, page: int, score: float) -> dict[str, Any]:
    """Return an alternative of a result."""
    place = {"doc_id": document.doc_id, "page": page, "filename": document.filename}
    return place | {"score": score, "answered_at": "2025-05-01", "snippet": "", "answer": None}


class TestInterface:
    def test_signatures_and_defaults_are_the_seeds(self):
        def parameters(function: Any) -> list[tuple[str, Any]]:
            found = inspect.signature(function).parameters.values()
            return [(p.name, p.default) for p in found if p.kind is p.POSITIONAL_OR_KEYWORD and p.name != "self"]

        none = inspect.Parameter.empty
        assert parameters(ContextBuilder.__init__) == [
            ("search_engine", none),
            ("chroma_client", none),
            ("max_sources", 10),
            ("max_tokens", 10000),
        ]
        assert parameters(ContextBuilder.build_context) == [
            ("query", none),
            ("num_results", 10),
            ("include_text", True),
            ("include_visual", True),
        ]
        assert parameters(ContextBuilder.get_source_metadata) == [("doc_id", none), ("page", none)]
        assert parameters(ContextBuilder.format_source_citation) == [("source", none), ("citation_num", none)]
        assert parameters(ContextBuilder.deduplicate_results) == [("results", none)]
        assert parameters(ContextBuilder.truncate_to_budget) == [("sources", none), ("max_tokens", none)]
        assert parameters(ContextBuilder.estimate_tokens) == [("text", none)]
        assert inspect.iscoroutinefunction(ContextBuilder.build_context)
        assert inspect.iscoroutinefunction(ContextBuilder.get_source_metadata)

    def test_the_seeds_fields_come_first_and_have_its_defaults(self):
        assert list(source().to_dict())[:11] == [
            "doc_id",
            "filename",
            "page",
            "extension",
            "thumbnail_path",
            "image_path",
            "timestamp",
            "section_path",
            "parent_heading",
            "markdown_content",
            "relevance_score",
        ]
        assert SourceDocument("d", "f", 1, "pdf").to_dict() == {
            "doc_id": "d",
            "filename": "f",
            "page": 1,
            "extension": "pdf",
            "thumbnail_path": None,
            "image_path": None,
            "timestamp": "",
            "section_path": None,
            "parent_heading": None,
            "markdown_content": "",
            "relevance_score": 0.0,
            "content_truncated": False,
            "created_at": "",
            "answered_at": "",
            "char_start": None,
            "char_end": None,
            "pair_id": None,
            "part_id": None,
        }
        assert list(ResearchContext("", [], 0, truncated=False).to_dict())[:4] == [
            "formatted_text",
            "sources",
            "total_tokens",
            "truncated",
        ]


class TestContextBuilding:
    def test_the_text_is_formatted_as_in_the_seed(self):
        assert build(RESULTS[:3]).formatted_text == (
            "[Document 1: crisis-report.pdf, Page 3]\n"
            "The crisis was caused by subprime mortgages.\n"
            "\n"
            "[Document 2: crisis-report.pdf, Page 4]\n"
            "Lehman Brothers collapsed.\n"
            "\n"
            "[Document 3: economics.pdf, Page 12]\n"
            "Page 12 of economics."
        )

    def test_a_valid_query_returns_a_context(self):
        context = build()
        assert isinstance(context, ResearchContext)
        assert context.total_tokens == TokenizerCounter().count(context.formatted_text)
        assert context.token_counter == TokenizerCounter.name
        assert not context.truncated
        assert context.skipped == []

    @pytest.mark.parametrize("wanted", [1, 2, 4, 10])
    def test_there_are_as_many_sources_as_results_were_asked_for_or_found(self, wanted: int):
        assert len(build(num_results=wanted).sources) == min(wanted, 4)

    def test_citation_numbers_are_sequential_and_are_those_of_the_map(self):
        context = build()
        headers = re.findall(r"^\[Document (\d+): (.*), Page (\d+)\]$", context.formatted_text, re.MULTILINE)
        expected = [(str(n), s.filename, str(s.page)) for n, s in context.get_citation_map().items()]
        assert headers == expected
        assert list(context.get_citation_map()) == [1, 2, 3, 4]

    def test_char_ranges_are_the_blocks_of_the_sources(self):
        made_by = builder()
        context = build()
        for number, cited in context.get_citation_map().items():
            block = context.formatted_text[cited.char_start : cited.char_end]
            assert block == made_by.format_source_citation(cited, number)

    def test_documents_and_dialogues_mix(self):
        dialogue = build().sources[3]
        assert (dialogue.doc_id, dialogue.filename, dialogue.page) == ("8f14e45f", "Why did the banks fail?", 2)
        assert dialogue.markdown_content == "User: More?\n\nAssistant: Liquidity."
        assert (dialogue.image_path, dialogue.extension) == (None, "")

    def test_nothing_found_is_an_empty_context(self):
        context = build([])
        assert (context.formatted_text, context.sources, context.total_tokens, context.truncated) == ("", [], 0, False)

    @pytest.mark.parametrize(
        ("text", "visual", "mode"), [(True, True, "hybrid"), (True, False, "text"), (False, True, "visual")]
    )
    def test_what_is_included_sets_the_search_mode(self, text: bool, visual: bool, mode: str):
        search = Search(RESULTS)
        asyncio.run(ContextBuilder(search, STORE).build_context("q", 5, include_text=text, include_visual=visual))
        assert search.calls == [{"query": "q", "num_results": 5, "search_mode": mode}]

    def test_a_document_is_read_once_however_many_of_its_pages_were_found(self):
        store = store_of(CRISIS)
        build([result(CRISIS, page, 1 / page) for page in (1, 2, 3, 4)], store)
        assert store.fetched == ["abc123"]

    def test_a_context_becomes_json(self):
        context = json.loads(
            json.dumps(build([*RESULTS, {"doc_id": ["?"], "page": None, "score": math.nan}]).to_dict())
        )
        assert context["sources"][0]["filename"] == "crisis-report.pdf"
        assert context["skipped"] == [{"doc_id": "['?']", "page": "None", "reason": "invalid_result"}]


class TestDeduplication:
    def test_duplicate_pages_are_removed_and_the_highest_score_is_kept(self):
        low, high = {"doc_id": "abc", "page": 1, "score": 0.9}, {"doc_id": "abc", "page": 1, "score": 0.95}
        other = {"doc_id": "def", "page": 2, "score": 0.85}
        assert builder().deduplicate_results([low, high, other]) == [high, other]
        assert builder().deduplicate_results([other, high, low]) == [high, other]

    def test_order_is_by_score_descending_and_ties_stay(self):
        results = [{"doc_id": str(n), "page": 1, "score": score} for n, score in enumerate([0.5, 0.9, 0.5, 0.9])]
        assert [r["doc_id"] for r in builder().deduplicate_results(results)] == ["1", "3", "0", "2"]

    @pytest.mark.parametrize("score", [None, math.nan, math.inf, "high"])
    def test_a_score_that_is_no_number_is_the_lowest(self, score: Any):
        odd, low = {"doc_id": "a", "page": 1, "score": score}, {"doc_id": "b", "page": 1, "score": -1.0}
        assert builder().deduplicate_results([odd, low]) == [low, odd]
        assert builder().deduplicate_results([odd, {**odd, "score": 0.1}]) == [{**odd, "score": 0.1}]

    def test_duplicates_across_collections_are_one_source(self):
        context = build([result(CRISIS, 3, 0.7), result(DIALOGUE, 1, 0.8), result(CRISIS, 3, 0.9)])
        assert [(s.doc_id, s.relevance_score) for s in context.sources] == [("abc123", 0.9), ("8f14e45f", 0.8)]


class TestTokenManagement:
    def test_estimate_tokens_is_the_counters(self):
        assert builder().estimate_tokens(ENGLISH) == TokenizerCounter().count(ENGLISH)
        assert builder(token_counter=HeuristicCounter()).estimate_tokens(ENGLISH) == HeuristicCounter().count(ENGLISH)

    def test_truncate_to_budget_respects_max_tokens(self):
        sources = [source(f"{n}.pdf", ENGLISH) for n in range(10)]
        made = builder()
        for budget in (1, 50, 200, 1_000, 1_500, 5_000):
            kept = made.truncate_to_budget(sources, budget)
            text = "\n\n".join(made.format_source_citation(s, n) for n, s in enumerate(kept, start=1))
            assert made.estimate_tokens(text) <= budget

    def test_truncation_removes_the_lowest_scored_sources_first(self):
        sources = [source(f"{n}.pdf", ENGLISH) for n in range(10)]
        assert builder().truncate_to_budget(sources, 1_000) == sources[:5]

    def test_a_source_that_does_not_fit_is_skipped_and_a_smaller_one_fills(self):
        large, small, too_small_a_place = source("b.pdf", ENGLISH * 5), source("c.pdf"), source("d.pdf", ENGLISH)
        sources = [source("a.pdf"), large, small, too_small_a_place]
        assert builder().truncate_to_budget(sources, 60) == [source("a.pdf"), small]

    def test_a_first_source_too_large_is_cut_after_a_sentence(self):
        document = Document("d", "water.pdf", [ENGLISH])
        context = build([result(document, 1, 0.9)], store_of(document), max_tokens=60)
        assert context.truncated
        assert context.sources[0].content_truncated
        assert context.sources[0].markdown_content.endswith("could carry the additional pressure.")
        assert 40 < context.total_tokens <= 60

    def test_what_the_budget_leaves_out_is_reported(self):
        documents = [Document(str(n), f"{n}.pdf", [ENGLISH]) for n in range(4)]
        results = [result(document, 1, 1 - n / 10) for n, document in enumerate(documents)]
        context = build(results, store_of(*documents), max_tokens=400)
        assert [s.doc_id for s in context.sources] == ["0", "1"]
        assert [(s.doc_id, s.reason) for s in context.skipped] == [("2", SkipReason.BUDGET), ("3", SkipReason.BUDGET)]
        assert context.truncated

    def test_max_sources_leaves_the_lowest_out_and_says_so(self):
        context = build(max_sources=3)
        assert [s.doc_id for s in context.sources] == ["abc123", "abc123", "def456"]
        assert [(s.doc_id, s.reason) for s in context.skipped] == [("8f14e45f", SkipReason.MAX_SOURCES)]
        assert context.left_out == {"max_sources": 1}

    def test_only_the_budget_truncates(self):
        assert not build(max_sources=3).truncated
        gone = Document("gone", "gone.pdf", ["Gone."])
        assert not build([result(gone, 1, 0.99), *RESULTS, result(CRISIS, 3, 0.1), {"doc_id": None}]).truncated
        assert build(max_tokens=40).truncated

    def test_what_was_left_out_is_counted_by_reason(self):
        gone, silent = Document("gone", "gone.pdf", ["Gone."]), Document("silent", "silent", [" "], "")
        large = Document("large", "large.pdf", [ENGLISH * 20])
        results = [
            *RESULTS[:2],
            result(CRISIS, 4, 0.91),
            result(CRISIS, 4, 0.4),
            result(gone, 1, 0.9),
            result(silent, 1, 0.89),
            result(large, 1, 0.885),
            {"doc_id": "abc123", "page": 0},
            RESULTS[2] | {"alternatives": [{"doc_id": "a", "page": 1}, {"doc_id": "b", "page": 1}]},
            RESULTS[3] | {"alternatives": [{"doc_id": "c", "page": 1}]},
        ]
        store = store_of(CRISIS, ECONOMICS, large, dialogues=(DIALOGUE, silent))
        context = build(results, store, max_sources=3, max_tokens=200)
        assert context.left_out == {
            "invalid_result": 1,
            "duplicate": 2,
            "not_found": 1,
            "no_text": 1,
            "budget": 1,
            "max_sources": 1,
            "alternative": 3,
        }
        assert context.to_dict()["left_out"] == context.left_out
        assert sum(context.left_out.values()) == len(context.skipped) + context.alternatives

    def test_answers_of_other_dialogues_to_the_same_question_are_taken_while_there_is_room(self):
        others = [
            other(DIALOGUE, 1, 0.3) | {"is_independent": True},
            other(CRISIS, 1, 0.4) | {"is_independent": True},
            other(CRISIS, 2, 0.6) | {"is_independent": False},
        ]
        results = [RESULTS[0] | {"alternatives": others}, RESULTS[2]]
        context = build(results)
        assert [(s.doc_id, s.page) for s in context.sources] == [
            ("abc123", 3),
            ("def456", 12),
            ("abc123", 1),
            ("8f14e45f", 1),
        ]
        assert context.sources[3].answered_at == "2025-05-01"
        assert context.left_out == {"alternative": 1}
        assert build(results, max_sources=3).left_out == {"alternative": 2}
        no_room = build(results, max_tokens=45)  # the first two have 40, each of the others at least 15
        assert (no_room.left_out, no_room.truncated) == ({"alternative": 3}, False)

    def test_a_search_that_returns_more_than_it_was_asked_for_is_cut_and_counted(self):
        class Generous(Search):
            async def search(self, query: str, num_results: int = 10, search_mode: str = "hybrid") -> Any:
                return await super().search(query, num_results * 2, search_mode)

        context = asyncio.run(ContextBuilder(Generous(RESULTS), STORE).build_context("q", 2))
        assert [s.page for s in context.sources] == [3, 4]
        assert context.left_out == {"num_results": 2}

    def test_a_skipped_source_makes_place_for_one_beyond_max_sources(self):
        gone = Document("gone", "gone.pdf", ["Gone."])
        context = build([result(gone, 1, 0.99), *RESULTS], max_sources=2)
        assert [s.page for s in context.sources] == [3, 4]

    def test_a_budget_of_one_token_gives_an_empty_context(self):
        context = build(max_tokens=1)
        assert (context.formatted_text, context.sources, context.total_tokens, context.truncated) == ("", [], 0, True)
        assert len(context.skipped) == 4
        assert builder().truncate_to_budget([source()], 0) == []

    @pytest.mark.parametrize("max_tokens", [40, 60, 200])
    def test_a_first_source_that_is_too_large_is_cut_around_the_snippet(self, max_tokens: int):
        document = Document("long", "long.pdf", [f"{'It rained. ' * 400}The canal opened in May.{' It rained.' * 400}"])
        found = result(document, 1, 0.5) | {"snippet": "…rained. The canal opened in May. It…"}
        context = build([found], store_of(document), max_tokens=max_tokens)
        assert "rained. The canal opened in May. It rained." in context.sources[0].markdown_content
        assert "\n…\n\nIt rained." in context.formatted_text
        assert max_tokens - 4 <= context.total_tokens <= max_tokens
        assert context.truncated

    def test_a_page_found_by_its_question_is_cut_around_the_answer(self):
        document = Document("long", "long.pdf", [f"When?\n\n{'Rain. ' * 400}The canal opened in May. {'So. ' * 400}"])
        found = result(document, 1, 0.5) | {"snippet": "When?", "answer": "…The canal opened in May.…"}
        [source] = build([found], store_of(document), max_tokens=60).sources
        assert "The canal opened in May." in source.markdown_content

    @pytest.mark.parametrize("max_tokens", [300, 4_000])
    def test_a_long_question_is_cut_around_what_it_was_found_by_and_has_its_answer(self, max_tokens: int):
        lines = "\n".join(f"item{number} costs {number * 7} crowns" for number in range(2_000))
        document = Document("long", "long", [f"User: {lines}\n\nAssistant: Cheap ones sell."], "")
        snippet = "…item236 costs 1652 crowns item237 costs 1659 crowns item238…"
        found = result(document, 1, 0.5) | {"snippet": snippet, "answer": "Cheap ones sell."}
        context = build([found], store_of(dialogues=(document,)), max_tokens=max_tokens)
        assert "\nitem237 costs 1659 crowns\n" in context.formatted_text
        assert context.formatted_text.endswith("\n\nAssistant: Cheap ones sell.")
        assert context.total_tokens <= max_tokens

    def test_a_counter_that_adds_up_wrongly_cannot_exceed_the_budget(self):
        class Squared:
            name = "squared"

            def count(self, text: str) -> int:
                return len(text) ** 2 // 100

        documents = [Document(str(n), f"{n}.pdf", ["Text."]) for n in range(5)]
        results = [result(document, 1, 0.5) for document in documents]
        context = build(results, store_of(*documents), max_tokens=60, token_counter=Squared())
        assert len(documents[0].filename) + len("[Document 1: , Page 1]\nText.") == 33
        assert [s.doc_id for s in context.sources] == ["0", "1"]
        assert context.total_tokens == 68**2 // 100
        assert {s.doc_id: s.reason for s in context.skipped} == dict.fromkeys("234", SkipReason.BUDGET)
        assert context.truncated


class TestMetadataRetrieval:
    def test_get_source_metadata_returns_a_complete_source(self):
        assert asyncio.run(builder().get_source_metadata("abc123", 3)) == SourceDocument(
            doc_id="abc123",
            filename="crisis-report.pdf",
            page=3,
            extension="pdf",
            thumbnail_path="/data/images/abc123_page_003_thumb.jpg",
            image_path="/data/images/abc123_page_003.png",
            timestamp="2025-10-17T12:00:00Z",
            section_path="Introduction > Methods",
            parent_heading="Methods",
            markdown_content="The crisis was caused by subprime mortgages.",
            relevance_score=0.0,
        )

    @pytest.mark.parametrize(("doc_id", "page"), [("nothing", 1), ("abc123", 5), ("abc123", 0)])
    def test_missing_documents_raise_value_error(self, doc_id: str, page: int):
        with pytest.raises(ValueError, match=rf"^Document {doc_id} page {page} not found$"):
            asyncio.run(builder().get_source_metadata(doc_id, page))

    def test_each_page_of_a_document_has_its_own_text(self):
        context = build([result(ECONOMICS, page, 1 / page) for page in range(1, 11)])
        assert [s.markdown_content for s in context.sources] == [f"Page {n} of economics." for n in range(1, 11)]

    def test_missing_fields_have_fallbacks(self):
        store = Store(
            Collection([{"doc_id": "d", "page": 1, "filename": None, "image_path": "/d.png"}]), Collection([])
        )
        found = asyncio.run(builder(store=store).get_source_metadata("d", 1))
        assert (found.filename, found.extension, found.timestamp, found.section_path) == ("d", "", "", None)
        context = build([{"doc_id": "d", "page": 1, "score": 0.5, "filename": "named.docx"}], store)
        assert (context.sources[0].filename, context.sources[0].extension) == ("named.docx", "docx")

    def test_metadata_calls_run_in_threads_side_by_side(self):
        meeting = threading.Barrier(2, timeout=300)  # breaks if calls wait for each other

        class Meeting(Collection):
            def get(self, where: Any, include: Any) -> dict[str, Any]:
                meeting.wait()
                return super().get(where, include)

        documents = [Document(str(n), f"{n}.pdf", ["Text."]) for n in range(2)]
        store = store_of(*documents)
        store.visual_collection = Meeting(store.visual_collection.rows)
        store.get_document_markdown = AsyncMock(return_value="Text.")
        assert len(build([result(document, 1, 0.5) for document in documents], store).sources) == 2

    def test_at_most_eight_texts_are_fetched_at_a_time(self):
        documents = [Document(str(n), f"{n}.pdf", ["Text."]) for n in range(40)]
        store = store_of(*documents)
        running = most = 0

        async def slow(_: str) -> str:
            nonlocal running, most
            running += 1
            most = max(most, running)
            await asyncio.sleep(0.01)
            running -= 1
            return "Text."

        store.get_document_markdown = slow
        build([result(document, 1, 0.5) for document in documents], store, num_results=40, max_sources=40)
        assert 2 <= most <= 8


class TestPerformance:
    """Work that stays bounded, so that the seed's limits hold: `make bench-search` measures the times."""

    DOCUMENTS = tuple(Document(str(n), f"{n}.pdf", [ENGLISH * 4] * 20) for n in range(10))

    def test_a_context_fetches_each_document_once(self):
        store = store_of(*self.DOCUMENTS)
        results = [result(document, page, 0.5) for document in self.DOCUMENTS for page in (3, 7)]
        assert len(build(results, store, num_results=20, max_sources=20, max_tokens=100_000).sources) == 20
        assert sorted(store.fetched) == sorted(document.doc_id for document in self.DOCUMENTS)

    def test_work_for_a_context_is_linear_in_its_sources(self):
        def work(count: int) -> int:
            documents = [Document(str(n), f"{n}.pdf", [ENGLISH]) for n in range(count)]
            store, results = store_of(*documents), [result(document, 1, 0.5) for document in documents]
            sizes = {"num_results": count, "max_sources": count, "max_tokens": 1_000_000}
            return steps(lambda: build(results, store, **sizes))

        work(1)  # what is loaded once
        assert work(80) < 9 * work(10)

    def test_deduplicating_is_linear_in_the_results(self):
        def work(count: int) -> int:
            results = [{"doc_id": str(n % 30), "page": n % 3, "score": n % 7 / 7} for n in range(count)]
            return steps(lambda: builder().deduplicate_results(results))

        assert work(800) < 9 * work(100)

    @pytest.mark.parametrize("counter", [TokenizerCounter, HeuristicCounter], ids=lambda counter: counter.name)
    def test_estimating_takes_few_steps(self, counter: Any):
        made = builder(token_counter=counter())
        assert steps(lambda: made.estimate_tokens((ENGLISH * 20)[:10_000])) < 10_000
