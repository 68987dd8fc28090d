"""The views over the derived tables give what a path-by-path walk gives, through a real database."""

from __future__ import annotations

import pytest
from hypothesis import given

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.domain.batch import DialogueBatch
from archive_pipeline.domain.identity import row_id
from archive_pipeline.settings import Settings
from archive_pipeline.store.batches import load_batch
from archive_pipeline.store.database import Database
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.derive import reference, reference_exchanges
from archive_pipeline_tests.derive.batches import random_batch, store
from archive_pipeline_tests.tables import query
from archive_pipeline_tests.trials import trials

pytestmark = pytest.mark.postgres


@given(batch=random_batch(largest=12))
@trials(12)
def test_tables_and_views_agree_with_the_paths(archive: Database, settings: Settings, batch: DialogueBatch):
    empty(archive)
    store(archive, batch)
    loaded = load_batch(archive, batch.dialogue_ids)
    for name in (
        "active_ids",
        "message_ids",
        "parent",
        "role",
        "text",
        "is_complete",
        "is_hidden",
        "has_other_content",
    ):
        assert getattr(loaded, name) == getattr(batch, name), name
    assert loaded.tools == batch.tools
    assert (loaded.created_at == batch.created_at).all()
    build_stale(archive, settings)
    walked = reference.dialogues(batch)
    assert set(
        query(archive, "SELECT sequence_id::text, message_id::text, position FROM derived.sequence_messages")
    ) == {
        (row_id("sequence", path[-1].id), message.id, position)
        for dialogue in walked
        for path in dialogue.paths()
        for position, message in enumerate(path)
    }
    found = query(archive, "SELECT exchange_id::text, message_id::text, position FROM derived.exchange_messages")
    assert len(found) == len(set(found))
    assert set(found) == {
        (row_id("exchange", key[1]), message, position)
        for dialogue in walked
        for key, message, position in reference_exchanges.exchange_messages(dialogue)
    }
    found = query(archive, "SELECT sequence_id::text, exchange_id::text, position FROM derived.sequence_exchanges")
    assert len(found) == len(set(found))
    assert set(found) == {
        (row_id("sequence", leaf), row_id("exchange", key[1]), position)
        for dialogue in walked
        for leaf, key, position in reference_exchanges.sequence_exchanges(dialogue)
    }
    found = query(archive, "SELECT message_id::text, ancestor_path::text[] FROM derived.message_paths_v")
    assert dict(found) == {
        message.id: [ancestor.id for ancestor in dialogue.ancestors(message)]
        for dialogue in walked
        for message in dialogue.messages
    }
    check_pairs(archive, walked)
    assert dict(query(archive, "SELECT exchange_id::text, full_text FROM derived.exchange_content")) == {
        row_id("exchange", key[1]): row["full_text"]
        for dialogue in walked
        for key, row in reference_exchanges.exchanges(dialogue).items()
    }


def check_pairs(archive: Database, walked: list[reference.Dialogue]) -> None:
    pairs = {response: row for dialogue in walked for response, row in dialogue.prompt_responses().items()}
    columns = ["prompt_message_id", "prompt_text", "response_text", "prompt_word_count", "pairing_rule"]
    found = query(
        archive,
        "SELECT response_message_id::text, prompt_message_id::text, prompt_text, response_text, prompt_word_count, "
        "pairing_rule FROM derived.prompt_response_content_v",
    )
    assert {row[0]: row[1:] for row in found} == {
        response: tuple(row[column] for column in columns) for response, row in pairs.items()
    }
    by_prompt: dict[str, list[str]] = {}
    for response, row in sorted(pairs.items(), key=lambda item: item[1]["response_position"]):
        by_prompt.setdefault(row["prompt_message_id"], []).append(response)
    found = query(
        archive,
        "SELECT prompt_message_id::text, response_ids::text[], response_count, has_regenerations "
        "FROM derived.prompt_exchanges",
    )
    assert {row[0]: row[1:] for row in found} == {
        prompt: (responses, len(responses), len(responses) > 1) for prompt, responses in by_prompt.items()
    }
