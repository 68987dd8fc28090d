"""What an export's manifest names and was not given: files of conversations, by their names or by links to them.

Design chats of Claude.ai are conversations too, in files of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Final

from archive_pipeline.errors import UnreadableInputError
from archive_pipeline.readers.found import SourceFile
from archive_pipeline.readers.json.fields import texts_in
from archive_pipeline.readers.json.parsing import parse_json

_MAX_BYTES: Final = 16 * 1024 * 1024
_CONVERSATIONS: Final = re.compile(
    r"(?:.*/)?((?:conversations|design_chats)[^/?#]{0,60}\.(?:json|zip))(?:[?#].*)?", re.IGNORECASE
)
_SHARD: Final = re.compile(r"(?P<whole>.*)-[0-9]{3,6}(?P<suffix>\.[^.]*)", re.DOTALL)
# The parts of a privacy portal's export are one export, whose manifest may be in any of them.
_PORTAL_PART: Final = "Conversations__"


def named_conversations(manifest: SourceFile) -> set[str]:
    """Returns the names of files of conversations that a manifest mentions; none of one that cannot be read."""
    try:
        with manifest.open() as stream:
            value, _ = parse_json(stream.read(_MAX_BYTES))
    except (OSError, ValueError, UnreadableInputError):
        return set()
    return {found[1] for text in texts_in(value) if (found := _CONVERSATIONS.fullmatch(text))}


def missing_files(manifest: SourceFile, locators: Iterable[str]) -> list[str]:
    """Returns a line for each file that a manifest names and that is not among the files that were found.

    Args:
        manifest: the companion.
        locators: of everything that was found at the paths of the import, in whatever container.
    """
    places = [PurePosixPath(locator) for locator in locators]
    # A zip may be anywhere, unpacked or not; other files are beside the manifest.
    parts = {part for place in places for part in place.parts}
    root = _root_of(manifest.locator)
    names = {name for place in places if str(place).startswith(root) for name in _names_of(place)}
    return [
        f"{name}: named by {manifest.locator}, but not given"
        for name in sorted(named_conversations(manifest))
        if not (parts & {name, name[:-4]} if name.lower().endswith(".zip") else name in names)
    ]


def _names_of(place: PurePosixPath) -> Iterator[str]:
    """Yields what a manifest may call a file: its name, or what it and other shards are together."""
    yield place.name
    if shard := _SHARD.fullmatch(place.name):
        yield shard["whole"] + shard["suffix"]


def _root_of(locator: str) -> str:
    place = PurePosixPath(locator)  # written as the places that are compared with it
    if _PORTAL_PART in locator:
        return str(place)[: str(place).index(_PORTAL_PART)]
    folder = str(place.parent)
    return "" if folder == "." else f"{folder}/"
