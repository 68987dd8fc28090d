"""Schema ``derived``: what is computed from ``raw``. Every row can be thrown away and built again.

Storage is linear in messages. Paths are stored as a nested set (``tree_left``, ``tree_right`` in ``message_paths``)
whose depth-first order visits the child with the most descendants first. Along such a run ``tree_left`` counts on, and
the way from a root to any message is made of at most log2(messages) pieces of runs. What would be quadratic
(``sequence_messages``, ``exchange_messages``, ``sequence_exchanges``, ancestor arrays) are views, in ``sql/views``,
which climb from run to run and cost what they return.
"""

from __future__ import annotations

from typing import Final

from archive_pipeline.store.tables.exchanges import (
    exchange_content,
    exchanges,
    prompt_response_content,
    prompt_responses,
)
from archive_pipeline.store.tables.hashes import content_hashes, duplicate_clusters, message_contexts, response_hashes
from archive_pipeline.store.tables.pairs import qa_chunks, qa_pairs
from archive_pipeline.store.tables.trees import dialogue_pages, dialogue_trees, linear_sequences, message_paths

DERIVED_TABLES: Final = (
    dialogue_trees,
    message_paths,
    linear_sequences,
    prompt_responses,
    prompt_response_content,
    exchanges,
    exchange_content,
    content_hashes,
    qa_pairs,
    dialogue_pages,
    qa_chunks,
    response_hashes,
    message_contexts,
    duplicate_clusters,
)
