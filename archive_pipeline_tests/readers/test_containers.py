"""What is found at the paths a user names: files, folders, zips, and what is wrong with them."""

import hashlib
import json
import os
import sys
import zipfile
from random import Random

import pytest

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.errors import ConfigurationError
from archive_pipeline.readers import zip_members
from archive_pipeline.readers.reading import ReadDialogue, read_paths


def conversation(name="c"):
    node = {"id": "n1", "parent": None, "message": {"author": {"role": "user"}, "content": {"parts": [name]}}}
    return {"title": name, "create_time": 1, "id": name, "mapping": {"n1": node}}


CLAUDE = {"uuid": "u", "name": "n", "created_at": "2024-01-01T00:00:00Z", "chat_messages": []}
EXPORT = json.dumps([conversation()])


def everything(paths, **options):
    reading = read_paths(paths if isinstance(paths, list) else [paths], **options)
    items = [item for file in reading for item in file.records()]
    titles = [item.record.title for item in items if isinstance(item, ReadDialogue)]
    return titles, [item for item in items if isinstance(item, RejectedRecord)], reading


def make_zip(path, members, **options):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, **options) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def test_a_folder_is_walked_in_sorted_order_and_what_is_no_json_is_skipped_with_its_reason(tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "conversations.json").write_text(json.dumps([conversation("in b")]))
    (tmp_path / "a.json").write_text(json.dumps([conversation("in a")]))
    (tmp_path / "chat.html").write_text("<html>")
    (tmp_path / "user.json").write_text("{}")
    (tmp_path / "feedback.json").write_text('[{"rating": "up"}]')
    (tmp_path / ".hidden.json").write_text("[")
    titles, rejected, reading = everything(tmp_path)
    assert titles == ["in a", "in b"]
    assert not rejected
    assert {skip.locator.rsplit("/", 1)[1] for skip in reading.skipped} == {"chat.html", "user.json", "feedback.json"}
    assert all(skip.reason for skip in reading.skipped)


def test_a_split_export_in_a_zip_is_read_member_by_member(tmp_path):
    members = {f"conversations-{i:03}.json": json.dumps([conversation(f"{i}a"), conversation(f"{i}b")]) for i in (1, 0)}
    path = make_zip(tmp_path / "export.zip", members | {"file-1.png": b"x", "picture.png": b"x"})
    reading = read_paths([path])
    records = [(file, item.record) for file in reading for item in file.records()]
    assert [record.locator for _, record in records] == [
        f"{path}/conversations-{i:03}.json[{j}]" for i in (0, 1) for j in (0, 1)
    ]
    assert {file.sha256 for file in reading} == {hashlib.sha256(path.read_bytes()).hexdigest()}
    assert [file.bytes_read for file in reading] == [file.size for file in reading]
    assert len(reading.skipped) == 2


def test_a_file_knows_its_hash_and_progress(tmp_path):
    path = tmp_path / "x"
    path.write_text(EXPORT)
    [file] = read_paths([path])
    assert (file.bytes_read, file.sha256) == (0, None)
    assert len(list(file.records())) == 1
    assert (file.bytes_read, file.size) == (len(EXPORT), len(EXPORT))
    assert file.sha256 == hashlib.sha256(EXPORT.encode()).hexdigest()
    assert file.source == "chatgpt"


