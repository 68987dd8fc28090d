"""Conversations in an object that is too large to be held."""

from __future__ import annotations

import json

import pytest

from archive_pipeline.readers.json.kinds import Kinds
from archive_pipeline_tests.readers.json.test_stream import is_conversation, read, values


@pytest.mark.parametrize("block", [7, 300])
@pytest.mark.parametrize(
    "opening", ['{"archived": [', '{"data": {"conversations": [', '{"data": {"b": "\\"", "archived": [']
)
def test_conversations_in_an_object_too_large_to_hold_are_read_from_named_arrays(opening, block):
    expected = [{"mapping": {"text": "\\" * 20}, "id": number} for number in range(40)]
    text = opening + json.dumps(expected)[1:]
    data = (text + "}" * text.count("data") + ', "c": {"conversations": [1]}}').encode()
    options = {"kinds": Kinds.of(is_conversation), "max_element_bytes": 700, "block_bytes": block}
    *found, beside = values(read(data, **options))
    assert (found, beside["c"]) == (expected, {"conversations": [1]})
    *found, cut = read(data[: len(text) - 3], **options)
    assert [item.value for item in found if is_conversation(item.value)] == expected[:39]
    assert cut.reason.endswith("; 39 records before it were found")
