"""Storing arrays: what is new becomes a branch or a dialogue, what is known stays as it is."""

from __future__ import annotations

import base64
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text
from sqlalchemy.orm import Session

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.building.duplicates import refresh_duplicates
from archive_pipeline.derive.registry import ASSETS, effective_version
from archive_pipeline.errors import InvalidMessagesError
from archive_pipeline.matching import find_or_create_from_messages, find_path
from archive_pipeline.settings import Settings
from archive_pipeline.store.staleness import stale_dialogues
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.exports import chain, chatgpt, load
from archive_pipeline_tests.matching.messages import assistant, system, turns, user
from archive_pipeline_tests.store.activity import waiting
from archive_pipeline_tests.system.commands import wait_until
from archive_pipeline_tests.tables import counts, derived_rows, query, raw_rows
from archive_pipeline_tests.trials import trials

pytestmark = pytest.mark.postgres

FRANCE = [system("you are a useful assistant"), user("Capital of France?")]
GERMANY = [*FRANCE, assistant("Paris"), user("Germany?")]


def rows(database):
    found = counts(database)
    return found["dialogues"], found["messages"], found["response_hashes"]


def test_five_calls_three_stored_two_reused(database, session):
    """The workflow of seed 003."""
    calls = [(FRANCE, "Paris"), (FRANCE, "Paris"), (GERMANY, "Berlin"), (GERMANY, "Berlin"), (FRANCE, "It is Paris")]
    outcomes = []
    for messages, response in calls:
        match = find_or_create_from_messages(session, messages, response=response)
        session.commit()
        outcomes.append((match.created, match.hit))
    assert outcomes == [(True, False), (False, True), (True, False), (False, True), (True, False)]
    assert rows(database) == (1, 6, 3)
    log = query(database, "SELECT is_created, is_hit FROM raw.match_log ORDER BY id")
    assert log == outcomes


def test_what_is_stored_says_where_and_what_was_known_before(database, session):
    first = find_or_create_from_messages(session, FRANCE, response="Paris", model="m1")
    assert (first.matched, first.level, first.alternatives) == (0, None, ())
    other = find_or_create_from_messages(session, [*FRANCE, assistant("Lyon"), user("Sure?")])
    assert (other.created, other.matched, other.length) == (True, 2, 4)
    assert [known.content for known in other.alternatives] == ["Paris"]
    assert other.dialogue_id == first.dialogue_id
    assert other.response_id is None
    session.commit()
    found = query(
        database,
        "SELECT role, model, origin, sequence_number FROM raw.messages ORDER BY sequence_number",
    )
    assert found == [
        ("system", None, "api", 0),
        ("user", None, "api", 1),
        ("assistant", "m1", "api", 2),
        ("assistant", None, "api", 3),
        ("user", None, "api", 4),
    ]
    ((source, title, message_count),) = query(database, "SELECT source, title, message_count FROM raw.dialogues")
    assert (source, title, message_count) == ("api", "Capital of France?", 5)


def test_without_a_response_an_array_is_stored_once(database, session):
    assert find_or_create_from_messages(session, FRANCE).created
    again = find_or_create_from_messages(session, FRANCE)
    assert (again.created, again.hit, again.matched) == (False, False, 2)
    answered = find_or_create_from_messages(session, [*FRANCE, assistant("Paris")])
    assert (answered.created, answered.matched) == (True, 2)
    known = find_or_create_from_messages(session, [*FRANCE, assistant("Paris")])
    assert (known.created, known.hit) == (False, True)
    session.commit()
    assert rows(database) == (1, 3, 1)


def test_an_imported_chat_goes_on_in_its_own_dialogue_and_a_later_export_leaves_the_branch(database, session, tmp_path):
    path = tmp_path / "conversations.json"
    load(database, path, chatgpt("c1", chain("Hi", "Hello", "How are you?", "Fine")))
    build_stale(database, Settings(home=tmp_path))
    stored = find_or_create_from_messages(session, turns("Hi", "Hello", "Who are you?"), response="An archive")
    session.commit()
    ((dialogue, key, message_count),) = query(
        database, "SELECT id::text, partition_key, message_count FROM raw.dialogues"
    )
    assert (stored.dialogue_id, key, message_count) == (dialogue, "chatgpt-c1", 6)
    assert load(database, path, chatgpt("c1", chain("Hi", "Hello", "How are you?", "Fine"))).dialogues["unchanged"] == 1
    changed = chatgpt("c1", chain("Hi", "Hello", "How are you?", "Fine", "Great"))
    assert load(database, path, changed).dialogues["changed"] == 1
    build_stale(database, Settings(home=tmp_path))
    assert find_path(session, turns("Hi", "Hello", "Who are you?")).hit
    assert find_path(session, turns("Hi", "Hello", "How are you?")).hit
    ((message_count,),) = query(database, "SELECT message_count FROM raw.dialogues")
    assert message_count == 7


