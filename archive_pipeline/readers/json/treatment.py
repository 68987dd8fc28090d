"""What becomes of the elements of a file that several processes read: each reads its own, and passes over the others.

Where an element that is passed over ends is taken from where the next one seems to begin, and is not looked into. The
process that reads it does look, from the same beginning to the same end: if it is not one whole record, what the others
have taken for the elements behind it is worth nothing, and the file is to be read again with every element looked into.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class Treatment(Enum):
    """What becomes of the next element."""

    EXACT = auto()  # it is read, and ends where it ends
    OWN = auto()  # it is read, and must end where it seems to: others pass over it
    PASSED_OVER = auto()


@dataclass(frozen=True, slots=True)
class PassedOver:
    """An element that another process reads.

    Attributes:
        size: its bytes.
    """

    size: int


class MisguessedElementError(Exception):
    """What seemed to be an element, and is passed over by others, is not one record: the file is to be read exactly."""
