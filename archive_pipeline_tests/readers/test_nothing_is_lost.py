"""Every leaf of a file is in a dialogue's bytes or in the place that a rejected record names, whatever its shape."""

from __future__ import annotations

import io
import json
import re
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.readers.json.stream import Element, stream_elements
from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline.readers.registry import KINDS
from archive_pipeline_tests.trials import trials

# Duplicate keys are possible: an object is a list of pairs here.
Pairs = list[tuple[str, Any]]


class Obj:
    def __init__(self, pairs: Pairs) -> None:
        self.pairs = pairs


def encode(value: Any, marks: count) -> str:
    """Return JSON text in which each leaf is a string that occurs once."""
    if isinstance(value, Obj):
        return "{" + ", ".join(f"{json.dumps(key)}: {encode(item, marks)}" for key, item in value.pairs) + "}"
    if isinstance(value, list):
        return "[" + ",".join(encode(item, marks) for item in value) + "]"
    return f'"mark-{next(marks)}."'


def conversation(*more: tuple[str, Any]) -> Obj:
    message = Obj([("author", Obj([("role", 0)])), ("content", Obj([("parts", [0])]))])
    return Obj([("id", 0), ("mapping", Obj([("n", Obj([("message", message)]))])), *more])


keys = st.sampled_from(["conversations", "archived", "mapping", "chat_messages", "a", "data", "id"])
leaves = st.just(0)
conversations = st.lists(st.tuples(keys, leaves | st.lists(leaves, max_size=2)), max_size=2).map(
    lambda pairs: conversation(*pairs)
)
shapes = st.recursive(
    leaves | conversations,
    lambda inner: st.lists(inner, max_size=4) | st.lists(st.tuples(keys, inner), max_size=4).map(Obj),
    max_leaves=15,
)
containers = shapes.filter(lambda shape: shape != 0)


def marks_in(text: str) -> set[str]:
    return set(re.findall(r"mark-\d+\.", text))


@pytest.mark.slow
@trials(200)
@given(st.lists(containers, min_size=1, max_size=3), st.sampled_from(["", " ", "\n"]), st.integers(1, 50))
def test_every_leaf_of_any_documents_is_in_an_element(documents: list[Any], between: str, block: int):
    marks = count()
    text = between.join(encode(document, marks) for document in documents)
    items = list(stream_elements(io.BytesIO(text.encode()), "f", kinds=KINDS, block_bytes=block))
    assert all(isinstance(item, Element) for item in items)
    assert marks_in(text) == set().union(*(marks_in(json.dumps(item.value)) for item in items))
    assert marks_in(text) == set().union(*(marks_in(item.raw.decode()) for item in items))


@pytest.mark.slow
@trials(100)
@given(containers, st.text(alphabet='[]{},:" x', min_size=1, max_size=6), st.data())
def test_behind_what_cannot_be_read_a_rejected_record_says_so(document: Any, noise: str, data: st.DataObject):
    text = encode(document, count())
    place = data.draw(st.integers(0, len(text)))
    broken = text[:place] + noise + text[place:]
    items = list(stream_elements(io.BytesIO(broken.encode()), "f", kinds=KINDS))
    kept = set().union(*(marks_in(item.raw.decode()) for item in items if isinstance(item, Element)))
    assert kept >= marks_in(broken) or any(isinstance(item, RejectedRecord) for item in items)


def read(tmp_path, text):
    path = tmp_path / "conversations.json"
    path.write_text(text)
    [file] = reading = read_paths([path])
    items = list(file.records())
    titles = [item.record.source_id for item in items if isinstance(item, ReadDialogue)]
    return titles, [item for item in items if isinstance(item, RejectedRecord)], file, reading


A = '{"id": "A", "mapping": {"a": {"message": {"author": {"role": "user"}, "content": {"parts": ["x"]}}}}}'
B, C = A.replace("A", "B"), A.replace("A", "C")


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        (f'{{"conversations": [{A}], "archived": [{B}]}}', "AB"),
        (f'{{"archived": [{B}], "conversations": [{A}]}}', "AB"),
        (f'{{"conversations": [{A}], "conversations": [{B}]}}', "AB"),
        (f'{{"data": {{"conversations": [{A}, {B}]}}}}', "AB"),
        (f'{A[:-1]}, "conversations": []}}', "A"),
        (f'{A[:-1]}, "conversations": [{B}]}}', "BA"),
        (f"[[{A}, [{B}]], [{C}]]", "ABC"),
        (f"[{A}] [{B}]", "AB"),
        (f"{A}\n{B}\n{C}\n", "ABC"),
    ],
)
def test_conversations_are_found_wherever_they_stand(tmp_path, text, titles):
    found, rejected, file, reading = read(tmp_path, text)
    assert found == list(titles)
    assert not rejected
    assert file.is_understood
    assert not reading.not_understood