def test_a_system_message_alone_joins_no_dialogues(database, session):
    for question in ("One?", "Two?"):
        find_or_create_from_messages(session, [system("Be brief."), user(question)], response="yes")
    session.commit()
    assert rows(database) == (2, 6, 2)


def test_the_same_answer_to_another_request_is_stored_apart(database, session):
    for options in (None, {"temperature": 0}, {"temperature": 0}, {"max_tokens": 9}):
        find_or_create_from_messages(session, [user("x")], response="y", options=options)
    session.commit()
    assert rows(database) == (1, 4, 3)
    found = query(
        database, "SELECT request_options FROM raw.messages WHERE role = 'assistant' ORDER BY sequence_number"
    )
    assert found == [(None,), ({"temperature": 0},), ({"max_tokens": 9},)]


def test_everything_else_is_stale_and_follows(database, session, tmp_path):
    settings = Settings(home=tmp_path)
    find_or_create_from_messages(session, GERMANY, response="Berlin")
    session.commit()
    with database.session() as connection:
        assert all(stale_dialogues(connection, name, effective_version(name, settings)) for name in ASSETS)
    build_stale(database, settings)
    assert counts(database)["qa_pairs"] == 2


PNG = base64.b64encode(b"a picture").decode()
RICH = [
    {"role": "developer", "content": "Use tools.\x00"},
    {
        "role": "user",
        "content": [
            {"type": "text", "text": "What is this?"},
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}},
            {"type": "image_url", "image_url": {"url": "https://example.org/b.png"}},
        ],
        "attachments": [{"path": "notes.txt"}],
    },
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c1", "function": {"name": "look", "arguments": '{"b": {"y": 1.0, "x": 2}, "a": [1, null]}'}},
            {"id": "c2", "function": {"name": "look", "arguments": "not json"}},
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "a cat"},
    {"role": "tool", "tool_call_id": "c2", "content": ""},
    {"role": "assistant", "content": "A cat \ud800."},
    {"role": "user", "content": "Which?\n\n"},
]


def test_hashes_that_are_stored_are_those_that_a_build_makes(database, session, tmp_path):
    """Images, tools, odd characters, an imported base: what is found at once is found after a build, row by row."""
    load(database, tmp_path / "conversations.json", chatgpt("c1", chain("Hi", "Hello", "Again", "Yes")))
    settings = Settings(home=tmp_path)
    build_stale(database, settings)
    find_or_create_from_messages(session, RICH, response="That one", options={"temperature": 0, "stop": "x"})
    find_or_create_from_messages(session, [*RICH[:-1], user("Why?")], response={"role": "assistant", "content": "So"})
    find_or_create_from_messages(session, [*turns("Hi", "Hello", "Again"), user("And again")], response="No")
    session.commit()
    stored = {name: derived_rows(database)[name] for name in ("response_hashes", "message_contexts")}
    build_stale(database, settings)
    built = derived_rows(database)
    assert {name: built[name] for name in stored} == stored
    assert find_path(session, RICH, options={"temperature": 0, "stop_sequences": ["x"]}).hit


def test_images_count_by_content_not_by_path_and_arguments_in_any_order(session):
    find_or_create_from_messages(session, RICH, response="That one")
    (developer, asked, calls, *rest) = RICH
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/webp", "data": PNG}}
    asked = {**asked, "content": [asked["content"][0], image, asked["content"][2]]}
    arguments = '{"a":[1,null],"b":{"x":2,"y":1}}'
    calls = {
        **calls,
        "tool_calls": [{"id": "other", "function": {"name": "look", "arguments": arguments}}, calls["tool_calls"][1]],
    }
    rest[0] = {**rest[0], "tool_call_id": "other"}
    assert find_path(session, [developer, asked, calls, *rest]).hit
    url = {"type": "image_url", "image_url": {"url": "https://example.org/c.png"}}
    moved = {**asked, "content": [*asked["content"][:2], url]}
    assert find_path(session, [developer, moved, calls, *rest]).matched == 1


