"""The documents that a file is of: where in one a scanner stands, and where in one its conversations are."""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import Final

CONVERSATIONS: Final = "conversations"
_CONVERSATIONS_KEY: Final = re.compile(rb'"%s"\s*:\s*\Z' % CONVERSATIONS.encode())


class Place(Enum):
    """Where in the file the scanner stands."""

    START = auto()
    ARRAY = auto()
    OBJECT = auto()  # in the top-level object, and not in its array
    END = auto()  # behind a document


def opens_conversations(before: bytes) -> bool:
    """Tells whether an array of conversations opens behind this text of an object."""
    return _CONVERSATIONS_KEY.search(before) is not None
