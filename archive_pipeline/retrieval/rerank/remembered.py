"""What the second stage remembers of texts: the last used of what was computed, by hashes of the texts."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Hashable, Iterable, Mapping
from typing import Generic, TypeVar

KeyT = TypeVar("KeyT", bound=Hashable)
ValueT = TypeVar("ValueT")


class Remembered(Generic[KeyT, ValueT]):
    """Values by keys, the last used ones up to a number. One thread at a time may use it.

    Args:
        most: how many are kept.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[KeyT, ValueT] = OrderedDict()

    def known(self, keys: Iterable[KeyT]) -> dict[KeyT, ValueT]:
        """Return what there is of some keys, which is used now."""
        found = {key: self._values[key] for key in keys if key in self._values}
        for key in found:
            self._values.move_to_end(key)
        return found

    def add(self, values: Mapping[KeyT, ValueT]) -> None:
        """Keep values, and forget those that were used longest ago."""
        self._values.update(values)
        while len(self._values) > self._most:
            self._values.popitem(last=False)


def text_key(text: str) -> bytes:
    """Return what stands for a text: 16 bytes."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
