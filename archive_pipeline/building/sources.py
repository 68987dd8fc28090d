"""What rows are derived from, by name: a task of a build names its source, which another process finds here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.building.dialogue_source import DIALOGUES
from archive_pipeline.building.document_source import DOCUMENTS
from archive_pipeline.building.source import Source

SOURCES: Final[Mapping[str, Source[Any, Any]]] = {source.noun: source for source in (DIALOGUES, DOCUMENTS)}
