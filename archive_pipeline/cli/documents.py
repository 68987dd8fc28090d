"""``llm-archive documents``: files with pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final

import click

from archive_pipeline.building.documents import build_document_chunks, failed_documents
from archive_pipeline.building.engine import BuildResult
from archive_pipeline.cli.archive import OpenArchive, open_archive, open_for_writing
from archive_pipeline.cli.copying import copied_places
from archive_pipeline.cli.forgetting import left_in_vector_store, say_left
from archive_pipeline.cli.output import (
    EXIT_FAILED,
    EXIT_REJECTED,
    encodable,
    fail,
    note,
    one_line,
    print_json,
)
from archive_pipeline.cli.progress import progress_bars
from archive_pipeline.documents.process import ReaderProcess
from archive_pipeline.domain.counted import counted
from archive_pipeline.errors import UnknownDocumentError
from archive_pipeline.ingest.document_sources import Found, files_at, files_of_export, texts_of_attachments
from archive_pipeline.ingest.documents import Added, Outcome, add_document, remove_document
from archive_pipeline.ingest.project_documents import is_text_file, texts_of_projects
from archive_pipeline.readers.places import Place
from archive_pipeline.retrieval.visual.encoding import Encoded, encode_pages
from archive_pipeline.retrieval.visual.models import open_encoder
from archive_pipeline.store import documents as stored
from archive_pipeline.store.attachments import pointers_of

READ: Final = frozenset({Outcome.NEW, Outcome.READ_AGAIN})
_MOST_CANDIDATES: Final = 10


def add_files(paths: tuple[Path | str, ...], exports: tuple[Path | str, ...], *, has_texts: bool, as_json: bool) -> int:
    """Add documents and cut them into chunks; return the exit code."""
    with copied_places((*paths, *exports), show_progress=not as_json) as places:
        return _add_files(places[: len(paths)], places[len(paths) :], has_texts=has_texts, as_json=as_json)


def _add_files(paths: Sequence[Place], exports: Sequence[Place], *, has_texts: bool, as_json: bool) -> int:
    with open_for_writing() as archive:
        with ReaderProcess() as reader:
            added = [
                _added(archive, reader, found, is_quiet=as_json)
                for found in _found(archive, paths, exports, has_texts=has_texts)
            ]
        with progress_bars(enabled=not as_json) as bars:
            built = build_document_chunks(archive.database, archive.settings, progress=bars)
        report_added(archive, added, built)
    counts = Counter(item.outcome for item in added)
    if as_json:
        print_json({"counts": {outcome: counts[outcome] for outcome in Outcome}, "documents": list(map(_row, added))})
    else:
        click.echo(", ".join(f"{counts[outcome]:,} {outcome.replace('_', ' ')}" for outcome in Outcome))
    for failure in failed_documents(built):
        fail(failure)
    if not any(counts[outcome] for outcome in Outcome if outcome is not Outcome.SKIPPED):
        fail("no document was found; give files, or folders and exports that hold some")
        return EXIT_FAILED
    if counts[Outcome.REJECTED] and counts[Outcome.REJECTED] + counts[Outcome.SKIPPED] == len(added):
        return EXIT_FAILED
    return EXIT_REJECTED if counts[Outcome.REJECTED] or built.failures else 0


def _found(
    archive: OpenArchive, paths: Sequence[Place], exports: Sequence[Place], *, has_texts: bool
) -> Iterator[Found]:
    yield from chain.from_iterable(files_at(path, archive.settings.home) for path in paths)
    with archive.database.session() as connection:
        pointers = pointers_of(connection) if exports else []
    yield from chain.from_iterable(map(texts_of_projects, exports))
    holding_files = (export for export in exports if not is_text_file(export.path.name))
    yield from chain.from_iterable(files_of_export(export, pointers) for export in holding_files)
    if has_texts:
        yield from texts_of_attachments(archive.database)


def _added(archive: OpenArchive, reader: ReaderProcess, found: Found, *, is_quiet: bool) -> Added:
    item = found if isinstance(found, Added) else add_document(archive.database, archive.settings, found, reader)
    if not is_quiet:
        if item.reason:
            note(f"{item.outcome:<10}{item.reason}")
        for remark in item.notes:
            note(f"note      {remark}")
        if item.outcome in READ:
            images = f", {item.images:,} with an image" if item.images else ", without images"
            note(f"{item.outcome:<10}{item.locator}: {counted(item.pages, 'page')}{images}")
    return item


def report_added(archive: OpenArchive, added: Sequence[Added], built: BuildResult) -> None:
    """Let Dagster's UI show what was read and cut."""
    read = [item for item in added if item.outcome in READ]
    if not read and not built.built:
        return
    # Dagster takes seconds to import, which nobody has to wait for before the work or without any.
    from archive_pipeline.orchestration.assets.documents import report_document_chunks  # noqa: PLC0415
    from archive_pipeline.orchestration.assets.raw import report_documents  # noqa: PLC0415

    report_documents(archive.instance, {"documents": len(read), "document_pages": sum(item.pages for item in read)})
    report_document_chunks(archive.instance, built)


