"""Values of a database as JSON: nothing is lost but the content of large BLOBs, of which the hash is kept."""

from __future__ import annotations

import json
import math
from functools import lru_cache
from typing import Any

import orjson

from archive_pipeline.readers.blobs import StoredFile, blob_as_object
from archive_pipeline.readers.databases.secrets import blank, may_have, remove
from archive_pipeline.readers.json.nesting import as_json as value_as_json
from archive_pipeline.readers.json.parsing import parse_json


class Text(bytes):
    """A text as the database has it: in UTF-8, if all is well."""

    __slots__ = ()


def as_json(value: Any) -> bytes:
    """Returns a value of a column as JSON; a text that is not UTF-8 keeps its bytes.

    Args:
        value: None, a number, ``Text``, bytes of a BLOB, or a ``StoredFile``.
    """
    if isinstance(value, Text):
        return _text(value)
    if isinstance(value, bytes | StoredFile):
        return orjson.dumps(blob_as_object(value))
    if isinstance(value, float) and math.isinf(value):
        return b"1e999" if value > 0 else b"-1e999"  # what no number type holds is read as this text
    return orjson.dumps(value)


def json_of(value: Any) -> bytes:
    """Returns what a column says in JSON, as it is; a value that is none as ``as_json`` has it."""
    if not isinstance(value, Text):
        return as_json(value)
    try:
        parse_json(value)
    except ValueError:
        return as_json(value)
    return bytes(value)


def parse_entry(value: bytes) -> Any:
    """Returns what a text or a BLOB says in JSON.

    Raises:
        ValueError: if it is not JSON.
    """
    return parse_json(_as_utf8(value))[0]


def entry_as_json(value: Any, secrets: frozenset[str]) -> bytes:
    """Returns what a text or a BLOB says in JSON, as it is; a value that is none as ``as_json`` has it.

    Args:
        value: of a column.
        secrets: fields that are left out; of text that is no JSON, what they hold.
    """
    if not isinstance(value, bytes):
        return as_json(value)
    raw = _as_utf8(value)
    try:
        said, _ = parse_json(raw)
    except ValueError:
        text = raw.decode("utf-8", "replace")
        blanked = blank(text, secrets)
        return as_json(value) if blanked == text else orjson.dumps(blanked)
    left, is_changed = remove(said, secrets) if may_have(raw, secrets) else (said, False)
    return value_as_json(left) if is_changed else raw


def _as_utf8(value: bytes) -> bytes:
    """Returns text in UTF-8 without its mark; a BLOB may be in UTF-16."""
    encoding = json.detect_encoding(value)
    if encoding == "utf-8" or (isinstance(value, Text) and encoding != "utf-8-sig"):
        return bytes(value)
    return value.decode(encoding, "replace").encode()


def key_as_json(value: Any) -> bytes:
    """Returns the key of an entry as JSON; a BLOB as the text that its bytes are."""
    return as_json(Text(value) if isinstance(value, bytes) else value)


def flag_as_json(value: Any) -> bytes:
    """Returns true or false for the numbers that stand for them; any other value as ``as_json`` has it."""
    return as_json(bool(value) if value in (0, 1) else value)


@lru_cache(maxsize=1_024)
def name_as_json(name: str) -> bytes:
    """Returns the name of a table or column as JSON."""
    return json.dumps(name, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _text(value: bytes) -> bytes:
    try:
        return orjson.dumps(value.decode())
    except UnicodeDecodeError:
        text = value.decode("utf-8", "surrogateescape")
        return json.dumps(text, ensure_ascii=False).encode("utf-8", "surrogateescape")
