"""What commands print: tables for people, JSON for programs, one line for an error."""

from __future__ import annotations

import codecs
import json
import re
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

import click
import orjson
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from archive_pipeline.text.sanitize import clean_text
from archive_pipeline.text.shown_names import CONTROLS, printable

# Marks that turn the writing direction show a text in another order.
_COMMANDING: Final = re.compile(rf"{CONTROLS}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_COMMANDING_OR_NOT_ASCII: Final = re.compile(rf"{_COMMANDING.pattern}|[^\x00-\x7f]")

_UNBOUNDED: Final = 10_000
_NARROWEST_NAME: Final = 8

EXIT_REJECTED: Final = 1
EXIT_FAILED: Final = 2


def print_json(value: Any) -> None:
    """Print a value as indented JSON on standard output, which may be a terminal, or not have every character."""
    text = orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS, default=str).decode()
    has_all = codecs.lookup(sys.stdout.encoding or "utf-8").name == "utf-8"
    escaped = _COMMANDING if has_all else _COMMANDING_OR_NOT_ASCII
    click.echo(escaped.sub(lambda found: _escape(found[0]), text))


def _escape(character: str) -> str:
    """Return a character as JSON escapes it, DEL too, which JSON has as it is."""
    return f"\\u{ord(character):04x}" if ord(character) < 128 else json.dumps(character)[1:-1]


def fail(message: str) -> None:
    """Print an error as one line on standard error."""
    click.echo(f"llm-archive: {one_line(message)}", err=True)


def note(message: str) -> None:
    """Print a remark as one line on standard error, where it is in nobody's way."""
    click.echo(one_line(message), err=True)


def one_line(text: str) -> str:
    """Return the text on one line that a terminal shows as it is: names of files may hold anything."""
    line = " ".join(part.strip() for part in encodable(text).replace("\t", " ").splitlines() if part.strip())
    return printable(line)


def print_text(text: str) -> None:
    """Print a text of several lines on standard output: on a terminal as ``shown`` has it, else as it is."""
    # Else Click takes what it knows as commands of terminals out of what goes to programs.
    click.echo(shown(text) if sys.stdout.isatty() else text, color=True)


def print_piece(text: str) -> None:
    """Print a part of a text as ``print_text`` does, at once and without ending its line."""
    click.echo(shown(text) if sys.stdout.isatty() else text, nl=False, color=True)


def shown(text: str) -> str:
    """Return a text of several lines without what would command a terminal or turn the order of what it shows."""
    return _COMMANDING.sub("\ufffd", encodable(text))


def cell(text: str) -> Text:
    """Return the text for a cell of a table: on one line, and never markup."""
    return Text(one_line(text))


def encodable(text: str) -> str:
    """Return the text as it is kept in the database: names of files that are not UTF-8 cannot be printed."""
    return clean_text(text, Counter())


def stdout_console() -> Console:
    """Return a console on standard output that highlights nothing."""
    return Console(highlight=False, soft_wrap=False)


def stderr_console() -> Console:
    """Return a console for progress."""
    return Console(stderr=True, highlight=False)


def count_table(title: str, counts: Mapping[str, int], *, headers: tuple[str, str]) -> Table:
    """Return a two-column table of names and numbers."""
    return figures_table(title, headers, [(name, f"{count:,}") for name, count in counts.items()])


def figures_table(
    title: str, headers: Sequence[str], rows: Iterable[Sequence[str]], *, left: Collection[str] = ()
) -> Table:
    """Return a table of names, which take several lines on a narrow terminal, and figures, which stay whole.

    Args:
        title: above it.
        headers: of the columns.
        rows: of each its name, and what is told of it.
        left: headers of columns that are no numbers.
    """
    lines = [[one_line(text) for text in row] for row in rows]
    table = Table(title=title, title_justify="left", title_style="bold", show_edge=False, pad_edge=False, box=None)
    for place, header in enumerate(headers):
        widest = max(map(cell_len, (*header.split(), *(line[place] for line in lines))), default=0)
        is_left = place == 0 or header in left
        narrowest = widest if place else min(widest, _NARROWEST_NAME)
        table.add_column(header, justify="left" if is_left else "right", overflow="fold", min_width=narrowest)
    for line in lines:
        table.add_row(*map(Text, line))
    return table


def print_tables(beginning: Sequence[Table], beside: Table) -> None:
    """Print tables one below the other, and one beside them where the terminal is wide enough, else below."""
    console = stdout_console()
    stacked, layout = Table.grid(), Table.grid(padding=(0, 6))
    for number, table in enumerate(beginning):
        if number:
            stacked.add_row("")
        stacked.add_row(table)
    layout.add_row(stacked, beside)
    if console.measure(layout, options=console.options.update(width=_UNBOUNDED)).maximum <= console.width:
        console.print(layout)
        return
    for number, table in enumerate((*beginning, beside)):
        if number:
            console.print()
        print_table(console, table)


def print_table(console: Console, table: Table) -> None:
    """Print a table whose figures stay whole: what is wider than the terminal is wrapped by that."""
    console.print(table, crop=False)
