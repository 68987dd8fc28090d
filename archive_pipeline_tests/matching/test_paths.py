"""Finding arrays in what was imported and stored: three levels, beginnings, alternatives, order."""

from __future__ import annotations

import unicodedata

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.orm import Session

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.errors import InvalidMessagesError
from archive_pipeline.matching import find_or_create_from_messages, find_path
from archive_pipeline.settings import Settings
from archive_pipeline.store.sql_files import load_query
from archive_pipeline_tests.exports import Said, chain, chatgpt, load
from archive_pipeline_tests.matching.messages import assistant, system, turns, user

pytestmark = pytest.mark.postgres


FRANCE = ("Capital of France?", "Paris", "Germany?", "Berlin")


def contents(messages):
    return [message.content for message in messages]


def test_an_imported_path_is_found_with_what_answered_it(imported, session):
    imported(chatgpt("c1", chain(*FRANCE)))
    found = find_path(session, turns(*FRANCE[:3]))
    assert (found.hit, found.created, found.level, found.matched, found.length) == (True, False, "exact", 3, 3)
    assert contents(found.responses) == ["Berlin"]
    assert found.response_id == found.responses[0].message_id
    assert found.response.as_message() == assistant("Berlin")
    assert found.alternatives == ()
    (row,) = session.execute(text("SELECT id::text, partition_key FROM raw.dialogues"))
    assert (found.dialogue_id, row.partition_key) == (row.id, "chatgpt-c1")


def test_an_array_that_ends_with_an_answer_asks_for_that_answer(imported, session):
    imported(chatgpt("c1", chain(*FRANCE)))
    known = find_path(session, turns(*FRANCE))
    assert (known.hit, known.level, known.matched) == (True, "exact", 4)
    assert known.response.content == "Berlin"
    other = find_path(session, turns(*FRANCE[:3], "Bonn"))
    assert (other.hit, other.level, other.matched, other.response_id) == (False, "prompts", 3, None)
    assert contents(other.responses) == contents(other.alternatives) == ["Berlin"]


@pytest.mark.parametrize("answer", ["Berlin", "berlin "])
def test_a_hit_on_an_answer_has_no_other_answers_to_the_same_prompt(imported, session, answer):
    said = [*chain(*FRANCE), Said("b2", "m2", "assistant", "Bonn", 1_700_000_100.0)]
    imported(chatgpt("c1", said))
    assert sorted(contents(find_path(session, turns(*FRANCE[:3])).responses)) == ["Berlin", "Bonn"]
    known = find_path(session, turns(*FRANCE[:3], answer))
    assert (known.hit, contents(known.responses)) == (True, ["Berlin"])


def test_a_prompt_that_nobody_answered_is_known_and_no_hit(imported, session):
    imported(chatgpt("c1", chain(*FRANCE[:3])))
    found = find_path(session, turns(*FRANCE[:3]))
    assert (found.hit, found.level, found.matched, found.responses) == (False, "exact", 3, ())
    assert found.dialogue_id is not None


def test_a_partial_match_names_the_beginning_and_what_follows_it(imported, session):
    imported(chatgpt("c1", chain(*FRANCE)))
    found = find_path(session, turns("Capital of France?", "Paris", "Italy?", "Rome", "Spain?"))
    assert (found.hit, found.level, found.matched, found.length) == (False, None, 2, 5)
    assert contents(found.alternatives) == ["Germany?"]
    assert found.responses == ()


def test_the_same_prompts_with_other_answers_are_a_branch_and_no_hit(imported, session):
    imported(chatgpt("c1", chain(*FRANCE)))
    found = find_path(session, turns("Capital of France?", "It is Paris.", "Germany?"))
    assert (found.hit, found.level, found.matched, found.response_id) == (False, "prompts", 1, None)
    assert contents(found.responses) == ["Berlin"]
    assert contents(found.alternatives) == ["Paris"]


def test_white_space_and_case_are_normalised_at_the_second_level(imported, session):
    imported(chatgpt("c1", chain(*FRANCE)))
    found = find_path(session, turns("  capital of\nFRANCE?", "paris ", "germany?"))
    assert (found.hit, found.level, found.matched) == (True, "normalized", 0)
    assert contents(found.responses) == ["Berlin"]


def test_nothing_known(session):
    found = find_path(session, turns("Who are you?"))
    assert (found.hit, found.level, found.matched, found.dialogue_id) == (False, None, 0, None)
    assert found.responses == found.alternatives == ()


def test_all_responses_are_returned_the_asked_model_first_then_the_newest(session):
    prompt = [user("Tell me a joke")]
    for answer, model in (("first", "a"), ("second", "b"), ("third", "a"), ("fourth", None)):
        find_or_create_from_messages(session, prompt, response=answer, model=model)
        session.commit()
    assert contents(find_path(session, prompt).responses) == ["fourth", "third", "second", "first"]
    assert contents(find_path(session, prompt, model="a").responses) == ["third", "first", "fourth", "second"]
    other = find_path(session, prompt, model="unheard of")
    assert (other.hit, contents(other.responses)) == (True, ["fourth", "third", "second", "first"])


