"""Copies of objects are whole and of one version, or there is an error: a failing storage never looks emptied."""

from __future__ import annotations

import fcntl
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from archive_pipeline.domain.addresses import checked_address
from archive_pipeline.errors import ConfigurationError, UnreadableInputError
from archive_pipeline.remote import spool
from archive_pipeline.remote.copies import Wanted, local_places
from archive_pipeline.remote.download import BLOCK_BYTES, LARGE_READERS, SMALL_BYTES, SMALL_READERS
from archive_pipeline.remote.storage import Storage
from archive_pipeline_tests.object_storage import Bucket, hardly_waiting


def copied(home: Path, *addresses: str | Path, wanted: Wanted = Wanted.ALL) -> list[dict[str, bytes]]:
    """The files at some addresses, by their names below them, and what stands in the way."""
    found = []
    with local_places(addresses, home, wanted=wanted) as places:
        for place in places:
            files = [place.path] if place.path.is_file() else [file for file in place.path.rglob("*") if file.is_file()]
            one = {place.below(file).name if file != place.path else place.name: file.read_bytes() for file in files}
            one |= {f"! {item.locator}": item.reason.encode() for item in place.obstacles}
            found.append(one)
    return found


def test_objects_and_prefixes_are_copied_and_gone_afterwards(tmp_path: Path, bucket: Bucket):
    large = os.urandom(2 * BLOCK_BYTES + 17)
    bucket.put("a/export.zip", large)
    bucket.put("a/empty.json", b"")
    bucket.put("a/b/one block.json", b"x" * BLOCK_BYTES)
    bucket.put("ab.json", b"not below a")
    local = tmp_path / "local.json"
    local.write_text("{}")
    home = tmp_path / "home"
    [prefix, single, path, whole] = copied(home, "s3://exports/a", "s3://exports/a/export.zip", local, "s3://exports/")
    assert prefix == {
        "s3://exports/a/export.zip": large,
        "s3://exports/a/empty.json": b"",
        "s3://exports/a/b/one block.json": b"x" * BLOCK_BYTES,
    }
    assert single == {"s3://exports/a/export.zip": large}
    assert path == {str(local): b"{}"}
    assert len(whole) == 4
    assert list((home / spool.FOLDER).iterdir()) == []
    assert stat.S_IMODE((home / spool.FOLDER).stat().st_mode) == 0o700


def test_a_listing_of_many_pages_is_whole(tmp_path: Path, bucket: Bucket):
    for number in range(1_203):  # a page has 1,000 keys
        bucket.put(f"many/{number:05}.dat", b"")
    bucket.put("many/conversations.json", b"[]")
    [files] = copied(tmp_path, "s3://exports/many", wanted=Wanted.SIZES)
    assert len(files) == 1_204
    pages = [path for method, path in bucket.server.requests.elements() if method == "GET" and "/many" not in path]
    assert len(pages) >= 2


def test_small_objects_are_asked_for_once_each_and_many_at_a_time(tmp_path: Path, bucket: Bucket):
    names = [f"e/{number:03}.json" for number in range(2 * SMALL_READERS)]
    for name in names:
        bucket.put(name, b"[]")
    bucket.server.requests.clear()
    together = threading.Barrier(SMALL_READERS)  # nobody is answered before so many ask

    def on_request(method: str, path: str, _range: str) -> None:
        if method == "GET" and path.endswith(".json"):
            together.wait(timeout=300)

    bucket.server.on_request = on_request
    [files] = copied(tmp_path, "s3://exports/e")
    assert len(files) == len(names)
    asked = {path: count for (_, path), count in bucket.server.requests.items() if path.endswith(".json")}
    assert asked == {f"/exports/{name}": 1 for name in names}


def test_few_large_blocks_are_in_memory_at_a_time(tmp_path: Path, bucket: Bucket, monkeypatch: pytest.MonkeyPatch):
    for number in range(2 * LARGE_READERS):
        bucket.put(f"e/{number:03}.zip", bytes(SMALL_BYTES + 1))
    lock, read = threading.Lock(), Storage.read
    under_way = most = 0

    def counted(storage: Storage, address: str, start: int, end: int) -> bytes:
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
        try:
            return read(storage, address, start, end)
        finally:
            with lock:
                under_way -= 1

    monkeypatch.setattr(Storage, "read", counted)
    [files] = copied(tmp_path, "s3://exports/e")
    assert set(map(len, files.values())) == {SMALL_BYTES + 1}
    assert 1 <= most <= LARGE_READERS


