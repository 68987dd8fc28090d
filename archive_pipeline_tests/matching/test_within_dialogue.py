"""Looking and storing within one dialogue, as the functions of seed 003 do."""

from __future__ import annotations

import re
from uuid import UUID

import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.errors import UnknownDialogueError
from archive_pipeline.matching import find_or_create_from_messages, find_path
from archive_pipeline.settings import Settings
from archive_pipeline_tests.exports import chain, chatgpt, load
from archive_pipeline_tests.matching.messages import system, turns, user
from archive_pipeline_tests.tables import derived_rows, query

pytestmark = pytest.mark.postgres

FRANCE = ("Capital of France?", "Paris", "Germany?", "Berlin")


def contents(messages):
    return [message.content for message in messages]


def test_within_one_dialogue_only_that_one_counts(imported, session):
    """Two dialogues begin alike and go on differently; either is known by its key and by its id."""
    imported(chatgpt("c1", chain(*FRANCE)), chatgpt("c2", chain(*FRANCE[:3], "Bonn", "Why?")))
    (one, other) = [find_path(session, turns(*FRANCE[:3]), conversation_id=f"chatgpt-c{n}") for n in (1, 2)]
    assert (one.hit, contents(one.responses)) == (True, ["Berlin"])
    assert (other.hit, contents(other.responses)) == (True, ["Bonn"])
    assert one.dialogue_id != other.dialogue_id
    assert find_path(session, turns(*FRANCE[:3]), conversation_id=other.dialogue_id).responses == other.responses
    assert find_path(session, turns(*FRANCE[:3]), conversation_id=UUID(other.dialogue_id)).hit
    assert len(find_path(session, turns(*FRANCE[:3])).responses) == 2
    named = find_path(session, turns(*FRANCE), conversation_id="chatgpt-c2")
    assert (named.hit, named.level, named.matched) == (False, "prompts", 3)
    assert contents(named.alternatives) == ["Bonn"]
    beyond = find_path(session, turns(*FRANCE[:3], "Bonn", "Why?"), conversation_id="chatgpt-c1")
    assert (beyond.matched, beyond.dialogue_id, contents(beyond.alternatives)) == (3, one.dialogue_id, ["Berlin"])
    spaced = find_path(session, turns("capital of  FRANCE?"), conversation_id="chatgpt-c2")
    assert (spaced.level, {known.dialogue_id for known in spaced.responses}) == ("normalized", {other.dialogue_id})


def test_what_an_import_deleted_is_found_no_more_even_before_the_next_build(database, imported, session, tmp_path):
    file = tmp_path / "conversations.json"
    load(database, file, chatgpt("c1", chain(*FRANCE)))
    imported(chatgpt("c2", chain(*FRANCE)))
    ids = [find_path(session, turns(*FRANCE), conversation_id=f"chatgpt-c{n}").dialogue_id for n in (1, 2)]
    without_paris = [said for said in chain(*FRANCE) if said.id != "m1"]
    load(database, file, chatgpt("c1", chain(*FRANCE[:3])), chatgpt("c2", without_paris))
    asked = find_path(session, turns(*FRANCE[:3]))
    assert [known.dialogue_id for known in asked.responses] == ids[1:]
    gone = find_path(session, turns(*FRANCE[:3]), conversation_id="chatgpt-c1")
    assert (gone.hit, gone.matched, gone.responses) == (False, 3, ())
    whole = find_path(session, turns(*FRANCE), conversation_id="chatgpt-c1")
    assert (whole.hit, whole.matched, whole.alternatives) == (False, 3, ())
    # Of both dialogues with the message the first one has it no more.
    unanswered = find_path(session, turns(*FRANCE, "Austria?"))
    assert unanswered.dialogue_id == ids[1]
    # What led there is not there either.
    led = find_path(session, turns(*FRANCE[:3]), conversation_id="chatgpt-c2")
    assert (led.matched, led.level) == (1, "normalized")


def test_within_one_dialogue_options_count_as_over_the_archive(session):
    prompt, fixed = [user("Name a colour")], {"temperature": 0}
    stored = find_or_create_from_messages(session, prompt, response="blue", options=fixed)
    find_or_create_from_messages(session, prompt, response="red", options={})
    for options, expected in ((fixed, ["blue"]), ({}, ["red"]), (None, ["red", "blue"]), ({"max_tokens": 1}, [])):
        for key in (None, stored.dialogue_id):
            found = find_path(session, prompt, options=options, conversation_id=key)
            assert sorted(contents(found.responses)) == sorted(expected)


def test_an_unknown_dialogue_is_an_error(session):
    for name in ("chatgpt-nothing", "00000000-0000-0000-0000-000000000000", "", "a\0b", "a\ud800"):
        with pytest.raises(UnknownDialogueError, match=re.escape(f"no dialogue has the key or id {name!r}")):
            find_path(session, turns("Hi"), conversation_id=name)


def test_within_one_dialogue_branches_hang_there(database, session, tmp_path):
    """The seed's function takes a conversation: what another one has does not count, and nothing is stored there."""
    settings = Settings(home=tmp_path)
    talks = [chatgpt(f"c{number}", chain("Hi", "Hello", "Bye", f"See you {number}")) for number in (1, 2)]
    load(database, tmp_path / "conversations.json", *talks)
    build_stale(database, settings)
    second = find_path(session, turns("Hi"), conversation_id="chatgpt-c2").dialogue_id
    stored = [
        find_or_create_from_messages(session, array, response="Yes", conversation_id="chatgpt-c2")
        for array in (turns("Hi", "Hello", "Still there?"), turns("Bye", "See you 1", "Ok?"), [user("Another root")])
    ]
    assert {(match.created, match.dialogue_id) for match in stored} == {(True, second)}
    known = find_or_create_from_messages(session, turns("Hi", "Hello", "Bye"), response="See you 1")
    assert not known.created
    copied = find_or_create_from_messages(
        session, turns("Hi", "Hello", "Bye"), response="See you 1", conversation_id="chatgpt-c2"
    )
    assert (copied.created, copied.dialogue_id) == (True, second)
    again = find_or_create_from_messages(session, [user("Another root")], response="Yes", conversation_id="chatgpt-c2")
    assert (again.created, again.hit) == (False, True)
    session.commit()
    lengths = query(database, "SELECT source_id, message_count FROM raw.dialogues ORDER BY source_id")
    assert lengths == [("c1", 4), ("c2", 4 + 2 + 4 + 2 + 1)]
    assert query(database, "SELECT count(*) FROM raw.messages WHERE parent_id IS NULL AND origin = 'api'") == [(2,)]
    names = ("response_hashes", "message_contexts")
    before = {name: derived_rows(database)[name] for name in names}
    build_stale(database, settings)
    assert {name: derived_rows(database)[name] for name in names} == before


def test_within_one_dialogue_a_system_message_is_enough_to_hang_on(database, session):
    brief = system("Be brief.")
    first = find_or_create_from_messages(session, [brief, user("Capital of France?")], response="Paris")
    italy = [brief, user("Capital of Italy?")]
    assert (
        find_or_create_from_messages(session, italy, response="Rome", conversation_id=first.dialogue_id).dialogue_id
        == first.dialogue_id
    )
    session.commit()
    assert query(database, "SELECT message_count FROM raw.dialogues") == [(5,)]
