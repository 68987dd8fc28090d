"""``llm-archive report``: the archive in charts."""

from __future__ import annotations

from pathlib import Path

from archive_pipeline.cli.archive import open_archive
from archive_pipeline.cli.output import note, shown, stdout_console
from archive_pipeline.report.charts import collect
from archive_pipeline.report.page import write_page
from archive_pipeline.retrieval.search.nothing import EMPTY_ARCHIVE


def run(path: Path) -> None:
    """Count, draw and write."""
    with open_archive() as archive:
        counted = collect(archive.database)
    write_page(counted, path)
    stdout_console().print(f"{path.stat().st_size:,} bytes: {shown(str(path))}", soft_wrap=True)
    if not counted.totals["dialogues"]:
        note(EMPTY_ARCHIVE)
