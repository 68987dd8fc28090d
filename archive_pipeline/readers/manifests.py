"""What an export's manifest names and was not given: files of conversations, by their names or by links to them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Final

from archive_pipeline.errors import UnreadableInputError
from archive_pipeline.readers.found import SourceFile
from archive_pipeline.readers.json.parsing import parse_json

_MAX_BYTES: Final = 16 * 1024 * 1024
_CONVERSATIONS: Final = re.compile(r"(?:.*/)?(conversations[^/?#]{0,60}\.(?:json|zip))(?:[?#].*)?", re.IGNORECASE)
# The parts of a privacy portal's export are one export, whose manifest may be in any of them.
_PORTAL_PART: Final = "Conversations__"


def named_conversations(manifest: SourceFile) -> set[str]:
    """Returns the names of files of conversations that a manifest mentions; none of one that cannot be read."""
    try:
        with manifest.open() as stream:
            value, _ = parse_json(stream.read(_MAX_BYTES))
    except (OSError, ValueError, UnreadableInputError):
        return set()
    return {found[1] for text in _texts(value) if (found := _CONVERSATIONS.fullmatch(text))}


def missing_files(manifest: SourceFile, locators: Iterable[str]) -> list[str]:
    """Returns a line for each file that a manifest names and that is not among the files that were found.

    Args:
        manifest: the companion.
        locators: of everything that was found at the paths of the import, in whatever container.
    """
    given = [PurePosixPath(locator) for locator in locators]
    root = _root_of(manifest.locator)
    return [
        f"{name}: named by {manifest.locator}, but not given"
        for name in sorted(named_conversations(manifest))
        if not any(_is_there(name, locator, root) for locator in given)
    ]


def _is_there(name: str, locator: PurePosixPath, root: str) -> bool:
    """Tells whether a place is that of a file: beside the manifest, or, of a zip, anywhere, unpacked or not."""
    if name.lower().endswith(".zip"):
        return name in locator.parts or name[:-4] in locator.parts
    return _is_or_is_shard_of(locator.name, name) and str(locator).startswith(root)


def _is_or_is_shard_of(name: str, named: str) -> bool:
    """Tells whether a file is the one that a manifest names; a manifest names what its shards are together, too."""
    whole, dot, suffix = named.rpartition(".")
    return name == named or re.fullmatch(f"{re.escape(whole)}-[0-9]{{3,6}}{re.escape(dot + suffix)}", name) is not None


def _root_of(locator: str) -> str:
    place = PurePosixPath(locator)  # written as the places that are compared with it
    if _PORTAL_PART in locator:
        return str(place)[: str(place).index(_PORTAL_PART)]
    folder = str(place.parent)
    return "" if folder == "." else f"{folder}/"


def _texts(value: object) -> Iterator[str]:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
