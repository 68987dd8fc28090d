"""Files that messages came with are kept, wherever in an export they stand; missing ones are recorded as missing."""

from __future__ import annotations

import hashlib
import itertools
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.domain.choices import AttachmentHandling
from archive_pipeline.domain.identity import dialogue_id
from archive_pipeline.ingest.attachment_store import AttachmentStore
from archive_pipeline.ingest.attachments import attachments_of_import, purge_unreferenced
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.ingest.mirror import mirror
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.settings import Settings
from archive_pipeline.store.attachments import give_contents
from archive_pipeline.store.database import Database
from archive_pipeline.store.raw_writes import delete_dialogues
from archive_pipeline_tests.attached import (
    PNG,
    export,
    file_id,
    imported,
    kept_files,
    picture,
    referenced_hashes,
    stored_names,
    talk,
    unpacked,
    zipped,
)
from archive_pipeline_tests.exports import write
from archive_pipeline_tests.tables import query, records
from archive_pipeline_tests.variants import some_of

pytestmark = pytest.mark.postgres

ASSET = "5f0a1b2c-0000-4000-8000-00000000abcd"
GROK = {
    "conversations": [
        {
            "conversation": {"id": "g1", "title": "A walk"},
            "responses": [
                {"response": {"_id": "r1", "sender": "human", "message": "look", "file_attachments": [ASSET]}},
            ],
        }
    ]
}
CLAUDE = {
    "uuid": "t1",
    "name": "A talk",
    "created_at": "2024-05-01T00:00:00Z",
    "updated_at": "2024-05-01T00:00:00Z",
    "chat_messages": [
        {
            "uuid": "t1-0",
            "sender": "human",
            "text": "look",
            "content": [{"type": "text", "text": "look"}],
            "created_at": "2024-05-01T00:00:00Z",
            "attachments": [],
            "files": [{"file_uuid": ASSET, "file_name": "scan.pdf"}],
        }
    ],
}
LE_CHAT = {
    "id": "q",
    "version": 0,
    "chatId": ASSET,
    "content": "look",
    "contentChunks": None,
    "role": "user",
    "createdAt": "2026-05-01T00:00:00.000Z",
    "files": [{"type": "text", "name": "notes.txt"}],
}
FLAT: dict[str, Any] = {"conversations.json": [talk("c1", 1)]}
# Where exports have the content of a file: layout, id of the file.
LAYOUTS: dict[str, tuple[dict[str, Any], str]] = {
    "beside the conversations": (FLAT | {f"{file_id(1)}-notes.txt": b"text"}, file_id(1)),
    "named .dat": (
        FLAT
        | {
            f"{file_id(1)}.dat": b"text",
            "conversation_asset_file_names.json": {f"{file_id(1)}.dat": "my notes.txt"},
        },
        file_id(1),
    ),
    "named by another id, which the list of names tells": (
        FLAT | {"0f.dat": b"text", "conversation_asset_file_names.json": {"0f.dat": f"{file_id(1)}-notes.txt"}},
        file_id(1),
    ),
    "a generated image": (
        {
            "conversations.json": [picture("c1", "file-service://file-ZyxwvutsrqponmlkjihG")],
            "dalle-generations/file-ZyxwvutsrqponmlkjihG-6e0c.webp": b"text",
        },
        "file-ZyxwvutsrqponmlkjihG",
    ),
    "a recording": (
        {
            "conversations.json": [picture("c1", "sediment://file_00000000abcdefabcdefabcdefab")],
            "c1/audio/file_00000000abcdefabcdefabcdefab-8f.wav": b"text",
        },
        "file_00000000abcdefabcdefabcdefab",
    ),
    "in the portal's zip of files": (
        {
            "User Online Activity/Conversations__u-chatgpt-0001.zip": zipped(FLAT),
            "User Online Activity/Files__u-0001.zip": zipped({f"files/{file_id(1)}.dat": b"text"}),
        },
        file_id(1),
    ),
    "in a zip in a zip in a zip": (
        {"a.zip": zipped({"b.zip": zipped(FLAT | {f"{file_id(1)}.dat": b"text"})})},
        file_id(1),
    ),
    "on Grok's asset server": (
        {
            "ttl/30d/export_data/u/prod-grok-backend.json": GROK,
            f"ttl/30d/export_data/u/prod-mc-asset-server/{ASSET}/content": b"text",
        },
        ASSET,
    ),
    "of Claude.ai": ({"conversations.json": [CLAUDE], f"files/{ASSET}.pdf": b"text"}, ASSET),
    "of Claude.ai, in capitals": ({"conversations.json": [CLAUDE], f"files/{ASSET.upper()}.pdf": b"text"}, ASSET),
    "in the folder of a chat of Le Chat": (
        {
            f"chat-{ASSET}.json": [LE_CHAT],
            f"chat-{ASSET}-files/notes.txt": b"text",
            f"chat-{ASSET}-files/other.json": [talk("c9")],
        },
        f"chat-{ASSET}-files/notes.txt",
    ),
    "by an id of another form": (
        {
            "conversations.json": [picture("c1", "asset_77")],
            "files/asset_77.txt": b"text",
            "files/asset_78.txt": b"of nobody",
        },
        "asset_77",
    ),
    "a zip that was uploaded": (
        FLAT | {f"{file_id(1)}-project.zip": zipped({"conversations.json": [talk("c9")]})},
        file_id(1),
    ),
    "JSON that was uploaded": (FLAT | {f"{file_id(1)}-data.json": [talk("c9")]}, file_id(1)),
}


