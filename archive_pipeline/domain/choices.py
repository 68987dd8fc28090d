"""Values that settings, options and columns choose from, declared once. Light: the command line imports it for help."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, Literal

# Source of dialogues, and origin of messages, that programs stored by ``archive_pipeline.matching``.
API: Final = "api"


class Partitioning(StrEnum):
    """How dialogues map to Dagster partitions."""

    PER_DIALOGUE = "per_dialogue"
    SHARDED = "sharded"


class ExecutorKind(StrEnum):
    """Where chunks of dialogues are computed and written."""

    LOCAL = "local"
    PROCESSES = "processes"
    RAY = "ray"


class VectorStore(StrEnum):
    """Which store has the index of search."""

    POSTGRES = "postgres"
    CHROMA = "chroma"


class AttachmentHandling(StrEnum):
    """What imports do with the files that messages came with."""

    KEEP = "keep"
    LEAVE = "leave"


class Normalization(StrEnum):
    """What happens to a text before it is hashed (seed 000)."""

    NONE = "none"
    LOWERCASE = "lowercase"
    WHITESPACE = "whitespace"
    FULL = "full"


# What has hashes and duplicates.
ENTITY_TYPES: Final = ("message", "exchange")
NEAR: Final = "near"
RUNS: Final = "runs"
# How duplicates are found: by equal hashes, by similar texts, or, of dialogues, by the same calls of tools and results.
DUPLICATE_METHODS: Final = (*(f"exact:{normalization.value}" for normalization in Normalization), NEAR, RUNS)
DIALOGUE: Final = "dialogue"
DUPLICATE_TYPES: Final = (*ENTITY_TYPES, DIALOGUE)

DialogueSort = Literal["date", "began", "size", "branches", "source", "title"]
DIALOGUE_SORTS: Final[tuple[DialogueSort, ...]] = ("date", "began", "size", "branches", "source", "title")

# What is exported of dialogues, and how.
ExportPaths = Literal["primary", "active", "all"]
ExportShape = Literal["messages", "prompt-completion"]
DroppedDuplicates = Literal["exact", "near"]
EXPORT_PATHS: Final[tuple[ExportPaths, ...]] = ("primary", "active", "all")
EXPORT_SHAPES: Final[tuple[ExportShape, ...]] = ("messages", "prompt-completion")
DROPPED_DUPLICATES: Final[tuple[DroppedDuplicates, ...]] = ("exact", "near")
EXPORT_ROLES: Final = ("system", "user", "assistant", "tool")
EXPORT_FORMATS: Final = (
    "openai",
    "trl-sft",
    "trl-dpo",
    "trl-kto",
    "sharegpt",
    "qa",
    "parquet",
    "markdown",
    "traces",
    "atif",
)
