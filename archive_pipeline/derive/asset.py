"""What a module of a derived table declares of itself: the ``ASSET`` that `registry` finds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from archive_pipeline.domain.batch import DialogueBatch, DocumentBatch
from archive_pipeline.settings import Settings

if TYPE_CHECKING:
    import pandas as pd

Batch = TypeVar("Batch", bound=DialogueBatch | DocumentBatch)
Frames = Mapping[str, "pd.DataFrame"]

# Sources of columns that several tables have.
MESSAGE: Final = ("raw/messages.id",)
TEXT: Final = ("raw/content_parts.text_content",)
CONTENT: Final = (*TEXT, "raw/content_parts.tool_input", "raw/content_parts.uri", "raw/attachments.content_sha256")


@dataclass(frozen=True, kw_only=True)
class DerivedAsset(Generic[Batch]):
    """A derived asset.

    Attributes:
        name: its name, which is that of its main table.
        of: what it is derived from: dialogues or documents.
        tables: the tables it writes, parents before children.
        derive: the pure function from a batch to one frame per table.
        code_version: raised whenever the function's results change.
        description: what the catalog says after the comment of the main table.
        reads: raw tables it is computed from.
        upstream: derived assets whose meaning it builds on; a new version of one makes it stale too.
        lineage: column (``table.column`` where it is not of the main table) -> columns it is made of, each as
            ``asset.column``; only where that says something.
        setting_version: the settings its rows depend on, as text.
        runtime_version: what else they depend on (`archive_pipeline.text.runtime`), as text.
        full_version: the whole version of a table that records it in words; None: a digest is recorded.
    """

    name: str
    of: type[Batch]
    tables: tuple[str, ...]
    derive: Callable[[Batch, Settings], Frames]
    code_version: str
    description: str
    reads: tuple[str, ...]
    upstream: tuple[str, ...] = ()
    lineage: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    setting_version: Callable[[Settings], str] = lambda _: ""
    runtime_version: Callable[[], str] = lambda: ""
    full_version: Callable[[Settings], str] | None = None