@pytest.fixture
def home(settings: Settings, tmp_path: Path) -> Settings:
    """The archive of the session with a folder of this test's own for contents."""
    return settings.with_values(home=tmp_path / "home")


# All of them zipped; unpacked, folders are walked instead, which two layouts show.
WRITTEN = itertools.product([export, unpacked], LAYOUTS)


@pytest.mark.parametrize(("write_export", "layout"), some_of(WRITTEN, len(LAYOUTS) + 2))
def test_a_file_is_kept_wherever_it_stands(
    database: Database, home: Settings, tmp_path: Path, layout: str, write_export: Callable[..., Path]
):
    members, name = LAYOUTS[layout]
    kept = imported(database, home, write_export(tmp_path / "export.zip", members))
    assert (kept.stored, kept.missing, kept.unreadable) == (1, {}, [])
    [(found, content)] = kept_files(database, home).items()
    assert found == name
    assert content == b"text" or layout.endswith("uploaded")
    assert query(database, "SELECT count(*) FROM raw.dialogues") == [(1,)]
    assert stored_names(home) == referenced_hashes(database)


def test_private_parts_are_never_opened_for_files_either(database: Database, home: Settings, tmp_path: Path):
    hidden = {
        f"{folder}/{file_id(1)}.dat": b"secret"
        for folder in ("Financial", "User Profile", "User Online Activity/Ads__x")
    }
    kept = imported(database, home, export(tmp_path / "export.zip", FLAT | hidden))
    assert kept_files(database, home) == {file_id(1): None}
    assert list(kept.missing) == [file_id(1)]


def test_a_missing_file_says_where_it_was_looked_for_until_a_later_export_has_it(
    database: Database, home: Settings, tmp_path: Path
):
    first = export(tmp_path / "first.zip", FLAT)
    assert imported(database, home, first).missing == {file_id(1): "notes 1.txt"}
    [row] = records(database, "SELECT sha256, looked_in, looked_at, found_at FROM raw.attached_files")
    assert (row["sha256"], row["looked_in"], row["found_at"]) == (None, str(first), None)
    assert row["looked_at"] is not None
    # The dialogue is unchanged; its file comes.
    second = export(tmp_path / "second.zip", FLAT | {f"{file_id(1)}.dat": b"text"})
    kept = imported(database, home, second)
    assert (kept.stored, kept.stored_bytes, kept.missing) == (1, 4, {})
    [row] = records(database, "SELECT sha256, looked_in, looked_at, found_at FROM raw.attached_files")
    assert row == {
        "sha256": hashlib.sha256(b"text").hexdigest(),
        "looked_in": None,
        "looked_at": None,
        "found_at": f"{second}/{file_id(1)}.dat",
    }


def test_files_may_come_without_conversations_after_them(database: Database, home: Settings, tmp_path: Path):
    imported(database, home, write(tmp_path / "conversations.json", talk("c1", 1)))
    kept = imported(database, home, export(tmp_path / "Files__u-0001.zip", {f"{file_id(1)}.dat": b"text"}))
    assert kept.stored == 1
    assert kept_files(database, home) == {file_id(1): b"text"}


def test_what_no_message_points_to_is_not_kept_and_counted(database: Database, home: Settings, tmp_path: Path):
    kept = imported(database, home, export(tmp_path / "export.zip", FLAT | {f"{file_id(2)}.dat": b"other"}))
    assert kept.unclaimed == 1
    assert stored_names(home) == set()


