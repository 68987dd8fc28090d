"""The job `import_files`: what `llm-archive import` does to the raw tables, as a Dagster run.

Derived tables are not its business: the sensor `stale_dialogues` finds what it brought.
"""

# No `from __future__ import annotations` here: Dagster reads the annotations of decorated functions.

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import dagster as dg
from pydantic import Field

from archive_pipeline.domain.addresses import is_address
from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.errors import ConfigurationError, MissingExtraError, UnreadableInputError, VectorStoreError
from archive_pipeline.ingest.attachments import KeptAttachments, attachments_of_import
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.ingest.left_out import left_out
from archive_pipeline.ingest.limits import MIRROR_LIMIT_PERCENT
from archive_pipeline.ingest.mirror import Mirrored, mirror
from archive_pipeline.ingest.summary import DELETED_FOR_GOOD, ImportSummary
from archive_pipeline.ingest.writer import Outcome
from archive_pipeline.orchestration.assets.raw import RAW_ASSET_TABLES, SHOWN_REMOVED, document_events, import_events
from archive_pipeline.orchestration.automation.asked_content import AskedContent
from archive_pipeline.orchestration.instance.explained_error import ExplainedError
from archive_pipeline.orchestration.instance.run_keys import give_back_run_key
from archive_pipeline.orchestration.markdown import escaped
from archive_pipeline.orchestration.partitions.key_sweep import keys_of_deleted
from archive_pipeline.orchestration.partitions.keys import register_keys, remove_dialogues
from archive_pipeline.orchestration.partitions.stale_keys import stale_keys
from archive_pipeline.orchestration.resources import Archive, transient_errors_retried
from archive_pipeline.readers.containers import require_paths
from archive_pipeline.readers.drift import KINDS
from archive_pipeline.readers.found import SkippedFile
from archive_pipeline.readers.reading import ArchiveReading, read_paths
from archive_pipeline.remote.copies import local_places, wanted_by_import
from archive_pipeline.retrieval.index.run import purge_deleted
from archive_pipeline.store.import_log import only_writer
from archive_pipeline.store.later_indexes import indexes_made_after_import

IMPORT_JOB: Final = "import_files"
IMPORT_OP: Final = "import_exports"
SHOWN_REJECTED: Final = 100
NAMED_REJECTED: Final = 3


class ImportConfig(dg.Config):
    """What to import."""

    paths: list[str] = Field(
        description=(
            "Files, zips and folders of exports, as paths on this machine (relative ones are in ARCHIVE_HOME) or "
            "addresses (s3://, gs://)."
        )
    )
    source: str | None = Field(None, description="Read them as exports of this source instead of recognising it.")
    partial: bool = Field(False, description="The export is a part: messages it does not have are kept.")  # noqa: FBT003
    mirror: bool = Field(
        False,  # noqa: FBT003
        description="The export is everything its account has: dialogues of its sources it does not have are removed.",
    )
    attachments: bool = Field(
        True,  # noqa: FBT003
        description="Keep the files that messages came with, unless ARCHIVE_ATTACHMENTS leaves them in the exports.",
    )
    mirror_limit: int = Field(
        MIRROR_LIMIT_PERCENT,
        ge=1,
        le=100,
        description=(
            "Remove nothing if it were more than this percentage of a source. A run may lower it; only the command "
            f"line goes beyond {MIRROR_LIMIT_PERCENT}."
        ),
    )


@dg.op(name=IMPORT_OP, description="Reads exports into the raw tables; one bad record never costs another.")
def import_exports(context: dg.OpExecutionContext, config: ImportConfig, archive: dg.ResourceParam[Archive]) -> None:
    _check(config)
    paths = _in_home(config.paths, archive.settings.home)
    with ExitStack() as copies:
        try:
            reading = _read(config, paths, archive, copies)
        except ExplainedError:
            give_back_run_key(context.instance, context.run)
            raise
        _import(context, config, archive, reading, paths)