def _report_removed(archive: OpenArchive, document_id: str) -> None:
    from archive_pipeline.orchestration.assets.raw import report_documents  # noqa: PLC0415 (slow to import)

    report_documents(archive.instance, {}, [document_id])


def _report_encoded(archive: OpenArchive, model: str, encoded: Encoded) -> None:
    from archive_pipeline.orchestration.assets.documents import report_page_vectors  # noqa: PLC0415 (slow to import)

    report_page_vectors(archive.instance, model, encoded)


def _row(item: Added) -> dict[str, Any]:
    return {
        "locator": encodable(item.locator),
        "outcome": item.outcome,
        "id": item.document_id,
        "pages": item.pages,
        "images": item.images,
        "reason": None if item.reason is None else encodable(item.reason),
        "notes": list(map(encodable, item.notes)),
    }


def remove_one(identifier: str, *, as_json: bool) -> int:
    """Remove a document by its id or the beginning of it; return the exit code."""
    with open_for_writing() as archive:
        document_id = _whole_id(archive, identifier)
        removed = remove_document(archive.database, archive.settings, document_id)
        if removed is None:
            raise _unknown(identifier)
        left = left_in_vector_store(archive)
        _report_removed(archive, removed.document_id)
    if as_json:
        print_json({"removed": removed.document_id, "pages": removed.page_count})
    else:
        click.echo(f"removed {removed.document_id} ({counted(removed.page_count, 'page')})")
    return say_left(left, "document")


def _whole_id(archive: OpenArchive, beginning: str) -> str:
    with archive.database.session() as connection:
        found = stored.begin_with(connection, beginning, limit=_MOST_CANDIDATES + 1)
    if not found:
        raise _unknown(beginning)
    if len(found) > 1:
        shown = ", ".join(f"{row.document_id} ({row.file_name})" for row in found[:_MOST_CANDIDATES])
        more = ", ..." if len(found) > _MOST_CANDIDATES else ""
        raise UnknownDocumentError(f"several documents have an id that begins with {beginning!r}: {shown}{more}")
    return found[0].document_id


def _unknown(identifier: str) -> UnknownDocumentError:
    return UnknownDocumentError(f"no document has the id {identifier!r}; `llm-archive documents list` has them")


def encode_images(*, as_json: bool) -> None:
    """Encode page images and print how many."""
    with open_archive() as archive:
        encoder = open_encoder(archive.settings)
        with progress_bars(enabled=not as_json) as bars:
            encoded = encode_pages(archive.database, archive.settings, encoder, progress=bars)
        _report_encoded(archive, encoder.name, encoded)
    for reason in encoded.unreadable:
        note(f"skipped   {reason}")
    if as_json:
        print_json(
            {"model": encoder.name, "pages": encoded.pages, "unreadable": list(map(encodable, encoded.unreadable))}
        )
    else:
        click.echo(f"{counted(encoded.pages, 'page')} encoded by {one_line(encoder.name)}")
