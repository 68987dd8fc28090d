"""Exports as they arrive: shards, portal folders, zips in zips, companions and resource forks around conversations."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, Final

from benchmarks.fuzz.law import said_in
from benchmarks.fuzz.marks import missing
from benchmarks.fuzz.rows import ReadFile, values_of

_Files = dict[str, bytes]
_Maker = Callable[[Random, Sequence[object]], _Files]
_RESOURCE_FORK: Final = b"\x00\x05\x16\x07\x00\x02\x00\x00Mac OS X        "


def export(random: Random, conversations: Sequence[object]) -> bytes:
    """Return a zip of the conversations, in any of the ways in which vendors pack them."""
    return _zip(random.choice(_MAKERS)(random, conversations), random)


def _zip(files: Mapping[str, bytes], random: Random) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            # Members by objects, which have a fixed time: by name they would have the present one.
            archive.writestr(zipfile.ZipInfo(name), content, random.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)))
    return buffer.getvalue()


def _shards(random: Random, conversations: Sequence[object]) -> _Files:
    if random.random() < 0.3:
        return {"conversations.json": _json(conversations)}
    split = random.randint(0, len(conversations))
    return {
        f"conversations-{number:03}.json": _json(shard)
        for number, shard in enumerate((conversations[:split], conversations[split:]))
    }


def _json(value: object) -> bytes:
    return json.dumps(value).encode()


def _flat(random: Random, conversations: Sequence[object]) -> _Files:
    """ChatGPT's zip: shards and companions side by side."""
    companions = {
        "user.json": {"id": "user-1", "email": "a@example.org"},
        "conversation_asset_file_names.json": {"file-1": "a.png"},
        "message_feedback.json": [{"id": "f", "rating": "thumbsUp"}],
        "group_chats.json": {"chats": []},
        "shared_conversations.json": [{"id": "s", "conversation_id": "c", "title": "t"}],
    }
    names = random.sample(sorted(companions), random.randint(0, len(companions)))
    files = {**_shards(random, conversations), **{name: _json(companions[name]) for name in names}}
    return {**files, "chat.html": b"<html>", "file-1.dat": b"\x89PNG\r\n"}


def _in_folder(random: Random, conversations: Sequence[object]) -> _Files:
    """A folder that was zipped on macOS, with a resource fork for each file."""
    files = _flat(random, conversations)
    forks = {f"__MACOSX/export/._{name}": _RESOURCE_FORK for name in files}
    return {**{f"export/{name}": content for name, content in files.items()}, **forks, "export/.DS_Store": b"\0"}


def _portal(random: Random, conversations: Sequence[object]) -> _Files:
    """OpenAI's privacy portal: folders of zips, of which some are private."""
    folder = "User Online Activity/"
    split = random.randint(0, len(conversations))
    parts = {
        f"{folder}Conversations__u-chatgpt-{number:04}.zip": _zip(_flat(random, part), random)
        for number, part in enumerate((conversations[:split], conversations[split:]), 1)
    }
    return {**parts, f"{folder}Files__u-chatgpt-0001.zip": _zip({"file-1.dat": b"x"}, random), "Financial/a.json": b"["}


def _claude(random: Random, conversations: Sequence[object]) -> _Files:
    """A zip of Claude.ai with its manifest, projects and memories."""
    files = _shards(random, conversations)
    manifest = {"files": [{"name": name} for name in files], "batch": 0}
    beside = {"users.json": [], "projects/p.json": {"uuid": "p", "docs": []}, "memories.json": {}}
    return {**files, "manifest-batch-0000.json": _json(manifest), **{name: _json(v) for name, v in beside.items()}}


_MAKERS: Final[tuple[_Maker, ...]] = (_flat, _in_folder, _portal, _claude)


def unlawful(conversations: Sequence[Any], read: ReadFile) -> Iterator[str]:
    """Yield what of the conversations is in no row of any of the export's dialogues, unless something was told of."""
    if read.rejected or read.may_hold_more:
        return
    absent = missing(said_in(*conversations), values_of(*read.dialogues))
    if absent:
        yield f"lost values: {', '.join(absent)}"
