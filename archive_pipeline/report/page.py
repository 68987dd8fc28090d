"""The report as one HTML page: light and dark, narrow and wide, without a network and without a script."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined, Template, select_autoescape
from markupsafe import Markup

from archive_pipeline import __version__
from archive_pipeline.errors import ArchiveError
from archive_pipeline.report.charts import CHARTS, Chart, Count, Form, Report, class_name
from archive_pipeline.report.drawing import PAGE, draw

# By this the program knows a report, which it may write over.
GENERATOR: Final = "llm-archive report"
_GENERATOR_WITHIN: Final = 1_000


def page(report: Report) -> str:
    """Return the page."""
    return _template().render(report=report, generator=GENERATOR, version=__version__, sections=list(_sections(report)))


def write_page(report: Report, path: Path) -> None:
    """Write the page to a file, whole or not at all; a report that is there is replaced, behind a link too.

    Raises:
        ArchiveError: the file is there and no report, or cannot be written.
    """
    text = page(report)
    try:
        _refuse_other(path)
        _put(text, Path(os.path.realpath(path)))
    except OSError as error:
        raise ArchiveError(f"{path} cannot be written: {error.strerror or error}") from error


def _refuse_other(path: Path) -> None:
    """Raise ``ArchiveError`` if something is there that is no report.

    Raises:
        OSError: the file cannot be read.
    """
    if path.exists() and not (path.is_file() and f'content="{GENERATOR}"' in _beginning(path)):
        raise ArchiveError(f"{path} is there and no report; name another file")


def _put(text: str, target: Path) -> None:
    # A new name of its own: reports that are written at once do not meet, and nobody's file or link is in the way.
    partial = target.with_name(f".{secrets.token_hex(8)}.partial")
    try:
        with partial.open("x", encoding="utf-8") as file:
            file.write(text)
        if target.exists():
            shutil.copymode(target, partial)
        partial.replace(target)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def _beginning(path: Path) -> str:
    with path.open(encoding="utf-8", errors="replace") as file:
        return file.read(_GENERATOR_WITHIN)


def _sections(report: Report) -> Iterator[tuple[Chart, Markup | None, list[tuple[str, str, int]]]]:
    """Return each chart, its picture if anything was counted, and its numbers as rows."""
    for chart in CHARTS:
        counts = report.counts[chart.name]
        # matplotlib escapes the names in it.
        picture = Markup(draw(chart, counts, PAGE)) if counts else None  # noqa: S704
        yield chart, picture, [(_label(chart, count), count.series, count.value) for count in counts]


def _label(chart: Chart, count: Count) -> str:
    return class_name(int(count.label)) if chart.form is Form.CLASSES else str(count.label)


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("archive_pipeline.report"),
        autoescape=select_autoescape(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("report.html")