def test_regenerations_followed_by_the_same_question_are_told_apart(imported, session):
    """The path hash of the seed covers prompts only, and collides here; the context does not."""
    messages = [
        Said("u1", None, "user", "A number?", 1.0),
        Said("a1", "u1", "assistant", "1", 2.0),
        Said("a2", "u1", "assistant", "2", 3.0),
        Said("u2", "a1", "user", "Double it", 4.0),
        Said("u3", "a2", "user", "Double it", 5.0),
        Said("b1", "u2", "assistant", "two", 6.0),
        Said("b2", "u3", "assistant", "four", 7.0),
    ]
    imported(chatgpt("c1", messages))
    later = "SELECT count(DISTINCT path_hash) FROM derived.response_hashes WHERE parent_response_id IS NOT NULL"
    assert session.execute(text(later)).scalar() == 1
    assert contents(find_path(session, turns("A number?", "1", "Double it")).responses) == ["two"]
    assert contents(find_path(session, turns("A number?", "2", "Double it")).responses) == ["four"]
    assert contents(find_path(session, turns("A number?", "3", "Double it")).responses) == ["four", "two"]


def test_hidden_and_empty_messages_are_not_on_the_way(imported, session):
    hidden = {"metadata": {"is_visually_hidden_from_conversation": True}}
    messages = [
        Said("s0", None, "system", "", 1.0),
        Said("s1", "s0", "user", "About the user: likes tea", 2.0, more=hidden),
        Said("u1", "s1", "user", "Hi", 3.0),
        Said("a1", "u1", "assistant", "Hello", 4.0),
    ]
    imported(chatgpt("c1", messages))
    assert contents(find_path(session, [user("Hi")]).responses) == ["Hello"]


def test_messages_without_content_count_for_nothing(session):
    find_or_create_from_messages(session, turns("Hi"), response="Hello")
    found = find_path(session, [system(""), user("Hi"), assistant(None)])
    assert (found.hit, found.matched, found.length, found.ignored) == (True, 3, 3, 2)


def test_unicode_forms_are_one_text(session):
    name = "Zoë Åström"
    find_or_create_from_messages(session, [user(unicodedata.normalize("NFD", name))], response="hi")
    found = find_path(session, [user(unicodedata.normalize("NFC", name))])
    assert (found.hit, found.level) == (True, "exact")


def test_a_prompt_of_a_megabyte(session):
    long = "All work and no play makes Jack a dull boy. " * 25_000
    find_or_create_from_messages(session, [user(long)], response="hm")
    assert find_path(session, [user(long)]).hit
    assert not find_path(session, [user(long + "!")]).hit


def test_consecutive_prompts_and_a_leading_system_message(session):
    array = [system("Be brief."), user("One."), user("Two."), assistant("Yes?"), user("Three.")]
    find_or_create_from_messages(session, array, response="ok")
    assert find_path(session, array).hit
    assert find_path(session, array[:2]).matched == 2
    assert not find_path(session, array[1:]).hit, "another system message is another way"


def test_options_tell_responses_apart_only_where_they_determine_something(session):
    prompt = [user("Name a colour")]
    find_or_create_from_messages(session, prompt, response="blue", options={"temperature": 0, "max_tokens": 5})
    session.commit()
    find_or_create_from_messages(session, prompt, response="red", options={"temperature": 0.9, "user": "x"})
    assert contents(find_path(session, prompt, options={"max_tokens": 5, "temperature": 0.0}).responses) == ["blue"]
    assert contents(find_path(session, prompt, options={"temperature": 1.2}).responses) == ["red"]
    assert set(contents(find_path(session, prompt).responses)) == {"red", "blue"}
    other = find_path(session, prompt, options={"max_tokens": 6})
    assert (other.hit, other.matched, other.level) == (False, 1, "exact")


def test_both_drivers_of_postgresql_do(database, session):
    find_or_create_from_messages(session, turns("Hi"), response="Hello")
    session.commit()
    engine = create_engine(database.url.replace("postgresql://", "postgresql+psycopg2://"))
    with Session(engine) as other:
        assert find_path(other, turns("Hi")).hit
        assert find_or_create_from_messages(other, turns("Hi", "Hello", "Bye"), response="See you").created
        other.commit()
    engine.dispose()


@pytest.mark.parametrize(
    ("messages", "options", "error"),
    [
        ([], None, "no message has any content"),
        ([user("")], None, "no message has any content"),
        ([user("x")], {"stop": object()}, "options cannot be written as JSON"),
    ],
)
def test_what_cannot_be_asked(session, messages, options, error):
    with pytest.raises(InvalidMessagesError, match=error):
        find_path(session, messages, options=options)


