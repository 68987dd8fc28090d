"""Texts and JSON that PostgreSQL takes, whatever the export holds; what was changed is counted."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.domain.records import JsonText
from archive_pipeline.text.sanitize import SANITIZED_NUL, SANITIZED_SURROGATE, clean_optional, clean_text, json_text


@pytest.mark.parametrize(
    ("text", "clean", "counted"),
    [
        ("plain ✓ 😀", "plain ✓ 😀", {}),
        ("", "", {}),
        ("a\0b\0", "ab", {SANITIZED_NUL: 2}),
        ("a\ud800b", "a\ufffdb", {SANITIZED_SURROGATE: 1}),
        ("\udc00", "\ufffd", {SANITIZED_SURROGATE: 1}),
        ("\ud83d\ude00", "😀", {SANITIZED_SURROGATE: 1}),  # one character that was written as two halves
        ("\ud83d\0\ude00", "😀", {SANITIZED_NUL: 1, SANITIZED_SURROGATE: 1}),
        ("\ude00\ud83d", "\ufffd\ufffd", {SANITIZED_SURROGATE: 2}),
        ("\ud83d\ude00\ud83d", "😀\ufffd", {SANITIZED_SURROGATE: 1}),
    ],
)
def test_what_postgresql_refuses_is_repaired_and_counted(text: str, clean: str, counted: dict[str, int]):
    counts: Counter[str] = Counter()
    assert clean_text(text, counts) == clean
    assert counts == counted


@given(st.text(st.characters()))
def test_any_text_becomes_fit_and_stays_so(text: str):
    clean = clean_text(text, Counter())
    assert "\0" not in clean
    assert clean.encode().decode() == clean
    again: Counter[str] = Counter()
    assert clean_text(clean, again) == clean
    assert not again


def test_nothing_stays_nothing():
    counts: Counter[str] = Counter()
    assert clean_optional(None, counts) is None
    assert json_text(None, counts) is None
    assert not counts


def test_json_is_cleaned_at_every_depth_in_keys_and_values():
    counts: Counter[str] = Counter()
    value = {"a\0": [{"b": "x\0y"}, ("\ud83d\ude00",)], "k\ud800": None}
    assert json.loads(json_text(value, counts)) == {"a": [{"b": "xy"}, ["😀"]], "k\ufffd": None}
    assert counts == {SANITIZED_NUL: 2, SANITIZED_SURROGATE: 2}


def test_an_escaped_nul_that_is_no_nul_stays():
    counts: Counter[str] = Counter()
    assert json.loads(json_text({"code": r"print('\u0000')"}, counts)) == {"code": r"print('\u0000')"}
    assert not counts


@pytest.mark.parametrize(
    "number", [2**63, 2**64 - 1, 2**64, -(2**63), -(2**63) - 1, 10**400, -(10**5_000) - 1], ids=int.bit_length
)
def test_integers_are_kept_with_all_their_digits(number: int):
    assert json_text({"n": [number]}, Counter()) == f'{{"n":[{Decimal(number):f}]}}'


def test_an_integer_that_no_column_of_postgresql_holds_is_text():
    assert json_text([10**131_072], Counter()) == f'["{Decimal(10**131_072):f}"]'


def test_json_that_the_source_wrote_stays_to_the_letter():
    counts: Counter[str] = Counter()
    written = '{"b": 1.0,  "a": 123456789012345678901234567890}'
    assert json_text(JsonText(written), counts) == written
    assert json_text([JsonText(written), "\0"], counts) == f'[{written},""]'
    assert counts == {SANITIZED_NUL: 1}


def test_numbers_that_json_lacks_are_null_and_booleans_stay_booleans():
    assert json_text([float("nan"), float("inf"), True, False], Counter()) == "[null,null,true,false]"
    assert json_text([True, 10**30], Counter()) == "[true,1000000000000000000000000000000]"


def test_times_are_written_as_iso():
    assert json_text({"at": datetime(2024, 1, 2, tzinfo=UTC)}, Counter()) == '{"at":"2024-01-02T00:00:00+00:00"}'


def test_keys_keep_their_order():
    assert json_text({"z": 1, "a": 2}, Counter()) == '{"z":1,"a":2}'
