"""``llm-archive documents list``: the documents of the archive."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from rich.text import Text

from archive_pipeline.cli.archive import open_archive
from archive_pipeline.cli.output import note, one_line, print_json, stdout_console
from archive_pipeline.domain.counted import counted
from archive_pipeline.store.documents import listed_documents

_LISTED: Final = 50
# Of what is below the day.
_INDENT: Final = 12


def run(limit: int | None, *, is_failed: bool, as_json: bool) -> None:
    """Print documents, at most so many; None are all of them for programs, and some for people."""
    most = _LISTED if limit is None and not as_json else limit
    with open_archive() as archive, archive.database.session() as connection:
        found = listed_documents(connection, is_failed=is_failed, limit=None if most is None else most + 1)
    listed = found[:most]
    if as_json:
        print_json(listed)
    else:
        _print(listed)
    if not listed:
        note("every document could be read" if is_failed else "the archive holds no documents yet")
    elif len(found) > len(listed):
        note(f"the latest {len(listed):,}; --limit shows more")


def _print(listed: Iterable[Mapping[str, Any]]) -> None:
    # Two lines a document: a table would cut the id, by which `documents remove` finds it, or fold the reason.
    console = stdout_console()
    for document in listed:
        line = Text(f"{document['added_at']:%Y-%m-%d}".ljust(_INDENT))
        line.append(one_line(document["file_name"]), style="bold")
        console.print(line, soft_wrap=True)
        status = document["error"] or counted(document["page_count"], "page")
        messages = counted(document["messages"], "message") if document["messages"] else ""
        told = [document["extension"], status, messages, document["id"]]
        console.print(
            Text(" " * _INDENT + " · ".join(one_line(each) for each in told if each), style="dim"), soft_wrap=True
        )
