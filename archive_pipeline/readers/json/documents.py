"""The documents that a file is of: where in one a scanner stands, and where in one its conversations are."""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import Final

CONVERSATIONS: Final = "conversations"
# By this name the array of one conversation that no object is around becomes an object.
MESSAGES: Final = "messages"
_CONVERSATIONS_OPEN: Final = re.compile(rb'"%s"\s*:\s*\[\Z' % CONVERSATIONS.encode())
# In an object that is too large to be held: what the arrays of conversations are called, and an object around one.
_NAMED_ARRAY_OPENS: Final = re.compile(rb'"(?:%s|archived)"\s*:\s*\[\Z' % CONVERSATIONS.encode())
_WRAPPER_OPENS: Final = re.compile(rb'"data"\s*:\s*\{\Z')


class Place(Enum):
    """Where in the file the scanner stands."""

    START = auto()
    ARRAY = auto()
    OBJECT = auto()  # in the top-level object, and not in its array
    END = auto()  # behind a document


def opens_conversations(text: bytes) -> bool:
    """Tells whether this text of an object ends where an array of conversations opens."""
    return _CONVERSATIONS_OPEN.search(text) is not None


def opens_named_array(text: bytes) -> bool:
    """Tells whether it ends where an array opens of which the name says that it may be one of conversations."""
    return _NAMED_ARRAY_OPENS.search(text) is not None


def opens_wrapper(text: bytes) -> bool:
    """Tells whether it ends where an object opens in which such an array may be."""
    return _WRAPPER_OPENS.search(text) is not None
