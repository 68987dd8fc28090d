"""Writing the dialogues of a group: new ones in bulk, changed ones in place, unchanged ones not at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import psycopg

from archive_pipeline.domain.identity import partition_key
from archive_pipeline.domain.vintages import is_partial, shape_of
from archive_pipeline.domain.vintages import vintage as rules_of
from archive_pipeline.ingest import rows
from archive_pipeline.ingest.age import is_newer, is_older
from archive_pipeline.ingest.dialogue_values import dialogue_values, fingerprint_of, vintage_values
from archive_pipeline.ingest.groups import Group, Header, ImportContext
from archive_pipeline.ingest.kept_messages import finds_parents, live_beside, with_branches_of_the_api
from archive_pipeline.ingest.layer_bytes import has_new_nodes
from archive_pipeline.ingest.merging import is_stored_layer, merge_with_stored, with_source_of, write_layers
from archive_pipeline.ingest.prepare import PreparedDialogue, PreparedMessage
from archive_pipeline.ingest.rereading import has_all_values, is_outdated
from archive_pipeline.readers.registry import reader_versions
from archive_pipeline.store import raw_writes
from archive_pipeline.store.layers import StoredVintage, dialogue_row, mark_read, stored_vintages, write_vintages
from archive_pipeline.store.links import refresh_links
from archive_pipeline.store.partition_keys import check_partition_keys
from archive_pipeline.store.raw_writes import StoredDialogue, StoredMessage


class Outcome(StrEnum):
    """What happened to a dialogue."""

    NEW = "new"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    REREAD = "reread"  # the content is the same; a newer reader keeps other values beside it
    OLDER = "older"


@dataclass(frozen=True, slots=True)
class Incoming:
    """A dialogue of the group that is being written: its header, and where it stands in the group."""

    header: Header
    position: int


@dataclass
class Written:
    """What was done for some dialogues.

    Attributes:
        outcomes: by id.
        row_counts: rows written per table.
        anomalies: by name.
        metadata_only: ids of changed dialogues of which no message changed: only the title, or the current message.
    """

    outcomes: dict[str, Outcome]
    row_counts: Counter[str]
    anomalies: Counter[str]
    metadata_only: set[str]


class GroupWriter:
    """Writes dialogues of one group in the caller's transaction; any error leaves it to be rolled back."""

    def __init__(self, connection: psycopg.Connection[Any], group: Group, context: ImportContext) -> None:
        self._connection = connection
        self._group = group
        self._context = context
        self._written = Written({}, Counter(), Counter(), set())
        self._found_as_stored: list[tuple[str, str, int]] = []
        self._rewritten: list[str] = []

    def write(self, incoming: Sequence[Incoming]) -> Written:
        """Write dialogues with different ids."""
        written, connection = self._written, self._connection
        stored = raw_writes.stored_dialogues(connection, [item.header.id for item in incoming])
        vintages = stored_vintages(connection, list(stored))
        new: list[int] = []
        unchanged: list[Header] = []
        for item in incoming:
            header = item.header
            known = stored.get(header.id)
            if known is None:
                new.append(item.position)
                written.outcomes[header.id] = Outcome.NEW
                written.anomalies.update(header.counts)
                continue
            of_dialogue = vintages.get(header.id, {})
            if is_partial(header.vintage):
                written.outcomes[header.id] = self._write_partial(item, known, of_dialogue)
                continue
            if of_dialogue.keys() - {header.vintage}:
                prepared = self._group.prepared(item.position)
                written.outcomes[header.id] = self._write_merged(prepared, known, of_dialogue)
                continue
            outcome = self._write_stored(item, known, of_dialogue.get(header.vintage))
            written.outcomes[header.id] = outcome
            if outcome is Outcome.UNCHANGED and not is_older(header.updated_at, known.source_updated_at):
                unchanged.append(header)
        headers = [item.header for item in incoming if written.outcomes.get(item.header.id) is Outcome.NEW]
        check_partition_keys(connection, {each.id: partition_key(each.source, each.source_id) for each in headers})
        written.row_counts.update(
            raw_writes.append(connection, self._group.rows(new, self._context.import_id) if new else {})
        )
        metadata = [{"id": header.id, **header.metadata} for header in unchanged]
        refreshed = raw_writes.refresh_metadata(connection, metadata)
        written.row_counts.update({"dialogues": len(refreshed)})
        mark_read(connection, self._found_as_stored)
        # What other dialogues they are linked with may be another one: also by a time alone that has changed.
        subagents = [dialogue.id for dialogue in refreshed if dialogue.is_subagent]
        refresh_links(connection, [*(header.id for header in headers), *self._rewritten, *subagents])
        return written

    def _write_stored(self, item: Incoming, known: StoredDialogue, vintage: StoredVintage | None) -> Outcome:
        header = item.header
        newer = is_newer(header.updated_at, known.source_updated_at)
        older = is_older(header.updated_at, known.source_updated_at)
        rereads = not newer and not older and is_outdated(header.source, vintage)
        if not newer and not rereads and header.fingerprint == known.fingerprint:
            return Outcome.UNCHANGED
        messages = raw_writes.stored_messages(self._connection, header.id)
        dialogue = self._group.prepared(item.position)
        kept = with_branches_of_the_api(live_beside(dialogue, messages))
        is_unchanged = fingerprint_of(dialogue, kept) == known.fingerprint
        if is_unchanged and not newer and (not rereads or self._is_as_stored(dialogue, vintage, kept)):
            return Outcome.UNCHANGED
        if not is_unchanged and older:
            return Outcome.OLDER
        self._rewrite(dialogue, messages, kept, is_unchanged=is_unchanged)
        write_vintages(self._connection, [vintage_values(dialogue, self._context.import_id)])
        return _outcome(is_unchanged=is_unchanged, rereads=rereads)

    def _write_partial(self, item: Incoming, known: StoredDialogue, vintages: Mapping[str, StoredVintage]) -> Outcome:
        """Write what a partial export brings: into the rows if these are of its shape and time, else as a layer."""
        header = item.header
        if len(vintages) > 1 and is_stored_layer(self._group.prepared(item.position), vintages):
            return Outcome.UNCHANGED
        newer = is_newer(header.updated_at, known.source_updated_at)
        older = is_older(header.updated_at, known.source_updated_at)
        vintage = vintages.get(header.vintage, vintages.get(shape_of(header.vintage)))
        rereads = not newer and not older and is_outdated(header.source, vintage)
        messages = raw_writes.stored_messages(self._connection, header.id)
        live = [message for message in messages.values() if message.is_live]
        names = {message.id: message.source_id for message in live}
        parents = {message.source_id: names.get(message.parent_id or "") for message in live}
        dialogue = self._group.prepared(item.position, parents)
        kept = live_beside(dialogue, messages)
        is_unchanged = fingerprint_of(dialogue, kept) == known.fingerprint
        # The rows are one layer, that of the only vintage.
        is_alone = len(vintages) <= 1 and vintages.keys() <= {header.vintage, shape_of(header.vintage)}
        # An earlier part says when messages were said that a later one only repeats.
        is_news = newer or (older and rules_of(header.source, header.vintage).repeats)
        layers = [each.layer for each in vintages.values() if each.layer is not None]
        has_nodes = is_alone and has_new_nodes(dialogue, layers)
        is_as_known = is_alone and is_unchanged and not is_news and not has_nodes
        if is_as_known and (not rereads or self._is_as_stored(dialogue, vintage, kept)):
            return Outcome.UNCHANGED
        is_of_rows = is_unchanged or (vintages.keys() <= {header.vintage} and not finds_parents(dialogue, kept))
        is_of_rows = is_of_rows and not has_nodes and not layers
        if vintages and (not is_alone or newer or older or not is_of_rows):
            # A layer says what its export says, whatever was stored when it came.
            outcome = self._write_merged(self._group.prepared(item.position), known, vintages, messages)
            return Outcome.UNCHANGED if is_unchanged and outcome is Outcome.OLDER else outcome
        stored = dialogue_row(self._connection, header.id)
        dialogue = with_source_of(stored.source_json, stored.source_bytes, dialogue)
        self._rewrite(dialogue, messages, kept, is_unchanged=is_unchanged)
        if rereads:
            self._mark_read(dialogue, vintage, kept)
        return _outcome(is_unchanged=is_unchanged, rereads=rereads)

    def _is_as_stored(
        self, dialogue: PreparedDialogue, vintage: StoredVintage | None, kept: Sequence[StoredMessage]
    ) -> bool:
        """Tell whether the rows of a dialogue that an older reader read have all values of today's, and note it."""
        is_part = is_partial(dialogue.record.vintage)
        if not has_all_values(self._connection, dialogue, vintage, is_partial=is_part):
            return False
        self._mark_read(dialogue, vintage, kept)
        return True

    def _mark_read(
        self, dialogue: PreparedDialogue, vintage: StoredVintage | None, kept: Sequence[StoredMessage]
    ) -> None:
        """Note that today's reader read a dialogue, unless messages of it stay that the export does not have."""
        if not (is_partial(dialogue.record.vintage) and kept):
            source = dialogue.record.source
            name = dialogue.record.vintage if vintage is None else vintage.vintage
            self._found_as_stored.append((dialogue.id, name, reader_versions().get(source, 0)))

    def _write_merged(
        self,
        prepared: PreparedDialogue,
        known: StoredDialogue,
        vintages: Mapping[str, StoredVintage],
        messages: Mapping[str, StoredMessage] | None = None,
    ) -> Outcome:
        """Write a dialogue of which exports of other vintages are stored (``layers``); its messages may be read."""
        connection = self._connection
        merged = merge_with_stored(connection, prepared, vintages, known.source_updated_at)
        if merged is None:
            return Outcome.OLDER
        own = merged.own
        rereads = own in vintages and is_outdated(prepared.record.source, vintages[own])
        if rereads and all(layer.vintage != own for layer in merged.layers):
            self._mark_read(prepared, vintages[own], ())
        if merged.is_as_stored:
            return Outcome.UNCHANGED
        if messages is None:
            messages = raw_writes.stored_messages(connection, merged.dialogue.id)
        kept = with_branches_of_the_api(live_beside(merged.dialogue, messages))
        is_unchanged = fingerprint_of(merged.dialogue, kept) == known.fingerprint
        self._rewrite(merged.dialogue, messages, kept, is_unchanged=is_unchanged)
        write_layers(connection, merged, self._context.import_id)
        return _outcome(is_unchanged=is_unchanged, rereads=rereads)

    def _rewrite(
        self,
        dialogue: PreparedDialogue,
        messages: Mapping[str, StoredMessage],
        kept: Sequence[StoredMessage],
        *,
        is_unchanged: bool,
    ) -> None:
        """Bring the rows of a dialogue up to date; what was built of it is stale if anything it is made of changed."""
        connection = self._connection
        self._rewritten.append(dialogue.id)
        inputs = raw_writes.inputs_beside_fingerprint(connection, dialogue.id) if is_unchanged else None
        changes = self._update(dialogue, messages, kept)
        if not is_unchanged and not changes:
            self._written.metadata_only.add(dialogue.id)
        if inputs is None or inputs != raw_writes.inputs_beside_fingerprint(connection, dialogue.id):
            raw_writes.purge_builds(connection, dialogue.id)

    def _update(
        self, dialogue: PreparedDialogue, messages: Mapping[str, StoredMessage], kept: Sequence[StoredMessage]
    ) -> bool:
        """Write the rows of a dialogue; tell whether a message is added, changed, deleted or restored."""
        connection, written = self._connection, self._written
        numbers = rows.sequence_numbers(dialogue, messages)
        present = {message.id for message in dialogue.messages} | {message.id for message in kept}
        gone = [message.id for message in messages.values() if message.is_live and message.id not in present]
        own = [message.id for message in dialogue.messages]
        deleted = raw_writes.soft_delete(connection, dialogue.id, gone)
        values = dialogue_values(dialogue, len(own) + len(kept), fingerprint_of(dialogue, kept))
        raw_writes.update_dialogue(connection, {**values, "import_id": self._context.import_id})
        upserted = raw_writes.upsert_messages(
            connection, rows.named(rows.MESSAGE_COLUMNS, rows.message_rows(dialogue, numbers))
        )
        parts = raw_writes.replace_parts(
            connection,
            dialogue.id,
            own,
            rows.part_frame(rows.part_rows(dialogue, dialogue.messages)),
            rows.attachment_frame(rows.attachment_rows(dialogue, dialogue.messages)),
        )
        written.row_counts.update({"dialogues": 1, "messages": upserted + deleted, **parts})
        written.anomalies.update(dialogue.counts)
        restored = sum(1 for message in dialogue.messages if _was_deleted(messages.get(message.source_id)))
        written.anomalies.update({"messages_deleted": deleted, "messages_restored": restored})
        return bool(gone) or any(_is_news(message, messages.get(message.source_id)) for message in dialogue.messages)


def _outcome(*, is_unchanged: bool, rereads: bool) -> Outcome:
    """Return the outcome of a dialogue that was written: its rows may have changed though its content did not."""
    if not is_unchanged:
        return Outcome.CHANGED
    return Outcome.REREAD if rereads else Outcome.UNCHANGED


def _is_news(message: PreparedMessage, stored: StoredMessage | None) -> bool:
    """Tell whether a message is not stored, or not so."""
    return stored is None or not stored.is_live or stored.content_hash != message.content_hash


def _was_deleted(message: StoredMessage | None) -> bool:
    return message is not None and not message.is_live
