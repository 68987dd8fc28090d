"""Identities are functions of what they name, and never change."""

from __future__ import annotations

import hashlib
import re
import uuid

from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.domain.identity import (
    NAMESPACE,
    dialogue_id,
    may_be_shared,
    message_id,
    partition_key,
    row_id,
    shard_key,
    source_of_key,
)
from archive_pipeline.readers.registry import readers


def test_the_namespace_is_the_documented_one():
    assert uuid.uuid5(uuid.NAMESPACE_DNS, "llm-archive-pipeline") == NAMESPACE


@given(st.text(), st.lists(st.text(), max_size=3))
def test_a_row_id_is_the_uuid5_of_kind_and_parts(kind: str, parts: list[str]):
    assert row_id(kind, *parts) == str(uuid.uuid5(NAMESPACE, "\x1f".join([kind, *parts])))


def test_ids_of_different_kinds_differ_for_the_same_parts():
    assert len({row_id(kind, "x") for kind in ("dialogue", "message", "part", "exchange")}) == 4


def test_a_message_is_known_by_its_dialogue_and_its_own_id():
    first, other = dialogue_id("chatgpt", "a"), dialogue_id("claude_ai", "a")
    assert first != other
    assert message_id(first, "m") != message_id(other, "m")
    assert message_id(first, "m") == row_id("message", first, "m")


def test_a_lone_surrogate_in_an_id_does_no_harm():
    assert uuid.UUID(row_id("message", "\ud800")).version == 5


def test_a_partition_key_is_the_id_a_person_sees():
    assert partition_key("chatgpt", "6790-ab_C") == "chatgpt-6790-ab_C"


@given(st.text())
def test_a_partition_key_is_safe_and_short_for_any_id(source_id: str):
    key = partition_key("chatgpt", source_id)
    assert re.fullmatch(r"chatgpt-[A-Za-z0-9_-]{1,128}", key)
    assert key == partition_key("chatgpt", source_id)


def test_a_partition_key_says_its_source():
    assert {source_of_key(partition_key(source, "a-b_c")) for source in readers()} == readers().keys()


def test_ids_that_do_not_fit_have_different_keys():
    keys = [partition_key("chatgpt", name) for name in ("", "a/b", "a b", "a.b", "é", "x" * 129, "a\n")]
    assert len(set(keys)) == len(keys)
    assert all(re.fullmatch(r"chatgpt-h[0-9a-f]{16}", key) for key in keys)


def test_only_a_key_that_reads_like_a_hash_may_be_shared():
    assert may_be_shared(partition_key("chatgpt", "a/b"))
    assert not may_be_shared("chatgpt-h0123456789abcdef0")


@given(st.uuids())
def test_a_shard_is_the_stable_hash_of_the_dialogue(dialogue: uuid.UUID):
    # The first two bytes of the SHA-256 modulo 1,024: the last ten of the first sixteen bits.
    bits = bin(int(hashlib.sha256(str(dialogue).encode()).hexdigest(), 16) | (1 << 256))[3:]
    assert shard_key(str(dialogue)) == f"s{int(bits[6:16], 2):04d}"
