"""The import of one file: its groups, in their order, each in a transaction.

A group that fails is written again one dialogue at a time, each in a savepoint of its own; those that fail then are
rejected records. Rejected records are written with the next group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

import psycopg

from archive_pipeline.domain.reasons import first_line
from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.domain.vintages import is_partial
from archive_pipeline.ingest.arriving import ArrivingRecords
from archive_pipeline.ingest.groups import Group, Header, ImportContext
from archive_pipeline.ingest.rejections import PendingRejections
from archive_pipeline.ingest.seen import Again, Seen, StateKey, compare, reject_rival
from archive_pipeline.ingest.summary import DELETED_FOR_GOOD, ImportSummary
from archive_pipeline.ingest.writer import GroupWriter, Incoming, Outcome, Written
from archive_pipeline.readers.reading import FileReading
from archive_pipeline.readers.registry import reader_versions
from archive_pipeline.store import import_log
from archive_pipeline.store.database import Database
from archive_pipeline.store.failures import is_systemic
from archive_pipeline.store.format_drift import add_drift

_SHOWN_REJECTED: Final = 1_000


class FileImport:
    """The import of one file.

    Args:
        database: where to.
        file: the file; its records are read by whoever makes the groups.
        context: of its import.
        total: of all files, to which this one is added.
        seen: what this import met before.
        on_step: called after each transaction.
    """

    def __init__(
        self,
        database: Database,
        file: FileReading,
        context: ImportContext,
        *,
        total: ImportSummary,
        seen: dict[StateKey, Seen],
        on_step: Callable[[], None],
    ) -> None:
        self._database = database
        self._file = file
        self._context = context
        self._total = total
        self._own = ImportSummary()
        self._on_step = on_step
        self._waiting: dict[str, Incoming] = {}
        self._rejections = PendingRejections()
        self._seen = seen
        self._is_whole = True

    def run(self, groups: Iterable[Group]) -> None:
        """Write the groups, and record how it went."""
        arriving = ArrivingRecords(self._file)
        for group in groups:
            for position, item in arriving.of(group):
                if isinstance(item, RejectedRecord):
                    self._reject(item)
                elif self._should_write(item):
                    if item.id in self._waiting:  # a newer state of a dialogue that waits to be written
                        self._flush(group)
                    self._waiting[item.id] = Incoming(item, position)
                if self._rejections.is_full:
                    self._flush(group)
            self._flush(group)
        for record in arriving.beyond():
            self._reject(record)
        self._finish()

    def _should_write(self, header: Header) -> bool:
        """Tell whether to write the dialogue: the first of its id and vintage in this import, or one of a later time.

        Of two that differ and are of the same or unknown time, the first wins and the other is reported. What was
        deleted for good is neither written nor compared.
        """
        if header.id in self._context.deleted:
            self._own.deleted_for_good.add(header.id)
            return False
        now = Seen(header.locator, header.updated_at, header.fingerprint)
        first = self._seen.setdefault(_key_of(header), now)
        if first is now:
            return True
        again = compare(now, first)
        if again is Again.NEWER:
            self._seen[_key_of(header)] = now
            return True
        if is_partial(header.vintage) and again is not Again.SAME:
            return True  # parts of one dialogue, in any order
        if again is Again.RIVAL:
            self._reject(reject_rival(now, first, header.source_id))
        else:
            self._own.count(header.id, Outcome.UNCHANGED if again is Again.SAME else Outcome.OLDER)
        return False

    def _flush(self, group: Group) -> None:
        waiting, self._waiting = list(self._waiting.values()), {}
        if waiting or self._rejections:
            try:
                with self._database.session() as connection:
                    self._rejections.write(connection, self._context.import_id)
                    written = GroupWriter(connection, group, self._context).write(waiting)
            except (psycopg.Error, ValueError, TypeError) as error:
                if is_systemic(error):
                    raise
                self._write_one_by_one(group, waiting)
            else:
                self._count(waiting, written)
            self._rejections.clear()
        self._on_step()

    def _write_one_by_one(self, group: Group, waiting: list[Incoming]) -> None:
        with self._database.session() as connection:
            for item in waiting:
                try:
                    with connection.transaction():  # a transaction or savepoint of its own
                        written = GroupWriter(connection, group, self._context).write([item])
                except (psycopg.Error, ValueError, TypeError) as error:
                    if is_systemic(error):
                        raise
                    self._seen.pop(_key_of(item.header), None)  # another copy may still be taken
                    message = f"{type(error).__name__}: {first_line(error)}"
                    self._reject(RejectedRecord(item.header.locator, "PostgreSQL does not take the dialogue", message))
                else:
                    self._count([item], written)
            self._rejections.write(connection, self._context.import_id)

    def _count(self, waiting: list[Incoming], written: Written) -> None:
        self._own.rows.update(written.row_counts)
        self._own.anomalies.update(written.anomalies)
        for item in waiting:
            header = item.header
            outcome = written.outcomes[header.id]
            self._own.count(header.id, outcome, is_metadata_only=header.id in written.metadata_only)
            self._total.present[header.source].add(header.id)
            self._total.added[header.source] += outcome is Outcome.NEW

    def _reject(self, record: RejectedRecord) -> None:
        self._own.dialogues["rejected"] += 1
        self._is_whole = self._is_whole and not record.whole_file
        if len(self._total.rejected) < _SHOWN_REJECTED:
            self._total.rejected.append(record)
        self._rejections.add(record)

    def _finish(self) -> None:
        own, total = self._own, self._total
        counts = {
            "dialogues": {
                **dict.fromkeys([*Outcome, "rejected"], 0),
                **own.dialogues,
                DELETED_FOR_GOOD: len(own.deleted_for_good),
            },
            "rows": dict(own.rows),
            "surprises": {name: count for name, count in sorted(own.anomalies.items()) if count},
        }
        with self._database.session() as connection:
            self._rejections.write(connection, self._context.import_id)
            total.drift.update(add_drift(connection, self._context.import_id, self._file.drift))
            import_log.finish(
                connection,
                self._context.import_id,
                sha256=self._file.sha256,
                source=self._file.source,
                reader_version=reader_versions().get(self._file.source or ""),
                is_whole=self._is_whole,
                counts=counts,
            )
        total.add(own)
        total.files_read += self._is_whole
        total.files_failed += not self._is_whole
        self._on_step()


def _key_of(header: Header) -> StateKey:
    return header.id, header.vintage
