"""Structural checks find what no correct build leaves behind, and read no more than they need for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import text

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.domain.choices import Partitioning
from archive_pipeline.orchestration.checks import structure
from archive_pipeline.orchestration.checks.structure import CHECKS, find_violations
from archive_pipeline.orchestration.resources import Archive
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.exports import claude, load
from archive_pipeline_tests.orchestration.conftest import add_dialogues

_ENOUGH_BYTES = 100_000_000
_CHUNKS = """
    SELECT chunk.chunk_id::text, chunk.pair_id::text
    FROM derived.qa_chunks AS chunk INNER JOIN raw.dialogues AS dialogue ON chunk.dialogue_id = dialogue.id
    WHERE dialogue.partition_key = ANY(:keys) ORDER BY chunk.chunk_id
"""
_SPOIL = "UPDATE derived.qa_chunks SET text = text || '?' WHERE chunk_id = :id"
_ENLARGE = """
    UPDATE derived.qa_pairs
    SET question = question || repeat('x', :bytes), answer = answer || repeat('x', :bytes)
    WHERE pair_id = :id
"""
_LOSE_PATHS = """
    DELETE FROM derived.message_paths
    WHERE dialogue_id IN (
        SELECT id FROM raw.dialogues WHERE partition_key = ANY(:keys) ORDER BY id OFFSET :offset LIMIT 1
    )
