"""Writes the columns of the exports that are tables into ``docs/export.md``, from their declaration.

Run by ``make docs``. The text between the two marks is replaced; the rest of the document is written by hand.
"""
# ruff: noqa: INP001 (a folder of documents, not a package)

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from archive_pipeline.export.formats.table_columns import PARQUET_COLUMNS, QA_COLUMNS

TARGET: Final = Path(__file__).with_name("export.md")
START: Final = "<!-- columns: written by `make docs` -->\n"
END: Final = "<!-- end of columns -->\n"


def document(text: str) -> str:
    """Return the text of the document with the tables in place of what is between its marks."""
    before, _, rest = text.partition(START)
    _, _, after = rest.partition(END)
    return f"{before}{START}\n{tables()}\n{END}{after}"


def tables() -> str:
    """Return the tables: a row per column, in the order of the columns."""
    rows = [
        f"| `{table}` | `{name}` | {column.type} | {column.meaning} |\n"
        for table, columns in {**PARQUET_COLUMNS, **QA_COLUMNS}.items()
        for name, column in columns.items()
    ]
    return "".join(["| table | column | type | meaning |\n", "|---|---|---|---|\n", *rows])


def main() -> None:
    """Write the document."""
    TARGET.write_text(document(TARGET.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
