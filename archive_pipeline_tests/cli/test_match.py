"""`llm-archive match`."""

from __future__ import annotations

import json

import pytest

from archive_pipeline_tests.exports import chain, chatgpt, write
from archive_pipeline_tests.matching.messages import turns

pytestmark = pytest.mark.postgres


@pytest.fixture
def asked(tmp_path):
    def file(content):
        path = tmp_path / "asked.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return path

    return file


def test_match(llm_archive, loaded, tmp_path, asked):
    loaded(write(tmp_path / "conversations.json", chatgpt("c1", chain("Hi", "Hello there", "Bye", "See you"))))
    hit = llm_archive("match", asked(turns("Hi", "Hello there", "Bye")))
    assert hit.code == 0
    assert "hit (exact): 3 of 3 messages are known, 1 responses" in hit.out
    assert "See you" in hit.out
    marked = asked("\ufeff" + json.dumps(turns("Hi", "Hello there", "Bye")))  # as Windows writes files
    assert llm_archive("match", marked).out == hit.out

    request = {"model": "m", "temperature": 0.7, "messages": turns("Hi", "Hello there", "What?")}
    miss = llm_archive("match", asked(request), "--json")
    assert miss.code == 1
    assert (miss.json["hit"], miss.json["matched"], miss.json["level"]) == (False, 2, None)
    assert [known["content"] for known in miss.json["alternatives"]] == ["Bye"]


@pytest.mark.parametrize("limit", ["max_tokens", "max_completion_tokens", "max_output_tokens"])
def test_options_that_leave_every_response_out_are_named(llm_archive, loaded, tmp_path, asked, limit):
    loaded(write(tmp_path / "conversations.json", chatgpt("c1", chain("Hi", "Hello there"))))
    request = {"model": "m", "temperature": 0.7, limit: 1024, "messages": turns("Hi")}
    miss = llm_archive("match", asked(request))
    assert miss.code == 1
    assert "only responses to requests with the same max_tokens count" in miss.err
    del request[limit]
    hit = llm_archive("match", asked(request))
    assert (hit.code, hit.err) == (0, "")


@pytest.mark.parametrize(
    ("content", "error"),
    [
        ("{", "is not JSON"),
        ("7", "holds neither a list of messages nor an object with `messages`"),
        ('{"messages": 7}', "holds neither a list of messages"),
        ('{"input": []}', "give the list in `input` as `messages`"),
        ("[]", "no message has any content"),
        ('[{"role": "boss"}]', "messages[0].role is 'boss'"),
    ],
)
def test_bad_files_are_one_line(llm_archive, asked, content, error):
    result = llm_archive("match", asked(content))
    assert result.code == 2
    assert error in result.error
