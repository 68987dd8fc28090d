"""Values that something named like a secret is set to: what detect-secrets finds line by line, in linear time."""

from __future__ import annotations

import re
from time import process_time

import pytest
from detect_secrets.plugins import keyword
from hypothesis import example, given
from hypothesis import strategies as st

from archive_pipeline.export.redaction.assigned import _KEYWORD, _NO_SECRET, AssignedValues
from archive_pipeline.export.redaction.urls import secrets_of_urls
from archive_pipeline.export.redaction.variables import set_values
from archive_pipeline_tests.trials import trials

VALUES = AssignedValues(keyword)
PIECES = st.sampled_from(
    [
        *("key", "password", "secret", "api_key", "pwd", "token", "contraseña", "_", ".assign", "[]", "(", ")"),
        *("abcdef", "a1", "xxxxxx", "example", '="hunter2"', ': "abc1234"', "`abc1234`", ' == "s3cret7"'),
        *(":", "=", "==", "!=", "=>", " ", '"', "'", "`", ";", ",", "\n"),
    ]
)


def by_window(text: str) -> set[int]:
    """Return the characters that detect-secrets finds in windows of 300 characters, each from a keyword on."""
    found: set[int] = set()
    for name in _KEYWORD.finditer(text):
        line = text[name.start() : name.start() + 300].partition("\n")[0]
        for value in keyword.KeywordDetector().analyze_string(line):
            if len(value) >= 6 and not _NO_SECRET.fullmatch(value):
                for place in re.finditer(re.escape(value), line):
                    found.update(range(name.start() + place.start(), name.start() + place.end()))
    return found


@given(st.lists(PIECES, max_size=40).map("".join))
@trials(500)
@example('password: "abc1234" != "s3cret7" == secret_token')
@example("secret`abc1234` or `s3cret7`==my_password")
@example("key: `an example`==`abc1234`==pwd")
def test_whatever_is_found_window_by_window_is_found(text: str):
    assert by_window(text) <= {at for start, end in VALUES.find(text) for at in range(start, end)}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('password = "hunter2"', ["hunter2"]),
        ('password_hunter2 = "hunter2"', ["hunter2", "hunter2"]),
        ('if key and "hunter2" == my_password:', ["hunter2"]),
        ('secret: "hunter2", token: "other77"', ["hunter2"]),
        ("pwd => 'hunter2'", ["hunter2"]),
        ('password = "your example"', []),
        ('password\n= "hunter2"', []),
        ('password is "hunter2"', []),
    ],
)
def test_values_are_found(text: str, values: list[str]):
    assert [text[start:end] for start, end in VALUES.find(text)] == values


@pytest.mark.parametrize(
    "piece",
    ["key: ", 'key: "', 'password"', 'pass="abc123"; ', '"abc1234"==pwd ', f'pwd"{"pwd" * 90}', f'token="{"a" * 290}'],
)
def test_a_text_full_of_keywords_is_gone_through_once(piece: str):
    text = (piece * 500_000)[:500_000]
    started = process_time()
    assert all(start < end for start, end in VALUES.find(text))
    assert process_time() - started < 5


@pytest.mark.parametrize(
    "piece", ["password: ", "token=['ab1c2d', ", "PASSWORD=" + "a" * 250 + "(", "://a:", "https://a1"]
)
def test_a_text_full_of_beginnings_is_gone_through_once(piece: str):
    text = (piece * 500_000)[:500_000]
    started = process_time()
    assert all(start < end for values in (set_values, secrets_of_urls) for start, end in values(text))
    assert process_time() - started < 5
