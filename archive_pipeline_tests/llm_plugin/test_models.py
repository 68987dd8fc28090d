"""`archive/<model>` answers from the archive, stores what is new, and passes on what it cannot tell apart."""

from __future__ import annotations

import asyncio
import json
import re
import tomllib
from importlib import import_module

import llm
import pytest
from click.testing import CliRunner
from sqlalchemy.orm import Session

from archive_pipeline.errors import ConfigurationError
from archive_pipeline.matching import find_path, respond
from archive_pipeline.settings.variables import CHECKOUT
from archive_pipeline_tests.tables import query

PICTURE = b"\x89PNG not really"
FRANCE = [llm.system("Be brief."), llm.user("Capital of France?")]


def outcomes(database):
    return [
        outcome for (outcome,) in query(database, "SELECT outcome FROM raw.match_log WHERE door = 'llm' ORDER BY id")
    ]


def count(database):
    ((messages,),) = query(database, "SELECT count(*) FROM raw.messages")
    return messages


def test_the_second_prompt_is_answered_by_the_archive(plugin, database):
    """The workflow of seed 003, with `model.prompt(messages=...)`."""
    model = llm.get_model("archive/counting")
    first, second = model.prompt(messages=FRANCE), model.prompt(messages=FRANCE)
    assert first.text() == second.text() == "call 1 of counting"
    assert first.usage().output == 4
    longer = [*FRANCE, *first.messages(), llm.user("Germany?")]
    assert model.prompt(messages=longer).text() == model.prompt(messages=longer).text() == "call 2 of counting"
    assert len(plugin.model.calls) == 2
    assert outcomes(database) == ["generated_new", "found", "generated_new", "found"]
    assert query(database, "SELECT count(*) FROM raw.dialogues") == [(1,)]
    place = second.json()["archive"]
    stored = query(
        database,
        "SELECT message.id::text, message.dialogue_id::text, path_hash, model FROM derived.response_hashes "
        "INNER JOIN raw.messages AS message ON response_message_id = message.id ORDER BY sequence_number LIMIT 1",
    )
    assert stored == [(place["message_id"], place["dialogue_id"], place["path_hash"], "counting")]


@pytest.mark.parametrize("told", [{"finish_reason": "length"}, {"object": "chat.completion.chunk"}])
def test_an_answer_that_breaks_off_is_not_stored(plugin, database, told):
    plugin.model.told = told
    model = llm.get_model("archive/counting")
    assert [model.prompt(messages=FRANCE).text() for _ in range(2)] == ["call 1 of counting", "call 2 of counting"]
    assert count(database) == 0


def test_messages_of_llm_are_found_by_every_other_entry_point(plugin, database):
    llm.get_model("archive/counting").prompt("Capital of France?", system="Be brief.").text()
    with Session(database.engine) as session:
        plain = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Capital of France?"}]
        assert find_path(session, plain).response.content == "call 1 of counting"
        assert respond(session, FRANCE, call=pytest.fail, model="counting").from_archive


def test_fragments_are_part_of_the_question(plugin):
    model = llm.get_model("archive/counting")
    asked = [{}, {"fragments": ["A text."]}, {"system_fragments": ["Be brief."]}, {"fragments": ["A text."]}]
    texts = [model.prompt("Hi", **more).text() for more in asked]
    assert texts == [f"call {number} of counting" for number in (1, 2, 3, 2)]


def test_conversations_and_replies_go_on_from_what_is_known(plugin):
    texts = []
    for _ in range(2):
        conversation = llm.get_model("archive/counting").conversation()
        texts.append([conversation.prompt(turn).text() for turn in ("Hi", "And?", "Well?")])
    assert texts[0] == texts[1]
    reply = llm.get_model("archive/counting").prompt("Hi").reply("And?")
    assert reply.text() == texts[0][1]
    assert len(plugin.model.calls) == 3


def test_models_do_not_answer_for_each_other(plugin):
    for _ in range(2):
        assert llm.get_model("archive/counting").prompt("Hi").text() == "call 1 of counting"
        assert llm.get_model("archive/other").prompt("Hi").text() == "call 1 of other"


