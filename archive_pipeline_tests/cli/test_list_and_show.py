"""`llm-archive list` and `llm-archive show`: what people and programs read of dialogues, and how they are named."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import psycopg
import pytest

from archive_pipeline.domain.identity import dialogue_id, message_id
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.dialogue_list import Workspace, workspaces_of_dialogues
from archive_pipeline.store.sql_files import load_query
from archive_pipeline_tests.cli.command_line import CommandLine
from archive_pipeline_tests.conftest import new_database_on
from archive_pipeline_tests.export.dialogues import BLACK, GREEN, STEEP, TEA, TOOLS, WALK, fill
from archive_pipeline_tests.exports import Said, chain, chatgpt, claude, load

pytestmark = pytest.mark.postgres

TEA_ID = dialogue_id("chatgpt", "tea")


@pytest.fixture(scope="module")
def filled(
    module_archive: Database, settings: Settings, environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> CommandLine:
    """The commands on the archive of the tests of exports, which no test here changes."""
    fill(module_archive, settings, tmp_path_factory.mktemp("exports"))
    return CommandLine(settings.home, {**environment, "ARCHIVE_DATABASE_URL": module_archive.url})


def keys(filled: CommandLine, *options: object) -> list[str]:
    return [dialogue["partition_key"] for dialogue in filled("list", "--json", *options).json]


def test_a_dialogue_is_listed_with_its_size_branches_and_models(filled: CommandLine):
    [listed] = filled("list", "--title", "hot", "--json").json
    assert datetime.fromisoformat(listed.pop("imported_at")).tzinfo is not None
    assert listed == {
        "dialogue_id": TEA_ID,
        "partition_key": TEA,
        "title": "Hot drinks",
        "first_prompt": None,
        "source": "chatgpt",
        "created_at": "2023-11-14T22:13:20+00:00",
        "updated_at": "2023-11-14T22:13:29+00:00",
        "is_subagent": False,
        "messages": 10,
        "shown_messages": 10,
        "branches": 4,
        "models": ["gpt-4o", "o3"],
        "tags": [],
    }
    shown = filled("list", "--title", "hot").out.splitlines()
    assert shown == ["2023-11-14  Hot drinks", f"            10 messages, 4 branches · gpt-4o · o3 · {TEA}"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], [WALK, TOOLS, TEA]),
        (["--sort", "began"], [WALK, TOOLS, TEA]),
        (["--sort", "title"], [WALK, TEA, TOOLS]),
        (["--sort", "size"], [TEA, TOOLS, WALK]),
        (["--sort", "branches"], [TEA, TOOLS, WALK]),
        (["--sort", "source"], [TEA, TOOLS, WALK]),
        (["--sort", "source", "--limit", 2], [TEA, TOOLS]),
        (["--source", "claude_ai"], [WALK]),
        (["--model", "gpt-4o"], [TEA]),
        (["--since", "2024-01-01"], [WALK]),
        (["--until", "2023-11-14T22:14"], [TEA]),
        (["--title", "%"], []),
    ],
    ids=str,
)
def test_filters_and_orders(filled: CommandLine, options: list[object], expected: list[str]):
    assert keys(filled, *options) == expected


def test_what_is_left_out_is_said(filled: CommandLine):
    assert filled("list", "--limit", 1).err.strip() == "the first 1; --limit shows more"
    assert filled("list", "--limit", 3).err == ""
    assert filled("list", "--title", "nowhere").err.strip() == "no dialogue meets the conditions"
    never = filled("list", "--since", "2024-01-01", "--until", "2024-01-01").err
    assert never.startswith("no time is left: since and until are both 2024-01-01; for one day, until")


def test_an_empty_archive_says_so(llm_archive: CommandLine):
    found = llm_archive("list", "--json")
    assert (found.code, found.json) == (0, [])
    assert found.err.strip() == "the archive is empty: `llm-archive import PATH` fills it"
    shown = llm_archive("show", "anything")
    assert shown.code == 2
    assert shown.error.startswith("no dialogue has the key, id or title 'anything'")


@pytest.mark.parametrize("name", [TEA, TEA_ID, TEA_ID[:9], "tea", "te", "chatgpt-te", "hot DRINKS", "drink"])
def test_a_dialogue_is_named_by_key_id_prefix_or_title(filled: CommandLine, name: str):
    assert filled("show", name, "--json").json["partition_key"] == TEA


def test_a_whole_title_goes_before_a_part_of_one(llm_archive: CommandLine, database: Database, tmp_path: Path):
    for_two = chatgpt("x1", chain("a", "b"), title="Hot drinks for two")
    load(database, tmp_path / "both.json", chatgpt("tea", chain("c", "d"), title="Hot drinks"), for_two)
    assert llm_archive("show", "Hot drinks", "--json").json["partition_key"] == TEA
    ambiguous = llm_archive("show", "Hot")
    assert ambiguous.code == 2
    assert TEA in ambiguous.error
    assert "chatgpt-x1 (Hot drinks for two)" in ambiguous.error


def test_an_ambiguous_prefix_lists_the_candidates(filled: CommandLine):
    found = filled("show", "chatgpt-t")
    assert found.code == 2
    assert f"{TEA} (Hot drinks, 2023-11-14), {TOOLS} (Six times seven, 2023-11-14); give more of the key" in found.error


def test_prefixes_are_looked_up_and_not_searched_for(database: Database):
    query = load_query("dialogues/dialogue_candidates")
    branches = query.split("UNION ALL")
    assert "ILIKE" in branches[2]
    with database.session() as connection, psycopg.ClientCursor(connection) as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        values = {"first_keys": ["a"], "last_keys": ["b"], "first_id": TEA_ID, "last_id": TEA_ID, "limit": 1}
        cursor.execute("EXPLAIN " + query, {**values, "name": "a", "title": "%a%"})
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert "ix_dialogues_key_prefix" in plan
    assert "pk_dialogues" in plan


def test_the_thread_is_that_of_the_current_path(filled: CommandLine):
    shown = filled("show", "tea").out
    lines = shown.splitlines()
    assert lines[0] == "Hot drinks"
    assert lines[1] == f"chatgpt · 2023-11-14 22:13 to 2023-11-14 22:13 · gpt-4o · o3 · 10 messages · {TEA}"
    assert lines[2].startswith("4 branches")
    texts = [BLACK, "And cocoa?", "Whisk it in warm milk.", "You are welcome."]
    assert [text in shown for text in [*texts, GREEN, STEEP, "And coffee?"]] == [True] * 4 + [False] * 3
    assert "(regeneration-1, regeneration-2 from here)" in lines
    assert "(edit-1 from here)" in lines


def test_of_many_branches_the_first_are_named(llm_archive: CommandLine, database: Database, tmp_path: Path):
    answers = [Said(f"a{number}", "m0", "assistant", f"answer {number}", 2e9 + number) for number in range(13)]
    load(database, tmp_path / "a.json", chatgpt("wide", [*chain("q"), *answers], current="a12"))
    named = ", ".join(f"regeneration-{number}" for number in range(1, 11))
    assert f"({named} and 2 more from here; --tree shows them)" in llm_archive("show", "wide").out.splitlines()


def test_a_branch_is_shown_by_name_or_message(filled: CommandLine):
    by_name = filled("show", "tea", "--branch", "regeneration-1").out
    assert GREEN in by_name
    assert BLACK not in by_name
    leaf = message_id(TEA_ID, "a1")
    assert filled("show", "tea", "--branch", leaf[:12]).out == by_name
    unknown = filled("show", "tea", "--branch", "edit-7")
    assert unknown.code == 2
    assert "there are main, regeneration-1, regeneration-2, edit-1" in unknown.error


def test_the_tree_names_the_branches(filled: CommandLine):
    lines = filled("show", "tea", "--tree").out.splitlines()
    ends = [line.partition("←")[2].strip() for line in lines if "←" in line]
    assert sorted(ends) == ["edit-1", "main", "regeneration-1", "regeneration-2"]
    assert sum("●" in line for line in lines[3:-1]) == 6


def test_json_has_all_messages_and_where_they_are(filled: CommandLine):
    found = filled("show", "tea", "--branch", "edit-1", "--json").json
    ids = {name: message_id(TEA_ID, name) for name in ("q", "a2", "q2", "b")}
    assert found["path"] == [ids["q"], ids["a2"], ids["q2"], ids["b"]]
    assert len(found["messages"]) == 10
    assert {message["id"] for message in found["messages"] if message["is_on_path"]} == set(ids.values())
    edit = next(branch for branch in found["branches"] if branch["name"] == "edit-1")
    assert edit == {
        "name": "edit-1",
        "leaf_message_id": ids["b"],
        "branched_at_message_id": ids["a2"],
        "length": 4,
    }


def test_tools_thinking_and_pictures_are_shown_and_hidden_messages_not(filled: CommandLine):
    shown = filled("show", "tools").out
    for text in ("calls python", "print(6 * 7)", "result of python\n42", "thinking\n", "[image]", "It is 42."):
        assert text in shown, text
    assert "Be brief." not in shown


def test_texts_of_attachments_are_shown(llm_archive: CommandLine, database: Database, tmp_path: Path):
    talk = claude("pasted", "What is wrong here?", "A comma.", name="Pasted")
    talk["chat_messages"][0]["attachments"] = [
        {"file_name": "notes.txt", "file_size": 14, "file_type": "txt", "extracted_content": "one, two\x1b[2J\nthree"},
        {"file_name": "empty.txt", "file_size": 0, "file_type": "txt", "extracted_content": ""},
    ]
    load(database, tmp_path / "pasted.json", talk)
    lines = llm_archive("show", "pasted").out.splitlines()
    start = lines.index("What is wrong here?")
    assert lines[start + 1 : start + 5] == [
        "[attachment: notes.txt]",
        "one, two\ufffd[2J",
        "three",
        "[attachment: empty.txt]",
    ]


def test_citations_are_shown_with_their_addresses(llm_archive: CommandLine, database: Database, tmp_path: Path):
    cited = [{"type": "webpage", "url": "https://e.org/42", "title": "Why 42", "start_idx": 0, "end_idx": 2}]
    cited.append({"type": "webpage", "url": "https://e.org/43", "start_idx": 0, "end_idx": 2})
    said = [Said("a", None, "assistant", "It is 42.", 1.0, more={"metadata": {"content_references": cited}})]
    load(database, tmp_path / "a.json", chatgpt("cited", said))
    shown = llm_archive("show", "chatgpt-cited").out
    assert "citation: https://e.org/42\nWhy 42\n" in shown
    assert "[citation: https://e.org/43]\n" in shown


def test_markdown_has_the_dialogue_or_one_path(filled: CommandLine):
    whole = filled("show", "tea", "--markdown").out
    assert whole.startswith('---\ntitle: "Hot drinks"\nsource: "chatgpt"\n')
    assert "# Branch edit-1\n\nAfter [[#^m2|message 2]]." in whole
    assert GREEN not in filled("show", "tea", "--markdown", "--branch", "edit-1").out


def test_what_would_command_a_terminal_is_shown_as_text(llm_archive: CommandLine, database: Database, tmp_path: Path):
    attack = "\x1b]0;owned\x07\x1b[2J\u202eevil"
    load(database, tmp_path / "attack.json", chatgpt("attack", chain(attack, attack), title=attack))
    for arguments in (["list"], ["show", "attack"], ["show", "attack", "--tree"], ["list", "--json"]):
        out = llm_archive(*arguments).out
        assert not {"\x1b", "\x07", "\u202e"} & set(out), arguments


def test_options_that_contradict_each_other_are_refused(filled: CommandLine):
    assert filled("show", "tea", "--tree", "--json").code == 2
    assert filled("show", "tea", "--tree", "--branch", "main").code == 2
    assert filled("show", "").code == 2


def test_empty_and_hidden_messages_are_neither_shown_nor_counted(
    llm_archive: CommandLine, database: Database, tmp_path: Path
):
    hidden = {"metadata": {"is_visually_hidden_from_conversation": True}}
    said = [
        Said("s", None, "system", "", 1_700_000_000.0, more=hidden),
        Said("e", "s", "system", "", 1_700_000_001.0),
        Said("u", "e", "user", "Hello", 1_700_000_002.0),
    ]
    load(database, tmp_path / "a.json", chatgpt("one", said, title="One", current="u"))
    assert llm_archive("list").out.splitlines()[1].strip() == "1 message · chatgpt-one"
    assert llm_archive("list", "--json").json[0]["messages"] == 3
    shown = llm_archive("show", "one").out
    assert "· 1 message ·" in shown
    assert "system" not in shown
    note = llm_archive("show", "one", "--markdown").out
    assert "messages: 1\n" in note
    assert "## System" not in note


@pytest.fixture(scope="module")
def sorted_by_hand(archive: Database, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """Seven conversations of four sources with what their users did with them, which no test here changes."""
    with new_database_on(archive, template) as database:
        load_sorted(database, tmp_path_factory.mktemp("sorted"))
        yield database


def load_sorted(database: Database, folder: Path) -> None:
    project = {"uuid": "p-1", "name": "Canal boats"}
    grok = {
        "conversation": {"id": "g1", "title": "G", "create_time": "2026-04-09T07:11:34Z", "starred": True},
        "responses": [{"response": {"_id": "r", "conversation_id": "g1", "sender": "human", "message": "Hi"}}],
    }
    load(
        database,
        folder / "chatgpt.json",
        chatgpt("c1", chain("a"), gizmo_id="g-p-1", is_archived=True, is_starred=None),
        chatgpt("c2", chain("a"), gizmo_id="g-2", gizmo_type="gpt", is_archived=False, pinned_time=1_700_000_000.5),
        chatgpt("c3", chain("a"), is_starred=True, pinned_time=None),
    )
    load(database, folder / "claude.json", {**claude("t1", "a"), "project": project, "is_starred": False})
    load(database, folder / "grok.json", grok)
    turn = {"id": "m", "parentId": None, "childrenIds": [], "role": "user", "content": "Hi"}
    chat = {"title": "W", "history": {"messages": {"m": turn}, "currentId": "m"}}
    for name, flags in (("w1", {"archived": True, "pinned": False}), ("w2", {"archived": False, "pinned": True})):
        load(database, folder / f"{name}.json", {"id": name, "user_id": "u", "title": "W", "chat": chat, **flags})


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--workspace", "g-p-1"], ["chatgpt-c1"]),
        (["--workspace", "g-2"], ["chatgpt-c2"]),
        (["--workspace", "p-1"], ["claude_ai-t1"]),
        (["--workspace", "canal BOATS"], ["claude_ai-t1"]),
        (["--workspace", "canal"], []),
        (["--archived"], ["chatgpt-c1", "open_webui-w1"]),
        (["--no-archived"], ["chatgpt-c2", "chatgpt-c3", "claude_ai-t1", "grok-g1", "open_webui-w2"]),
        (["--starred"], ["chatgpt-c2", "chatgpt-c3", "grok-g1", "open_webui-w2"]),
        (["--starred", "--workspace", "g-2", "--no-archived"], ["chatgpt-c2"]),
    ],
    ids=str,
)
def test_what_users_did_with_a_dialogue_filters(
    sorted_by_hand: Database,
    settings: Settings,
    environment: dict[str, str],
    options: list[str],
    expected: list[str],
):
    llm_archive = CommandLine(settings.home, {**environment, "ARCHIVE_DATABASE_URL": sorted_by_hand.url})
    assert sorted(keys(llm_archive, *options)) == expected


def test_workspaces_are_offered_by_name_then_id(sorted_by_hand: Database):
    with sorted_by_hand.session() as connection:
        found = workspaces_of_dialogues(connection, 10)
        assert workspaces_of_dialogues(connection, 1) == found[:1]
    assert found == [Workspace("p-1", "Canal boats"), Workspace("g-2", None), Workspace("g-p-1", None)]
