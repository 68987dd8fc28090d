"""Laws of chunks, on any text: exact offsets, nothing lost, bounded, no cut grapheme cluster; blocks kept whole."""

from __future__ import annotations

from itertools import pairwise

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from archive_pipeline.text.chunking import Chunk, ChunkSizes, chunk_text
from archive_pipeline.text.graphemes import grapheme_edges
from archive_pipeline.text.token_sums import WordTokens
from archive_pipeline.text.tokens import Tokenizer, chunk_tokenizer
from archive_pipeline_tests.variants import every_second_of
from archive_pipeline_tests.work import steps

FAMILY = "👩‍👩‍👧‍👦"
PIECES = (
    "word ",
    "Sentence one. ",
    "Really?! ",
    "\n",
    "\n\n",
    "\r\n",
    "   ",
    "```python\nx = 1\n\ny = 2\n```\n",
    "~~~\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n",
    "日本語の文章です。",
    FAMILY,
    "e\u0301",
    "\u0301",
    "\u0600 ",
    "🇩🇪",
    "    indented code\n",
    "한국어",
    "a" * 40,
)
texts = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
all_sizes = st.tuples(st.integers(16, 48), st.integers(0, 8)).map(lambda drawn: ChunkSizes(*drawn))


class Recording:
    """A tokenizer that keeps what it was asked to count."""

    def __init__(self) -> None:
        self.counted: list[str] = []

    def count(self, text: str) -> int:
        self.counted.append(text)
        return chunk_tokenizer().count(text)


def cut(text: str, sizes: ChunkSizes, tokenizer: Tokenizer | None = None) -> list[Chunk]:
    """Return the chunks of a text of which no word was seen before."""
    [counted] = WordTokens(tokenizer or chunk_tokenizer()).count([text])
    return chunk_text(counted, sizes)


def chunks(text: str, limit: int, overlap: int = 0) -> list[str]:
    return [text[chunk.start : chunk.end] for chunk in cut(text, ChunkSizes(limit, overlap))]


@given(texts, all_sizes)
def test_every_character_but_white_space_is_in_a_chunk(text: str, sizes: ChunkSizes):
    covered: set[int] = set()
    for chunk in cut(text, sizes):
        covered.update(range(chunk.start, chunk.end))
    assert not [at for at, character in enumerate(text) if at not in covered and not character.isspace()]


@given(texts, all_sizes)
def test_chunks_are_in_order_bounded_and_counted(text: str, sizes: ChunkSizes):
    found = cut(text, sizes)
    for chunk in found:
        own = text[chunk.start : chunk.end]
        assert own.strip()
        assert chunk.tokens == chunk_tokenizer().count(own) <= sizes.limit
    for before, after in pairwise(found):
        assert before.start < after.start
        assert before.end < after.end
        shared = text[after.start : before.end]
        assert chunk_tokenizer().count(shared.rstrip()) <= sizes.overlap


@given(texts, all_sizes)
@example("\U0001f201" + "\u200d\U0001f201" * 3, ChunkSizes(16, 0))
@example("One two three four five six seven. \u0301" * 4, ChunkSizes(16, 0))
def test_no_grapheme_cluster_that_fits_is_cut(text: str, sizes: ChunkSizes):
    clusters = list(regex.finditer(r"\X", text))
    edges = {0, *(cluster.end() for cluster in clusters)}
    for cluster in clusters:
        if chunk_tokenizer().count(cluster.group()) > sizes.limit:
            edges.update(range(*cluster.span()))
    for chunk in cut(text, sizes):
        assert {chunk.start, chunk.end} <= edges


def test_a_text_that_fits_is_one_chunk_without_the_white_space_around_it():
    assert cut("\n\n  What is it?\n", ChunkSizes(16, 4)) == [Chunk(2, 15, 5)]
    assert cut(" \n\t ", ChunkSizes(16, 4)) == []


def test_code_blocks_and_tables_that_fit_are_kept_whole():
    code = "```python\ndef f(x):\n\n    return x\n```"
    table = "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |"
    prose = "Some words come before what follows. There are quite a few of them, and no comma is in the first sentence."
    text = f"{prose}\n\n{code}\n{prose}\n\n{table}\n\n{prose}"
    for limit in range(max(chunk_tokenizer().count(code), chunk_tokenizer().count(table)) + 1, 60):
        found = chunks(text, limit, 8)
        assert len(found) > 1
        assert any(code in chunk for chunk in found), limit
        assert any(table in chunk for chunk in found), limit


