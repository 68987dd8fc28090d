"""Finding a conversation again by its messages (seed 003): look up, store what is new, answer from the archive."""

from __future__ import annotations

from archive_pipeline.matching.creation import find_or_create_from_messages
from archive_pipeline.matching.paths import find_path
from archive_pipeline.matching.responding import Reply, respond, respond_async
from archive_pipeline.matching.results import KnownMessage, PathMatch

__all__ = [
    "KnownMessage",
    "PathMatch",
    "Reply",
    "find_or_create_from_messages",
    "find_path",
    "respond",
    "respond_async",
]