def test_what_an_import_would_not_open_is_never_fetched(tmp_path: Path, bucket: Bucket):
    names = ["conversations.json", "Financial/card.json", ".hidden.json", "__MACOSX/x.json", "file-abc.png"]
    for name in names:
        bucket.put(f"e/{name}", b"content")
    bucket.server.requests.clear()
    [files] = copied(tmp_path, "s3://exports/e", wanted=Wanted.CONVERSATIONS)
    assert files == {
        "s3://exports/e/conversations.json": b"content",
        "s3://exports/e/Financial/card.json": b"",
        "s3://exports/e/file-abc.png": b"",
    }
    assert {path for method, path in bucket.server.requests if method == "GET" and path.count("/") > 2} == {
        "/exports/e/conversations.json"
    }
    bucket.server.requests.clear()
    [files] = copied(tmp_path, "s3://exports/e")
    assert files["s3://exports/e/file-abc.png"] == b"content"
    assert not any("Financial/" in path for method, path in bucket.server.requests if method == "GET")
    # How large a file is may be known without its content.
    [files] = copied(tmp_path, "s3://exports/e", wanted=Wanted.SIZES)
    assert files["s3://exports/e/file-abc.png"] == bytes(len(b"content"))


def test_interrupted_downloads_go_on(tmp_path: Path, bucket: Bucket):
    content = os.urandom(3 * BLOCK_BYTES)
    bucket.put("export.zip", content)
    left = {"cut": 2, "refuse": 2}

    def fail(method: str, path: str) -> str | None:
        fault = next((name for name, number in left.items() if number), None)
        if method != "GET" or "export.zip" not in path or fault is None:
            return None
        left[fault] -= 1
        return fault

    bucket.server.fault = fail
    assert copied(tmp_path, "s3://exports/export.zip") == [{"s3://exports/export.zip": content}]
    assert not any(left.values())


@pytest.mark.parametrize("fault", ["cut", "refuse"])
@pytest.mark.parametrize("at", ["listing", "object"])
def test_a_storage_that_does_not_answer_is_an_error_and_not_less(
    tmp_path: Path, bucket: Bucket, fault: str, at: str, monkeypatch: pytest.MonkeyPatch
):
    for number in range(3):
        bucket.put(f"e/conversations-{number:03}.json", b"[]")
    if at == "listing":
        bucket.server.fault = lambda _, path: fault if path.strip("/") == "exports" else None
    else:
        bucket.server.fault = lambda method, path: fault if method == "GET" and path.endswith("-001.json") else None
    expected = pytest.raises(UnreadableInputError, match="nothing was imported, try again")
    with hardly_waiting(monkeypatch), expected:
        copied(tmp_path, "s3://exports/e/")
    assert list((tmp_path / spool.FOLDER).iterdir()) == []


def test_an_object_that_may_not_be_read_or_has_gone_is_told_and_the_others_are_copied(tmp_path: Path, bucket: Bucket):
    for name in ("a.json", "closed.json", "gone.json"):
        bucket.put(f"e/{name}", b"[]")

    def on_request(method: str, path: str, _range: str) -> None:
        if method == "GET" and path.endswith("gone.json"):
            bucket.server.on_request = lambda *_: None
            bucket.delete("e/gone.json")

    bucket.server.on_request = on_request
    bucket.server.fault = lambda method, path: "forbid" if method == "GET" and path.endswith("closed.json") else None
    [files] = copied(tmp_path, "s3://exports/e")
    assert files == {
        "s3://exports/e/a.json": b"[]",
        "! s3://exports/e/closed.json": (
            b"s3://exports/e/closed.json may not be read: check the permissions of the credentials"
        ),
        "! s3://exports/e/gone.json": b"s3://exports/e/gone.json does not exist: check the address",
    }
    with pytest.raises(UnreadableInputError, match="may not be read"):
        copied(tmp_path, "s3://exports/e/closed.json")


def test_a_copy_is_of_one_version_of_an_object_that_changes_meanwhile(tmp_path: Path, bucket: Bucket):
    first, second = b"1" * (3 * BLOCK_BYTES), b"2" * (3 * BLOCK_BYTES)
    bucket.put("e/export.zip", first)

    def on_request(method: str, path: str, byte_range: str) -> None:
        if method == "GET" and byte_range.startswith(f"bytes={BLOCK_BYTES}-"):
            bucket.server.on_request = lambda *_: None
            bucket.put("e/export.zip", second)

    bucket.server.on_request = on_request
    assert copied(tmp_path, "s3://exports/e") == [{"s3://exports/e/export.zip": second}]