def test_the_same_file_by_two_ways_is_read_once(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(EXPORT)
    (tmp_path / "link.json").symlink_to(path)
    assert everything([tmp_path, path, tmp_path / "." / "a.json"])[0] == ["c"]


def test_a_link_to_a_login_is_not_followed_under_another_name(tmp_path):
    (tmp_path / "auth.json").write_text(EXPORT)
    folder = tmp_path / "given"
    folder.mkdir()
    (folder / "chats.json").symlink_to(tmp_path / "auth.json")
    assert everything([folder])[0] == []


def test_a_zip_without_the_suffix_and_json_of_any_name_are_known_by_content(tmp_path):
    make_zip(tmp_path / "download", {"c.json": EXPORT})
    (tmp_path / "data.txt").write_text(EXPORT)
    assert everything([tmp_path / "download", tmp_path / "data.txt"])[0] == ["c", "c"]


def test_a_member_whose_name_leads_out_of_the_zip_is_rejected_and_the_rest_read(tmp_path):
    names = ("../evil.json", "/etc/evil.json", "C:\\evil.json", "a/../../evil.json")
    path = make_zip(tmp_path / "e.zip", dict.fromkeys((*names, "good.json"), EXPORT))
    titles, rejected, _ = everything(path)
    assert titles == ["c"]
    assert len(rejected) == 4
    assert all("leads out" in record.reason for record in rejected)


def test_a_decompression_bomb_is_rejected_unread(tmp_path):
    path = make_zip(tmp_path / "b.zip", {"bomb.json": b"[" + b" " * 11_000_000 + b"]", "good.json": EXPORT})
    titles, [rejected], _ = everything(path)
    assert titles == ["c"]
    assert "unpacks to" in rejected.reason


def test_small_members_that_make_a_bomb_together_are_rejected_from_where_it_is_one(tmp_path):
    small = b"[" + b" " * 2_000_000 + b"]"
    members = {f"{at:02}.json": small for at in range(20)} | {"00 good.json": EXPORT}
    path = make_zip(tmp_path / "b.zip", members)
    titles, rejected, reading = everything(path)
    assert titles == ["c"]
    assert sum(file.size for file in reading) < 12_000_000
    assert {record.locator for record in rejected} == {f"{path}/{at:02}.json" for at in range(4, 20)}
    assert all("times the zip's size" in record.reason for record in rejected)
    assert sum(file.bytes_read for file in reading) < 12_000_000


def test_members_that_share_their_bytes_are_measured_by_the_size_of_the_zip(tmp_path):
    # The directory names one member many times over; each by itself unpacks as real files do.
    entry_bytes = Random(1).randbytes(50_000).hex().encode()  # noqa: S311 (the same bytes in every run)
    path = make_zip(tmp_path / "o.zip", {"000.json": entry_bytes})
    with zipfile.ZipFile(path, "a") as archive:
        first = archive.infolist()[0]
        for at in range(1, 600):
            copied = zipfile.ZipInfo(f"{at:03}.json")
            for name in ("header_offset", "file_size", "compress_size", "CRC", "compress_type", "flag_bits"):
                setattr(copied, name, getattr(first, name))
            archive.filelist.append(copied)
        archive._didModify = True
    assert sum(file.size for file in read_paths([path])) <= 200 * path.stat().st_size
    assert len([file for file in read_paths([path]) if file.size == 0]) > 0


def test_a_zip_of_more_files_than_any_export_has_is_read_up_to_there(tmp_path, monkeypatch):
    monkeypatch.setattr(zip_members, "MAX_MEMBERS", 3)
    members = {f"{at}.json": json.dumps([conversation(str(at))]) for at in range(9)} | {"0.png": "x"}
    titles, [rejected], _ = everything(make_zip(tmp_path / "m.zip", members))
    assert titles == ["0", "1", "2"]
    assert rejected.locator.endswith("3.json")
    assert "what follows" in rejected.reason


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_members_of_one_name_are_both_read(tmp_path):
    path = make_zip(tmp_path / "d.zip", {"a.json": json.dumps([conversation("first")])})
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("a.json", json.dumps([conversation("second")]))
    assert everything(path)[0] == ["first", "second"]


@pytest.mark.parametrize("are_zips", [False, True])
def test_the_directory_of_a_zip_is_read_once_however_many_members_it_has(tmp_path, are_zips):
    watched, opened = [], []
    # A hook cannot be taken away again: it looks only at the files that are watched.
    sys.addaudithook(
        lambda event, args: opened.append(str(args[0])) if event == "open" and args[0] in watched else None
    )
    for size in (10, 100):
        members = {f"{at:03}.json": json.dumps([conversation(str(at))]) for at in range(size)}
        if are_zips:
            inner = tmp_path / "inner.zip"
            members = {f"{name}.zip": make_zip(inner, {name: text}).read_bytes() for name, text in members.items()}
            inner.unlink()
        path = make_zip(tmp_path / f"{size}.zip", members)
        watched[:] = [path, str(path)]
        assert len(everything(path)[0]) == size
        # For its first bytes, its directory, its members and its hash.
        assert opened.count(str(path)) == 4
    watched.clear()


def test_an_encrypted_member_is_named_with_what_to_do(tmp_path):
    path = make_zip(tmp_path / "e.zip", {"secret.json": EXPORT})
    data = bytearray(path.read_bytes())
    data[6] |= 1  # the flag of the local header and of the central directory
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    _, [rejected], _ = everything(path)
    assert "encrypted" in rejected.reason
    assert "password" in rejected.reason


def test_a_damaged_member_is_rejected_by_name_and_the_next_one_read(tmp_path):
    noise = json.dumps([conversation(os.urandom(20_000).hex())])
    path = make_zip(tmp_path / "d.zip", {"a.json": noise, "b.json": EXPORT})
    data = bytearray(path.read_bytes())
    data[9_000:9_050] = bytes(50)
    path.write_bytes(data)
    titles, rejected, _ = everything(path)
    assert titles[-1] == "c"
    assert rejected[-1].locator.startswith(f"{path}/a.json")
    assert rejected[-1].whole_file


def test_a_member_whose_own_name_is_no_utf_8_is_rejected_and_the_next_one_read(tmp_path):
    path = make_zip(tmp_path / "d.zip", {"ä.json": json.dumps([conversation("a")]), "b.json": EXPORT})
    data = bytearray(path.read_bytes())
    data[data.index("ä".encode())] = 0xFF  # before the member; the directory at the end still has the name
    path.write_bytes(data)
    titles, [rejected], _ = everything(path)
    assert titles == ["c"]
    assert rejected.locator == f"{path}/ä.json"
    assert "cannot be opened" in rejected.reason
    assert "is damaged: 'utf-8' codec" in rejected.error


@pytest.mark.parametrize("comment", [b"", b"of the zip"])
def test_a_zip_whose_directory_hides_a_member_is_not_taken_for_whole(tmp_path, comment):
    path = make_zip(tmp_path / "d.zip", {"a.json": EXPORT, "b.json": json.dumps([conversation("hidden")])})
    with zipfile.ZipFile(path, "a") as archive:
        archive.comment = comment
    assert everything(path)[:2] == (["c", "hidden"], [])
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\x01\x02") + 33] = 0x80  # the first member's comment is as long as what follows
    path.write_bytes(data)
    titles, [rejected], _ = everything(path)
    assert titles == ["c"]
    assert "does not name all the files in it" in rejected.reason


@pytest.mark.slow
@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_with_any_byte_damaged_is_read_or_rejected(tmp_path, method):
    whole = tmp_path / "whole.zip"
    with zipfile.ZipFile(whole, "w", method) as archive:
        archive.writestr("ä.json", json.dumps([conversation("a")]))
        archive.writestr("b.json", EXPORT)
    data = whole.read_bytes()
    path = tmp_path / "d.zip"
    rejections = 0
    for at, byte in enumerate(data):
        path.write_bytes(data[:at] + bytes([byte ^ 0x80]) + data[at + 1 :])
        titles, rejected, reading = everything(path)
        assert rejected or reading.skipped or len(titles) == 2
        rejections += len(rejected)
    assert rejections > len(data) / 4


def test_a_file_that_only_claims_to_be_a_zip_is_rejected(tmp_path):
    (tmp_path / "x.zip").write_bytes(b"PK\x03\x04 not really")
    (tmp_path / "y.zip").write_bytes(b"")
    _, rejected, _ = everything(tmp_path)
    assert [record.reason.split(" is ")[1].split(":")[0] for record in rejected] == ["not a readable zip", "empty"]


def test_what_cannot_be_read_does_not_stop_the_other_paths(tmp_path):
    (tmp_path / "good.json").write_text(EXPORT)
    (tmp_path / "empty.json").write_text("")
    titles, rejected, _ = everything([tmp_path / "missing.json", tmp_path])
    assert titles == ["c"]
    assert [record.whole_file for record in rejected] == [True, True]
    assert "does not exist" in rejected[0].reason
    assert "empty" in rejected[1].reason


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_rejected(tmp_path):
    (tmp_path / "a.json").write_text(EXPORT)
    (tmp_path / "a.json").chmod(0)
    assert "permissions" in everything(tmp_path)[1][0].reason


def test_a_named_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.json")
    assert "not a regular file" in everything(tmp_path)[1][0].reason


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ('{"invalid": 1}', "an object with keys invalid"),
        ("{}", "without keys"),
        ('[{"a": 1}]', "an object with keys a"),
        ("[1, 2]", "a number"),
        ('[{"uuid": "p", "name": "n", "created_at": "t", "docs": []}]', "no known export format"),
    ],
)
def test_json_that_is_no_export_is_rejected_with_its_shape_when_the_user_names_it(tmp_path, text, word):
    path = tmp_path / "x.json"
    path.write_text(text)
    titles, [rejected], _ = everything(path)
    assert (titles, rejected.whole_file) == ([], True)
    assert word in rejected.reason


