"""What chunks are computed with, loaded before they are."""

from __future__ import annotations

from archive_pipeline.text.language_model import language_model
from archive_pipeline.text.tokens import chunk_tokenizer


def load_models() -> None:
    """Load what a process needs once; it takes half a second, during most of which other threads go on."""
    chunk_tokenizer()
    language_model()
