"""The work of the readers grows with the file and no faster, whatever the file holds."""

from __future__ import annotations

import io
import json
from collections import deque
from functools import partialmethod
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.domain.records import DialogueRecord, MessageRecord, RejectedRecord
from archive_pipeline.ingest.linking import link_messages
from archive_pipeline.readers.chatgpt import dialogue as chatgpt
from archive_pipeline.readers.claude_ai import dialogue as claude_ai
from archive_pipeline.readers.claude_code import READER as CLAUDE_CODE
from archive_pipeline.readers.declaration import Reader
from archive_pipeline.readers.droid import READER as DROID
from archive_pipeline.readers.json.recovery import Gap, RecoveryBudget, resume
from archive_pipeline.readers.json.slices import Slice
from archive_pipeline.readers.json.stream import stream_elements
from archive_pipeline.readers.openai_messages import READER as OPENAI_MESSAGES
from archive_pipeline.readers.pi import READER as PI
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.readers.registry import KINDS, is_conversation
from archive_pipeline_tests.readers.claude_code.lines import answer, call, entry, said
from archive_pipeline_tests.readers.claude_code.lines import result as result_line
from archive_pipeline_tests.readers.work import growth
from archive_pipeline_tests.variants import some_of

ALMOST_LINEAR = 5


def test_many_messages_below_one_long_chain_of_nodes_without_a_message():
    def link(size: int) -> None:
        nodes = {f"n{at}": f"n{at + 1}" for at in range(size)} | {f"n{size}": None}
        messages = [MessageRecord(f"m{at}", "n0", "user") for at in range(size)]
        links = link_messages(messages, [f"m{at}" for at in range(size)], nodes)
        assert all(link.parent is None and link.flag is None for link in links)

    assert growth(link, 100) < ALMOST_LINEAR


@pytest.mark.parametrize("has_ids", [True, False])
def test_many_tool_calls_that_are_all_open_before_their_results(has_ids: bool):
    def read(size: int) -> None:
        numbers = range(size)
        calls = [{"type": "tool_use", "name": f"t{at}", "id": f"c{at}" if has_ids else None} for at in numbers]
        results = [{"type": "tool_result", "name": f"t{at}", "content": "x"} for at in reversed(numbers)]
        for at, result in zip(reversed(numbers), results, strict=True):
            result["tool_use_id"] = f"c{at}" if has_ids else None
        value = {"uuid": "u", "chat_messages": [{"uuid": "m", "sender": "assistant", "content": calls + results}]}
        record = claude_ai.read_conversation(value, "x")
        assert isinstance(record, DialogueRecord)
        parts = record.messages[0].parts
        assert [part.tool_use_id for part in parts[size:]] == [part.tool_use_id for part in reversed(parts[:size])]

    assert growth(read, 100) < ALMOST_LINEAR


def test_many_messages_that_are_odd_and_alternatives_that_repeat_them():
    def read(size: int) -> None:
        odd = [{"role": "assistant", "content": "<image>", "tool_calls": [at, {"name": "t"}]} for at in range(size)]
        calls = {"role": "assistant", "content": [{"type": "odd"}] * size, "tool_calls": ["x"] * size}
        messages = [*odd, calls]
        more = [{**message, "more": at} for at, message in enumerate(messages)]
        value = {"chosen": messages, "rejected": more, "images": ["1.jpg"] * size}
        record = OPENAI_MESSAGES.read(value, "x")
        assert isinstance(record, DialogueRecord)
        assert len(record.messages) == size + 1
        assert len(record.source_json["chosen"]) == size + 1

    assert growth(read, 50) < ALMOST_LINEAR


def _read_session(*lines: Any) -> DialogueRecord:
    record = CLAUDE_CODE.read({"file": "x.jsonl", "lines": list(lines)}, "x")
    assert isinstance(record, DialogueRecord)
    return record


@pytest.mark.parametrize("order", [1, -1])
def test_one_answer_of_many_lines_and_its_results_in_either_order(order: int):
    def read(size: int) -> None:
        ids = [str(at) for at in range(size)]
        calls = [answer(f"a{at}", f"a{at}", 0, "m", call(at, "Bash")) for at in ids]
        results = [result_line(f"r{at}", f"a{at}", 0, at, "x") for at in ids[::order]]
        record = _read_session(*calls, *results)
        assert [message.role for message in record.messages] == ["assistant", *["tool"] * size]

    assert growth(read, 100) < ALMOST_LINEAR


def test_many_lines_of_one_answer_below_many_lines_without_a_message():
    def read(size: int) -> None:
        progress = [entry("progress", f"p{at}", f"p{at + 1}", 0) for at in range(size)]
        prompts = [said(f"u{at}", "p0", 0, "<tick><system-reminder>" * size) for at in range(4)]
        assert len(_read_session(*progress, *prompts).messages) == 4

    assert growth(read, 100) < ALMOST_LINEAR


