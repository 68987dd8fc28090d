"""Digests of the rows that each version of a reader makes of the golden exports: rows of ``raw``, without a database.

An export never changes, as the other cases; another one is added instead. Each has conversations of one source, of its
vintages and with every kind of content that the reader knows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import orjson

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.ingest import rows
from archive_pipeline.ingest.dialogue_values import dialogue_values, fingerprint_of
from archive_pipeline.ingest.prepare import PreparedDialogue, prepare
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.readers.registry import reader_versions
from archive_pipeline_tests.golden.cases import FOLDER

EXPORTS: Final = FOLDER / "exports"
_READER: Final = "reader of "


def cases() -> dict[str, str]:
    """Return a digest of each export, by its source."""
    return {f"export of {source}": hashlib.sha256(path.read_bytes()).hexdigest() for source, path in _exports()}


def versions() -> dict[str, str]:
    """Return the version that rows of each reader are recorded under."""
    return {f"{_READER}{source}": str(version) for source, version in reader_versions().items()}


def made_rows() -> dict[str, dict[str, str]]:
    """Return the digests of the rows that each reader makes of the export of its source."""
    return {f"{_READER}{source}": {f"export of {source}": _digest(path)} for source, path in _exports()}


def _exports() -> Iterator[tuple[str, Path]]:
    return ((path.stem, path) for path in sorted(EXPORTS.glob("*.json")))


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    for file in read_paths([path]):
        for item in file.records():
            lines = [[item.reason]] if isinstance(item, RejectedRecord) else _rows(prepare(item.record, item.raw))
            for line in lines:
                digest.update(orjson.dumps(line))
    return digest.hexdigest()


def _rows(dialogue: PreparedDialogue) -> Iterator[Any]:
    values = dialogue_values(dialogue, len(dialogue.messages), fingerprint_of(dialogue))
    if values["source_parent_id"] is None:  # a column that came later: without a value rows are as they were
        del values["source_parent_id"]
    # Compressed, by a zlib that may be another one.
    yield [values | {"source_bytes": dialogue.raw is not None, "vintage": dialogue.record.vintage}]
    numbers = {message.source_id: number for number, message in enumerate(dialogue.messages)}
    yield from rows.message_rows(dialogue, numbers)
    yield from rows.part_rows(dialogue, dialogue.messages)
    yield from rows.attachment_rows(dialogue, dialogue.messages)
