"""Sessions of Continue: the files of its extensions for VS Code and JetBrains, and of its program ``cn``."""

from __future__ import annotations

from typing import Final

from archive_pipeline.readers.continue_dev.dialogue import read_session
from archive_pipeline.readers.continue_dev.recognition import SOURCE, recognise
from archive_pipeline.readers.declaration import Reader

READER: Final = Reader(
    SOURCE,
    "Continue sessions (~/.continue/sessions/<session>.json)",
    1,
    recognise,
    read_session,
    comes_in_exports=False,
)
