"""``llm-archive db partition-tables``: commands say and write the same over an archive of partitions."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.store.database import Database
from archive_pipeline.store.tables.spread import tables_of_dialogues
from archive_pipeline_tests.cli.command_line import CommandLine
from archive_pipeline_tests.exports import chain, chatgpt
from archive_pipeline_tests.tables import derived_rows, query, raw_rows

pytestmark = [pytest.mark.postgres, pytest.mark.dagster, pytest.mark.long]

VOLATILE = {"seconds", "runs", "imported_at", "changed_at", "added_at", "score", "table_bytes", "size_bytes", "home"}
NOW = re.compile(r"\d{4}-\d\d-\d\dT[\d:]+\.\d{6}\+00:00")
TEXTS = ("Which whale sings?", "The humpback sings for hours.", "And which is silent?", "None of them is.")


def export(path: Path, *names: str) -> Path:
    path.write_text(json.dumps([chatgpt(name, chain(*TEXTS, prefix=f"{name}-")) for name in names]))
    return path


def told(value: Any) -> Any:
    """Return what a command printed without what another server, place or moment changes."""
    if isinstance(value, dict):
        return {name: told(item) for name, item in value.items() if name not in VOLATILE}
    return [told(item) for item in value] if isinstance(value, list) else value


def life(llm_archive: CommandLine, url: str, folder: Path) -> list[Any]:
    """Use an archive as people do; return what the commands printed and wrote."""
    folder.mkdir()
    found: list[Any] = []

    def run(*arguments: object) -> None:
        result = llm_archive(*arguments, ARCHIVE_DATABASE_URL=url)
        assert result.code == 0, result.err
        found.append(told(json.loads(result.out)) if "--json" in arguments else result.out)

    path = folder.parent / "conversations.json"
    run("import", export(path, "p1", "p2", "p3", "p4"), "--json")
    run("import", export(path, "p1", "p2", "p3"), "--mirror", "--json")
    run("build", "--full", "--json")
    run("search", "humpback", "--mode", "lexical", "--json")
    run("list", "--json")
    run("show", "chatgpt-p2", "--json")
    for name in ("openai", "sharegpt", "trl-sft"):
        run("export", name, "--out", folder / f"{name}.jsonl", "--json")
        found.append((folder / f"{name}.jsonl").read_text())
    run("verify", "--json")
    run("delete", "chatgpt-p3", "--json")
    run("list", "--json")
    return found


def without_places(found: list[Any], folder: Path) -> list[str]:
    """Return what was found as text, without where and when it was."""
    return [NOW.sub("NOW", json.dumps(each).replace(str(folder), "FOLDER")) for each in found]


def test_commands_do_the_same_over_partitions(
    llm_archive: CommandLine, database: Database, own_database: Database, tmp_path: Path
):
    made = llm_archive("db", "partition-tables", "3", "--json", ARCHIVE_DATABASE_URL=own_database.url)
    assert made.json == {"partitions": 3, "tables": {table.fullname: 0 for table in tables_of_dialogues()}}
    plain = life(llm_archive, database.url, tmp_path / "a")
    assert without_places(life(llm_archive, own_database.url, tmp_path / "b"), tmp_path / "b") == without_places(
        plain, tmp_path / "a"
    )
    before = raw_rows(own_database), derived_rows(own_database)
    assert before == (raw_rows(database), derived_rows(database))
    assert query(own_database, "SELECT count(DISTINCT tableoid) > 1 FROM raw.messages") == [(True,)]
    whole = llm_archive("db", "partition-tables", "0", ARCHIVE_DATABASE_URL=own_database.url)
    assert whole.out.splitlines()[-1] == f"{len(tables_of_dialogues())} tables copied; each table of dialogues is whole"
    assert "raw.dialogues: 2 rows" in whole.out
    assert (raw_rows(own_database), derived_rows(own_database)) == before
    again = llm_archive("db", "partition-tables", "0", ARCHIVE_DATABASE_URL=own_database.url)
    assert again.out == "0 tables copied; each table of dialogues is whole\n"
    assert llm_archive("db", "partition-tables", "2000", ARCHIVE_DATABASE_URL=own_database.url).code == 2
