"""What commands say of attached files."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from archive_pipeline.cli.archive import OpenArchive
from archive_pipeline.cli.output import encodable, note
from archive_pipeline.cli.progress import progress_bars
from archive_pipeline.ingest.attachments import KeptAttachments
from archive_pipeline.ingest.documents import Outcome

_SHOWN: Final = 10
_LISTED: Final = 1_000
_READ: Final = frozenset({Outcome.NEW, Outcome.READ_AGAIN})


def build_texts(archive: OpenArchive, kept: KeptAttachments, *, show_progress: bool) -> list[str]:
    """Cut the texts of attached files into chunks; return what failed, a line each."""
    if not any(item.outcome in _READ for item in kept.texts):
        return []
    from archive_pipeline.building.documents import build_document_chunks, failed_documents  # noqa: PLC0415
    from archive_pipeline.cli.documents import report_added  # noqa: PLC0415 (only some imports need it)

    with progress_bars(enabled=show_progress) as bars:
        built = build_document_chunks(archive.database, archive.settings, progress=bars)
    report_added(archive, kept.texts, built)
    return list(failed_documents(built))


def as_dict(kept: KeptAttachments) -> dict[str, Any] | None:
    """Return what became of attached files, for programs; None if they are left in the exports."""
    if not kept.is_wanted:
        return None
    texts = Counter(item.outcome for item in kept.texts)
    return {
        "stored": kept.stored,
        "stored_bytes": kept.stored_bytes,
        "unchanged": kept.unchanged,
        "repaired": kept.repaired,
        "missing": len(kept.missing),
        "missing_files": [
            {"id": file_id, "name": None if name is None else encodable(name)}
            for file_id, name in list(kept.missing.items())[:_LISTED]
        ],
        "unclaimed": kept.unclaimed,
        "unreadable": [
            {"locator": encodable(record.locator), "reason": encodable(record.reason), "error": encodable(record.error)}
            for record in kept.unreadable
        ],
        "texts": {outcome.value: texts[outcome] for outcome in Outcome},
    }


def shown_counts(kept: dict[str, Any] | None) -> dict[str, int] | None:
    """Return the counts that a summary shows, None if the exports had no file; the argument is of ``as_dict``."""
    if kept is None or not kept["stored"] + kept["unchanged"]:
        return None
    always = {"kept now": "stored", "kept before": "unchanged", "missing": "missing"}
    if_any = {"kept copy made anew": "repaired", "of no message, left out": "unclaimed"}
    return {label: int(kept[name]) for label, name in (always | if_any).items() if kept[name] or label in always}


def print_reasons(kept: KeptAttachments) -> None:
    """Print what is missing of attached files and what cannot be read, on standard error."""
    for record in kept.unreadable[:_SHOWN]:
        place = "" if record.reason.startswith(record.locator) else f"{record.locator}: "
        note(f"rejected  {place}{record.reason}")
    if len(kept.unreadable) > _SHOWN:
        note(f"rejected  {len(kept.unreadable) - _SHOWN:,} more attached files, see --json")
    if kept.missing:
        note(f"missing   {len(kept.missing):,} attached files are in none of the exports, see raw.attached_files")
    if kept.unclaimed:
        note(
            f"left out  {kept.unclaimed:,} attached files: no message in the archive points to them; if their "
            "conversations come later, import the files again"
        )
    unread = [item for item in kept.texts if item.reason is not None]
    for item in unread[:_SHOWN]:
        note(f"no text   {item.reason}")
    if len(unread) > _SHOWN:
        note(f"no text   {len(unread) - _SHOWN:,} more attached files, see `llm-archive documents list --failed`")
