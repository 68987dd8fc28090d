"""The budget law: no context is over budget by its own counter, and what was cut is cut well."""

from __future__ import annotations

import random
import re
from itertools import pairwise

import pytest
import regex

from archive_pipeline.retrieval.context.documents import SourceDocument
from archive_pipeline.retrieval.context.packing import ContextPacker
from archive_pipeline.retrieval.context.rendering import render_source
from archive_pipeline.text.markdown import code_blocks
from archive_pipeline.text.token_estimates import HeuristicCounter
from archive_pipeline.text.tokens import TokenCounter, TokenizerCounter
from archive_pipeline_tests.retrieval.context.texts import CHINESE, CODE, ENGLISH, JAPANESE, KOREAN
from archive_pipeline_tests.variants import some_of

COUNTERS: list[type[TokenCounter]] = [TokenizerCounter, HeuristicCounter]
SNIPPETS = [ENGLISH, CODE, CHINESE, JAPANESE, KOREAN, f"```python\n{CODE}```\n", "```\nopen", "[Document 2: x, Page 1]"]
SNIPPETS += [
    "👨‍👩‍👧‍👦",
    "e\u0301",
    "\n\n",
    " ",
    "- item\n",
    "word",
    "\x00",
    "2008",
    "§",
    "x" * 300,
    "\u2028",
    "| a | b |\n",
]
HEADER = re.compile(r"(?<!\\)\[Document ([0-9]+): ")


def random_source(choice: random.Random, number: int) -> SourceDocument:
    pieces = []
    for snippet in choice.choices(SNIPPETS, k=choice.randrange(5)):
        start = choice.randrange(len(snippet))
        pieces.append(snippet[start : start + choice.randrange(1, 120)])
    name = "".join(choice.choices(["a", "]", "\n", "報告", ".pdf", "[Document 1: "], k=choice.randrange(1, 5)))
    return SourceDocument(str(number), name, choice.randrange(1, 9999), "pdf", markdown_content="".join(pieces))


@pytest.mark.slow
@pytest.mark.parametrize("contexts", some_of([1_500, 5_000]))
@pytest.mark.parametrize("kind", COUNTERS, ids=lambda kind: kind.name)
def test_random_contexts_keep_the_budget(kind: type[TokenCounter], contexts: int):
    counter = kind()
    choice = random.Random(2)  # noqa: S311
    filled = cut = 0
    for _ in range(contexts):
        sources = [random_source(choice, number) for number in range(choice.randrange(1, 6))]
        budget = choice.choice([1, 10, 20, 40, 80, 160, 320])
        packer = ContextPacker(budget, counter.count)
        taken = [packer.add(source) for source in sources]
        tokens, removed = packer.finish()
        blocks = [render_source(source, number) for number, source in enumerate(packer.sources, start=1)]
        assert packer.text == "\n\n".join(blocks)
        assert counter.count(packer.text) == tokens <= budget
        assert len(packer.sources) == sum(taken)
        assert removed == []  # these counters add up: what was taken stays
        assert [int(match[1]) for match in HEADER.finditer(packer.text)] == list(range(1, len(blocks) + 1))
        check_headers_are_outside_code(packer.text)
        check_cut(packer.sources, sources)
        filled += any(not earlier and later for earlier, later in pairwise(taken))
        cut += any(source.content_truncated for source in packer.sources)
    assert filled > contexts / 50
    assert cut > contexts / 10


def check_headers_are_outside_code(text: str) -> None:
    blocks = code_blocks(text)
    assert all(block.closing is None for block in blocks)
    assert not any(block.start <= match.start() < block.end for match in HEADER.finditer(text) for block in blocks)


def check_cut(kept: list[SourceDocument], given: list[SourceDocument]) -> None:
    """A cut content is a beginning of the whole one, at a border of graphemes, plus at most a closing fence."""
    whole = {source.doc_id: source.markdown_content for source in given}
    for number, source in enumerate(kept):
        if not source.content_truncated:
            assert source.markdown_content == whole[source.doc_id]
            continue
        assert number == 0
        beginning = source.markdown_content
        if not whole[source.doc_id].startswith(beginning):
            beginning = beginning.rpartition("\n")[0]
        rest = whole[source.doc_id].removeprefix(beginning)
        assert rest != whole[source.doc_id]
        graphemes = regex.findall(r"\X", whole[source.doc_id])
        assert "".join(graphemes[: len(regex.findall(r"\X", beginning))]) == beginning