@pytest.mark.parametrize("reader", [PI, DROID], ids=lambda reader: reader.source)
def test_many_different_lines_of_one_id(reader: Reader):
    def read(size: int) -> None:
        lines = [
            {"type": "message", "id": "1", "parentId": "1", "message": {"role": "user", "content": str(at)}}
            for at in range(size)
        ]
        record = reader.read({"file": "x", "lines": lines}, "x")
        assert isinstance(record, DialogueRecord)
        assert len({message.source_id for message in record.messages}) == size

    assert growth(read, 100) < ALMOST_LINEAR


def test_many_summaries_and_hooks_behind_one_message():
    def read(size: int) -> None:
        said_before = {"type": "message", "id": "m", "message": {"role": "user", "content": "x"}}
        hooks = [{**said_before, "id": f"h{at}", "message": {"role": "user", "content": []}} for at in range(size)]
        summaries = [{"type": "compaction_state", "id": f"k{at}", "summaryText": "x"} for at in range(size)]
        behind = [{**said_before, "id": f"b{at}", "parentId": f"h{at}"} for at in range(size)]
        lines = [said_before, *hooks, *summaries, *behind]
        record = DROID.read({"file": "x", "lines": lines}, "x")
        assert isinstance(record, DialogueRecord)
        assert {message.parent_source_id for message in record.messages[-size:]} == {f"k{size - 1}"}

    assert growth(read, 100) < ALMOST_LINEAR


def test_many_calls_and_results_of_chatgpt_in_one_chain():
    def read(size: int) -> None:
        mapping = {}
        for at in range(size):
            author = {"role": "assistant"} if at < size / 2 else {"role": "tool", "name": "python"}
            message = {"author": author, "recipient": "python", "content": {"content_type": "code", "text": "1"}}
            mapping[f"n{at}"] = {"id": f"n{at}", "parent": f"n{at - 1}" if at else None, "message": message}
        record = chatgpt.read_conversation(json.loads(json.dumps({"id": "c", "mapping": mapping})), "x")
        assert isinstance(record, DialogueRecord)

    assert growth(read, 100) < ALMOST_LINEAR


CONVERSATION = b'{"id": "c", "mapping": {"n": {"message": {"author": {"role": "user"}}}}}'


@pytest.mark.parametrize(
    "unit",
    [
        b'{"id": "x, "mapping": {}},',
        CONVERSATION + b', {"id": 1, "mapping": {,',
        CONVERSATION + b', {"id": "x, "mapping": {},',
        b', {"a": [',
        b", {x: [0",
        b', {"a": 1',
        b'{"a": {"a": [[',
        b'"',
        b"[",
        b", 1",
        b"]} {",
        b"{}",
    ],
)
@pytest.mark.parametrize(
    ("opening", "closing"), some_of([(b"[", b""), (b'{"a": [', b"]}"), (b"[", b"]}"), (b'{"a": [', b"")], 2)
)
def test_broken_json_is_searched_in_linear_work(unit: bytes, opening: bytes, closing: bytes):
    def read(size: int) -> None:
        data = opening + CONVERSATION + b", " + unit * size + closing * size + b"]"
        list(stream_elements(io.BytesIO(data), "f", kinds=KINDS))

    assert growth(read, 150) < ALMOST_LINEAR


def test_what_is_parsed_in_vain_is_bounded_for_the_file_and_not_for_each_broken_record():
    nested = b", {x: [0" * 300 + b"]}" * 300
    broken = b'{"id": "x, "mapping": {}}' + nested
    data = b"[" + b", ".join([broken, CONVERSATION] * 20) + b", {"
    budget = RecoveryBudget(parsed_bytes=4 * len(broken))
    found = list(resume(Slice(0, data[1:]), is_conversation, budget))
    assert -len(broken) < budget.parsed_bytes < 0
    assert b"".join(piece.raw for piece in found) == data[1:]
    assert isinstance(found[-1], Gap)
    assert found[-1].is_unsearched


def test_what_was_not_searched_is_rejected_with_its_place(monkeypatch):
    monkeypatch.setattr(RecoveryBudget, "__init__", partialmethod(RecoveryBudget.__init__, tokens=50))
    data = b"[" + CONVERSATION + b', {"id": "x, "mapping": {}}' + (b", " + CONVERSATION) * 50 + b"]"
    items = list(stream_elements(io.BytesIO(data), "f", kinds=KINDS))
    assert isinstance(items[-1], RejectedRecord)
    assert "not searched" in items[-1].reason
    assert "byte" in items[-1].reason


def test_progress_of_many_files_and_files_by_their_locators(tmp_path: Path):
    for at in range(400):
        (tmp_path / f"{at}.json").write_text("[]")

    def read(size: int) -> None:
        told: list[tuple[int, int]] = []
        reading = read_paths(tmp_path / f"{at}.json" for at in range(size))
        for file in reading:
            assert reading.file(file.locator) is file
            deque(file.records(), maxlen=0)
            reading.tell(lambda _, done, total: told.append((done, total)))
        assert told == [(2 * at, 2 * size) for at in range(1, size + 1)]

    assert growth(read, 100) < ALMOST_LINEAR
