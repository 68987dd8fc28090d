"""`llm-archive delete --forever`: a dialogue and what came with it do not come back until it is readmitted."""

from __future__ import annotations

from pathlib import Path

import pytest
from psycopg import sql

from archive_pipeline.domain import identity
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.attached import export, file_id, stored_names, talk
from archive_pipeline_tests.cli.command_line import CommandLine, Loaded
from archive_pipeline_tests.exports import chain, chatgpt, claude, load, write
from archive_pipeline_tests.tables import query
from archive_pipeline_tests.variants import some_of

pytestmark = [pytest.mark.postgres, pytest.mark.dagster]

SECRET = chatgpt("secret", chain("Lemon pie", "With zest"), title="Surprise party", updated=1_000.0)
LATER = chatgpt("secret", chain("Lemon pie", "With zest", "More", "Yes"), title="Surprise party", updated=2_000.0)
KEPT = chatgpt("kept", chain("Rye bread", "With starter"))


def tables_that_say(database: Database, *texts: str) -> list[str]:
    """The tables of the archive with a row that has one of the texts."""
    names = query(
        database,
        "SELECT table_schema, table_name FROM information_schema.tables "
        "WHERE table_schema IN ('raw', 'derived', 'annotations') AND table_type = 'BASE TABLE' ORDER BY 1, 2",
    )
    found = []
    with database.session() as connection:
        for schema, name in names:
            statement = sql.SQL("SELECT 1 FROM {} AS row WHERE row::text LIKE ANY(%s)").format(
                sql.Identifier(schema, name)
            )
            if connection.execute(statement, [[f"%{text}%" for text in texts]]).fetchone():
                found.append(f"{schema}.{name}")
    return found


@pytest.mark.parametrize("options", some_of([((),), (("--mirror",),), (("--partial",),)], 2))
def test_imports_leave_out_what_was_deleted_for_good_and_say_so(
    options: tuple[str, ...], llm_archive: CommandLine, loaded: Loaded, database: Database, tmp_path: Path
):
    path = tmp_path / "conversations.json"
    loaded(write(path, SECRET, KEPT))
    deleted = llm_archive("delete", "chatgpt-secret", "--forever", "--json")
    assert deleted.json == {"deleted": "chatgpt-secret", "messages": 2, "is_forever": True}
    identifier = identity.dialogue_id("chatgpt", "secret")
    result = llm_archive("import", write(path, LATER, KEPT, SECRET), *options, "--json")
    assert result.code == 0, result.err
    assert result.json["dialogues"] == {
        "new": 0,
        "changed": 0,
        "unchanged": 1,
        "reread": 0,
        "older": 0,
        "rejected": 0,
        "metadata_only": 0,
        "repeated": 0,
        "deleted_for_good": 1,
    }
    assert tables_that_say(database, identifier, "Lemon pie", "Surprise party") == []
    assert tables_that_say(database, "secret") == ["raw.deleted_dialogues"]
    shown = llm_archive("import", path, *options)
    assert "deleted for good, left out  1" in shown.out
    assert tables_that_say(database, identifier, "Lemon pie", "Surprise party") == []


def test_no_command_shows_or_builds_what_was_deleted_for_good(
    llm_archive: CommandLine, loaded: Loaded, database: Database, tmp_path: Path
):
    path = tmp_path / "conversations.json"
    loaded(write(path, SECRET, KEPT))
    assert llm_archive("delete", "chatgpt-secret", "--forever").code == 0
    loaded(write(path, LATER, KEPT))
    assert "deleted for good 1 dialogue, which imports leave out" in llm_archive("stats").out
    assert llm_archive("stats", "--json").json["rows"]["raw.deleted_dialogues"] == 1
    assert llm_archive("search", "lemon", "--json").json == []
    assert [row["partition_key"] for row in llm_archive("list", "--json").json] == ["chatgpt-kept"]
    assert llm_archive("show", "chatgpt-secret").code == 2
    assert llm_archive("verify").code == 0
    assert llm_archive("build", "--full").code == 0
    assert tables_that_say(database, identity.dialogue_id("chatgpt", "secret"), "Lemon pie", "Surprise party") == []


def test_an_export_of_nothing_else_is_read(llm_archive: CommandLine, loaded: Loaded, tmp_path: Path):
    path = tmp_path / "conversations.json"
    loaded(write(path, SECRET))
    assert llm_archive("delete", "chatgpt-secret", "--forever").out.endswith(
        "(2 messages), for good: imports leave it out\n"
    )
    assert llm_archive("import", path).code == 0
    # What is rejected beside it is no reason to say that nothing could be read.
    path.write_text(path.read_text().replace("[", '[{"mapping": 1}, ', 1))
    assert llm_archive("import", path).code == 1


@pytest.mark.parametrize("name", some_of(["chatgpt-secret", "secret", identity.dialogue_id("chatgpt", "secret")]))
def test_a_readmitted_dialogue_comes_back(
    name: str, llm_archive: CommandLine, loaded: Loaded, database: Database, tmp_path: Path
):
    path = tmp_path / "conversations.json"
    loaded(write(path, SECRET))
    assert llm_archive("delete", "secret", "--readmit").code == 2
    llm_archive("delete", "chatgpt-secret", "--forever")
    assert llm_archive("delete", "--readmit", name, "--json").json == {"readmitted": "chatgpt-secret"}
    assert query(database, "SELECT count(*) FROM raw.deleted_dialogues") == [(0,)]
    assert load(database, path, SECRET).dialogues["new"] == 1
    assert llm_archive("delete", "chatgpt-secret", "--json").json["is_forever"] is False
    assert load(database, path, SECRET).dialogues["new"] == 1


def test_an_id_of_two_sources_names_none(llm_archive: CommandLine, loaded: Loaded, database: Database, tmp_path: Path):
    loaded(
        write(tmp_path / "a.json", chatgpt("same", chain("a", "b"))), write(tmp_path / "b.json", claude("same", "x"))
    )
    for key in ("chatgpt-same", "claude_ai-same"):
        assert llm_archive("delete", key, "--forever").code == 0
    result = llm_archive("delete", "--readmit", "same")
    assert result.code == 2
    assert result.error.endswith("are called 'same': chatgpt-same, claude_ai-same")
    assert llm_archive("delete", "--readmit", "claude_ai-same").code == 0
    assert query(database, "SELECT source FROM raw.deleted_dialogues") == [("chatgpt",)]


def test_both_options_at_once_are_refused(llm_archive: CommandLine):
    result = llm_archive("delete", "x", "--forever", "--readmit")
    assert (result.code, "--forever leaves a dialogue out of later imports" in result.err) == (2, True)


def test_files_and_documents_that_only_came_with_it_do_not_come_back(
    llm_archive: CommandLine, loaded: Loaded, database: Database, settings: Settings, tmp_path: Path
):
    both, own = b"Feed the sourdough starter.", b"The lemon pie needs zest."
    conversations = [talk("secret", 1, 2), talk("kept", 2)]
    path = export(
        tmp_path / "export.zip",
        {"conversations.json": conversations, f"{file_id(1)}.dat": own, f"{file_id(2)}.dat": both},
    )
    loaded(path)
    assert len(stored_names(settings)) == 2
    llm_archive("delete", "chatgpt-secret", "--forever")
    for command in (
        ("import", path),
        ("documents", "add", "--from-export", path),
        ("documents", "add", "--attachments"),
    ):
        llm_archive(*command)
        assert len(stored_names(settings)) == 1
        assert query(database, "SELECT file_name FROM raw.documents") == [("notes 2.txt",)]
    assert llm_archive("search", "zest", "--json").json == []
