"""Links between dialogues that share messages by their ids: the same in any order, and after every change."""

from __future__ import annotations

import copy
import itertools
import uuid
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.orchestration.assets.summary import summarize, summary_metadata
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.retrieval.search.groups import one_per_question
from archive_pipeline.retrieval.search.results import FoundPage, ResultOptions
from archive_pipeline.store.archive_contents import archive_contents
from archive_pipeline.store.archive_stats import archive_stats
from archive_pipeline.store.database import Database
from archive_pipeline.store.links import find_all_links
from archive_pipeline.store.raw_writes import delete_dialogues
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.exports import Said, chatgpt, load, write
from archive_pipeline_tests.tables import query
from archive_pipeline_tests.trials import trials

pytestmark = pytest.mark.postgres


def key(name: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_OID, name))


def talk(name: str, began: float | None, *messages: str, **more: Any) -> dict[str, Any]:
    """A chain of messages, each named; equal names are equal ids."""
    said = [
        Said(key(message), key(messages[at - 1]) if at else None, ["user", "assistant"][at % 2], message, 1.0 + at)
        for at, message in enumerate(messages)
    ]
    return chatgpt(name, said, create_time=began, **more)


def links(database: Database) -> list[tuple[Any, ...]]:
    return query(
        database,
        "SELECT copy.source_id, original.source_id, link.kind, link.shared_messages FROM raw.dialogue_links link "
        "JOIN raw.dialogues copy ON copy.id = link.dialogue_id "
        "JOIN raw.dialogues original ON original.id = link.original_id ORDER BY 1",
    )


FIRST = talk("first", 100.0, "a", "b", "c", "d")
BRANCH = talk("branch", 200.0, "a", "b", "x", "y")
OF_BRANCH = talk("of-branch", 300.0, "a", "b", "x", "z")
COPY = talk("copy", 400.0, "a", "b")
OTHER = talk("other", 50.0, "m", "n")


def test_a_time_alone_that_comes_later_makes_another_one_the_original(database: Database, tmp_path: Path):
    undated, dated = (talk("first", began, "a", "b", "c", "d") for began in (None, 100.0))
    branch = talk("branch", 200.0, "a", "b", "x", "y")
    empty(database)
    for number, export in enumerate([undated, branch, dated | {"update_time": 1_000.0}]):
        summary = load(database, tmp_path / f"{number}.json", export)
    assert summary.dialogues == {"unchanged": 1}
    found = links(database)
    with database.session() as connection:
        find_all_links(connection)
    assert found == links(database) == [("branch", "first", "branch", 2)]


@pytest.mark.parametrize("order", [*itertools.permutations([FIRST, BRANCH, OF_BRANCH, COPY, OTHER])][::17])
def test_a_branch_is_linked_with_the_dialogue_that_had_its_beginning(
    database: Database, tmp_path: Path, order: tuple[Any, ...]
):
    for conversation in order:
        load(database, tmp_path / "conversations.json", conversation)
    assert links(database) == [
        ("branch", "first", "branch", 2),
        ("copy", "first", "copy", 2),
        ("of-branch", "branch", "branch", 3),
    ]


def test_links_follow_what_is_added_changed_and_deleted(database: Database, tmp_path: Path):
    path = tmp_path / "conversations.json"
    load(database, path, FIRST, BRANCH, OF_BRANCH)
    load(database, path, talk("branch", 200.0, "a", "v", updated=1.0))
    assert links(database) == [("branch", "first", "branch", 1), ("of-branch", "first", "branch", 2)]
    [(first,)] = query(database, "SELECT id::text FROM raw.dialogues WHERE source_id = 'first'")
    with database.session() as connection:
        delete_dialogues(connection, [first])
    assert links(database) == [("of-branch", "branch", "branch", 1)]


def test_what_is_shared_below_something_of_its_own_is_no_beginning(database: Database, tmp_path: Path):
    load(database, tmp_path / "c.json", FIRST, talk("late", 200.0, "w", "b", "c"), talk("gap", 300.0, "a", "w2", "c"))
    assert links(database) == [("gap", "first", "branch", 1)]


def test_ids_that_may_be_equal_by_chance_link_nothing(database: Database, tmp_path: Path):
    said = [Said("m0", None, "user", "a"), Said("m1", "m0", "assistant", "b")]
    load(database, tmp_path / "c.json", chatgpt("one", said), chatgpt("two", said))
    assert links(database) == []


def claude(name: str, began: str, *messages: str, updated: str | None = None) -> dict[str, Any]:
    entries = [
        {"uuid": key(message), "sender": ["human", "assistant"][at % 2], "text": message}
        for at, message in enumerate(messages)
    ]
    return {"uuid": name, "name": name, "created_at": began, "updated_at": updated or began, "chat_messages": entries}


def test_of_other_sources_a_link_is_a_fork_or_goes_on_where_the_original_ends(database: Database, tmp_path: Path):
    dialogues = [
        claude("first", "2026-01-01T00:00:00Z", "a", "b", "c"),
        claude("fork", "2026-01-02T00:00:00Z", "a", "b", "x"),
        claude("resumed", "2026-01-03T00:00:00Z", "a", "b", "c", "d"),
    ]
    load(database, tmp_path / "c.json", *dialogues, FIRST)  # the same ids in another source are no copies
    assert links(database) == [("fork", "first", "fork", 2), ("resumed", "first", "resume", 3)]