def test_an_object_that_keeps_changing_is_told(tmp_path: Path, bucket: Bucket):
    bucket.put("e/grows.json", b"[")
    sizes = iter(range(2, 100))

    def on_request(method: str, path: str, _range: str) -> None:
        if method == "GET" and path.endswith("grows.json"):
            bucket.put("e/grows.json", b"[" * next(sizes))

    bucket.server.on_request = on_request
    [files] = copied(tmp_path, "s3://exports/e")
    [(name, reason)] = files.items()
    assert name == "! s3://exports/e/grows.json"
    assert b"changes while it is read" in reason


def test_keys_that_no_file_can_have_are_told_and_lead_nowhere(tmp_path: Path, bucket: Bucket):
    names = ["good.json", "../out.json", "a//b.json", "./c.json", "x" * 256 + ".json", "both", "both/below.json"]
    for name in names:
        bucket.put(f"e/{name}", b"[]")
    [files] = copied(tmp_path / "home", "s3://exports/e")
    assert {name for name in files if not name.startswith("!")} == {"s3://exports/e/good.json", "s3://exports/e/both"}
    assert len(files) == len(names)
    assert not list(tmp_path.rglob("out.json"))


def test_what_does_not_exist_is_an_error(tmp_path: Path, bucket: Bucket):
    for address in ("s3://exports/none.zip", "s3://exports/none/", "s3://exports/", "s3://no-such-bucket/x"):
        with pytest.raises(UnreadableInputError, match="does not exist: check the address"):
            copied(tmp_path, address)


def test_copies_of_a_killed_process_are_removed_and_those_of_living_ones_stay(tmp_path: Path, bucket: Bucket):
    bucket.put("a.json", b"[]")
    program = (
        "import os, sys\nfrom pathlib import Path\nfrom archive_pipeline.remote.copies import local_places\n"
        "with local_places(['s3://exports/a.json'], Path(sys.argv[1])) as [place]:\n"
        "    print(place.path, flush=True)\n    sys.stdin.read(1)\n    os._exit(1)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        copy = Path(process.stdout.readline().strip())
        copied(tmp_path, "s3://exports/a.json")
        assert copy.exists()
        process.communicate("x")
    assert copy.exists()
    copied(tmp_path, "s3://exports/a.json")
    assert list((tmp_path / spool.FOLDER).iterdir()) == []


def test_a_disk_without_room_is_told_before_anything_is_copied(tmp_path: Path):
    with pytest.raises(ConfigurationError, match="make room, or set ARCHIVE_HOME to another disk"):
        spool.check_room(tmp_path, 1 << 60)


def test_a_disk_that_takes_a_part_of_a_block_is_an_error_and_no_whole_copy(tmp_path: Path, bucket: Bucket):
    bucket.put("a.json", b"x" * 100_000)
    program = (
        "import resource, sys\nfrom pathlib import Path\nfrom archive_pipeline.remote.copies import local_places\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))\n"
        "try:\n    with local_places(['s3://exports/a.json'], Path(sys.argv[1])) as [place]:\n"
        "        print(place.path.stat().st_size)\n"
        "except OSError as error:\n    print(error.strerror)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout == "File too large\n"


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("https://host/export.zip?X-Amz-Signature=secret", "https:// cannot be read: give a path, s3://"),
        ("memory://x/y", "memory:// cannot be read"),
        ("s3://id:secret@bucket/key", "s3://: credentials do not belong into an address"),
        ("s3:///key", "s3://: write s3://BUCKET/KEY"),
        ("s3://bucket/a\nb", "s3://: write s3://BUCKET/KEY"),
    ],
)
def test_addresses_that_cannot_be_used_are_refused_without_repeating_secrets(address: str, said: str):
    with pytest.raises(ConfigurationError) as error:
        checked_address(address)
    assert str(error.value).startswith(said)
    assert "secret" not in str(error.value)


def test_a_folder_that_its_own_process_removes_meanwhile_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / spool.FOLDER).mkdir(mode=0o700)
    ended = tmp_path / spool.FOLDER / "ended"
    ended.mkdir()
    listed = list((tmp_path / spool.FOLDER).iterdir())
    ended.rmdir()
    monkeypatch.setattr(Path, "iterdir", lambda _folder: iter(listed))
    with spool.spool_folder(tmp_path) as folder:
        assert folder.is_dir()
    assert not folder.exists()


def test_what_is_locked_is_a_file_that_is_open_for_writing(tmp_path: Path):
    with (
        spool.spool_folder(tmp_path) as folder,
        (folder / spool.LOCK).open("r+b") as file,
        pytest.raises(BlockingIOError),
    ):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
