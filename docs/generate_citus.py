"""Writes ``docs/citus.sql`` from the table declarations. Run by ``make docs``."""
# ruff: noqa: INP001 (a folder of documents, not a package)

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from archive_pipeline.store.tables.spread import citus_statements

TARGET: Final = Path(__file__).with_name("citus.sql")
HEAD: Final = """\
-- Written by `make docs` from `archive_pipeline/store/tables`; not edited by hand.
-- Makes the tables of a migrated archive reference and distributed tables of Citus: docs/scaling-tables.md.
"""


def document() -> str:
    """Return the text of the file."""
    return "\n".join([HEAD, *citus_statements(), ""])


def main() -> None:
    """Write the file."""
    TARGET.write_text(document(), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
