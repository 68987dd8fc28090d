"""What is found of documents in an export: a damaged file of a zip is named, and costs none of the others."""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from archive_pipeline.ingest.document_sources import files_at, files_of_export
from archive_pipeline.ingest.documents import Added, Candidate, Outcome
from archive_pipeline.ingest.project_documents import texts_of_projects
from archive_pipeline_tests.attached import unpacked, zipped

FIRST, SECOND = "file-AbCdEfGh", "file-IjKlMnOp"
POINTERS = [
    SimpleNamespace(pointer=f"file-service://{key}", message_id=f"message of {key}", file_name=None)
    for key in (FIRST, SECOND)
]
SECOND_TEXT = "".join(hashlib.sha256(bytes([number])).hexdigest() for number in range(9))
METHODS = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]


def export(path: Path, method: int = zipfile.ZIP_STORED) -> bytearray:
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr(f"{FIRST}-ä.txt", SECOND_TEXT[::-1])
        archive.writestr(f"{SECOND}-b.txt", SECOND_TEXT)
    return bytearray(path.read_bytes())


def found(path: Path) -> tuple[list[str], list[Added]]:
    """Return the texts of the files and what is rejected; a file is there only until the next one is taken."""
    texts, rejected = [], []
    for item in files_of_export(path, POINTERS):
        if isinstance(item, Candidate):
            texts.append(item.path.read_text())
        else:
            rejected.append(item)
    return texts, rejected


@pytest.mark.parametrize("method", METHODS)
def test_a_damaged_file_is_rejected_by_name_and_the_next_one_found(tmp_path: Path, method: int):
    path = tmp_path / "export.zip"
    data = export(path, method)
    start = data.index("ä.txt".encode()) + len("ä.txt".encode())
    data[start + 20 : start + 40] = b"\xff" * 20
    path.write_bytes(data)
    texts, [rejected] = found(path)
    assert texts == [SECOND_TEXT]
    assert rejected.outcome is Outcome.REJECTED
    assert f"{path}/{FIRST}-ä.txt cannot be unpacked" in (rejected.reason or "")


def test_a_file_whose_own_name_is_no_utf_8_is_rejected_and_the_next_one_found(tmp_path: Path):
    path = tmp_path / "export.zip"
    data = export(path)
    data[data.index("ä".encode())] = 0xFF
    path.write_bytes(data)
    texts, [rejected] = found(path)
    assert texts == [SECOND_TEXT]
    assert "'utf-8' codec" in (rejected.reason or "")


def test_an_export_whose_directory_has_a_name_that_is_no_utf_8_is_rejected(tmp_path: Path):
    path = tmp_path / "export.zip"
    data = export(path)
    data[data.rindex("ä".encode())] = 0xFF
    path.write_bytes(data)
    texts, [rejected] = found(path)
    assert texts == []
    assert "is not a readable zip" in (rejected.reason or "")


GROK_FILE = "5f0a1b2c-0000-4000-8000-00000000abcd"
PROJECT = {"uuid": "p1", "name": "Garden", "prompt_template": "Answer briefly.", "docs": []}


def pointer(name: str) -> SimpleNamespace:
    return SimpleNamespace(pointer=name, message_id="m", file_name=None)


@pytest.mark.parametrize(
    ("members", "name"),
    [
        ({"User Online Activity/Files__u-0001.zip": zipped({f"{FIRST}.dat": b"text"})}, FIRST),
        ({"a.zip": zipped({"b.zip": zipped({f"{FIRST}-notes.txt": b"text"})})}, FIRST),
        ({f"ttl/30d/export_data/u/prod-mc-asset-server/{GROK_FILE}/content": b"text"}, GROK_FILE),
    ],
)
def test_files_are_found_in_zips_in_zips_and_on_the_asset_server(tmp_path: Path, members: dict[str, bytes], name: str):
    (tmp_path / "export.zip").write_bytes(zipped(members))
    unpacked(tmp_path / "folder", members)
    for path in (tmp_path / "export.zip", tmp_path / "folder"):
        [found] = [item.path.read_bytes() for item in files_of_export(path, [pointer(name)]) if item.path]
        assert found == b"text"


def test_a_file_has_the_name_that_the_export_gives_it(tmp_path: Path):
    members = {f"{FIRST}.dat": b"# Plan", "conversation_asset_file_names.json": {f"{FIRST}.dat": "plan.md"}}
    (tmp_path / "export.zip").write_bytes(zipped(members))
    [found] = files_of_export(tmp_path / "export.zip", [pointer(FIRST)])
    assert isinstance(found, Candidate)
    assert found.file_name == "plan.md"


def test_private_parts_are_not_looked_into(tmp_path: Path):
    (tmp_path / "export.zip").write_bytes(zipped({f"Financial/{FIRST}.txt": b"text"}))
    assert list(files_of_export(tmp_path / "export.zip", [pointer(FIRST)])) == []


def test_projects_are_found_in_zips_in_zips(tmp_path: Path):
    inner = zipped({"projects/p1.json": PROJECT, "memories.json": [{"project_memories": {"p1": "Likes roses."}}]})
    (tmp_path / "export.zip").write_bytes(zipped({"data-1.zip": inner}))
    found = list(texts_of_projects(tmp_path / "export.zip"))
    assert [item.locator.rpartition("Garden/")[1] for item in found] == ["Garden/"] * len(found)
    assert len(found) == 2


def test_texts_of_projects_keep_what_can_be_kept_and_name_what_is_no_text(tmp_path: Path):
    documents = [{"filename": "y.md", "content": "nul \0 half \ud800 end"}, {"content": {"x": 1}}]
    (tmp_path / "projects.json").write_text(json.dumps([{"uuid": "p9", "docs": documents}]))
    texts, rejected = [], []
    for item in texts_of_projects(tmp_path / "projects.json"):
        if isinstance(item, Candidate):
            texts.append(item.path.read_text(encoding="utf-8"))
        else:
            rejected.append(item)
    assert texts == ["nul  half \ufffd end"]
    assert [(item.outcome, item.reason) for item in rejected] == [
        (Outcome.REJECTED, f"{tmp_path}/projects.json[0].docs[1].content is no text, and is not read")
    ]


def test_the_archives_own_folder_is_not_looked_into(tmp_path: Path):
    for name in ("notes.md", "home/page_001.png", "home/deep/a.md", "other/b.md"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("text")
    found = list(files_at(tmp_path, tmp_path / "home"))
    assert [item.file_name for item in found if isinstance(item, Candidate)] == ["notes.md", "b.md"]
    assert [item.reason for item in found if isinstance(item, Added)] == [
        f"{tmp_path}/home is the archive's own folder"
    ]
    assert len(list(files_at(tmp_path / "home", tmp_path / "home"))) == 1
