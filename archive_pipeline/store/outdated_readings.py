"""Dialogues that an older reader read: today's may keep values that it dropped, and gets them from the same exports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import psycopg

from archive_pipeline.store.rows import fetch_rows


@dataclass(frozen=True, slots=True)
class OutdatedExport:
    """A file that was imported: its place as ``raw.imports`` has it, and whether it was imported as a part."""

    path: str
    is_partial: bool


@dataclass(frozen=True, slots=True)
class OutdatedReading:
    """What older readers read of one source.

    Attributes:
        source: its name.
        dialogues: how many.
        exports: that brought them, those of the most dialogues first; none where that is not known any more.
    """

    source: str
    dialogues: int
    exports: list[OutdatedExport] = field(default_factory=list)


class _Row(NamedTuple):
    source: str
    path: str | None
    is_partial: bool
    dialogues: int
    is_total: bool


def outdated_readings(connection: psycopg.Connection[Any], versions: Mapping[str, int]) -> list[OutdatedReading]:
    """Return the sources with such dialogues; ``versions`` are those of today's readers by source."""
    parameters = {"sources": list(versions), "versions": list(versions.values())}
    found: dict[str, OutdatedReading] = {}
    for row in fetch_rows(connection, "imports/outdated_readings", _Row, parameters):
        if row.is_total:
            found[row.source] = OutdatedReading(row.source, row.dialogues)
        elif row.path is not None:
            found[row.source].exports.append(OutdatedExport(row.path, row.is_partial))
    return list(found.values())
