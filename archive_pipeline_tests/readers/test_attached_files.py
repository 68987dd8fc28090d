"""The walk for attached files: names that exports give, what cannot be read, and how much is open at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psutil
import pytest

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.readers.attached_files import AttachedFile, attached_files, file_names
from archive_pipeline.readers.reading import read_paths
from archive_pipeline_tests.attached import export, file_id, talk, zipped


def companions(path: Path) -> list[Any]:
    reading = read_paths([path])
    for file in reading:
        list(file.records())
    return reading.companions


def walk(*paths: Path) -> list[AttachedFile | RejectedRecord]:
    return list(attached_files(paths, [each for path in paths for each in companions(path)]))


def test_lists_in_the_export_name_its_files_wherever_they_stand(tmp_path: Path):
    files = {f"{file_id(1)}.dat": b"one", f"{file_id(2)}.dat": b"two", f"{file_id(3)}.dat": b"three"}
    lists = {
        "conversations.json": [talk("c1")],
        "conversation_asset_file_names.json": {f"{file_id(1)}.dat": "dalle-generations/cat.webp"},
        "library_files.json": [
            {"file_id": file_id(1), "file_name": "other.webp"},
            {"file_id": file_id(2), "file_name": "plan.pdf"},
            "no object",
            {"file_id": 7},
        ],
    }
    path = export(tmp_path / "e.zip", {"b.zip": zipped(lists), "a.zip": zipped(files)})
    assert [(file.ids, file.file_name) for file in walk(path)] == [
        ((file_id(1),), "cat.webp"),
        ((file_id(2),), "plan.pdf"),
        ((file_id(3),), None),
    ]


def test_a_list_that_cannot_be_read_costs_names_only(tmp_path: Path):
    members = {"conversations.json": [talk("c1")], "conversation_asset_file_names.json": "{", f"{file_id(1)}.dat": b"x"}
    path = export(tmp_path / "e.zip", members)
    assert file_names(companions(path)) == {}
    assert [file.ids for file in walk(path)] == [(file_id(1),)]


def test_what_may_be_a_conversation_is_attached_only_where_a_message_points_to_it(tmp_path: Path):
    session, trajectory = "029382f6-8c7c-4b32-95e3-4b7d6d2c5d2f", "12e382f6-8c7c-4b32-95e3-4b7d6d2c5d2f"
    (tmp_path / f"{session}.jsonl").write_text("{}")
    (tmp_path / f"{trajectory}.json").write_text("{}")
    assert list(attached_files([tmp_path])) == []
    for each in (session, trajectory):
        assert [file.ids for file in attached_files([tmp_path], pointed={each})] == [(each,)]


def test_an_upload_of_json_is_attached(tmp_path: Path):
    (tmp_path / f"{file_id(1)}.json").write_text("{}")
    assert [file.ids for file in attached_files([tmp_path])] == [(file_id(1),)]


def test_a_path_given_twice_is_walked_once(tmp_path: Path):
    path = export(tmp_path / "e.zip", {f"{file_id(1)}.dat": b"x"})
    assert len(list(attached_files([path, tmp_path / "." / "e.zip"]))) == 1


def test_files_are_read_while_the_walk_goes_on_and_zips_close_behind_it(tmp_path: Path):
    inner = {f"{number}.zip": zipped({f"{file_id(number)}.dat": bytes([number]) * 10}) for number in range(1, 30)}
    path = export(tmp_path / "e.zip", inner)
    process = psutil.Process()
    before = most = process.num_fds()
    for file in attached_files([path]):
        assert isinstance(file, AttachedFile)
        if int(file.ids[0][-3:]) % 2:  # the others are of no message, and nobody opens them
            with file.open() as stream:
                assert len(stream.read()) == file.size == 10
        most = max(most, process.num_fds())
    assert most <= before + 8


@pytest.mark.parametrize("content", [b"no zip", b""])
def test_a_zip_that_cannot_be_read_is_told(tmp_path: Path, content: bytes):
    path = export(tmp_path / "e.zip", {"Files__u.zip": content, f"{file_id(1)}.dat": b"x"})
    rejected, file = walk(path)
    assert isinstance(rejected, RejectedRecord)
    assert rejected.locator == f"{path}/Files__u.zip"
    assert isinstance(file, AttachedFile)


def test_a_link_that_leads_to_itself_is_told_and_costs_no_other_path(tmp_path: Path):
    loop = tmp_path / "loop.json"
    loop.symlink_to(loop.name)
    path = export(tmp_path / "e.zip", {f"{file_id(1)}.dat": b"x"})
    rejected, file = walk(loop, path)
    assert isinstance(rejected, RejectedRecord)
    assert rejected.locator == str(loop)
    assert isinstance(file, AttachedFile)
