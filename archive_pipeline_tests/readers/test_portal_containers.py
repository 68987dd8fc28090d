"""Exports as they arrive: zips in zips, folders unpacked by hand, split zips, manifests, private parts."""

from __future__ import annotations

import io
import json
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.ingest.shards import missing_shards
from archive_pipeline.readers.reading import ArchiveReading, read_paths
from archive_pipeline.readers.recognised import ReadDialogue
from archive_pipeline_tests.exports import chain, chatgpt, claude

PRIVATE = {
    "Financial/Charge History.csv": b"1,2",
    "Financial/conversations.json": b"[private]",
    "User Profile/Payments.json": b"{",
    "Contact Info/Contact Info.csv": b"x",
    "User Online Activity/Ads__u.zip": b"private",
    "User Online Activity/Emails sent.json": b"[",
}


def zipped(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def shard(*titles: str) -> bytes:
    return json.dumps([chatgpt(title, chain("a", "b"), title=title) for title in titles]).encode()


def everything(*paths: Path) -> tuple[list[str | None], list[RejectedRecord], ArchiveReading]:
    reading = read_paths(paths)
    items = [item for file in reading for item in file.records()]
    titles = [item.record.title for item in items if isinstance(item, ReadDialogue)]
    return titles, [item for item in items if isinstance(item, RejectedRecord)], reading


def portal() -> dict[str, bytes]:
    manifest = {"version": 1, "files": [{"name": "conversations", "shards": [{"name": "conversations-000.json"}]}]}
    first = {
        "conversations-000.json": shard("one"),
        "export_manifest.json": json.dumps(manifest).encode(),
        "conversation_asset_file_names.json": b'{"file-A.dat": "a.png"}',
        "file-ABCDEFGHIJKLMNOPQRSTUV.dat": b"x",
        "._conversations-000.json": b"\x00\x05",
        "__MACOSX/._x.json": b"\x00",
    }
    return {
        "User Online Activity/Conversations__u-chatgpt-0001-part-0001.zip": zipped(first),
        "User Online Activity/Conversations__u-chatgpt-0001-part-0002.zip": zipped(
            {"conversations-001.json": shard("two")}
        ),
        "User Online Activity/Files__u.zip": zipped({"upload.json": b"[1", "notes.zip": b"no zip"}),
        "report.html": b"<html>",
        **PRIVATE,
    }


def test_the_conversations_of_a_privacy_portal_are_read_from_the_zips_in_the_zip(tmp_path: Path):
    path = tmp_path / "OpenAI-export.zip"
    path.write_bytes(zipped(portal()))
    titles, rejected, reading = everything(path)
    assert titles == ["one", "two"]
    assert not rejected
    assert reading.files[0].locator.endswith("part-0001.zip/conversations-000.json")
    assert {file.path for file in reading.files} == {path}
    kinds = sorted(file.kind for file in reading.skipped if file.kind)
    assert kinds == ["attached files", "attached files", "manifest of the export", "names of attached files"]
    private = {file.reason.removeprefix("private and never opened: ") for file in reading.skipped if not file.kind}
    assert {"Financial", "User Profile", "Contact Info", "Ads__u.zip", "Emails sent.json"} <= private
    assert not reading.not_understood
    assert not reading.missing
    assert missing_shards(file.locator for file in reading.files) == []


def test_a_privacy_portal_that_was_unpacked_by_hand_is_the_same(tmp_path: Path):
    for name, data in portal().items():
        path = tmp_path / "export" / name
        if "Conversations__" in name or "Files__" in name:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                archive.extractall(path.with_suffix(""))
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    titles, rejected, reading = everything(tmp_path / "export")
    assert titles == ["one", "two"]
    assert not rejected
    assert not reading.not_understood
    assert missing_shards(file.locator for file in reading.files) == []


def test_private_parts_are_never_opened(tmp_path: Path):
    folder = tmp_path / "export"
    for name, data in {**PRIVATE, "conversations.json": shard("one")}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    opened: list[str] = []
    watched = [str(folder)]
    sys.addaudithook(
        lambda event, args: opened.append(str(args[0])) if event == "open" and watched[0] in str(args[0]) else None
    )
    titles, rejected, _ = everything(folder)
    watched[0] = "nothing is watched any more"
    assert (titles, rejected) == (["one"], [])
    assert opened
    assert all(name.endswith("conversations.json") and "Financial" not in name for name in opened)


@pytest.mark.parametrize(("levels", "is_read"), [(1, True), (2, True), (3, True), (4, False)])
def test_zips_in_zips_are_opened_to_one_level_more_than_exports_have(tmp_path: Path, levels: int, is_read: bool):
    data = zipped({"conversations.json": shard("deep")})
    for level in range(levels - 1):
        data = zipped({f"level-{level}.zip": data, f"user-{level}.json": b"{}"})
    path = tmp_path / "x.zip"
    path.write_bytes(data)
    titles, rejected, reading = everything(path)
    assert titles == (["deep"] if is_read else [])
    assert not rejected
    assert bool(reading.not_understood) is not is_read


def test_a_zip_inside_is_held_to_the_limits_of_the_outermost_one(tmp_path: Path):
    inner = zipped({f"{at}.json": b"[" + b" " * 5_000_000 + b"]" for at in range(3)})
    path = tmp_path / "x.zip"
    path.write_bytes(zipped({f"{at}.zip": inner for at in range(9)}))
    _, rejected, reading = everything(path)
    assert sum(file.size for file in reading.files) <= max(10_000_000, 200 * path.stat().st_size)
    assert any("times the zip's size" in record.reason for record in rejected)


def test_a_zip_of_zips_of_nothing_is_a_bomb(tmp_path: Path):
    path = tmp_path / "x.zip"
    path.write_bytes(zipped({"in.zip": zipped({"a.json": b" " * 60_000_000}) + bytes(30_000_000)}))
    _, [rejected], _ = everything(path)
    assert "unpacks to" in rejected.reason


def test_files_of_all_zips_in_a_zip_are_counted_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("archive_pipeline.readers.zip_members.MAX_MEMBERS", 4)
    inner = zipped({f"{at}.json": shard(f"{at}") for at in range(3)})
    path = tmp_path / "x.zip"
    path.write_bytes(zipped({"a.zip": inner, "b.zip": inner, "c.json": shard("c")}))
    titles, [rejected], _ = everything(path)
    assert titles == ["0", "1", "2"]  # four with the zip around them
    assert rejected.locator.endswith("b.zip")


def test_a_damaged_zip_inside_is_rejected_by_name_and_the_next_one_read(tmp_path: Path):
    path = tmp_path / "x.zip"
    path.write_bytes(zipped({"a.zip": b"PK\x03\x04 not really", "b.zip": zipped({"c.json": shard("b")})}))
    titles, [rejected], _ = everything(path)
    assert titles == ["b"]
    assert rejected.locator == f"{path}/a.zip"
    assert "not a readable zip" in rejected.reason


def manifest(*names: str) -> bytes:
    return json.dumps({"version": 1, "files": [{"name": "c", "shards": [{"name": name} for name in names]}]}).encode()


@pytest.mark.parametrize("is_zip", [True, False])
def test_a_shard_that_the_manifest_names_and_that_is_not_there_is_reported(tmp_path: Path, is_zip: bool):
    members = {
        "conversations-000.json": shard("one"),
        "export_manifest.json": manifest("conversations-000.json", "conversations-001.json"),
    }
    path = tmp_path / "export"
    if is_zip:
        path.write_bytes(zipped(members))
    else:
        path.mkdir()
        for name, data in members.items():
            (path / name).write_bytes(data)
    titles, rejected, reading = everything(path)
    assert (titles, rejected) == (["one"], [])
    [line] = reading.missing
    assert line == f"conversations-001.json: named by {path}/export_manifest.json, but not given"


@pytest.mark.parametrize("numbers", [[0, 1], [0], []])
def test_a_manifest_names_what_shards_are_together(tmp_path: Path, numbers: list[int]):
    shards = [f"conversations-{number:03}.json" for number in numbers]
    logical = {"name": "conversations.json", "shards": [{"name": name} for name in shards]}
    members = {name: shard(name) for name in shards}
    path = tmp_path / "export.zip"
    path.write_bytes(
        zipped({**members, "export_manifest.json": json.dumps({"version": 1, "files": [logical]}).encode()})
    )
    titles, rejected, reading = everything(path)
    assert (titles, rejected) == (shards, [])
    assert bool(reading.missing) is (not shards)


def claude_zips() -> dict[str, bytes]:
    project = {"uuid": "p", "name": "P", "prompt_template": "", "docs": [{"filename": "a.md", "content": "text"}]}
    links = [f"https://files.example/{name}?sig=1" for name in ("conversations-000.zip", "projects-000.zip")]
    return {
        "manifest-8c1d-2026-09-02.json": json.dumps({"files": [{"url": link} for link in links]}).encode(),
        "conversations-000.zip": zipped({"conversations.json": json.dumps([claude("u1", "hi", name="Talk")]).encode()}),
        "projects-000.zip": zipped({"8c1d.json": json.dumps(project).encode()}),
        "memories.json": b'{"conversations_memory": "m", "project_memories": {"p": "t"}}',
        "users.json": b'[{"uuid": "u"}]',
    }


def test_the_split_zips_of_claude_are_read_together(tmp_path: Path):
    for name, data in claude_zips().items():
        (tmp_path / name).write_bytes(data)
    titles, rejected, reading = everything(*(tmp_path / name for name in claude_zips()))
    assert (titles, rejected) == (["Talk"], [])
    assert sorted(str(file.companion) for file in reading.companions) == [
        "manifest of the export",
        "memories",
        "projects",
        "user profiles",
    ]
    assert not reading.missing
    assert not reading.not_understood


def test_companions_can_be_opened_by_whoever_has_a_use_for_them(tmp_path: Path):
    path = tmp_path / "projects-000.zip"
    path.write_bytes(claude_zips()["projects-000.zip"])
    _, _, reading = everything(path)
    [project] = [file for file in reading.companions if file.companion == "projects"]
    with project.open() as stream:
        value: dict[str, Any] = json.loads(stream.read())
    assert value["docs"][0]["content"] == "text"


@pytest.mark.parametrize("name", claude_zips())
def test_each_part_of_a_split_export_can_be_given_by_itself(tmp_path: Path, name: str):
    path = tmp_path / name
    path.write_bytes(claude_zips()[name])
    titles, rejected, reading = everything(path)
    assert titles == (["Talk"] if name.startswith("conversations") else [])
    assert not rejected
    assert not reading.not_understood
    assert bool(reading.missing) is name.startswith("manifest")


@pytest.mark.parametrize("is_unpacked", [True, False])
def test_a_shard_of_a_portal_that_is_missing_between_others_is_found(tmp_path: Path, is_unpacked: bool):
    suffix = "" if is_unpacked else ".zip"
    parts = [
        f"x/User Online Activity/Conversations__u-chatgpt-0001-part-{part:04}{suffix}/conversations-{shard:03}.json"
        for part, shard in ((1, 0), (1, 1), (2, 3))
    ]
    [line] = missing_shards(parts)
    assert "conversations-002.json" in line
