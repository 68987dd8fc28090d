"""`llm-archive ask`: what people and programs read, and what exit codes say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.answering.chat_server import ChatServer, Prepared, event, serve_chat, streamed
from archive_pipeline_tests.cli.command_line import CommandLine, Result
from archive_pipeline_tests.retrieval.search.archive import import_all

pytest.importorskip("httpx")
pytestmark = pytest.mark.postgres

QUESTION = "how hot is the oven"


@pytest.fixture
def filled(llm_archive: CommandLine, database: Database, settings: Settings, tmp_path: Path) -> CommandLine:
    import_all(database, settings, tmp_path / "exports")
    return llm_archive


@pytest.fixture
def chat() -> Iterator[ChatServer]:
    with serve_chat() as server:
        yield server


def asked(command: CommandLine, chat: ChatServer, *arguments: object) -> Result:
    return command("ask", *arguments, ARCHIVE_ANSWER_URL=chat.url, ARCHIVE_ANSWER_MODEL="small")


def test_an_answer_for_people(filled: CommandLine, chat: ChatServer):
    chat.answers.append(streamed("At 240 ", "degrees [1].\n", "\x1b[31mHot! [7]"))
    ended = asked(filled, chat, QUESTION, "--max-sources", 2)
    assert ended.code == 0
    answer, sources = ended.out.split("\n\n")
    assert answer == "At 240 degrees [1].\nHot! [7: no such source]"
    assert sources == "[1] Baking, page 2 (chatgpt-bread)\n"
    assert "cites sources that do not exist, and they are marked: 7" in ended.err
    assert "small, " in ended.err.splitlines()[-1]


def test_an_answer_for_programs(filled: CommandLine, chat: ChatServer):
    chat.answers.append(streamed("At 240 degrees [1]."))
    ended = asked(filled, chat, QUESTION, "--json", "--source", "chatgpt")
    assert ended.code == 0
    found = ended.json
    assert list(found)[:4] == ["answer", "sources", "truncated", "total_tokens"]
    assert found["answer"] == "At 240 degrees [1]."
    context = filled("context", QUESTION, "--json", "--source", "chatgpt").json
    assert {name: found[name] for name in ("sources", "truncated", "total_tokens", "left_out")} == {
        name: context[name] for name in ("sources", "truncated", "total_tokens", "left_out")
    }


def test_a_time_in_the_question_is_read_unless_that_is_declined(filled: CommandLine, chat: ChatServer):
    chat.answers += [streamed("At 240 degrees [1].")] * 2
    [note] = asked(filled, chat, f"{QUESTION} in January 2024", "--json").json["notes"]
    assert note.startswith("'in January 2024' was read as 2024-01-01 to 2024-01-31 (UTC)")
    assert asked(filled, chat, f"{QUESTION} in January 2024", "--json", "--no-time-words").json["notes"] == []


def test_an_answer_that_is_not_complete_is_exit_code_1(filled: CommandLine, chat: ChatServer):
    for arguments in ([], ["--json"]):
        chat.answers.append(Prepared([event("At 240 [1]")]))
        ended = asked(filled, chat, QUESTION, *arguments)
        assert ended.code == 1
        assert "At 240 [1]" in ended.out
        assert "the answer is not complete: the endpoint ended the stream in the middle" in ended.err


def test_nothing_found_asks_no_model(filled: CommandLine, chat: ChatServer):
    ended = asked(filled, chat, "unheard")
    assert (ended.code, ended.out, chat.requests) == (0, "", [])
    assert "nothing was found, and no model was asked" in ended.err
    assert asked(filled, chat, "unheard", "--json").json["answer"] == ""
    ended = asked(filled, chat, QUESTION, "--max-tokens", 1)
    assert (ended.code, ended.out, chat.requests) == (0, "", [])
    assert "the budget (max_tokens) is too small for any page that was found, and no model was asked" in ended.err


def test_no_answer_is_one_line_and_exit_code_2(filled: CommandLine, chat: ChatServer):
    chat.answers.append(Prepared([b"bad model"], status=404))
    ended = asked(filled, chat, QUESTION)
    assert (ended.code, ended.out) == (2, "")
    assert ended.error == f"{chat.url}/chat/completions answered HTTP 404: bad model"


def test_without_a_model_the_error_says_what_to_set(llm_archive: CommandLine):
    ended = llm_archive("ask", QUESTION, ARCHIVE_ANSWER_URL="", ARCHIVE_ANSWER_MODEL="")
    assert (ended.code, ended.out) == (2, "")
    assert "ARCHIVE_ANSWER_URL" in ended.error
