"""Bytes of databases and tables as JSON: of a large value the hash is kept, and not its content."""

from __future__ import annotations

import base64
import hashlib
from typing import Any, Final, NamedTuple

# A value up to this size stands in the object. Files that messages came with are kept apart.
MAX_BLOB_BYTES: Final = 64 * 1024


class StoredFile(NamedTuple):
    """The content of a file, which is not read into the object."""

    sha256: str
    size: int


def blob_as_object(value: bytes | StoredFile) -> dict[str, Any]:
    """Returns what stands for bytes in JSON: their content in base64, or the hash and size of many."""
    if isinstance(value, StoredFile):
        return {"sha256": value.sha256, "bytes": value.size}
    if len(value) > MAX_BLOB_BYTES:
        return blob_as_object(StoredFile(hashlib.sha256(value).hexdigest(), len(value)))
    return {"base64": base64.b64encode(value).decode()}
