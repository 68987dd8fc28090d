"""Digests of the rows that each version of an asset makes of the golden cases, and the file they are recorded in.

``golden_rows.json`` maps asset, version and case to a digest of the rows, and each case to a digest of its input. The
version is the asset's ``CODE_VERSION`` and those of all assets it builds on: rows may change with any of them, and
archives are built anew for any of them. Settings and packages are part of what archives record, and not of the file:
what they change is not a change of the code.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, Final

from psycopg import sql

from archive_pipeline.building import duplicates as refresh
from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.derive import document_chunks
from archive_pipeline.derive.registry import ASSETS
from archive_pipeline.domain.choices import Normalization
from archive_pipeline.duplicates import finder
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.document_chunks import DOCUMENT_CHUNKS
from archive_pipeline.store.duplicates import DUPLICATES
from archive_pipeline.store.replace import TABLES
from archive_pipeline.store.tables import metadata
from archive_pipeline.store.tables.base import AS_PARENT
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.derive.batches import batch_of, store
from archive_pipeline_tests.golden.cases import DIALOGUES, DOCUMENTS, FOLDER

RECORD: Final = FOLDER / "golden_rows.json"
OTHER_SETTINGS: Final = "other settings: "
# asset -> case -> digest
Digests = dict[str, dict[str, str]]
Record = dict[str, Any]


def versions() -> dict[str, str]:
    """Return the version that rows of each asset are recorded under."""
    found = {name: _version(asset.code_version, asset.upstream) for name, asset in ASSETS.items()}
    found[DOCUMENT_CHUNKS] = document_chunks.CODE_VERSION
    found[DUPLICATES] = _version(finder.CODE_VERSION, refresh.UPSTREAM)
    return found


def _version(own: str, upstream: Iterable[str]) -> str:
    found: set[str] = set()
    left = list(upstream)
    while left:
        name = left.pop()
        found.add(name)
        left += ASSETS[name].upstream
    return ", ".join([own, *(f"{name} {ASSETS[name].code_version}" for name in sorted(found))])


def inputs() -> dict[str, str]:
    """Return a digest of each case's input."""
    cases: dict[str, Any] = {**DIALOGUES, **DOCUMENTS}
    return {name: _digest([json.dumps(_plain(case))]) for name, case in cases.items()}


def _plain(value: Any) -> Any:
    """Return a case as JSON would have it, without fields that are not given: there may be more of them some day."""
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if not is_dataclass(value):
        return value
    given = {field.name: getattr(value, field.name) for field in fields(value)}
    default = {field.name: field.default for field in fields(value)}
    return {name: _plain(item) for name, item in given.items() if item != default[name]}


def made_rows(database: Database, settings: Settings) -> Digests:
    """Build every case in an empty database, by the settings and by others; return the digests of the rows."""
    usual = settings.with_values(
        hash_normalizations=(Normalization.NONE, Normalization.FULL), simhash_version=2, chunk_tokens=256
    )
    other = settings.with_values(hash_normalizations=tuple(Normalization), simhash_version=1, chunk_tokens=32)
    found: Digests = {name: {} for name in versions()}
    for case in DIALOGUES:
        _build(database, usual, case, found, case)
        _build(database, other, case, found, f"{OTHER_SETTINGS}{case}")
    for case, pages in DOCUMENTS.items():
        for tokens, name in ((usual.chunk_tokens, case), (other.chunk_tokens, f"{OTHER_SETTINGS}{case}")):
            rows = document_chunks.document_chunks("00000000-0000-0000-0000-000000000000", pages, tokens)
            found[DOCUMENT_CHUNKS][name] = _digest(json.dumps(row) for row in rows.to_numpy().tolist())
    return found


def _build(database: Database, settings: Settings, case: str, found: Digests, name: str) -> None:
    empty(database)
    store(database, batch_of(*DIALOGUES[case]))
    build_stale(database, settings)
    refresh.refresh_duplicates(database, settings)
    for asset in (*ASSETS, DUPLICATES):
        tables = ASSETS[asset].tables if asset in ASSETS else (DUPLICATES,)
        found[asset][name] = _digest(row for table in tables for row in _rows(database, table))


def _rows(database: Database, name: str) -> list[str]:
    """Return the rows of a table as sorted JSON, without columns that are computed, numbered or a parent's."""
    table = TABLES.get(name, metadata.tables[f"derived.{name}"])
    columns = [
        column.name
        for column in table.columns
        if column.server_default is None and not AS_PARENT.items() <= column.info.items()
    ]
    statement = sql.SQL('SELECT json_build_array({})::text COLLATE "C" AS found FROM {} ORDER BY found').format(
        sql.SQL(", ").join(map(sql.Identifier, columns)), sql.Identifier("derived", name)
    )
    with database.session() as connection:
        connection.execute("SET LOCAL timezone = 'UTC'")
        return [name, *(row for (row,) in connection.execute(statement))]


def _digest(lines: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def read_record(path: Path = RECORD) -> Record:
    """Return what is recorded."""
    empty_record: Record = {"cases": {}, "rows": {}}
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else empty_record


def differences(record: Record, made: Digests, cases: dict[str, str], own: dict[str, str]) -> list[str]:
    """Return what contradicts the record, a line each; what is not recorded yet does not."""
    wrong = [
        f"the case {name!r} is another one than was recorded: restore it, and add a case of another name"
        for name, digest in record["cases"].items()
        if cases.get(name) != digest
    ]
    for asset, rows in made.items():
        recorded = record["rows"].get(asset, {}).get(own[asset], {})
        changed = [case for case, digest in rows.items() if recorded.get(case, digest) != digest]
        if changed:
            wrong.append(
                f"{asset}: version {own[asset]!r} makes other rows than it did ({', '.join(changed)}): raise its "
                "CODE_VERSION, or the version of the READER, and run `make golden`; if the code is the same, a package "
                "of text/runtime.py is another"
            )
    return wrong


def missing(record: Record, made: Digests, own: dict[str, str]) -> list[str]:
    """Return the assets of which rows are not recorded yet, each with its version."""
    return [
        f"{asset}: version {own[asset]!r} is not recorded; run `make golden`"
        for asset in _unrecorded(record, made, own)
    ]


def _unrecorded(record: Record, made: Digests, own: dict[str, str]) -> list[str]:
    return [asset for asset, rows in made.items() if set(rows) - set(record["rows"].get(asset, {}).get(own[asset], {}))]


def with_new(record: Record, made: Digests, cases: dict[str, str], own: dict[str, str]) -> Record:
    """Return the record with what is not in it yet; nothing that is there changes."""
    rows = {asset: {version: dict(found) for version, found in old.items()} for asset, old in record["rows"].items()}
    for asset, found in made.items():
        recorded = rows.setdefault(asset, {}).setdefault(own[asset], {})
        recorded.update({case: digest for case, digest in found.items() if case not in recorded})
    return {"cases": {**cases, **record["cases"]}, "rows": rows}


Say = Callable[[str], None]


def update(path: Path, made: Digests, cases: dict[str, str], own: dict[str, str], say: Say) -> bool:
    """Record what is new; write nothing and say why if something recorded would be another."""
    record = read_record(path)
    wrong = differences(record, made, cases, own)
    for line in wrong:
        say(line)
    if not wrong:
        for asset in _unrecorded(record, made, own):
            say(f"{asset}: version {own[asset]!r} is recorded now")
        text = json.dumps(with_new(record, made, cases, own), indent=1, sort_keys=True)
        path.write_text(text + "\n", encoding="utf-8")
    return not wrong