def test_the_same_content_is_stored_once_and_not_read_again(database: Database, home: Settings, tmp_path: Path):
    members = {
        "conversations.json": [talk("c1", 1, 2), talk("c2", 1)],
        f"{file_id(1)}.dat": b"same",
        f"{file_id(2)}.dat": b"same",
    }
    path = export(tmp_path / "export.zip", members)
    assert imported(database, home, path).stored == 1
    assert stored_names(home) == {hashlib.sha256(b"same").hexdigest()}
    assert query(database, "SELECT count(*) FROM raw.attached_files WHERE sha256 IS NOT NULL") == [(3,)]
    before = AttachmentStore.of(home.home).path_of(hashlib.sha256(b"same").hexdigest()).stat().st_ino
    again = imported(database, home, path)
    assert (again.stored, again.unchanged) == (0, 2)
    assert AttachmentStore.of(home.home).path_of(hashlib.sha256(b"same").hexdigest()).stat().st_ino == before


def test_of_contents_of_one_size_that_imports_bring_at_once_the_one_with_the_least_hash_is_kept(
    database: Database, home: Settings, tmp_path: Path
):
    imported(database, home, export(tmp_path / "export.zip", {"conversations.json": [talk("c1", 1, 2)]}))
    given = {"size_bytes": 3, "media_type": "text/plain", "file_name": None, "found_at": "export.zip"}
    with database.session() as connection:
        for contents in ("ab", "ba"):
            files = [
                {**given, "sha256": digit * 64, "file_ids": [file_id(number)]}
                for number, digit in enumerate(contents, start=1)
            ]
            give_contents(connection, files)
    assert query(database, "SELECT sha256 FROM raw.attached_files") == [("a" * 64,)] * 2


def test_a_dialogue_that_comes_later_has_the_file_that_is_kept_already(
    database: Database, home: Settings, tmp_path: Path
):
    imported(database, home, export(tmp_path / "a.zip", FLAT | {f"{file_id(1)}.dat": b"text"}))
    kept = imported(database, home, write(tmp_path / "conversations.json", talk("c2", 1)))
    assert kept.missing == {}
    assert query(database, "SELECT count(*) FROM raw.attached_files WHERE sha256 IS NULL") == [(0,)]


def test_a_content_that_is_lost_from_the_disk_is_stored_again(database: Database, home: Settings, tmp_path: Path):
    path = export(tmp_path / "export.zip", FLAT | {f"{file_id(1)}.dat": b"text"})
    imported(database, home, path)
    AttachmentStore.of(home.home).path_of(hashlib.sha256(b"text").hexdigest()).unlink()
    imported(database, home, path)
    assert kept_files(database, home) == {file_id(1): b"text"}


def test_an_empty_file_is_no_content(database: Database, home: Settings, tmp_path: Path):
    kept = imported(database, home, export(tmp_path / "export.zip", FLAT | {f"{file_id(1)}.dat": b""}))
    assert list(kept.missing) == [file_id(1)]


def test_a_damaged_file_is_named_and_costs_no_other(database: Database, home: Settings, tmp_path: Path):
    noise = b"".join(hashlib.sha256(bytes([number])).digest() for number in range(200))
    path = export(
        tmp_path / "export.zip",
        {"conversations.json": [talk("c1", 1, 2)], f"{file_id(1)}.dat": noise, f"{file_id(2)}.dat": b"text"},
    )
    data = bytearray(path.read_bytes())
    start = data.index(f"{file_id(1)}.dat".encode()) + 100
    data[start : start + 50] = bytes(50)
    path.write_bytes(data)
    kept = imported(database, home, path)
    assert [record.locator for record in kept.unreadable] == [f"{path}/{file_id(1)}.dat"]
    assert kept_files(database, home) == {file_id(1): None, file_id(2): b"text"}
    assert len(stored_names(home)) == 1


def test_a_bomb_is_no_attachment_and_costs_no_conversation(database: Database, home: Settings, tmp_path: Path):
    kept = imported(database, home, export(tmp_path / "export.zip", FLAT | {f"{file_id(1)}.dat": bytes(20_000_000)}))
    assert [record.locator.rpartition("/")[2] for record in kept.unreadable] == [f"{file_id(1)}.dat"]
    assert query(database, "SELECT count(*) FROM raw.dialogues") == [(1,)]
    assert stored_names(home) == set()


def test_a_link_in_a_folder_is_not_followed_to_what_is_elsewhere(database: Database, home: Settings, tmp_path: Path):
    (tmp_path / "secret").write_bytes(b"secret")
    folder = unpacked(tmp_path / "export", FLAT)
    (folder / f"{file_id(1)}.dat").symlink_to(tmp_path / "secret")
    assert list(imported(database, home, folder).missing) == [file_id(1)]


