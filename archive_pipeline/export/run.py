"""Exporting: dialogues from one state of the archive through a format into a folder that appears when it is whole."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from archive_pipeline.building.duplicates import duplicates_version
from archive_pipeline.derive.registry import effective_version
from archive_pipeline.domain.counted import counted
from archive_pipeline.errors import ConfigurationError, ExportError
from archive_pipeline.export.choices import SPLITS, Choices
from archive_pipeline.export.formats.base import Format, Run
from archive_pipeline.export.formats.registry import FORMATS
from archive_pipeline.export.manifest import CARD, MANIFEST, card, manifest, manifest_bytes
from archive_pipeline.export.offering import exported_batches, kept_answers
from archive_pipeline.export.output import Output, WrittenFile
from archive_pipeline.export.placing import placed_file, placed_folder, remove_remains
from archive_pipeline.export.redaction.redactor import Redactor, open_redactor
from archive_pipeline.export.selection import Group, ReadBatch
from archive_pipeline.export.splits import read_components, split_of
from archive_pipeline.ingest.attachment_store import AttachmentStore
from archive_pipeline.retrieval.reading.attached_files import AttachedContent
from archive_pipeline.retrieval.reading.dialogues import Dialogue
from archive_pipeline.retrieval.reading.messages import take_marks_out
from archive_pipeline.settings import Settings
from archive_pipeline.store.columns import rows_of_table
from archive_pipeline.store.counts import count_stale
from archive_pipeline.store.database import Database
from archive_pipeline.store.duplicates import duplicates_state
from archive_pipeline.store.migrate import head_revision
from archive_pipeline.store.snapshot import Snapshot, read_snapshot

LINES_SUFFIX: Final = ".jsonl"
_DATA: Final = f"data{LINES_SUFFIX}"
_LINKS: Final = "response_hashes"

Progress = Callable[[int], None]


@dataclass(frozen=True)
class Exported:
    """What an export wrote.

    Attributes:
        path: the folder, or the file.
        manifest: as it stands beside the data.
        files: the data, without manifest and card.
        remains: how many killed exports to the same path had left a folder, which was removed.
    """

    path: Path
    manifest: dict[str, Any]
    files: list[WrittenFile]
    remains: int


def export(
    database: Database,
    settings: Settings,
    name: str,
    target: Path,
    choices: Choices,
    *,
    progress: Progress = lambda _messages: None,
    may_replace: bool = False,
) -> Exported:
    """Export the archive; nothing is left of an export that fails, and what one left that was killed is removed.

    Args:
        database: the archive.
        settings: its settings.
        name: of a format.
        target: a folder that does not exist; of formats that are lines without splits also a file ``*.jsonl``, with
            manifest and card beside it.
        choices: what is exported.
        progress: called with the number of messages of each batch that was written.
        may_replace: an export that is at ``target`` gives way.

    Raises:
        ConfigurationError: the format does not know a choice.
        ExportError: the path is taken, what the export is made of is not up to date, or a text cannot be redacted.
        MissingExtraError: redaction needs packages that are not installed.
    """
    format_ = FORMATS[name]
    check_choices(format_, choices)
    is_file = target.suffix == LINES_SUFFIX
    if is_file and (format_.kind != "lines" or choices.splits):
        raise ConfigurationError(f"{name} is several files: name a folder, not {target.name}")
    redactor = None
    if choices.redact:
        redactor = open_redactor(settings.home, choices.own_words, choices.phone_region, choices.presidio)
    beside = {MANIFEST: target.with_suffix(".manifest.json"), CARD: target.with_suffix(".md")} if is_file else {}
    remains = remove_remains(target, beside)
    place = placed_file(target, _DATA, beside) if is_file else placed_folder(target, replace=may_replace)
    with place as folder:
        run, files = _write(database, settings, format_, folder, choices, redactor, progress)
        if is_file:
            files = [file._replace(path=target.name) for file in files]
        told = manifest(format_, run, files, head_revision(), {} if redactor is None else dict(redactor.counts))
        manifest_name = beside[MANIFEST].name if is_file else MANIFEST
        (folder / MANIFEST).write_bytes(manifest_bytes(told))
        (folder / CARD).write_bytes(card(format_, run, told, files, manifest_name))
    return Exported(target, told, files, remains)


def check_choices(format_: Format, choices: Choices) -> None:
    """Raise ``ConfigurationError`` for a choice that the format has no place for."""
    default = Choices()
    chat = ("paths", "roles", "thinking", "max_tokens", "drop_duplicates", "shape", "splits")
    given = [name for name in chat if getattr(choices, name) != getattr(default, name) and name not in format_.knows]
    if given:
        raise ConfigurationError(f"{format_.name} does not know the choice {given[0].replace('_', ' ')}")


def _write(
    database: Database,
    settings: Settings,
    format_: Format,
    folder: Path,
    choices: Choices,
    redactor: Redactor | None,
    progress: Progress,
) -> tuple[Run, list[WrittenFile]]:
    run = Run(choices) if redactor is None else Run(choices, redactor.text)
    output = Output(folder)
    try:
        with read_snapshot(database) as snapshot:
            _check_built(snapshot, settings, format_, choices)
            component = read_components(snapshot) if choices.splits else {}
            if choices.drop_duplicates is not None:
                run.kept = kept_answers(snapshot, format_, choices)
            writer = _Writer(format_, run, output, component, AttachmentStore.of(settings.home))
            with exported_batches(snapshot, format_, choices) as batches:
                for batch in batches:
                    # No name holds a group while the next one is made: memory has the objects of one.
                    progress(writer.write(_made(batch, format_, choices, redactor)))
        return run, output.close()
    finally:
        output.abort()


def _made(batch: ReadBatch, format_: Format, choices: Choices, redactor: Redactor | None) -> Group:
    group = batch.group(choices)
    if format_.tables is None:
        # Before anything is redacted: what stands on both sides of a mark may be one secret.
        for dialogue in group.dialogues:
            take_marks_out(dialogue.messages)
    return group if redactor is None else _redacted(group, redactor)


def _redacted(group: Group, redactor: Redactor) -> Group:
    for dialogue in group.dialogues:
        redactor.dialogue(dialogue)
    own = [dialogue.heading for dialogue in group.dialogues]
    tags = {dialogue_id: [*map(redactor.text, tags)] for dialogue_id, tags in group.annotations.tags.items()}
    return replace(
        group,
        headings=own or [*map(redactor.heading, group.headings)],
        annotations=replace(group.annotations, tags=tags),
    )


def _check_built(snapshot: Snapshot, settings: Settings, format_: Format, choices: Choices) -> None:
    """Raise ``ExportError`` unless the derived rows that the export needs are up to date: a leak must not be silent."""
    needed = [*format_.needs, *([_LINKS] if choices.splits else [])]
    stale = count_stale(snapshot.connection, {name: effective_version(name, settings) for name in needed})
    for name, count in stale.items():
        if count:
            raise ExportError(f"{name} of {counted(count, 'dialogue')} is stale; `llm-archive build` builds it")
    if choices.splits or choices.drop_duplicates:
        state = duplicates_state(snapshot.connection, duplicates_version(settings))
        if state.computed_at is None or state.changed_dialogues:
            raise ExportError("the duplicates are not up to date; `llm-archive duplicates --refresh` finds them")


class _Writer:
    """Sends what a format makes of dialogues to its files."""

    def __init__(
        self, format_: Format, run: Run, output: Output, component: dict[str, str], store: AttachmentStore
    ) -> None:
        self._format, self._run, self._output, self._component = format_, run, output, component
        self._store = store
        # Files without a row are there too: who reads them should not have to know.
        shares = run.choices.splits
        splits = [split for split, share in zip(SPLITS, shares, strict=True) if share] if shares else [None]
        for split in splits:
            for table, schema in format_.schemas.items():
                output.start_table(f"{_named(table, split)}.parquet", schema)
                if format_.has_lines:
                    output.start_lines(f"{_named(table, split)}{LINES_SUFFIX}")
            if format_.lines is not None:
                output.start_lines(f"{split or 'data'}{LINES_SUFFIX}")

    def write(self, group: Group) -> int:
        """Write the dialogues of a group and return how many messages they have."""
        if self._format.query is None:
            messages = sum(len(dialogue.messages) for dialogue in group.dialogues)
        else:
            messages = sum(heading.message_count for heading in group.headings)
        self._run.read["dialogues"] += len(group.headings)
        self._run.read["messages"] += messages
        if self._format.tables is not None:
            self._write_tables(group)
        for dialogue in group.dialogues:
            self._write_dialogue(dialogue, group)
        self._output.flush()
        return messages

    def _split(self, dialogue_id: str) -> str | None:
        shares = self._run.choices.splits
        if not shares:
            return None
        return split_of(dialogue_id, self._component, shares)

    def _write_dialogue(self, dialogue: Dialogue, group: Group) -> None:
        split = self._split(dialogue.heading.dialogue_id)
        if self._format.lines is not None:
            rows = self._format.lines(dialogue, group, self._run)
            self._count("examples", split, self._output.lines(f"{split or 'data'}{LINES_SUFFIX}", rows))
        if self._format.files is not None:
            for name, content in self._format.files(dialogue, group, self._run):
                self._write_file(f"{split}/{name}" if split else name, content)
                self._count("files" if isinstance(content, bytes) else "attached files", split)

    def _write_file(self, name: str, content: bytes | AttachedContent) -> None:
        if isinstance(content, bytes):
            self._output.file(name, content)
        elif content.sha256 is not None and not self._output.copy(
            name, self._store.path_of(content.sha256), content.sha256
        ):
            self._run.left_out["attached files whose content is lost"] += 1

    def _write_tables(self, group: Group) -> None:
        if self._format.tables is None:
            return
        for table, rows in self._format.tables(group, self._run):
            whole = pa.table(dict(rows.columns), schema=self._format.schemas[table])
            for split, (own, counts) in self._by_split(group, whole, rows.counts).items():
                name = _named(table, split)
                self._output.rows(f"{name}.parquet", own, counts)
                self._run.written[f"{table} rows"] += len(own)
                if self._format.has_lines:
                    self._output.lines(f"{name}{LINES_SUFFIX}", rows_of_table(own))

    def _by_split(
        self, group: Group, table: pa.Table, counts: list[int]
    ) -> dict[str | None, tuple[pa.Table, list[int]]]:
        """Return the rows of each split, and how many each of its dialogues has."""
        if not self._run.choices.splits:
            return {None: (table, counts)}
        found: dict[str | None, tuple[list[int], list[int]]] = {}
        start = 0
        for heading, count in zip(group.headings, counts, strict=True):
            places, own = found.setdefault(self._split(heading.dialogue_id), ([], []))
            places += range(start, start + count)
            own.append(count)
            start += count
        return {split: (table.take(places), own) for split, (places, own) in found.items()}

    def _count(self, what: str, split: str | None, count: int = 1) -> None:
        if count:  # what is written nowhere is not told
            self._run.written[what] += count
            if split is not None:
                self._run.written[f"{what} in {split}"] += count


def _named(table: str, split: str | None) -> str:
    return f"{table}-{split}" if split else table