@pytest.mark.parametrize(
    ("encoding", "told"),
    [
        ("utf-16-le", "UTF-16 without a byte order mark"),
        ("utf-16-be", "UTF-16 without a byte order mark"),
        ("utf-32", "UTF-32"),
        ("utf-32-le", "UTF-32"),
        ("utf-32-be", "UTF-32"),
    ],
)
def test_json_of_another_encoding_is_rejected_with_what_to_do(tmp_path, encoding, told):
    path = tmp_path / "x.json"
    path.write_bytes(EXPORT.encode(encoding))
    titles, [rejected], _ = everything(path)
    assert (titles, rejected.whole_file) == ([], True)
    assert rejected.reason == f"{path} is {told}: save it as UTF-8"


def test_an_empty_array_is_skipped(tmp_path):
    path = tmp_path / "conversations.json"
    path.write_text("[]")
    titles, rejected, reading = everything(path)
    assert (titles, rejected) == ([], [])
    assert "empty" in reading.skipped[0].reason


def test_odd_records_do_not_change_the_source_of_a_file(tmp_path):
    path = tmp_path / "x.json"
    path.write_text(
        json.dumps([None, {"odd": 1}, {"title": "t", "create_time": 1, "id": "i"}, conversation(), CLAUDE, 7])
    )
    titles, rejected, reading = everything(path)
    assert titles == ["c", "n"]
    assert reading.files[0].source == "chatgpt"
    assert [record.locator for record in rejected] == [f"{path}[{i}]" for i in (0, 1, 2, 5)]


def test_conversations_that_lost_their_messages_are_still_recognised(tmp_path):
    path = tmp_path / "x.json"
    path.write_text('[{"uuid": "u", "name": "n", "created_at": "t", "account": {}}]')
    _, [rejected], reading = everything(path)
    assert reading.files[0].source == "claude_ai"
    assert "chat_messages" in rejected.reason


def test_the_source_the_user_names_overrides_the_content(tmp_path):
    path = tmp_path / "x.json"
    path.write_text(EXPORT)
    titles, [rejected], _ = everything(path, source="claude_ai")
    assert titles == []
    assert "chat_messages" in rejected.reason
    with pytest.raises(ConfigurationError, match="chatgpt, claude_ai"):
        read_paths([path], source="nobody")


def test_a_long_file_without_conversations_is_given_up_and_still_hashed(tmp_path):
    path = tmp_path / "x.json"
    path.write_text(json.dumps([{"a": i} for i in range(5000)]))
    _, [rejected], reading = everything(path)
    assert rejected.whole_file
    assert reading.files[0].sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
