"""Chunks of pages: slices of them, with ids and languages that depend on nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.derive.document_chunks import document_chunks
from archive_pipeline.derive.registry import effective_version
from archive_pipeline.settings import Settings
from archive_pipeline.store.document_chunks import DOCUMENT_CHUNKS

ID = "1ca84a41-3f5c-5f5a-9d06-4a90ba1c46ff"
GERMAN = "Die Häuser am alten Marktplatz der Stadt stehen unter Denkmalschutz und werden gepflegt. "
ENGLISH = "The old houses of the town stand around the market place and have been well kept since. "


@pytest.mark.slow
@given(st.lists(st.text(max_size=400), max_size=4), st.sampled_from([16, 64]))
def test_chunks_are_slices_of_their_pages(texts: list[str], chunk_tokens: int):
    pages = list(enumerate(texts, start=1))
    chunks = document_chunks(ID, pages, chunk_tokens)
    for row in chunks.itertuples():
        assert row.text == texts[row.page - 1][row.start_offset : row.end_offset]
        assert row.token_count <= chunk_tokens
    assert chunks.chunk_id.is_unique
    assert set(chunks.page) == {page for page, text in pages if text.strip()}
    # A page's chunks are the same whatever other pages there are, but for a language that it does not tell itself.
    for page, text in pages:
        alone = document_chunks(ID, [(page, text)], chunk_tokens)
        among = chunks[chunks.page == page]
        assert list(among.chunk_id) == list(alone.chunk_id)
        assert list(among.text) == list(alone.text)


def test_a_page_has_its_own_language_or_that_of_the_documents_beginning():
    chunks = document_chunks(ID, [(1, GERMAN * 30), (2, "Fig. 3"), (3, ENGLISH)], 1024)
    assert list(chunks.language) == ["german", "german", "english"]
    assert list(document_chunks(ID, [(1, "Fig. 3")], 256).language) == ["simple"]


def test_long_pages_are_several_chunks_in_order():
    chunks = document_chunks(ID, [(1, ENGLISH * 20), (2, ENGLISH)], 64)
    first = chunks[chunks.page == 1]
    assert len(first) > 5
    assert list(first.chunk_index) == list(range(len(first)))
    assert list(first.start_offset) == sorted(first.start_offset)
    assert list(chunks[chunks.page == 2].chunk_index) == [0]


def test_pages_without_text_have_no_chunks():
    assert len(document_chunks(ID, [(1, ""), (2, " \n")], 256)) == 0
    assert len(document_chunks(ID, [], 256)) == 0


def test_the_version_tells_sizes_apart():
    small, large = (effective_version(DOCUMENT_CHUNKS, Settings(chunk_tokens=size)) for size in (128, 256))
    assert small != large