BEGAN, LATER, LATEST = (f"2026-01-0{day}T00:00:00Z" for day in (1, 2, 3))
# Names in an order that is not that of the copies, where nothing but the smaller id would decide.
AT_ONE_TIME = {
    "contained, though changed later": (
        [claude("z", BEGAN, "a", "b", updated=LATEST), claude("y", BEGAN, "a", "b", "c", updated=LATER)],
        [("y", "z", "resume", 2)],
    ),
    "a copy of a copy": (
        [
            claude("z", BEGAN, "a", "b", updated=LATEST),
            claude("y", BEGAN, "a", "b", "c", updated=LATER),
            claude("x", BEGAN, "a", "b", "c", "d"),
        ],
        [("x", "y", "resume", 3), ("y", "z", "resume", 2)],
    ),
    "each goes on, one was changed first": (
        [claude("z", BEGAN, "a", "b", "c", updated=LATER), claude("y", BEGAN, "a", "b", "d", "e", updated=LATEST)],
        [("y", "z", "fork", 2)],
    ),
    "a fork beside one that has it all": (
        [
            claude("z", BEGAN, "a", "b", "c", updated=LATEST),
            claude("y", BEGAN, "a", "b", "c", "d", updated=LATEST),
            claude("x", BEGAN, "a", "b", "e", updated=LATER),
        ],
        [("x", "z", "fork", 2), ("y", "z", "resume", 3)],
    ),
    "nothing else differs": (
        [claude("z", BEGAN, "a", "b"), claude("y", BEGAN, "a", "b")],
        [("z", "y", "copy", 2)],
    ),
}


@pytest.mark.parametrize("name", AT_ONE_TIME)
def test_of_equal_beginnings_the_original_is_contained_in_the_others_or_was_changed_first(
    database: Database, tmp_path: Path, name: str
):
    dialogues, expected = AT_ONE_TIME[name]
    for order in itertools.permutations(dialogues):
        empty(database)
        for dialogue in order:
            load(database, tmp_path / "c.json", dialogue)
        assert links(database) == expected


def test_an_original_is_chosen_anew_when_another_dialogue_loses_what_it_shared(database: Database, tmp_path: Path):
    path = tmp_path / "c.json"
    contained = claude("z", BEGAN, "a", "b", updated=LATEST)
    load(database, path, contained, claude("y", BEGAN, "a", "d", updated=LATER), claude("w", LATEST, "a", "e"))
    assert links(database) == [("w", "y", "fork", 1), ("z", "y", "fork", 1)]
    load(database, path, claude("x", BEGAN, "a", "b", "c", updated=LATER))
    assert links(database) == [("w", "z", "fork", 1), ("x", "z", "resume", 2), ("y", "z", "fork", 1)]
    load(database, path, claude("x", BEGAN, "c", updated=LATEST))
    assert links(database) == [("w", "y", "fork", 1), ("z", "y", "fork", 1)]


STATES = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.sampled_from([100.0, 200.0, 300.0, None]),
        st.lists(st.sampled_from("abcd"), unique=True, max_size=4),
    ),
    min_size=1,
    max_size=6,
)


@trials(12)
@given(history=STATES)
@example(history=[(0, 100.0, ["a", "b"]), (1, 200.0, ["a", "b", "c"]), (0, 100.0, ["b"])])
def test_links_kept_up_to_date_are_those_found_anew(
    database: Database, tmp_path: Path, history: list[tuple[int, float | None, list[str]]]
):
    empty(database)
    for at, (number, began, messages) in enumerate(history):
        load(database, tmp_path / "c.json", talk(f"d{number}", began, *messages, updated=1000.0 + at))
    kept = links(database)
    with database.session() as connection:
        find_all_links(connection)
    assert links(database) == kept


def test_copied_messages_are_counted_once(database: Database, tmp_path: Path):
    load(database, tmp_path / "c.json", FIRST, BRANCH, OTHER)
    [source] = archive_stats(database, {}, "").sources
    assert (source["dialogues"], source["messages"], source["copied_messages"]) == (3, 8, 2)
    metadata = summary_metadata(summarize(database, {}))
    assert (metadata["messages"], metadata["copied_messages"], metadata["links_branch"]) == (8, 2, 1)


class _Chunk:
    def __getattr__(self, _name: str) -> Any:
        return None

    text = "same"
    content_hash = "same"


def test_of_one_text_the_original_is_shown_and_the_copy_below_it():
    pages = [FoundPage((name, 1), score, _Chunk(), {}, {}, {}) for name, score in (("copy", 2.0), ("original", 1.0))]
    for originals, shown in (({}, "copy"), ({"copy": "original"}, "original"), ({"copy": "elsewhere"}, "copy")):
        [[first, *others]] = one_per_question(pages, ResultOptions(5, None, Path(), originals))
        assert first.page[0] == shown
        assert len(others) == 1


def test_files_of_one_import_are_linked_too(database: Database, tmp_path: Path):
    files = [write(tmp_path / f"{at}.json", item) for at, item in enumerate([OF_BRANCH, BRANCH, FIRST])]
    import_archive(database, read_paths(files))
    assert [row[:2] for row in links(database)] == [("branch", "first"), ("of-branch", "branch")]


def test_a_model_s_messages_are_counted_once_however_many_dialogues_have_them(database: Database, tmp_path: Path):
    def with_model(dialogue: dict[str, Any]) -> dict[str, Any]:
        for node in dialogue["mapping"].values():
            if node["message"]["author"]["role"] == "assistant":
                node["message"]["metadata"] = {"model_slug": "gpt-4o"}
        return dialogue

    talks = [copy.deepcopy(dialogue) for dialogue in (FIRST, BRANCH, OF_BRANCH, COPY, OTHER)]
    load(database, tmp_path / "conversations.json", *map(with_model, talks))
    with database.session() as connection:
        spans = {span.model: span.messages for span in archive_contents(connection)}
    # Messages by name: a to d, x to z, m, n; of the assistant b, d, y, z, n.
    assert spans == {None: 9, "gpt-4o": 5}
    [source] = archive_stats(database, {}, "").sources
    assert source["messages"] == spans[None]
