"""Paths of which nothing can be read: one line for each says why, and no table has a row."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.cli import bad_input
from archive_pipeline_tests.cli.bad_input import NOT_JSON, assert_nothing_loaded
from archive_pipeline_tests.cli.command_line import CommandLine, Result
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.tables import counts

pytestmark = pytest.mark.postgres

WHOLE_FILES: dict[str, tuple[bytes, str]] = {
    "text that is not JSON": (NOT_JSON, "@ byte 0: the file is not a JSON array or object"),
    "no bytes": (b"", "the file is empty"),
    "white space": (b" \n \n", "nothing but white space"),
    "a number": (b"42", "the file is not a JSON array or object"),
    "an object of no known kind": (b'{"hello": "world"}', "no known export format: top level is"),
    "records of no known kind": (b'[{"hello": "world"}]', "no known export format: an array whose first record is"),
    "random bytes": (bytes(range(128, 256)), "the file is not a JSON array or object"),
    "100,000 brackets": (b"[" * 100_000, "cut off after byte"),
    "closed nesting, 100,000 deep": (b"[" * 100_000 + b"]" * 100_000, "first record is an array"),
}
PATHS: dict[str, tuple[Callable[[Path], Path], str]] = {
    "escaping": (lambda folder: bad_input.escaping(folder / "evil.zip"), "has a name that leads out of the zip"),
    "encrypted": (lambda folder: bad_input.encrypted(folder / "locked.zip"), "is encrypted: unpack the zip"),
    "damaged": (lambda folder: bad_input.damaged(folder / "rotten.zip"), "copy or download it again"),
    "torn": (lambda folder: bad_input.torn(folder / "torn.zip"), "is not a readable zip: copy or download it again"),
    "a first part": (
        lambda folder: bad_input.torn(folder / "first.zip.001"),
        "is a part of a zip that was split: join",
    ),
    "a last part": (lambda folder: _last_part(folder / "cut.zip"), "is a part of a zip that was split: join the parts"),
    "a pipe": (lambda folder: _pipe(folder / "pipe"), "is neither a file nor a folder"),
}


def _last_part(path: Path) -> Path:
    path.with_suffix(".z01").write_bytes(b"PK\x07\x08")
    return bad_input.torn(path)


def _pipe(path: Path) -> Path:
    os.mkfifo(path)
    return path


@dataclass(frozen=True)
class Unreadable:
    """What one import said of paths of which nothing can be read, and the rows that tables had afterwards."""

    paths: dict[str, Path]
    result: Result
    rows: dict[str, int]


@pytest.fixture(scope="module")
def unreadable(
    archive: Database, settings: Settings, environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Unreadable:
    folder = tmp_path_factory.mktemp("unreadable")
    paths = {name: folder / f"{number}.json" for number, name in enumerate(WHOLE_FILES)}
    for name, path in paths.items():
        path.write_bytes(WHOLE_FILES[name][0])
    paths |= {name: make(folder) for name, (make, _) in PATHS.items()}
    empty(archive)
    result = CommandLine(settings.home, environment)("import", *paths.values())
    return Unreadable(paths, result, counts(archive))


def test_where_nothing_can_be_read_no_table_has_a_row(unreadable: Unreadable):
    result = unreadable.result
    assert (result.code, result.out) == (2, "")
    assert len([line for line in result.err.splitlines() if line.startswith("rejected")]) == len(unreadable.paths)
    assert result.error == "nothing could be read; what was rejected says why"
    assert_nothing_loaded(unreadable.rows)


@pytest.mark.parametrize("name", [*WHOLE_FILES, *PATHS])
def test_what_cannot_be_read_says_why_on_one_line(name: str, unreadable: Unreadable):
    path = str(unreadable.paths[name])
    [line] = [line for line in unreadable.result.err.splitlines() if path in line]
    assert line.startswith("rejected")
    assert line.count(path) == 1
    assert (WHOLE_FILES | PATHS)[name][1] in line
