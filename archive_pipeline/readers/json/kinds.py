"""What a stream of elements asks of the formats, of which it knows none itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from archive_pipeline.readers.json.documents import CONVERSATIONS


def _nothing(_: object) -> bool:
    """Takes nothing for a record: without knowing the format no way back is looked for."""
    return False


@dataclass(frozen=True, slots=True)
class Kinds:
    """What tells values of a file apart.

    Attributes:
        is_record: tells a whole record.
        is_inner: tells a whole record also where it stands inside of something else.
        is_message: tells an entry of an array that is one conversation, from whole conversations and anything else.
        is_conversation: tells such an array as a whole.
    """

    is_record: Callable[[object], bool]
    is_inner: Callable[[object], bool]
    is_message: Callable[[object], bool]
    is_conversation: Callable[[list[Any]], bool] = _nothing

    @staticmethod
    def of(is_record: Callable[[object], bool]) -> Kinds:
        """Returns the kinds of a format of which only whole records are known: an array makes an object one."""

        def is_message(value: object) -> bool:
            return not is_record(value) and is_record({CONVERSATIONS: [value]})

        return Kinds(is_record, is_record, is_message)


NOTHING: Final = Kinds.of(_nothing)