def test_a_hundred_clients_store_one_path(database, session):
    session.rollback()
    barrier = threading.Barrier(20)

    def client(number):
        if number < barrier.parties:
            barrier.wait()
        with Session(database.engine) as own, own.begin():
            last = "Berlin" if number % 2 else "Bonn"
            return find_or_create_from_messages(own, GERMANY, response=last).created

    with ThreadPoolExecutor(max_workers=20) as pool:
        created = list(pool.map(client, range(100)))
    assert sum(created) == 2
    assert rows(database) == (1, 6, 3)
    assert query(database, "SELECT count(*), count(DISTINCT sequence_number) FROM raw.messages") == [(6, 6)]
    ((count, fingerprints),) = query(database, "SELECT message_count, count(*) OVER () FROM raw.dialogues")
    assert (count, fingerprints) == (6, 1)


ARRAYS = st.lists(st.tuples(st.sampled_from(["a", "b"]), st.sampled_from(["1", "2"])), min_size=1, max_size=3)


@trials(5)
@given(arrays=st.lists(ARRAYS, min_size=1, max_size=6))
def test_order_does_not_matter_and_nothing_is_stored_twice(database, tmp_path_factory, arrays):
    """Whatever the order, the same messages are there, every array is found, and a build changes no hash."""

    def store(order):
        empty(database)
        with Session(database.engine) as own:
            for array in order:
                said = [text for turn in array for text in turn]
                find_or_create_from_messages(own, turns(*said))
                own.commit()
            assert all(find_path(own, turns(*[text for turn in array for text in turn])).hit for array in order)
        found = query(database, "SELECT id::text, parent_id::text, content_hash FROM raw.messages ORDER BY id")
        return sorted(found), derived_rows(database)["message_contexts"]

    one, other = store(arrays), store(arrays[::-1])
    assert one == other
    build_stale(database, Settings(home=tmp_path_factory.mktemp("home")))
    assert derived_rows(database)["message_contexts"] == other[1]
    assert raw_rows(database)


def test_equal_answers_of_two_models_are_siblings_that_every_asset_takes(database, session, tmp_path):
    """They are a regeneration of the tree; what follows them is below the first."""
    settings = Settings(home=tmp_path)
    for model in ("one", "two"):
        find_or_create_from_messages(session, FRANCE, response="Paris is the capital of France.", model=model)
    find_or_create_from_messages(session, [*FRANCE, assistant("Paris is the capital of France."), user("And?")])
    session.commit()
    build_stale(database, settings)
    refresh_duplicates(database, settings)
    tree = query(database, "SELECT total_nodes, leaf_count, has_regenerations FROM derived.dialogue_trees")
    assert tree == [(5, 2, True)]
    responses = query(database, "SELECT model FROM raw.messages WHERE role = 'assistant' ORDER BY sequence_number")
    assert responses == [("one",), ("two",)]
    below = "SELECT above.model FROM raw.messages AS above JOIN raw.messages AS next ON next.parent_id = above.id"
    assert query(database, f"{below} WHERE above.role = 'assistant'") == [("one",)]
    assert counts(database)["prompt_responses"] == 2


@pytest.mark.parametrize(
    ("response", "error"),
    [("", "the response has no content"), (user("x"), "not an assistant's message"), (7, "the response is a int")],
)
def test_what_is_no_response(database, session, response, error):
    with pytest.raises(InvalidMessagesError, match=error):
        find_or_create_from_messages(session, FRANCE, response=response)
    session.commit()
    assert rows(database) == (0, 0, 0)


def test_nothing_stays_of_a_transaction_that_is_rolled_back(database, session):
    find_or_create_from_messages(session, FRANCE, response="Paris")
    session.rollback()
    assert rows(database) == (0, 0, 0)
    assert not session.execute(text("SELECT 1 FROM raw.match_log")).all()


@pytest.mark.parametrize(("more", "title"), [(["How are you?"], "A chat"), ([], "Another title")])
def test_a_branch_and_an_import_of_the_same_dialogue_wait_for_each_other(database, session, tmp_path, more, title):
    """The import counts the branch whose transaction ends while it runs."""
    path, later = tmp_path / "conversations.json", chatgpt("c1", chain("Hi", "Hello", *more), title=title)
    load(database, path, chatgpt("c1", chain("Hi", "Hello")))
    build_stale(database, Settings(home=tmp_path))
    find_or_create_from_messages(session, turns("Hi", "Hello", "Who are you?"), response="An archive")
    with ThreadPoolExecutor(max_workers=1) as pool:
        importing = pool.submit(load, database, path, later)
        wait_until(lambda: waiting(database) == 1, "the import waits")
        session.commit()
        assert importing.result(timeout=300).dialogues["changed"] == 1
    live = "SELECT message_count, (SELECT count(*) FROM raw.messages WHERE deleted_at IS NULL) FROM raw.dialogues"
    assert query(database, live) == [(4 + len(more), 4 + len(more))]
    assert load(database, path, later).dialogues["unchanged"] == 1
