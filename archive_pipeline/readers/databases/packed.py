"""Columns that a database keeps compressed with zstd, unpacked row by row: none further than anything real unpacks."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from archive_pipeline.errors import UnreadableInputError
from archive_pipeline.readers.compressed import unpacked_pieces
from archive_pipeline.readers.databases.allowance import Allowance
from archive_pipeline.readers.databases.tables import DamagedError, TooLargeError
from archive_pipeline.readers.json.scanner import MAX_ELEMENT_BYTES

_MAGIC: Final = b"\x28\xb5\x2f\xfd"


def unpacked(row: Mapping[str, Any], columns: Collection[str], allowance: Allowance) -> Mapping[str, Any]:
    """Returns a row with what its columns unpack to; a value that zstd has not compressed stays.

    Args:
        row: its values by column.
        columns: those that may be compressed.
        allowance: that of the database.

    Raises:
        DamagedError: a column cannot be unpacked, or unpacks to more than anything real does.
        TooLargeError: there is too much in it.
        TooMuchError: there is more than the allowance.
    """
    packed = [name for name in columns if isinstance(row.get(name), bytes) and row[name].startswith(_MAGIC)]
    return {**row, **{name: _unpacked(row[name], name, allowance) for name in packed}} if packed else row


def _unpacked(value: bytes, name: str, allowance: Allowance) -> bytes:
    pieces = bytearray()
    try:
        for piece in unpacked_pieces(value, f"its column {name}"):
            allowance.take(len(piece))
            pieces += piece
            if len(pieces) > MAX_ELEMENT_BYTES:
                msg = f"its column {name} unpacks to more than {MAX_ELEMENT_BYTES:,} bytes"
                raise TooLargeError(msg)
    except UnreadableInputError as error:
        raise DamagedError(str(error)) from error
    return bytes(pieces)
