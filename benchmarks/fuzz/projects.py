"""Projects and memories of Claude.ai's exports, in every container they come in, each text and id a mark; their law."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.ingest.documents import Candidate
from archive_pipeline.ingest.project_documents import texts_of_projects
from benchmarks.fuzz.marks import Marks
from benchmarks.fuzz.rows import ReadFile


def project(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a project of up to three documents."""
    name = random.choice(("filename", "file_name"))
    return {
        "uuid": marks.text(),
        "name": marks.text(),
        "description": marks.text(),
        "prompt_template": random.choice(("", marks.text())),
        "created_at": "2026-01-02T03:04:05+00:00",
        "docs": [
            {"uuid": marks.text(), name: marks.text(), "content": marks.text()} for _ in range(random.randint(0, 3))
        ],
    }


def memories(random: Random, marks: Marks, projects: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what is remembered of the account and of some of its projects."""
    ids = [one["uuid"] for one in projects if random.random() < 0.5]
    return {
        "conversations_memory": marks.text(),
        "project_memories": {name: marks.text() for name in [*ids, marks.text()]},
        "memory_files": [{"path": marks.text(), "content": marks.text()} for _ in range(random.randint(0, 2))],
        "account_uuid": marks.text(),
    }


def texts_in(projects: list[dict[str, Any]], memory: dict[str, Any]) -> list[str]:
    """Return all texts of projects and memories that nothing has changed."""
    of_projects = [text for one in projects for text in (one["prompt_template"], *(d["content"] for d in one["docs"]))]
    files = [file["content"] for file in memory.get("memory_files", ())]
    remembered = [memory.get("conversations_memory"), *memory.get("project_memories", {}).values(), *files]
    return [text for text in (*of_projects, *remembered) if text]


def container(random: Random, projects: list[Any], memory: Any) -> tuple[str, bytes]:
    """Return a file that holds them, and its name."""
    if random.random() < 0.2:
        return "projects.json", json.dumps(projects).encode()
    files = {"memories.json": random.choice((memory, [memory]))}
    if random.random() < 0.5:
        files["projects.json"] = projects
    else:
        files |= {f"projects/p-{number}.json": one for number, one in enumerate(projects)}
    files["users.json"] = []
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, value in files.items():
            archive.writestr(zipfile.ZipInfo(name), json.dumps(value), zipfile.ZIP_DEFLATED)
    return "data-2026-batch-0000.zip", buffer.getvalue()


def read_projects(path: Path) -> tuple[ReadFile, list[str]]:
    """Return what came of a file's projects and memories, and the texts that would be documents."""
    result, texts = ReadFile(), []
    for found in texts_of_projects(path):
        if isinstance(found, Candidate):
            texts.append(found.path.read_text(encoding="utf-8"))
        else:
            result.rejected.append(RejectedRecord(found.locator, found.reason or ""))
    return result, texts


def unlawful(said: Sequence[Any], file_name: str, texts: Sequence[str]) -> Iterator[str]:
    """Yield texts of projects and memories that are in no document; a file of projects alone has no memories."""
    projects, memory = said
    expected = texts_in(projects, {} if file_name == "projects.json" else memory)
    kept = "\0".join(texts)
    yield from (f"lost text: {text}" for text in expected if text not in kept)