def test_a_stream_is_the_models_own_and_is_stored_when_it_is_complete(plugin, database):
    model = llm.get_model("archive/counting")
    begun = iter(model.prompt("Hi"))
    assert next(begun) == "call "
    assert count(database) == 0, "the answer is not there yet"
    assert list(begun) == ["1 of counting"]
    assert list(model.prompt("Hi")) == ["call 1 of counting"], "in one piece"
    assert [event.type for event in model.prompt("New").stream_events()] == ["reasoning", "text", "text"]
    assert model.prompt("Hi", stream=False).text() == "call 1 of counting", "how it is sent is no part of the key"
    next(iter(model.prompt("Left alone")))
    plugin.model.failing = True
    with pytest.raises(ConnectionError, match="the model is gone"):
        model.prompt("Fails").text()
    asked = [text for (text,) in query(database, "SELECT text_content FROM raw.content_parts WHERE sequence = 0")]
    assert not {"Left alone", "Fails"} & set(asked)


def test_asynchronous_models(plugin, database):
    async def ask():
        model = llm.get_async_model("archive/counting")
        first = await model.prompt("Hi").text()
        pieces = [piece async for piece in model.prompt("Hi")]
        other = [event.chunk async for event in model.prompt("New").astream_events()]
        return first, pieces, other, await model.prompt("New").text()

    first, pieces, other, again = asyncio.run(ask())
    assert first == "call 1 of counting"
    assert pieces == [first]
    assert other == ["Count.", "call ", "2 of counting"]
    assert again == "call 2 of counting"
    assert llm.get_model("archive/counting").prompt("Hi").text() == first, "the synchronous model is the same model"
    assert (len(plugin.asynchronous.calls), len(plugin.model.calls)) == (2, 0)
    assert outcomes(database) == ["generated_new", "found", "generated_new", "found", "found"]


def test_keys_are_needed_for_what_the_archive_does_not_have_only(plugin, monkeypatch):
    model, asynchronous = llm.get_model("archive/locked"), llm.get_async_model("archive/locked")
    with pytest.raises(llm.NeedsKeyException):
        model.prompt("Hi").text()
    assert model.prompt("Hi", key="given").text() == "call 1 of locked"
    assert model.prompt("Hi").text() == "call 1 of locked"
    monkeypatch.setenv("COUNTING_KEY", "of the environment")
    assert model.prompt("New").text() == "call 2 of locked"
    model.key = "set"
    assert model.prompt("Newer").text() == "call 3 of locked"
    assert [call["key"] for call in plugin.with_key.calls] == ["given", "of the environment", "set"]
    asyncio.run(asynchronous.prompt("Newest", key="k").text())
    assert plugin.asynchronous_with_key.calls[0]["key"] == "k"


def test_options_of_the_key_tell_answers_apart_and_a_free_temperature_does_not(plugin):
    model = llm.get_model("archive/counting")
    asked = [
        {},
        {"temperature": 0.7},
        {"temperature": 1.2},
        {"temperature": 0},
        {"max_tokens": 5},
        {"temperature": 0.0},
    ]
    texts = [model.prompt("Hi", options=options).text() for options in asked]
    assert texts == [f"call {number} of counting" for number in (1, 1, 1, 2, 3, 2)]
    assert plugin.model.calls[2]["options"] == {"max_tokens": 5}


def colour() -> str:
    """Name a colour."""
    return "red"


@pytest.mark.parametrize(
    "more",
    [
        {"options": {"seed": 7}},
        {"schema": {"type": "object", "properties": {"a": {"type": "string"}}}},
        {"tools": [colour]},
        {"attachments": [llm.Attachment(type="image/png", url="https://example.org/a.png")]},
        {"messages": [llm.user("Hi")], "system": "A system prompt that the messages do not have."},
        {"messages": [llm.Message("narrator", [llm.parts.TextPart("Once")])]},
    ],
    ids=["option", "schema", "tools", "address", "system", "role"],
)
def test_what_is_no_part_of_the_key_goes_to_the_model_and_is_not_stored(plugin, database, more):
    model = llm.get_model("archive/counting")
    assert [model.prompt("Hi", **more).text() for _ in range(2)] == ["call 1 of counting", "call 2 of counting"]
    assert (count(database), outcomes(database)) == (0, [])


def test_prompts_and_answers_that_say_nothing_are_not_stored(plugin, database, monkeypatch):
    model = llm.get_model("archive/counting")
    assert [model.prompt(text).text() for text in (" ", "", " ")] == [f"call {n} of counting" for n in (1, 2, 3)]
    monkeypatch.setattr(plugin.model, "pieces", lambda *_: iter(["\n", "\0\u00a0"]))
    assert model.prompt("Hi").text() == "\n\0\u00a0"
    assert count(database) == 0


