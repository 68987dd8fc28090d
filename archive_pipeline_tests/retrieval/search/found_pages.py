"""Pages as retrievers find them."""

from __future__ import annotations

from datetime import UTC, datetime

from archive_pipeline.retrieval.search.results import FoundPage
from archive_pipeline.retrieval.search.rows import FoundChunk


def page(number: int, text: str, *, side: str = "answer", answer: str | None = None, words: float = 0.0) -> FoundPage:
    """A page whose score falls with its number."""
    chunk = FoundChunk(
        chunk_id=None, doc_id="d", page=number, side=side, role=None, text=text, content_hash=None, pair_id=None,
        part_id=None, pair_type=None, workspace_id=None, session_id=None, is_on_primary_path=None,
        question_message_id=None, answer_message_id=None, message_id=None, model=None, happened_at=None,
        source="chatgpt", partition_key=None, filename="f", extension="", created_at=None,
        added_at=datetime(2024, 1, 1, tzinfo=UTC), section_path=None, parent_heading=None, image_path=None,
        thumb_path=None,
    )  # fmt: skip
    other = None if answer is None else chunk._replace(text=answer, side="answer")
    return FoundPage(("d", number), 1 / number, chunk, {}, {}, {"lexical": words}, other)