def test_contents_are_private_and_named_by_their_hash(database: Database, home: Settings, tmp_path: Path):
    imported(database, home, export(tmp_path / "export.zip", FLAT | {f"{file_id(1)}.dat": PNG}))
    sha256 = hashlib.sha256(PNG).hexdigest()
    path = home.home / "attachments" / sha256[:2] / sha256
    assert path.read_bytes() == PNG
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert {stat.S_IMODE(folder.stat().st_mode) for folder in (path.parent, path.parent.parent)} == {0o700}
    [row] = records(database, "SELECT sha256, size_bytes, media_type FROM raw.attachment_contents")
    assert row == {"sha256": sha256, "size_bytes": len(PNG), "media_type": "image/png"}


def test_delete_removes_what_nobody_else_points_to(database: Database, home: Settings, tmp_path: Path):
    members = {
        "conversations.json": [talk("c1", 1, 2), talk("c2", 2)],
        f"{file_id(1)}.dat": b"one",
        f"{file_id(2)}.dat": b"two",
    }
    imported(database, home, export(tmp_path / "export.zip", members))
    assert query(database, "SELECT count(*) FROM raw.documents") == [(2,)]
    with database.session() as connection:
        [(first,)] = connection.execute("SELECT id::text FROM raw.dialogues WHERE source_id = 'c1'").fetchall()
        delete_dialogues(connection, [first])
    assert purge_unreferenced(database, home) == (1, 0, 0)
    assert kept_files(database, home) == {file_id(2): b"two"}
    assert stored_names(home) == {hashlib.sha256(b"two").hexdigest()}
    assert query(database, "SELECT sha256 FROM raw.documents") == [(hashlib.sha256(b"two").hexdigest(),)]


def test_mirroring_removes_files_with_their_dialogues(database: Database, home: Settings, tmp_path: Path):
    members = {
        "conversations.json": [talk("c1", 1), talk("c2", 2)],
        f"{file_id(1)}.dat": b"one",
        f"{file_id(2)}.dat": b"two",
    }
    imported(database, home, export(tmp_path / "export.zip", members))
    reading = read_paths([export(tmp_path / "next.zip", {"conversations.json": [talk("c1", 1)]})])
    summary = import_archive(database, reading)
    assert mirror(database, home, summary).keys == ["chatgpt-c2"]
    # What the process leaves is as good, if it is killed here.
    assert query(database, "SELECT sha256 FROM raw.documents") == [(hashlib.sha256(b"one").hexdigest(),)]
    attachments_of_import(database, home, reading, summary)
    assert kept_files(database, home) == {file_id(1): b"one"}
    assert stored_names(home) == {hashlib.sha256(b"one").hexdigest()}


def test_documents_go_in_the_transaction_of_their_dialogues(database: Database, home: Settings, tmp_path: Path):
    members = {
        "conversations.json": [talk("c1", 1), talk("c2", 1, 2)],
        f"{file_id(1)}.dat": b"one",
        f"{file_id(2)}.dat": b"two",
    }
    imported(database, home, export(tmp_path / "export.zip", members))
    one, two = (hashlib.sha256(content).hexdigest() for content in (b"one", b"two"))
    with database.session() as connection:
        assert delete_dialogues(connection, [dialogue_id("chatgpt", "c2")]) == [two]
    assert query(database, "SELECT sha256 FROM raw.documents") == [(one,)]


def test_a_message_that_points_elsewhere_now_lets_go_of_its_file(database: Database, home: Settings, tmp_path: Path):
    imported(database, home, export(tmp_path / "a.zip", FLAT | {f"{file_id(1)}.dat": b"one"}))
    changed = talk("c1", 2, updated=3_000.0)
    changed["title"] = "Another"
    imported(database, home, export(tmp_path / "b.zip", {"conversations.json": [changed], f"{file_id(2)}.dat": b"two"}))
    assert kept_files(database, home) == {file_id(2): b"two"}
    assert query(database, "SELECT sha256 FROM raw.documents") == [(hashlib.sha256(b"two").hexdigest(),)]


def test_files_are_left_where_nobody_wants_them(database: Database, home: Settings, tmp_path: Path):
    reading = read_paths([export(tmp_path / "export.zip", FLAT | {f"{file_id(1)}.dat": b"one"})])
    summary = import_archive(database, reading)
    assert not attachments_of_import(database, home, reading, summary, is_wanted=False).is_wanted
    left = home.with_values(attachments=AttachmentHandling.LEAVE)
    assert not attachments_of_import(database, left, reading, summary).is_wanted
    assert query(database, "SELECT count(*) FROM raw.attached_files") == [(0,)]
    assert stored_names(home) == set()
