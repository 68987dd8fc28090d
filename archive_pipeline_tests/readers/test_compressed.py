"""Files that are compressed: read as those that are not, and bounded."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path

import orjson
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.errors import UnreadableInputError
from archive_pipeline.readers.compressed import is_compressed, unpacked, unpacked_name
from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline.readers.shares import Share
from archive_pipeline_tests.readers.codex.sessions import meta, said, turn

NAME = "rollout-2026-05-13T06-03-05-019a0000-1111-7222-8333-444455556666.jsonl"
LINES = [meta(), turn(), said("user", "How do I freeze bread?"), said("assistant", "Sliced, in a bag.")]
SESSION = b"".join(orjson.dumps(line) + b"\n" for line in LINES)


def compress(data: bytes) -> bytes:
    return bytes(pa.Codec("zstd").compress(data, asbytes=True))


def read(path: Path) -> list[ReadDialogue | RejectedRecord]:
    return [item for file in read_paths([path]) for item in file.records()]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("rollout.jsonl.zst", "rollout.jsonl"),
        ("folder/Conversations.JSON.ZST", "folder/Conversations.JSON"),
        ("folder/traces.jsonl.gz", "folder/traces.jsonl"),
        ("rollout.jsonl", "rollout.jsonl"),
        ("export.tar.zst", "export.tar.zst"),
        (".jsonl.zst", ".jsonl.zst"),
    ],
)
def test_the_name_tells(name: str, expected: str):
    assert unpacked_name(name) == expected
    assert is_compressed(name) is (name != expected)


def test_a_compressed_session_is_the_session(tmp_path: Path):
    plain = tmp_path / "plain" / NAME
    plain.parent.mkdir()
    plain.write_bytes(SESSION)
    compressed = tmp_path / "codex" / "sessions" / f"{NAME}.zst"
    compressed.parent.mkdir(parents=True)
    compressed.write_bytes(compress(SESSION))
    packed = tmp_path / "codex.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.write(compressed, f"sessions/{NAME}.zst")
    [expected] = read(plain)
    assert isinstance(expected, ReadDialogue)
    assert [part.text for message in expected.record.messages for part in message.parts] == [
        "How do I freeze bread?",
        "Sliced, in a bag.",
    ]
    for path in (compressed, compressed.parent.parent, packed):
        [found] = read(path)
        assert isinstance(found, ReadDialogue)
        assert replace(found.record, locator=expected.record.locator) == expected.record
        assert found.raw == expected.raw


def test_gzip_is_read_in_all_its_parts_and_up_to_damage(tmp_path: Path):
    """What was added to a file of gzip is one more part of it."""
    talks = [
        {"conversation_id": f"c{number}", "messages": [{"role": "user", "content": f"{number} " * 5_000}]}
        for number in range(2)
    ]
    parts = [gzip.compress(orjson.dumps(talk) + b"\n") for talk in talks]
    path = tmp_path / "talks.jsonl.gz"
    path.write_bytes(b"".join(parts))
    first, second = read(path)
    assert isinstance(first, ReadDialogue)
    assert isinstance(second, ReadDialogue)
    assert [json.loads(item.raw) for item in (first, second)] == talks
    path.write_bytes(b"".join(parts)[:-12])
    item, *_, damage = read(path)
    assert item == first
    assert isinstance(damage, RejectedRecord)
    assert damage.error == f"UnreadableInputError: {path} is damaged: Truncated compressed stream"


@pytest.mark.parametrize("name", ["auth.json.gz", "login_history.json.zst"])
def test_what_is_private_is_so_if_it_is_compressed(tmp_path: Path, name: str):
    (tmp_path / name).write_bytes(gzip.compress(b"{}"))
    reading = read_paths([tmp_path])
    assert [item for file in reading for item in file.records()] == []
    [skipped] = reading.skipped
    assert skipped.reason.startswith("private and never opened")


def test_the_file_on_disk_is_what_is_counted_and_hashed(tmp_path: Path):
    path = tmp_path / f"{NAME}.zst"
    path.write_bytes(compress(SESSION))
    reading = read_paths([path])
    [file] = reading
    list(file.records())
    assert file.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert file.bytes_read == reading.total_bytes == path.stat().st_size
    assert file.is_understood


def test_shares_of_it_are_the_whole(tmp_path: Path):
    path = tmp_path / "conversations.jsonl.zst"
    conversations = [
        {"uuid": f"c{number}", "name": "n", "chat_messages": [], "created_at": "2026-01-01T00:00:00Z"}
        for number in range(900)
    ]
    path.write_bytes(compress(b"\n".join(map(orjson.dumps, conversations))))
    shares: list[list[object]] = []
    for number in range(2):
        [file] = read_paths([path])
        shares.append(list(file.shared(Share(number, 2))))
    assert len(shares[0]) == len(shares[1]) == 900
    whole = [one if one is not None else other for one, other in zip(*shares, strict=True)]
    assert whole == read(path)


def test_a_session_is_read_up_to_damage_which_is_told(tmp_path: Path):
    """As one that is cut off without being compressed, but for up to 4 kB before the damage."""
    path = tmp_path / f"{NAME}.zst"
    long = [orjson.dumps(said("assistant", f"{number} " * 3_000)) + b"\n" for number in range(4)]
    path.write_bytes(compress(SESSION + b"".join(long[:3])) + compress(long[3])[:-3])
    first, damage = read(path)
    assert isinstance(first, ReadDialogue)
    texts = [part.text for message in first.record.messages for part in message.parts]
    assert texts == ["How do I freeze bread?", "Sliced, in a bag.", "0 " * 3_000, "1 " * 3_000]
    assert first.record.warnings == {"malformed_message": 1}  # the line that is cut off
    assert isinstance(damage, RejectedRecord)
    assert damage.error == f"UnreadableInputError: {path} is damaged: Truncated compressed stream"
    assert "after 1 records" in damage.reason


@pytest.mark.parametrize("place", ["named", "folder", "zip"])
@pytest.mark.parametrize(
    "content",
    [
        pytest.param(compress(SESSION)[:3], id="three bytes"),
        pytest.param(compress(SESSION)[:40], id="in the middle"),
        pytest.param(b"", id="empty"),
        pytest.param(b"not compressed", id="something else"),
        pytest.param(compress(compress(SESSION)), id="twice"),
    ],
)
def test_what_cannot_be_read_is_rejected_wherever_it_stands(tmp_path: Path, place: str, content: bytes):
    """Else mirroring would take it for a file without conversations."""
    path = tmp_path / "sessions" / f"{NAME}.zst"
    path.parent.mkdir()
    path.write_bytes(content)
    packed = tmp_path / "codex.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.write(path, path.name)
    reading = read_paths([{"named": path, "folder": path.parent, "zip": packed}[place]])
    [rejected] = [item for file in reading for item in file.records()]
    assert isinstance(rejected, RejectedRecord)
    assert path.name in rejected.locator
    assert reading.not_understood or rejected.whole_file


def test_what_is_named_so_and_is_not_compressed_is_told(tmp_path: Path):
    path = tmp_path / f"{NAME}.zst"
    path.write_bytes(SESSION)
    [item] = read(path)
    assert isinstance(item, RejectedRecord)
    assert f"{path} is damaged: ZSTD decompress failed" in item.error


def test_a_bomb_is_not_unpacked(tmp_path: Path):
    path = tmp_path / f"{NAME}.zst"
    path.write_bytes(compress(SESSION + b'{"padding": "' + b" " * 20_000_000 + b'"}\n'))
    items = read(path)
    [bomb] = [item for item in items if isinstance(item, RejectedRecord)]
    assert "times its size, as no export does, and is not read" in bomb.error


@given(
    texts=st.lists(st.binary(max_size=3000), min_size=1, max_size=4), sizes=st.lists(st.integers(1, 500), min_size=1)
)
def test_every_byte_comes_back_however_it_is_asked_for(texts: list[bytes], sizes: list[int]):
    """Frames may follow each other: what was added to a compressed file is one more."""
    stream = unpacked(io.BytesIO(b"".join(map(compress, texts))), "a.jsonl.zst")
    given_back = bytearray()
    for size in sizes:
        data = stream.read(size)
        assert len(data) <= size
        given_back += data
    assert bytes(given_back) + stream.read() == b"".join(texts)
    assert stream.read(1) == stream.read() == b""


def test_an_error_of_the_disk_stays_one():
    class Failing(io.BytesIO):
        def read(self, _size: int | None = -1, /) -> bytes:
            raise OSError(5, "Input/output error")

    with pytest.raises(OSError, match="Input/output error") as raised:
        unpacked(Failing(), "a.jsonl.zst").read(1)
    assert not isinstance(raised.value, UnreadableInputError)
