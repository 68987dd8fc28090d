"""Files as broken disks, browsers, zip programs and attackers leave them."""

from __future__ import annotations

import json
import os
import struct
import zipfile
from pathlib import Path
from typing import Any

from archive_pipeline_tests.exports import chain, chatgpt

NOT_JSON = b"<html><body>Please log in to download your data</body></html>"


def assert_nothing_loaded(rows: dict[str, int]) -> None:
    """Assert that of what an import writes there is nothing but what it says of itself."""
    assert {name for name, number in rows.items() if number} <= {"imports", "rejected_records"}


def dialogue(name: str, text: str = "What is a tide table?") -> dict[str, Any]:
    """A small conversation."""
    return chatgpt(name, chain(text, "It says when the sea is high.", prefix=f"{name}-"), title=name)


def encoded(*names: str) -> bytes:
    """An export of small conversations."""
    return json.dumps([dialogue(name) for name in names]).encode()


def zipped(path: Path, **members: bytes) -> Path:
    """A zip with the given members; two underscores stand for a slash, the suffix is added."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(f"{name.replace('__', '/')}.json", content)
    return path


def bomb(path: Path) -> Path:
    """A zip of which a member unpacks to a thousand times its size."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("conversations.json", "w", force_zip64=True) as member:
            block = b" " * (1 << 20)
            for _ in range(110):
                member.write(block)
        archive.writestr("good/conversations.json", encoded("beside-the-bomb"))
    return path


def escaping(path: Path) -> Path:
    """A zip with a member that would land outside the folder it is unpacked in."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("../../conversations.json", encoded("outside"))
    return path


def encrypted(path: Path) -> Path:
    """A zip whose only member says that it is encrypted, in both of its headers."""
    content = bytearray(zipped(path, conversations=encoded("secret")).read_bytes())
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = content.index(signature) + offset
        struct.pack_into("<H", content, at, struct.unpack_from("<H", content, at)[0] | 1)
    path.write_bytes(content)
    return path


def damaged(path: Path) -> Path:
    """A zip with a bit of rot in the middle of its member."""
    content = bytearray(zipped(path, conversations=os.urandom(2000).hex().encode()).read_bytes())
    middle = len(content) // 2
    content[middle : middle + 64] = bytes(64)
    path.write_bytes(content)
    return path


def torn(path: Path) -> Path:
    """A zip that broke off while it was downloaded."""
    content = zipped(path, conversations=encoded(*(f"torn-{number}" for number in range(20)))).read_bytes()
    path.write_bytes(content[: len(content) // 2])
    return path
