"""What JSON text holds is told from its bytes: keys, depth, numbers, memory."""

from __future__ import annotations

import json
import re
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.readers.json.parsing import parse_json
from archive_pipeline.readers.json.structure import extent_of, fold_deep, has_all_of, memory_of
from archive_pipeline_tests.trials import trials

texts = st.text(alphabet='\\":,[]{} a1\n', max_size=8)
values = st.recursive(
    st.none() | st.integers(-(2**90), 2**90) | texts | st.just("9" * 30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=20,
)


@trials(150)
@given(values, st.sampled_from([(",", ":"), (", ", ": "), (" , ", " : "), ("\n,", "\n:\t")]))
def test_text_without_duplicates_is_known_to_be_complete_whatever_its_strings_hold(value, separators):
    raw = json.dumps(value, separators=separators).encode()
    parsed, warnings = parse_json(raw)
    assert parsed == value
    assert "duplicate_key" not in warnings
    assert re.search(rb"[0-9]{19}", raw) or has_all_of(raw, extent_of(value).keys)


@trials(150)
@given(
    st.lists(st.tuples(st.sampled_from(["a", "b", 'x":', "a (duplicate 1)"]), texts), min_size=1, max_size=6),
    st.sampled_from([":", " :", "\n: "]),
)
def test_every_value_of_a_key_that_comes_several_times_is_kept_and_the_last_one_counts(pairs, colon):
    raw = ("{" + ",".join(f"{json.dumps(key)}{colon}{json.dumps(text)}" for key, text in pairs) + "}").encode()
    value, warnings = parse_json(raw)
    assert sorted(value.values()) == sorted(text for _, text in pairs)
    assert {key: value[key] for key in dict(pairs)} == dict(pairs)
    assert ("duplicate_key" in warnings) == (len(dict(pairs)) < len(pairs))


@pytest.mark.parametrize("at", range(65_500, 65_560))
def test_numbers_and_escapes_at_the_edge_of_a_chunk_are_not_cut(at):
    raw = b'{"a": "' + b"x" * (at - 30) + b'\\"", "b" :123456789012345678901234567890, "c": "\\\\"}'
    assert parse_json(raw)[0]["b"] == 123456789012345678901234567890


def test_half_characters_stay_what_they_are_in_text_that_is_kept_for_its_depth():
    def half(text):
        return text.encode("utf-8", "surrogatepass")

    raw = b'[["%s", "%s", "%s", "\\udead"]]' % tuple(map(half, ("\ud83d\ude00", "\ud83d\\u0000\ude00", "\ude00\ud83d")))
    [folded] = json.loads(fold_deep(raw, 1))
    folded.encode()
    assert json.loads(folded) == ["😀", "\ud83d\0\ude00", "\ude00\ud83d", "\udead"]


def test_what_is_not_too_deep_is_not_touched():
    raw = b'{"a": [[["]]]]"]]]}'
    assert fold_deep(raw, 4) is raw
    assert json.loads(fold_deep(raw, 2)) == {"a": ['[["]]]]"]]']}


# One more value than fits into the list that the parser had: it takes an eighth more than there are, the most it does.
VALUES_OF_LARGEST_LIST = 27_377


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["[]", "{}", '{"a":1}', "1", '"ab"', "[1,2,3]", '{"a":[{}]}'])
def test_the_memory_of_a_value_is_not_guessed_too_low(unit):
    raw = f"[{','.join([unit] * VALUES_OF_LARGEST_LIST)}]".encode()
    tracemalloc.start()
    value = json.loads(raw)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(value) == VALUES_OF_LARGEST_LIST
    assert held > 9 * VALUES_OF_LARGEST_LIST  # references of eight bytes, and the room
    assert memory_of(raw) > held
