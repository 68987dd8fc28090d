"""The builders of seeds 000 and 001 over a SQLAlchemy session; the code is in ``building.builders``."""

from archive_pipeline.building.builders import (
    ExchangeBuilder,
    HashBuilder,
    PromptResponseBuilder,
    TreeBuilder,
    build_incremental,
    rebuild_derived,
)

__all__ = [
    "ExchangeBuilder",
    "HashBuilder",
    "PromptResponseBuilder",
    "TreeBuilder",
    "build_incremental",
    "rebuild_derived",
]
