"""``llm-archive report``: the archive in charts."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from archive_pipeline.cli.archive import open_archive
from archive_pipeline.cli.output import note, print_json, shown, stdout_console
from archive_pipeline.report.charts import collect
from archive_pipeline.report.page import write_page
from archive_pipeline.retrieval.search.nothing import EMPTY_ARCHIVE


def run(path: Path, *, as_json: bool) -> None:
    """Count, draw, write, and print where; as JSON with everything that was counted."""
    with open_archive() as archive:
        counted = collect(archive.database)
    write_page(counted, path)
    size = path.stat().st_size
    if as_json:
        charts = {name: list(map(asdict, counts)) for name, counts in counted.counts.items()}
        print_json({"path": str(path), "bytes": size, "totals": counted.totals, "charts": charts})
    else:
        stdout_console().print(f"{size:,} bytes: {shown(str(path))}", soft_wrap=True)
    if not counted.totals["dialogues"]:
        note(EMPTY_ARCHIVE)
