"""How a session trace is told from sessions of Pi and Droid, whose lines have messages in the same envelope.

Pi's format may name a harness too: a file that has entries of Pi's own, or a header and entries as Pi writes them, is
Pi's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.readers.declaration import Evidence
from archive_pipeline.readers.json.shapes import as_object, as_text
from archive_pipeline.readers.json_lines import objects_of
from archive_pipeline.readers.pi.recognition import recognise as recognise_pi

HEADER: Final = "session"
MESSAGE: Final = "message"
# What a header of Pi alone is worth to its reader; more says that there are entries of Pi's.
_PI_WITHOUT_ENTRIES: Final = 0.6


def is_header(line: object) -> bool:
    """Tells the first line of a session, which names the harness that wrote it."""
    fields = as_object(line)
    return fields.get("type") == HEADER and as_text(fields.get("harness")) is not None


def recognise(value: Mapping[str, Any]) -> Evidence:
    """Judges a file's lines: a header with a harness, and messages in their envelopes."""
    objects = objects_of(value)
    if objects is None:
        return Evidence(0.0, "no lines of a session")
    if not any(map(is_header, objects)):
        return Evidence(0.0, "no line of type session with a harness")
    if recognise_pi(value).confidence > _PI_WITHOUT_ENTRIES:
        return Evidence(0.0, "a harness, but entries of Pi")
    if any(map(_is_message, objects)):
        return Evidence(1.0, "a header with a harness, and messages")
    return Evidence(0.6, "a header with a harness, without messages")


def _is_message(line: Mapping[str, Any]) -> bool:
    message = as_object(line.get(MESSAGE))
    return line.get("type") == MESSAGE and isinstance(message.get("role"), str) and "content" in message