@pytest.mark.parametrize("odd", ["a\0b", "a\ud800b"], ids=["NUL", "surrogate"])
def test_texts_that_the_archive_would_change_are_passed_on(plugin, database, monkeypatch, odd):
    model = llm.get_model("archive/counting")
    plain = odd.encode("utf-8", "replace").decode().replace("\0", "").replace("?", "\N{REPLACEMENT CHARACTER}")
    assert model.prompt(plain).text() == "call 1 of counting"
    assert model.prompt(odd).text() == "call 2 of counting", "not the answer to what looks like it"
    stored = count(database)
    monkeypatch.setattr(plugin.model, "pieces", lambda *_: iter([odd]))
    assert [model.prompt("Say it").text() for _ in range(2)] == [odd, odd]
    assert count(database) == stored


def test_what_is_attached_is_known_by_its_content(plugin, tmp_path):
    model, file = llm.get_model("archive/counting"), tmp_path / "a.png"
    file.write_bytes(PICTURE)
    by_path = llm.Attachment(type="image/png", path=str(file))
    by_content = llm.Attachment(type="image/png", content=PICTURE)
    texts = [model.prompt("What?", attachments=[attachment]).text() for attachment in (by_path, by_content)]
    file.write_bytes(b"another picture")
    by_path = llm.Attachment(type="image/png", path=str(file))
    texts += [model.prompt("What?", attachments=[by_path]).text(), model.prompt("What?").text()]
    assert texts == [f"call {number} of counting" for number in (1, 1, 2, 3)]


def test_a_broken_archive_is_an_error_before_the_model_is_asked(plugin, monkeypatch):
    monkeypatch.setenv("ARCHIVE_PARTITIONING", "by_moon")
    with pytest.raises(ConfigurationError):
        llm.get_model("archive/counting").prompt("Hi").text()
    assert plugin.model.calls == []


def test_an_answer_reaches_its_reader_though_the_archive_fails_meanwhile(plugin, database, monkeypatch, caplog):
    """The table that look-ups are counted in is gone while the model answers."""

    def renamed(name, new):
        with database.session() as connection:
            connection.execute(f"ALTER TABLE raw.{name} RENAME TO {new}")

    for model in (plugin.model, plugin.asynchronous):

        def pieces(prompt, stream, key=None):
            renamed("match_log", "lost_log")
            yield "an answer"

        monkeypatch.setattr(model, "pieces", pieces)
    try:
        assert llm.get_model("archive/counting").prompt("Hi").text() == "an answer"
        renamed("lost_log", "match_log")
        assert asyncio.run(llm.get_async_model("archive/counting").prompt("Hi").text()) == "an answer"
    finally:
        renamed("lost_log", "match_log")
    warnings = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert len(warnings) == 2
    assert all(
        re.fullmatch("the model's answer is not stored: .*match_log.* does not exist", line) for line in warnings
    )
    assert count(database) == 0


def test_each_model_is_there_once_more_with_its_traits_and_aliases(plugin):
    names = [known.model.model_id for known in llm.get_models_with_aliases()]
    own = [name for name in names if not name.startswith("archive/")]
    assert [name for name in names if name.startswith("archive/")] == [f"archive/{name}" for name in own]
    assert len(own) > 3, "those of llm's own plugins too"
    archived, model = llm.get_model("archive/c"), plugin.model
    assert (archived.model_id, archived.Options, archived.can_stream) == ("archive/counting", model.Options, True)
    assert (archived.attachment_types, archived.supports_schema) == (model.attachment_types, True)
    with pytest.raises(llm.UnknownModelError, match="sync model exists"):
        llm.get_async_model("archive/other")


def test_the_command_line_of_llm(plugin, database):
    """An alias by the model's own name makes every use of the model one of the archive."""
    from llm.cli import cli  # half a second, which the other workers need not pay

    run = CliRunner().invoke
    assert run(cli, ["aliases", "set", "counting", "archive/counting"]).exit_code == 0
    outputs = [run(cli, ["prompt", "-m", "counting", "Hi"], catch_exceptions=False).stdout for _ in range(2)]
    assert outputs == ["call 1 of counting\n"] * 2
    assert len(plugin.model.calls) == 1
    logged = json.loads(run(cli, ["logs", "--json", "-n", "1"]).output)
    assert logged[0]["response"] == "call 1 of counting"
    assert outcomes(database) == ["generated_new", "found"]


def test_llm_finds_the_plugin():
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert import_module(project["entry-points"]["llm"]["archive"]).register_models
    assert any(requirement.startswith("llm>=") for requirement in project["optional-dependencies"]["llm"])
