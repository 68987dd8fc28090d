"""From rankings of chunks to pages: which chunk of a page is shown."""

from __future__ import annotations

from archive_pipeline.retrieval.search.found_pages import fused_pages
from archive_pipeline.retrieval.search.fusion import fuse
from archive_pipeline.retrieval.search.retrievers.base import Ranking
from archive_pipeline_tests.retrieval.search.found_pages import page

QUESTION = page(1, "question", side="question").chunk
ROWS = {"q": QUESTION, "a": page(1, "first answer").chunk, "b": page(1, "second answer").chunk}


def test_the_chunk_that_all_rankings_say_most_of_is_shown():
    """ "a" has 0.35 * 0.9 + 0.65 * 0.2 = 0.445, "b" has 0.35 * 0.4 + 0.65 * 0.8 = 0.66, "q" 0.35 * 1.0."""
    ranked = {
        "dense": Ranking(["q", "a", "b"], [0.9, 0.8, 0.5], shares=[1.0, 0.9, 0.4]),
        "lexical": Ranking(["b", "a"], [8.0, 2.0], shares=[0.8, 0.2]),
    }
    [found] = fused_pages(ranked, ROWS, fuse)
    assert found.chunk.text == "second answer"
    assert found.answer is not None
    assert found.answer.text == "second answer"
    assert found.scores == {"dense": 0.9, "lexical": 8.0}  # of the page's best chunk in each


def test_the_answer_beside_a_question_is_the_best_one_found():
    ranked = {"dense": Ranking(["q", "b", "a"], [0.9, 0.8, 0.7], shares=[1.0, 0.6, 0.5])}
    [found] = fused_pages(ranked, ROWS, fuse)
    assert found.chunk.text == "question"
    assert found.answer is not None
    assert found.answer.text == "second answer"


def test_what_may_not_be_found_is_not_shown():
    ranked = {"lexical": Ranking(["b", "a"], [8.0, 2.0], shares=[0.8, 0.2])}
    [found] = fused_pages(ranked, {"a": ROWS["a"]}, fuse)
    assert found.chunk.text == "first answer"


def test_an_image_is_shown_where_no_text_was_found():
    image, other = page(1, "picture").chunk, page(2, "another picture").chunk
    ranked = {
        "lexical": Ranking(["a"], [1.0], shares=[0.1]),
        "visual": Ranking(["picture", "other"], [0.9, 0.8]),
    }
    pages = fused_pages(ranked, {"a": ROWS["a"], "picture": image, "other": other}, fuse)
    assert {found.page: found.chunk.text for found in pages} == {("d", 1): "first answer", ("d", 2): "another picture"}
