"""Sessions of GitHub Copilot CLI, as its logs of events have them."""

from __future__ import annotations

from typing import Final

from archive_pipeline.readers.copilot_cli.dialogue import SOURCE, inner_sessions, read_session
from archive_pipeline.readers.copilot_cli.recognition import is_line, recognise
from archive_pipeline.readers.declaration import Reader

READER: Final = Reader(
    SOURCE,
    "GitHub Copilot CLI sessions (session-state/<id>/events.jsonl)",
    2,
    recognise,
    read_session,
    is_line=is_line,
    inner=inner_sessions,
)
