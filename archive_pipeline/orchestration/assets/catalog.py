"""What Dagster's catalog says about each derived asset beyond its table declarations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True)
class CatalogEntry:
    """Catalog texts and sources of a derived asset.

    Attributes:
        sentence: follows the table's comment in the description.
        reads: raw tables it is computed from.
        lineage: column (``table.column`` where it is not of the main table) -> columns it is made of, each as
            ``asset.column``; only where that says something.
    """

    sentence: str
    reads: tuple[str, ...]
    lineage: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


_MESSAGE: Final = ("raw/messages.id",)
_TEXT: Final = ("raw/content_parts.text_content",)
_CONTENT: Final = (*_TEXT, "raw/content_parts.tool_input", "raw/content_parts.uri", "raw/attachments.content_sha256")

CATALOG: Final[Mapping[str, CatalogEntry]] = {
    "message_paths": CatalogEntry(
        "Tells whether a message is on the primary path and on the path the source shows.",
        ("dialogues", "messages"),
        {
            "message_id": _MESSAGE,
            "depth": ("raw/messages.parent_id",),
            "is_on_primary_path": ("raw/messages.parent_id", "raw/messages.created_at"),
            "is_on_active_path": ("raw/dialogues.active_message_id", "raw/messages.parent_id"),
        },
    ),
    "dialogue_trees": CatalogEntry(
        "Counts branches and leaves, and says whether prompts were edited or responses regenerated.",
        ("messages",),
        {
            "total_nodes": _MESSAGE,
            "max_depth": ("message_paths.depth",),
            "leaf_count": ("message_paths.is_leaf",),
            "primary_leaf_id": ("message_paths.is_on_primary_path",),
        },
    ),
    "linear_sequences": CatalogEntry(
        "The primary one is what a reader sees; the others say where and why they branch off.",
        ("messages",),
        {
            "leaf_message_id": _MESSAGE,
            "sequence_length": ("message_paths.depth",),
            "is_primary": ("message_paths.is_on_primary_path",),
        },
    ),
    "prompt_responses": CatalogEntry(
        "Texts and word counts are in derived.prompt_response_content.",
        ("messages", "content_parts"),
        {
            "prompt_message_id": ("raw/messages.parent_id",),
            "response_message_id": _MESSAGE,
            "prompt_response_content.prompt_text": _TEXT,
            "prompt_response_content.response_text": _TEXT,
        },
    ),
    "exchanges": CatalogEntry(
        "Recognises prompts that only ask to go on. Texts and hashes are in derived.exchange_content.",
        ("messages", "content_parts", "attachments"),
        {
            "first_message_id": ("message_paths.message_id",),
            "last_message_id": ("message_paths.message_id",),
            "continuation_pattern": ("raw/content_parts.text_content", "raw/attachments.message_id"),
            "exchange_content.user_text": _TEXT,
            "exchange_content.assistant_text": _TEXT,
        },
    ),
    "content_hashes": CatalogEntry(
        "One row per entity, scope and normalisation that has text.",
        ("messages", "content_parts"),
        {"entity_id": ("raw/messages.id", "exchanges.id"), "hash_sha256": _TEXT, "hash_simhash": _TEXT},
    ),
    "qa_pairs": CatalogEntry(
        "Conversation turns along every path, and tool calls with their results.",
        ("messages", "content_parts"),
        {
            "source_message_id": ("message_paths.message_id",),
            "question": ("raw/content_parts.text_content", "raw/content_parts.tool_input"),
            "answer": _TEXT,
            "is_error": ("raw/content_parts.is_error",),
        },
    ),
    "response_hashes": CatalogEntry(
        "Finds responses by the prompt, the prompts or the whole context they follow; derived.message_contexts has the "
        "same for every message.",
        ("messages", "content_parts", "attachments"),
        {
            "response_message_id": _MESSAGE,
            "parent_response_id": ("raw/messages.parent_id", "raw/messages.role"),
            "prompt_hash": (*_CONTENT, "raw/messages.request_options"),
            "response_hash": _CONTENT,
            "path_hash": ("response_hashes.prompt_hash",),
            "context_hash": _CONTENT,
            "message_contexts.message_id": _MESSAGE,
            "message_contexts.context_hash": _CONTENT,
        },
    ),
    "dialogue_pages": CatalogEntry(
        "Search results and citations name a dialogue and a page.",
        ("messages",),
        {"exchange_id": ("exchanges.id",), "page": ("message_paths.is_on_primary_path", "message_paths.depth")},
    ),
    "qa_chunks": CatalogEntry(
        "What of it is embedded once, however many pairs have it, is told by content_hash.",
        ("messages", "content_parts"),
        {
            "pair_id": ("qa_pairs.pair_id",),
            "text": ("qa_pairs.question", "qa_pairs.answer"),
            "page": ("dialogue_pages.page",),
        },
    ),
}
