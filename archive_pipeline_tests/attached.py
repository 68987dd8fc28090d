"""Exports with attached files for tests, as the vendors lay them out, and what an archive keeps of them."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from archive_pipeline.ingest.attachment_owner import LIST
from archive_pipeline.ingest.attachment_store import AttachmentStore
from archive_pipeline.ingest.attachments import KeptAttachments, attachments_of_import
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.exports import Said, chatgpt
from archive_pipeline_tests.tables import query

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489"
    "0000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)


def file_id(number: int) -> str:
    """An id as ChatGPT gives uploads."""
    return f"file-{'Abcdefghijklmnopqrstu'}{number:03d}"


def talk(conversation: str, *numbers: int, updated: float = 2_000.0, names: Mapping[int, str] | None = None) -> Any:
    """A conversation of ChatGPT whose first message came with some files, by ``metadata.attachments``."""
    named = names or {}
    files = [{"id": file_id(number), "name": named.get(number, f"notes {number}.txt")} for number in numbers]
    said = [
        Said("m0", None, "user", "look at this", 1_000.0, more={"metadata": {"attachments": files}}),
        Said("m1", "m0", "assistant", "I did", 1_001.0),
    ]
    return chatgpt(conversation, said, updated=updated)


def picture(conversation: str, pointer: str) -> Any:
    """A conversation of ChatGPT in which a picture is pointed to."""
    item = {"content_type": "image_asset_pointer", "asset_pointer": pointer}
    content = {"content_type": "multimodal_text", "parts": ["draw", item]}
    return chatgpt(conversation, [Said("m0", None, "user", None, 1_000.0, content=content)], updated=2_000.0)


def zipped(members: Mapping[str, bytes | str | Any]) -> bytes:
    """A zip of files; what is neither bytes nor text is written as JSON."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content if isinstance(content, bytes | str) else json.dumps(content))
    return buffer.getvalue()


def export(path: Path, members: Mapping[str, bytes | str | Any]) -> Path:
    """Write a zip."""
    path.write_bytes(zipped(members))
    return path


def unpacked(folder: Path, members: Mapping[str, bytes | str | Any]) -> Path:
    """Write a folder with the same files."""
    for name, content in members.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, bytes | str) else json.dumps(content)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
    return folder


def imported(database: Database, settings: Settings, *paths: Path) -> KeptAttachments:
    """Import exports with their files."""
    reading = read_paths(paths)
    summary = import_archive(database, reading)
    return attachments_of_import(database, settings, reading, summary)


def kept_files(database: Database, settings: Settings) -> dict[str, bytes | None]:
    """Contents by file id, None for missing ones."""
    store = AttachmentStore.of(settings.home)
    rows = query(database, "SELECT DISTINCT file_id, sha256 FROM raw.attached_files ORDER BY 1")
    return {name: None if sha256 is None else store.path_of(sha256).read_bytes() for name, sha256 in rows}


def stored_names(settings: Settings) -> set[str]:
    """Names of all files below the folder of contents but the lists of who wrote them."""
    files = AttachmentStore.of(settings.home).folder.rglob("*")
    return {path.name for path in files if path.is_file() and path.suffix != LIST}


def referenced_hashes(database: Database) -> set[str]:
    """Hashes that messages point to."""
    return {
        sha for (sha,) in query(database, "SELECT DISTINCT sha256 FROM raw.attached_files WHERE sha256 IS NOT NULL")
    }
