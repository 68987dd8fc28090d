"""A page as contexts and search take it from a store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A page as a store has it.

    Attributes:
        metadata: ``filename``, ``extension``, ``timestamp``, ``image_path``, ``thumb_path``, ``section_path``,
            ``parent_heading``, as seed 002 has them, and ``created_at``; what is not known is missing, None or empty.
        markdown: its text.
    """

    metadata: Mapping[str, Any]
    markdown: str