def _import(
    context: dg.OpExecutionContext,
    config: ImportConfig,
    archive: Archive,
    reading: ArchiveReading,
    paths: Sequence[str],
) -> None:
    content = AskedContent.of(context.run, paths)
    with transient_errors_retried(), only_writer(archive.database, context.log.info):
        if not content.is_there():
            give_back_run_key(context.instance, context.run)
            raise ExplainedError(content.why_not)
        with indexes_made_after_import(archive.database, on_wait=context.log.info):
            summary = import_archive(
                archive.database,
                reading,
                is_partial=config.partial,
                workers=archive.settings.workers,
                progress=archive.progress,
            )
        mirrored = _mirror(config, archive, summary)
        kept = attachments_of_import(
            archive.database,
            archive.settings,
            reading,
            summary,
            is_wanted=config.attachments,
            progress=archive.progress,
        )
        # Those of the dialogues that this run removed, and of those that a killed process did.
        gone = keys_of_deleted(context.instance, archive.database)
        remove_dialogues(context.instance, archive.settings, {*mirrored.keys, *gone})
    for event in document_events(kept.texts):
        context.log_event(event)
    for event in import_events(summary.rows, mirrored.keys):
        context.log_event(event)
    with transient_errors_retried(), archive.database.session() as connection:
        stale = [item.key for item in stale_keys(connection, archive.settings)]
    register_keys(context.instance, archive.settings, stale)
    metadata = import_metadata(summary, left_out(reading, kept), mirrored, kept)
    has_files = bool(kept.stored or kept.unchanged)
    has_read = bool(summary.files_read or summary.loaded or reading.companions or has_files)
    has_found = has_read or bool(summary.rejected)
    is_unread = (not has_found and content.is_gone()) or (summary.rejected and not _are_there(paths))
    if content.is_replaced() or is_unread:
        give_back_run_key(context.instance, context.run)
    if not has_read:
        raise ExplainedError(_why_nothing(summary, paths), metadata=metadata)
    if config.mirror:
        _purge_vectors(archive, metadata)
    if mirrored.refused is not None:
        raise ExplainedError(f"All else was done, but {mirrored.refused}.", metadata=metadata)
    context.add_output_metadata(metadata)


def _mirror(config: ImportConfig, archive: Archive, summary: ImportSummary) -> Mirrored:
    if not config.mirror:
        return Mirrored()
    return mirror(archive.database, archive.settings, summary, limit=config.mirror_limit, progress=archive.progress)


def _purge_vectors(archive: Archive, metadata: dict[str, Any]) -> None:
    """Take out of the index what this run removed, and what one did that was killed behind its removals."""
    try:
        with transient_errors_retried():
            purge_deleted(archive.database, archive.settings)
    except (MissingExtraError, VectorStoreError) as error:
        reason = f"All else was done, but the vector store still has the removed dialogues ({error})."
        raise ExplainedError(f"{reason} The job index_archive removes them.", metadata=metadata) from error


@dg.job(
    name=IMPORT_JOB,
    description="Imports files, zips and folders of exports into the raw tables.",
    executor_def=dg.in_process_executor,
)
def import_files() -> None:
    import_exports()


def import_metadata(
    summary: ImportSummary, skipped: Sequence[SkippedFile], mirrored: Mirrored, kept: KeptAttachments
) -> dict[str, Any]:
    """Return what the run's page shows of an import: numbers first, then anomalies, what was rejected, what removed."""
    rejected = [
        dg.TableRecord({"locator": record.locator, "reason": record.reason, "error": record.error})
        for record in summary.rejected[:SHOWN_REJECTED]
    ]
    missing = "\n".join(f"- {escaped(line)}" for line in summary.missing[:SHOWN_REJECTED])
    skipped_lines = "\n".join(f"- {escaped(f'{file.locator}: {file.reason}')}" for file in skipped[:SHOWN_REJECTED])
    return {
        **{f"dialogues_{outcome}": summary.dialogues[outcome] for outcome in [*Outcome, "rejected"]},
        **{f"rows_{table}": summary.rows[table] for table in RAW_ASSET_TABLES},
        f"dialogues_{DELETED_FOR_GOOD}": len(summary.deleted_for_good),
        "dialogues_removed": len(mirrored.keys),
        "files_read": summary.files_read,
        "files_failed": summary.files_failed,
        **(attachment_metadata(kept) if kept.is_wanted else {}),
        **{f"format_drift_{kind}": summary.drift[kind] for kind in KINDS},
        "surprises": {name: count for name, count in sorted(summary.anomalies.items()) if count},
        **({"rejected": dg.MetadataValue.table(rejected)} if rejected else {}),
        **({"removed": mirrored.keys[:SHOWN_REMOVED]} if mirrored.keys else {}),
        **({"kept": mirrored.kept[:SHOWN_REMOVED]} if mirrored.kept else {}),
        **({"skipped": dg.MetadataValue.md(skipped_lines)} if skipped else {}),
        **({"missing": dg.MetadataValue.md(missing)} if missing else {}),
    }


