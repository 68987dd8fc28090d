"""Streams of chat completions, however their bytes are divided and whatever is in them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable

import pytest

from archive_pipeline.answering.cleaning import TextCleaner, ThinkingFilter
from archive_pipeline.answering.events import LONGEST_LINE_BYTES, Piece, parse_piece, read_events
from archive_pipeline.errors import AnswerError


def events(chunks: Iterable[bytes]) -> list[str]:
    async def arriving() -> AsyncIterator[bytes]:
        for chunk in chunks:
            yield chunk

    async def collected() -> list[str]:
        return [event async for event in read_events(arriving())]

    return asyncio.run(collected())


STREAM = ': hello\r\nevent: x\r\ndata: {"a": "é\u2028\x0b"}\r\n\r\nid: 4\ndata:two\n\ndata: last'.encode()


def test_events_are_the_same_however_their_bytes_arrive():
    expected = ['{"a": "é\u2028\x0b"}', "two", "last"]
    assert events([STREAM]) == expected
    assert events(bytes([byte]) for byte in STREAM) == expected


def test_every_end_of_a_line_a_mark_before_the_first_and_empty_data_are_understood():
    stream = b"\xef\xbb\xbfdata: one\r\rdata:\r\ndata: two\n\n"
    assert events([stream]) == events(bytes([byte]) for byte in stream) == ["one", "two"]


def test_bytes_that_are_no_utf_8_are_replaced():
    assert events([b"data: a\xff\xc3\n"]) == ["a\ufffd\ufffd"]


def test_a_line_without_end_is_not_collected_for_ever():
    with pytest.raises(AnswerError, match="1,000,000 bytes"):
        events(b"x" * 100_000 for _ in range(LONGEST_LINE_BYTES // 100_000 + 1))


@pytest.mark.parametrize(
    ("data", "piece"),
    [
        ({"choices": [{"delta": {"content": "a"}, "finish_reason": None}]}, Piece("a", None)),
        ({"choices": [{"delta": {"role": "assistant", "content": None}}]}, Piece("", None)),
        ({"choices": [{"delta": {"reasoning_content": "hm"}}]}, Piece("", None)),
        ({"choices": [{"delta": {}, "finish_reason": "length"}]}, Piece("", "length")),
        ({"choices": [{"message": {"content": "whole"}, "finish_reason": "stop"}]}, Piece("whole", "stop")),
        ({"choices": [{"message": {"content": None, "refusal": "I cannot."}}]}, Piece("I cannot.", None)),
        ({"choices": [], "usage": {"total_tokens": 3}}, Piece("", None)),
    ],
)
def test_what_an_event_says(data: object, piece: Piece):
    assert parse_piece(json.dumps(data)) == piece


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "OpenAI-compatible"),
        ("{}", "OpenAI-compatible"),
        ('{"choices": [1]}', "OpenAI-compatible"),
        ('{"choices": [{"delta": {"content": 1}}]}', "OpenAI-compatible"),
        ('{"choices": [{"delta": 1}]}', "OpenAI-compatible"),
        ('{"choices": [{"delta": {"content": "a"}, "finish_reason": {}}]}', "OpenAI-compatible"),
        ('{"error": {"message": "out of\\nmemory"}}', "failed: out of memory"),
        ('{"error": "no"}', "failed: no"),
    ],
)
def test_what_is_no_piece_of_an_answer_is_an_error(data: str, said: str):
    with pytest.raises(AnswerError, match=said):
        parse_piece(data)


@pytest.mark.parametrize(
    ("pieces", "clean"),
    [
        (["a\r", "\nb\r", "c"], "a\nb\nc"),
        (["a\ud83d", "\ude00b"], "a\U0001f600b"),
        (["a\ud83d", "b\ude00"], "a\ufffdb\ufffd"),
        (["a\ud83d"], "a\ufffd"),
        (["\x1b[31mred\x07\x00", "\u202eleft\x9b2J"], "redleft"),
        (["here \x1b", "[3", "1", "mred\x1b[0", "m."], "here red."),
        (["\x1b\x00", "[31m\x00red"], "red"),
        (["\x1b]0;ti", "tle\x07So \x1b]8;;http://a.b\x1b", "\\this\x1b]8;;\x1b\\."], "So this."),
        (["\x1b]0;never over", " at all\r", "\nNext."], "\nNext."),
        (["\x1bP1$q\ud83d", "\ude00\x9cred\x1b(", "B\x1b", "c"], "red"),
        (["cut off \x1b]0;ti"], "cut off "),
        (["cut off \x1b[1;3"], "cut off "),
        (["\x1b[31\u00e9t\u00e9"], "\u00e9t\u00e9"),
        (["\u00e2\x80\x9cquoted\u00e2\x80\x9d text"], "\u00e2quoted\u00e2 text"),
        (["tab\there\r"], "tab\there\n"),
    ],
)
def test_a_streamed_text_is_cleaned(pieces: list[str], clean: str):
    for fed in (pieces, "".join(pieces)):  # the same character by character
        cleaner = TextCleaner()
        assert "".join([*map(cleaner.feed, fed), cleaner.finish()]) == clean


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        ("<think>hm [9]</think>\n\nSo [1].", "So [1]."),
        ("\n<think>\nhm < / </thin\n</think>So </think> [1].", "So </think> [1]."),
        ("<think>never over", ""),
        ("<think></think>", ""),
        (" <thin", " <thin"),
        ("<thinking> is hard", "<thinking> is hard"),
        ("So <think>[1]</think>.", "So <think>[1]</think>."),
        (" So.", " So."),
        ("", ""),
    ],
)
def test_what_a_model_thinks_is_no_part_of_its_answer(answer: str, shown: str):
    for at in range(len(answer) + 1):
        thinking = ThinkingFilter()
        assert thinking.feed(answer[:at]) + thinking.feed(answer[at:]) + thinking.finish() == shown
    thinking = ThinkingFilter()
    assert "".join([*map(thinking.feed, answer), thinking.finish()]) == shown