"""
_IDS = "SELECT id::text FROM raw.dialogues WHERE partition_key = ANY(:keys) ORDER BY id"

FAULTS = {
    "message_paths": "DELETE FROM derived.message_paths WHERE dialogue_id = :dialogue AND depth = 3",
    "linear_sequences": "UPDATE derived.linear_sequences SET is_primary = FALSE WHERE dialogue_id = :dialogue",
    "prompt_responses": (
        "UPDATE derived.prompt_responses SET prompt_message_id = response_message_id WHERE dialogue_id = :dialogue"
    ),
    "exchanges": (
        "UPDATE derived.exchanges SET is_continuation = TRUE, continuation_pattern = 'continue',"
        " continuation_of_id = gen_random_uuid() WHERE dialogue_id = :dialogue"
    ),
    "content_hashes": (
        "UPDATE derived.content_hashes SET hash_sha256 = repeat('0', 64) WHERE dialogue_id = :dialogue"
        " AND entity_type = 'message' AND hash_scope = 'full' AND normalization = 'none'"
    ),
    "qa_chunks": (
        "UPDATE derived.qa_chunks SET start_offset = start_offset + 1, end_offset = end_offset + 1"
        " WHERE dialogue_id = :dialogue AND side = 'answer'"
    ),
    "message_chunks": (
        "INSERT INTO derived.message_chunks (chunk_id, dialogue_id, message_id, chunk_index, start_offset, end_offset,"
        " text, token_count, page, content_hash, is_near_duplicate, language)"
        " SELECT chunk.chunk_id, chunk.dialogue_id, pair.source_message_id, 0, chunk.start_offset, chunk.end_offset,"
        " chunk.text || '?', 1, 1, '', FALSE, chunk.language"
        " FROM derived.qa_chunks AS chunk INNER JOIN derived.qa_pairs AS pair USING (pair_id)"
        " WHERE chunk.dialogue_id = :dialogue AND chunk.side = 'question'"
    ),
    "qa_pairs": "UPDATE derived.qa_pairs SET end_sequence_number = 99 WHERE dialogue_id = :dialogue",
    "response_hashes": "UPDATE derived.response_hashes SET prompt_hash = path_hash WHERE dialogue_id = :dialogue",
}


def test_each_check_finds_its_fault_and_no_other_one(
    settings: Settings, empty_archive: Database, archive: Archive
) -> None:
    assert set(FAULTS) == {check.asset for check in CHECKS}
    keys = add_dialogues(empty_archive, len(FAULTS) + 1)
    build_stale(empty_archive, settings)
    spoilt = {}
    with empty_archive.engine.begin() as connection:
        ids = connection.execute(text(_IDS), {"keys": keys}).scalars().all()
        for asset, key, dialogue in zip(FAULTS, keys, ids, strict=False):
            connection.execute(text(FAULTS[asset]), {"dialogue": dialogue})
            spoilt[asset] = (key, dialogue)
    for check in CHECKS:
        key, dialogue = spoilt[check.asset]
        count, found = find_violations(archive, check, keys)
        assert count > 0
        assert {each.dialogue_id for each in found} == {dialogue}, check
        assert find_violations(archive, check, [other for other in keys if other != key]) == (0, [])
    with empty_archive.engine.begin() as connection:
        connection.execute(text("DELETE FROM derived.build_state"))
    build_stale(empty_archive, settings)
    assert [find_violations(archive, check, keys)[0] for check in CHECKS] == [0] * len(CHECKS)


def test_texts_with_an_empty_part_or_a_citation_mark_are_those_that_postgresql_expects(
    settings: Settings, empty_archive: Database, archive: Archive, tmp_path: Path
) -> None:
    talk = claude("t", "two parts", "an answer")
    talk["chat_messages"][0]["content"].insert(0, {"type": "text", "text": "\0"})  # NUL is dropped, the part stays
    talk["chat_messages"][0]["content"].append({"type": "text", "text": "a \ue200cite\ue202turn0search0\ue201 b"})
    load(empty_archive, tmp_path / "talk.json", talk)
    build_stale(empty_archive, settings)
    [hashes] = [check for check in CHECKS if check.name == "recompute"]
    [slices] = [check for check in CHECKS if check.asset == "qa_chunks"]
    assert [find_violations(archive, check, None) for check in (hashes, slices)] == [(0, [])] * 2
    with empty_archive.engine.begin() as connection:
        connection.execute(text("UPDATE derived.qa_chunks SET text = repeat('x', 200) WHERE text LIKE '%b'"))
    assert find_violations(archive, slices, None)[0] == 1


def test_violations_of_all_parts_are_counted(
    settings: Settings, empty_archive: Database, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = add_dialogues(empty_archive, 5)
    build_stale(empty_archive, settings)
    [check] = [check for check in CHECKS if check.name == "cover_live_messages"]
    monkeypatch.setattr(structure, "FEWEST_IN_PARTS", dict.fromkeys(Partitioning, 2))
    assert find_violations(archive, check, keys) == (0, [])
    with empty_archive.engine.begin() as connection:
        for offset in (0, 4):  # the first dialogue and the last one
            connection.execute(text(_LOSE_PATHS), {"keys": keys, "offset": offset})
    count, found = find_violations(archive, check, keys)
    assert {each.problem for each in found} == {"live message without a path"}
    assert len({each.dialogue_id for each in found}) == 2
    monkeypatch.setattr(structure, "FEWEST_IN_PARTS", dict.fromkeys(Partitioning, 100))
    assert find_violations(archive, check, keys)[0] == count >= 2


def test_chunks_are_compared_with_their_pairs_up_to_a_bound_of_bytes(
    settings: Settings, empty_archive: Database, archive: Archive
) -> None:
    keys = add_dialogues(empty_archive, 3)
    build_stale(empty_archive, settings)
    [check] = [check for check in CHECKS if check.asset == "qa_chunks"]
    with empty_archive.engine.begin() as connection:
        first, *_, last = connection.execute(text(_CHUNKS), {"keys": keys}).all()
        for chunk in (first, last):
            connection.execute(text(_SPOIL), {"id": chunk.chunk_id})
    assert find_violations(archive, check, keys)[0] == 2
    with empty_archive.engine.begin() as connection:
        connection.execute(text(_ENLARGE), {"id": first.pair_id, "bytes": _ENOUGH_BYTES})
    _, [found] = find_violations(archive, check, keys)
    assert found.entity_id == first.chunk_id
    empty(empty_archive)
