"""What ``stats`` and ``up`` say of dialogues that older readers read, and the commands that read them again."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import Any, Final

from archive_pipeline.cli.output import encodable, note, one_line
from archive_pipeline.domain.addresses import is_address
from archive_pipeline.domain.counted import counted
from archive_pipeline.readers.found import is_container
from archive_pipeline.store.outdated_readings import OutdatedExport, OutdatedReading

_SHOWN: Final = 3
_IN_THAT_FOLDER: Final = " (in the folder in which they were imported)"


def as_dicts(readings: Sequence[OutdatedReading]) -> list[dict[str, Any]]:
    """Return the readings for programs, with all commands."""
    return [
        {
            "source": reading.source,
            "dialogues": reading.dialogues,
            "commands": list(map(encodable, commands(reading.exports))),
        }
        for reading in readings
    ]


def print_notes(readings: Sequence[OutdatedReading]) -> None:
    """Say of each source how many dialogues they are, and how they are read again."""
    for reading in readings:
        found = commands(reading.exports)
        how = "; ".join(found[:_SHOWN]) or "llm-archive import PATH of their exports"
        more = f"; {len(found) - _SHOWN:,} more in `stats --json`" if len(found) > _SHOWN else ""
        of = f"of {reading.source}"
        dialogues = counted(reading.dialogues, f"dialogue {of} was", f"dialogues {of} were")
        note(
            f"{dialogues} read by an older version, which may have dropped values that this one keeps; "
            f"to read them again: {one_line(how)}{more}{folder_of(item.path for item in reading.exports)}"
        )


def commands(exports: Iterable[OutdatedExport]) -> list[str]:
    """Return a command for each file or zip, the first ones first."""
    options = {False: "", True: "--partial "}
    found = (f"llm-archive import {options[item.is_partial]}{shlex.quote(container_of(item.path))}" for item in exports)
    return list(dict.fromkeys(found))


def folder_of(locators: Iterable[str]) -> str:
    """Return where commands with some of these paths are to be given: imports keep paths as they were given."""
    is_any_relative = any(not (is_address(path) or PurePosixPath(path).is_absolute()) for path in locators)
    return _IN_THAT_FOLDER if is_any_relative else ""


def container_of(locator: str) -> str:
    """Return the outermost zip around a file, or the file; addresses keep their slashes."""
    parts = locator.split("/")
    ends = (end for end in range(1, len(parts)) if is_container(PurePosixPath(parts[end - 1]).name))
    return "/".join(parts[: next(ends, len(parts))])
