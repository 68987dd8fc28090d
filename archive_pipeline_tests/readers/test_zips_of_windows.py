"""Zips whose names have backslashes between their parts, as programs that come with Windows make them."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Final

import pytest

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.readers.attached_files import AttachedFile, attached_files
from archive_pipeline.readers.reading import read_paths
from archive_pipeline_tests.attached import file_id, talk, zipped

MS_DOS: Final = 0
UNIX: Final = 3


def made_by(system: int, path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            entry = zipfile.ZipInfo(name)
            entry.create_system = system
            archive.writestr(entry, data)
    return path


@pytest.fixture
def portal(tmp_path: Path) -> Path:
    conversations = zipped({"conversations.json": [talk("c1")]})
    members = {
        "export\\": b"",
        "export\\User Online Activity\\Conversations__u-chatgpt-0001.zip": conversations,
        "export\\User Online Activity\\Ads__u.zip": b"not for us",
        "export\\Financial\\payments.json": b'{"card": 1}',
        "export\\user.json": b"{}",
        "export\\projects\\p.json": b'{"uuid": "p", "docs": []}',
        "export\\chat.html": b"<html>",
        f"export\\audio\\{file_id(1)}-voice.wav": b"RIFF",
        "__MACOSX\\._conversations.json": b"\0",
    }
    return made_by(MS_DOS, tmp_path / "export.zip", members)


def test_what_stands_in_folders_is_known_by_them(portal: Path):
    reading = read_paths([portal])
    rejected = [item for file in reading for item in file.records() if isinstance(item, RejectedRecord)]
    assert not rejected
    assert not reading.not_understood
    reasons = {file.locator.removeprefix(f"{portal}/export/"): file.reason for file in reading.skipped}
    assert reasons == {
        "Financial/payments.json": "private and never opened: Financial",
        "User Online Activity/Ads__u.zip": "private and never opened: Ads__u.zip",
        "chat.html": "not JSON (.html)",
        f"audio/{file_id(1)}-voice.wav": "a companion of the export: attached files",
        "projects/p.json": "a companion of the export: projects",
        "user.json": "a companion of the export: user profile",
    }
    assert [file.source for file in reading.files] == ["chatgpt"]


def test_attached_files_are_found_in_folders(portal: Path):
    [file] = attached_files([portal])
    assert isinstance(file, AttachedFile)
    assert (file.ids, file.file_name) == ((file_id(1),), "voice.wav")
    with file.open() as stream:
        assert stream.read() == b"RIFF"


@pytest.mark.parametrize("name", ["..\\conversations.json", "a\\..\\b.json", "\\conversations.json", "C:\\a.json"])
def test_names_that_lead_out_are_rejected(tmp_path: Path, name: str):
    path = made_by(MS_DOS, tmp_path / "e.zip", {name: json.dumps([talk("c1")]).encode()})
    [item] = [item for file in read_paths([path]) for item in file.records()]
    assert isinstance(item, RejectedRecord)
    assert "leads out of the zip" in item.reason


def test_elsewhere_a_backslash_is_a_part_of_a_name(tmp_path: Path):
    path = made_by(UNIX, tmp_path / "e.zip", {f"{file_id(1)}-a\\b.txt": b"x"})
    [file] = attached_files([path])
    assert isinstance(file, AttachedFile)
    assert (file.ids, file.file_name) == ((file_id(1),), "a\\b.txt")