def attachment_metadata(kept: KeptAttachments) -> dict[str, Any]:
    """Return what the run's page shows of attached files: numbers, which are missing, what cannot be read."""
    missing = [
        dg.TableRecord({"id": file_id, "name": name or ""})
        for file_id, name in list(kept.missing.items())[:SHOWN_REJECTED]
    ]
    unread = [(record.locator, record.reason, record.error) for record in kept.unreadable]
    unread += [(item.locator, item.reason, "") for item in kept.texts if item.reason is not None]
    unreadable = [
        dg.TableRecord({"locator": locator, "reason": reason, "error": error})
        for locator, reason, error in unread[:SHOWN_REJECTED]
    ]
    return {
        "attachments_stored": kept.stored,
        "attachments_stored_bytes": kept.stored_bytes,
        "attachments_unchanged": kept.unchanged,
        "attachments_repaired": kept.repaired,
        "attachments_missing": len(kept.missing),
        "attachments_unclaimed": kept.unclaimed,
        **({"missing_attachments": dg.MetadataValue.table(missing)} if missing else {}),
        **({"unreadable_attachments": dg.MetadataValue.table(unreadable)} if unreadable else {}),
    }


def _why_nothing(summary: ImportSummary, paths: Sequence[str]) -> str:
    if not summary.rejected:
        return f"No file to import was found at {', '.join(paths)}."
    named = "; ".join(_with_place(record) for record in summary.rejected[:NAMED_REJECTED])
    more = f"; {len(summary.rejected) - NAMED_REJECTED:,} more" if len(summary.rejected) > NAMED_REJECTED else ""
    return f"No file could be read as an export. {named}{more}."


def _with_place(record: RejectedRecord) -> str:
    return record.reason if record.reason.startswith(record.locator) else f"{record.locator}: {record.reason}"


def _are_there(paths: Sequence[str]) -> bool:
    try:
        require_paths(paths)
    except UnreadableInputError:
        return False
    return True


def _check(config: ImportConfig) -> None:
    if config.mirror and config.partial:
        raise ExplainedError("An export that is a part cannot be mirrored.")
    # Whoever can send a request to the UI chooses the configuration of a run, and could choose an export that lacks
    # nearly everything. Only who has the command line may say that this is meant.
    if config.mirror and config.mirror_limit > MIRROR_LIMIT_PERCENT:
        raise ExplainedError(
            f"Nothing was read: a run removes {MIRROR_LIMIT_PERCENT} percent of a source at most. If more is meant, "
            f"use `llm-archive import --mirror --mirror-limit {config.mirror_limit}`."
        )


def _in_home(paths: Sequence[str], home: Path) -> list[str]:
    """Return the paths as absolute ones: the home may be elsewhere than when the run was asked for."""
    return [path if is_address(path) else str(home / path) for path in paths]


def _read(config: ImportConfig, paths: Sequence[str], archive: Archive, copies: ExitStack) -> ArchiveReading:
    """Return the files to read; what was copied from a storage is there until ``copies`` is closed."""
    wanted = wanted_by_import(archive.settings, keeps_attachments=config.attachments)
    try:
        require_paths(paths)
        places = copies.enter_context(
            local_places(paths, archive.settings.home, wanted=wanted, progress=archive.progress)
        )
        return read_paths(places, source=config.source)
    except (ConfigurationError, MissingExtraError, UnreadableInputError) as error:
        raise ExplainedError(str(error)) from error