def test_results_carry_the_hashes_of_the_contract(session):
    """The user message `Hi` of docs/hashes.md, and what answers it."""
    hello, path = turns("Hi", "Hello"), "33f4acbb48a21a25ae892692b84813c7d17aed0780042eb732d0376cc77abba8"
    context = "7b3fd14e7ec06603e3bdd7f04f90de0a5fce21e1d17ccb0751ae4ff6c54b0808"
    unknown = find_path(session, hello[:1])
    assert (unknown.context_hash, unknown.path_hash) == (context, path)
    find_or_create_from_messages(session, hello)
    asked, answered = find_path(session, hello[:1]), find_path(session, hello)
    assert (asked.context_hash, asked.path_hash, asked.response.path_hash) == (context, path, path)
    assert asked.response.context_hash == answered.context_hash != context
    assert answered.path_hash == path
    (known,) = find_path(session, [*hello[:1], assistant("Good day")]).alternatives
    assert (known.context_hash, known.path_hash) == (answered.context_hash, path)
    fixed = find_path(session, hello[:1], options={"temperature": 0})
    assert fixed.path_hash != path, "options that determine something are part of it"


@pytest.fixture(scope="module")
def explained(module_archive, tmp_path_factory):
    """Returns the plan of a query in an archive whose tables are worth an index."""
    home = tmp_path_factory.mktemp("explained")
    talks = (chatgpt(f"c{number}", chain(*(f"turn {turn}" for turn in range(20)))) for number in range(100))
    load(module_archive, home / "conversations.json", *talks)
    build_stale(module_archive, Settings(home=home))
    with module_archive.session() as connection:
        connection.execute("ANALYZE")

    def explain(name, dialogue_id, **names):
        parameters = {"context_hashes": ["ab" * 32], "hash": "ab" * 32, "model": None, "most": 100}
        parameters |= {"dialogue_id": dialogue_id, "prompt_hash": "cd" * 32, "above": [dialogue_id]}
        statement = load_query(name)
        for placeholder, value in names.items():
            statement = statement.replace(f"{{{placeholder}}}", value)
        with module_archive.session() as connection:
            return [line for (line,) in connection.execute(f"EXPLAIN {statement}", parameters)]

    return explain


SOME_DIALOGUE = "00000000-0000-0000-0000-000000000000"


@pytest.mark.parametrize("within", [None, SOME_DIALOGUE])
@pytest.mark.parametrize("name", ["match_prefixes", "match_responses", "match_following", "match_base"])
def test_look_ups_use_indexes_only(explained, name, within):
    plan = explained(f"match/{name}", within, column="normalized_hash")
    assert not [line for line in plan if "Seq Scan" in line], plan


@pytest.mark.parametrize("is_child", ["IS NULL", "= ANY(%(above)s::uuid [])"])
def test_the_children_of_a_response_are_looked_up_in_the_index_of_the_seed(explained, is_child):
    """Dialogue, response above and hash of the prompt are all conditions of the index."""
    plan = explained("match/responses_in_dialogue", SOME_DIALOGUE, is_child=f"response.parent_response_id {is_child}")
    scan = next(place for place, line in enumerate(plan) if "ix_response_hashes_dialogue_id" in line)
    condition = plan[scan + 1]
    assert all(name in condition for name in ("dialogue_id", "parent_response_id", "prompt_hash")), plan
    assert not [line for line in plan if "Seq Scan" in line], plan


@pytest.mark.parametrize("model", ["a\0b", "\ud800", 5])
def test_a_models_name_that_is_in_no_text_is_named(session, model):
    with pytest.raises(InvalidMessagesError, match="the model's name"):
        find_path(session, [user("Hi")], model=model)
    with pytest.raises(InvalidMessagesError, match="the model's name"):
        find_or_create_from_messages(session, [user("Hi")], response="Hello", model=model)


def test_what_is_nested_too_deeply_and_options_that_are_none_are_named(session):
    arguments: dict = {}
    for _ in range(5_000):
        arguments = {"a": arguments}
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}}
    deep = [user("Hi"), {"role": "assistant", "content": None, "tool_calls": [call]}, user("And?")]
    with pytest.raises(InvalidMessagesError, match="nested too deeply"):
        find_path(session, deep)
    with pytest.raises(InvalidMessagesError, match="options cannot be written"):
        find_path(session, [user("Hi")], options="x")


@pytest.mark.parametrize("response", [5, ["x"], b"x"])
def test_a_response_that_cannot_be_read_is_named_as_the_response(session, response):
    with pytest.raises(InvalidMessagesError, match="the response"):
        find_or_create_from_messages(session, [user("Hi")], response=response)