def test_a_code_block_after_one_that_is_too_large_is_still_kept_whole():
    large, small = "```\n" + "x = 1\n" * 30 + "```", "```\na\n\nb\n\nc\n```"
    found = chunks(f"{large}\n\nNow the small one, which is short.\n\n{small}", 24)
    assert "```\na\n\nb\n\nc\n```" in found[-1]
    assert all(piece in large for piece in found[:-2])


def test_a_fence_is_closed_by_one_as_long_only():
    code = "````\n```\ninner\n```\n````"
    assert chunks(f"{'word ' * 20}\n\n{code}", 22)[-1] == code


def test_prose_is_cut_between_sentences_and_the_last_one_is_repeated():
    text = "The first sentence is here. The second one follows it. A third. And now the fourth sentence ends it all."
    assert chunks(text, 16, 4) == [
        "The first sentence is here. The second one follows it. A third.",
        "A third. And now the fourth sentence ends it all.",
    ]


def test_a_long_word_is_cut_after_every_sixteen_characters():
    assert chunks("あ" * 40, 16) == ["あ" * 16, "あ" * 16, "あ" * 8]


def test_what_is_repeated_is_not_counted_again_but_for_its_first_word():
    tokenizer = Recording()
    text = "".join(f"Sentence {number} ends here. " for number in range(12))
    found = cut(text, ChunkSizes(limit=24, overlap=12), tokenizer)
    assert [one for before, one in pairwise(found) if one.start < before.end]
    assert max(map(len, tokenizer.counted)) <= len(" Sentence")


def test_no_paragraph_is_counted_again_for_the_line_ends_after_it():
    tokenizer = Recording()
    ends = [".", "?!", "x", ' ".', "*"]
    text = "\n\n".join([f"Paragraph {number} has a few words, {end}" for number, end in enumerate(ends)] * 4)
    found = cut(text, ChunkSizes(limit=40, overlap=0), tokenizer)
    assert len(found) > 3
    assert [chunk.tokens for chunk in found] == [
        chunk_tokenizer().count(text[chunk.start : chunk.end]) for chunk in found
    ]
    assert max(map(len, tokenizer.counted)) <= len("Paragraph")


def test_code_keeps_its_indentation_and_is_not_repeated():
    code = "```\n" + "".join(f"    line_{number} = {number}\n" for number in range(8)) + "```"
    found = chunks(code, 20, 8)
    assert len(found) > 2
    assert found[1].startswith("    line_")
    assert "".join(piece + "\n" for piece in found) == code + "\n"


def test_a_cluster_that_alone_is_too_large_is_cut_between_characters():
    found = cut("a" + "\u0301" * 200, ChunkSizes(16, 0))
    assert len(found) > 1
    assert all(chunk.tokens <= 16 for chunk in found)


ENDLESS = {
    "letters": "a",
    "chinese": "日本語文",
    "families": FAMILY,
    "combining marks": "\u0301",
    "spaces": "x" + " " * 500,
    "words": "word ",
    "lines": "line of text\n",
    "sentences": "This is one. ",
    "rows": "| a | b |\n",
    "dots": ".",
    "fences": "```\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", every_second_of(ENDLESS))
def test_work_is_linear(kind: str):
    def work(length: int) -> tuple[int, int]:
        """Return the lines executed and the characters counted in a text of some length."""
        text = (ENDLESS[kind] * (length // len(ENDLESS[kind]) + 1))[:length]
        tokenizer = Recording()
        found: list[Chunk] = []
        lines = steps(lambda: found.extend(cut(text, ChunkSizes(256, 32), tokenizer)))
        assert all(chunk.tokens <= 256 for chunk in found)
        return lines, sum(map(len, tokenizer.counted))

    # Linear is four times as much, quadratic sixteen times.
    for short, long in zip(work(50_000), work(200_000), strict=True):
        assert long < 5 * short


@given(texts)
def test_a_cluster_of_several_characters_has_a_character_that_joins(text: str):
    if grapheme_edges(text) is None:
        assert len(regex.findall(r"\X", text)) == len(text)