def test_what_stands_beside_the_conversations_is_rejected_by_name(tmp_path):
    titles, [rejected], file, reading = read(tmp_path, f'{{"version": 3, "conversations": [{A}], "user": {{"x": 1}}}}')
    assert titles == ["A"]
    assert "keys version, user" in rejected.reason
    assert rejected.excerpt
    assert not file.is_understood
    assert "rejected (1)" in reading.not_understood[0]


def test_the_fields_before_an_array_that_is_cut_off_are_rejected_by_name(tmp_path):
    titles, rejected, _, _ = read(tmp_path, f'{{"version": 3, "conversations": [{A}, {B[:50]}')
    assert titles == ["A"]
    assert "keys version" in rejected[0].reason
    assert "cut off" in rejected[1].reason


@pytest.mark.parametrize("number", [99, 100, 300])
def test_any_number_of_other_objects_before_the_first_conversation_is_rejected_one_by_one(tmp_path, number):
    titles, rejected, file, _ = read(tmp_path, json.dumps([{"a": at} for at in range(number)])[:-1] + f", {A}]")
    assert titles == ["A"]
    assert [record.locator for record in rejected] == [f"{file.locator}[{at}]" for at in range(number)]


@pytest.mark.slow
def test_rejected_records_beyond_a_limit_are_one_record_that_names_the_place(tmp_path):
    titles, rejected, file, _ = read(tmp_path, f"[{A}" + ", 1" * 10_500 + f", {B}]")
    assert titles == ["A", "B"]
    assert len(rejected) == 10_001
    assert "500 more records" in rejected[-1].reason
    assert f"{file.locator}[10500]" in rejected[-1].locator
    assert file.anomalies["rejected"] == 10_500


def test_a_file_of_other_values_without_end_is_given_up_at_a_byte_that_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("archive_pipeline.readers.json.stream.MAX_OTHERS", 1000)
    titles, rejected, _, _ = read(tmp_path, f"[{A}" + ", 1" * 2000 + f", {B}]")
    assert titles == ["A"]
    assert rejected[-1].whole_file
    assert f"byte {len(A) + 1 + 3 * 1001}" in rejected[-1].reason


@pytest.mark.parametrize("key", ["mapping", "id", "n"])
def test_a_key_that_is_twice_in_an_object_keeps_both_values(tmp_path, key):
    inner = '{"message": {"author": {"role": "user"}, "content": {"parts": ["%s"]}}}'
    text = f'{{"id": "A", "mapping": {{"n": {inner % "one"}}}}}'
    twice = {
        "mapping": text[:-1] + f', "mapping": {{"n": {inner % "two"}}}}}',
        "id": text[:-1] + ', "id": "two"}',
        "n": text[:-2] + f', "n": {inner % "two"}}}}}',
    }[key]
    _, rejected, file, _ = read(tmp_path, f"[{twice}]")
    [item] = file.records()
    assert not rejected
    assert item.record.warnings["duplicate_key"] == 1
    assert "duplicate_key" in file.anomalies
    assert {"two", "A" if key == "id" else "one"} <= set(re.findall(r"'(one|two|A)'", repr(item.record)))


def test_an_array_of_unknown_objects_in_a_folder_may_hold_conversations(tmp_path):
    (tmp_path / "conversations-000.json").write_text(f"[{A}]")
    (tmp_path / "places.json").write_text('[{"unknown": 1}]')
    (tmp_path / "export.tar.gz").write_text("x")
    reading = read_paths([tmp_path])
    assert not [item for file in reading for item in file.records() if isinstance(item, RejectedRecord)]
    assert [file.is_understood for file in reading.files] == [True, False]
    assert {line.split(":")[0].rsplit("/", 1)[1] for line in reading.not_understood} == {"places.json", "export.tar.gz"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("chat-1.json", '[{"chatId": "c", "role": "user", "content": "hi"}]'),
        ("chat-2.json", '[{"version": 1}, 2, {"chatId": "c", "role": "user", "content": "hi"}]'),
        ("weak.json", '[{"id": "w", "mapping": {}}]'),
        ("conversations-001.json", '[{"unknown": 1}]'),
    ],
)
def test_an_array_in_a_folder_that_looks_like_conversations_is_rejected(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    reading = read_paths([tmp_path])
    [rejected] = [item for file in reading for item in file.records()]
    assert rejected.whole_file
    assert rejected.reason.startswith("no known export format: an array whose first record is an object with key")
    assert not reading.skipped
    assert "rejected (1), unknown_shape (1)" in reading.not_understood[0]


def test_numbers_that_no_type_holds_keep_their_digits(tmp_path):
    digits = "9" * 5000
    text = f'{A[:-1]}, "x": {digits}, "y": 123456789012345678901234567890, "z": 1e999}}'
    _, _, file, _ = read(tmp_path, f"[{text}]")
    [item] = file.records()
    source = item.record.source_json
    assert (source["x"], source["y"], source["z"]) == (digits, 123456789012345678901234567890, "1e999")
