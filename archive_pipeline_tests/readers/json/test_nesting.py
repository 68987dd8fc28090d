"""Records inside an element that is none: each is found with its place, and only what is found becomes text again."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from archive_pipeline.readers.json import nesting
from archive_pipeline.readers.json.kinds import Kinds
from archive_pipeline.readers.json.nesting import Element, unfold


def is_record(value: object) -> bool:
    return isinstance(value, dict) and "record" in value


def test_records_are_found_with_their_places_and_what_stands_beside_them_is_left():
    value = {"a": {"b": [{"record": 1}, 2, [{"record": 3}]], "c": 4}, "d": 5}
    found = list(unfold(Element("f", b"", value, ("w",)), Kinds.of(is_record)))
    assert {element.locator: element.value for element in found} == {
        "f.a.b[0]": {"record": 1},
        "f.a.b[1]": 2,
        "f.a.b[2][0]": {"record": 3},
        "f.a": {"c": 4},
        "f": {"d": 5},
    }
    assert all(orjson.loads(element.raw) == element.value for element in found)
    assert {element.warnings for element in found} == {("w",)}


def test_an_element_without_records_and_a_record_are_themselves():
    for value in ({"record": {"record": 1}}, {"a": [1, {"b": 2}]}, 7):
        element = Element("f", b"raw", value)
        assert list(unfold(element, Kinds.of(is_record))) == [element]


def test_what_stands_around_records_is_not_made_text(monkeypatch: pytest.MonkeyPatch):
    made, as_json = list[Any](), nesting.as_json
    monkeypatch.setattr(nesting, "as_json", lambda value: made.append(value) or as_json(value))
    found = list(unfold(Element("f", b"", [[[{"a": [{"record": 1}]}]]]), Kinds.of(is_record)))
    assert made == [element.value for element in found] == [{"record": 1}]
