"""The ids by which exports name attached files: at the end of a message's pointer, and at the beginning of a name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Final

_SCHEME: Final = re.compile(r"^[a-z][a-z0-9+.-]*://", re.IGNORECASE)
# LM Studio's are whole names, with the suffix: ``1770514213626 - 185.png``.
_ID_IN_NAME: Final = re.compile(
    r"file[-_][A-Za-z0-9]+|[0-9]{13} - [0-9]+\.[A-Za-z0-9]+$"
    r"|(?P<uuid>[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})"
)
# An id of a form that no known export has: nothing tells it from any other word but that a message points to it.
_WORD: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
# A picture made of a file, such as page 14 of a PDF: ``028801d585008c0#file_00ab#p_14.jpg``. What it shows is not what
# the file has, so all of it is its id; ``028801d585008c0#file_00ab`` is the file itself.
_MADE_OF_FILE: Final = re.compile(
    r"[0-9a-f]{6,64}#(?P<file>file[-_][A-Za-z0-9]+)(?P<part>#[A-Za-z0-9_]+(?:\.(?!dat$)[A-Za-z0-9]+)*)?"
)
# Grok's asset server: each file is called ``content`` and stands in a folder that has its id.
_ASSET_SERVER: Final = "prod-mc-asset-server"
# Le Chat's exports have no ids of files: one is told by its chat, whose folder it is in, and its name.
_CHAT_FILE: Final = re.compile(r"chat-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}-files/[^/]+")
# What stands between an id and the rest of a name.
_BETWEEN: Final = "-_. "


def id_in_name(name: str) -> str:
    """Return the id that a file's name begins with, empty if it begins with none."""
    return _split(name)[0]


def pointed_id(pointer: str) -> str:
    """Return the id of the file that a pointer in a message means, empty if that cannot be told.

    A pointer that is a single word is an id, of whatever form.
    """
    name = _SCHEME.sub("", pointer)
    if _CHAT_FILE.fullmatch(name):
        return name
    return id_in_name(name) or (name if _WORD.fullmatch(name) else "")


def chat_file(chat: str, name: str) -> str:
    """Return the pointer to a file that came with a message of Le Chat.

    Args:
        chat: the id of the chat.
        name: of the file.
    """
    return f"chat-{chat}-files/{name}"


def id_of_chat_file(path: str) -> str:
    """Return the id of a file of an export of Le Chat that a message came with; empty of any other."""
    place = "/".join(PurePosixPath(path).parts[-2:])
    return place if _CHAT_FILE.fullmatch(place) else ""


def word_of(path: str) -> str:
    """Return what stands before the suffix in a file's name if it may be an id of any form, else an empty text."""
    word = PurePosixPath(path).name.partition(".")[0]
    return word if _WORD.fullmatch(word) else ""


def ids_of(path: str, names: Mapping[str, str]) -> tuple[str, ...]:
    """Return the ids of a file of an export; none of one that no message can point to.

    Args:
        path: its path in the export.
        names: what ``conversation_asset_file_names.json`` calls files, by their names in the export.
    """
    place = PurePosixPath(path)
    if in_chat := id_of_chat_file(path):
        return (in_chat,)
    found = [id_in_name(place.name)]
    if place.name in names:
        found.append(id_in_name(PurePosixPath(names[place.name]).name))
    if _ASSET_SERVER in place.parts[:-1]:
        found.extend(map(id_in_name, place.parts[place.parts.index(_ASSET_SERVER) + 1 : -1]))
    return tuple(dict.fromkeys(name for name in found if name))


def own_name(path: str, names: Mapping[str, str]) -> str | None:
    """Return what the user called a file of an export, None if the export does not say; arguments as of ``ids_of``."""
    place = PurePosixPath(path)
    given = PurePosixPath(names[place.name]).name if place.name in names else place.name
    identifier, rest = _split(given)
    rest = rest.lstrip(_BETWEEN) if identifier else given
    # What is left of ``file-abc.dat`` is a suffix, and Grok calls every file ``content``.
    is_name = rest != given or (place.name in names and not identifier)
    return rest if is_name and "." in rest else None


def _split(name: str) -> tuple[str, str]:
    """Return the id that a name begins with, empty if it begins with none, and what stands behind it."""
    if (made := _MADE_OF_FILE.match(name)) is not None:
        return made.group() if made["part"] else made["file"], name[made.end() :]
    found = _ID_IN_NAME.match(name)
    if found is None:
        return "", name
    # The digits of a UUID are the same in either case.
    return (found["uuid"] or "").lower() or found.group(), name[found.end() :]
