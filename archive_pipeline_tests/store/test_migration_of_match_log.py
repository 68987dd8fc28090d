"""Look-ups that were logged before outcomes have one after the migration; what is not known is not counted as found."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from archive_pipeline.store.database import Database
from archive_pipeline.store.migrate import migrate
from archive_pipeline_tests.store.schema import downgrade
from archive_pipeline_tests.tables import query

pytestmark = pytest.mark.postgres

RESPONSE = "00000000-0000-0000-0000-000000000001"
LOGGED = [
    ("find_path", True, False, RESPONSE, "found"),
    ("find_path", False, False, None, "missed"),
    ("respond", True, False, RESPONSE, "found"),
    ("respond", False, True, RESPONSE, "generated_new"),
    ("respond", False, False, RESPONSE, "generated_equal"),
    ("find_or_create", True, False, RESPONSE, "generated_equal"),
    ("find_or_create", False, True, RESPONSE, "generated_new"),
    ("find_or_create", False, True, None, "missed"),
    ("find_or_create", False, False, None, "missed"),
]


def test_every_look_up_of_before_has_an_outcome(new_migrated_database: Callable[[], Database]):
    database = new_migrated_database()
    downgrade(database, "0016")
    with database.session() as connection:
        for row in LOGGED:
            connection.execute(
                "INSERT INTO raw.match_log "
                "(door, is_hit, is_created, response_message_id, context_hash, matched, length) "
                "VALUES (%s, %s, %s, %s, '', 0, 1)",
                row[:4],
            )
    migrate(database)
    logged = "SELECT door, is_hit, is_created, response_message_id::text, outcome FROM raw.match_log ORDER BY id"
    assert query(database, logged) == LOGGED
    assert query(database, "SELECT sum(asked), sum(hits) FROM derived.match_rates") == [(9, 2)]
