"""The log of look-ups: what goes when it is old, and what stays for ever."""

from __future__ import annotations

from uuid import UUID

import pytest

from archive_pipeline.store import look_ups
from archive_pipeline.store.database import Database
from archive_pipeline.store.look_ups import delete_old_look_ups
from archive_pipeline_tests.tables import query

pytestmark = pytest.mark.postgres

ANSWER, OTHER = UUID(int=1), UUID(int=2)


def log(
    database: Database, days: float, outcome: str = "found", model: str | None = "m", answer: UUID = ANSWER
) -> None:
    with database.session() as connection:
        connection.execute(
            "INSERT INTO raw.match_log (asked_at, door, context_hash, is_hit, is_created, matched, length, model, "
            "response_message_id, outcome) "
            "VALUES (now() - %s * interval '1 day', 'respond', 'x', true, false, 1, 1, %s, %s, %s)",
            [days, model, answer, outcome],
        )


def kept(database: Database) -> list[tuple[object, ...]]:
    return query(
        database,
        "SELECT round(extract(epoch FROM now() - asked_at) / 86400)::int, outcome, model, response_message_id "
        "FROM raw.match_log ORDER BY id",
    )


def test_look_ups_go_when_they_are_old(database: Database):
    for days in (31, 30.1, 29, 1):
        log(database, days)
    log(database, 400, "missed")
    assert delete_old_look_ups(database, 30) == 3
    assert [row[0] for row in kept(database)] == [29, 1]


def test_the_names_by_which_models_are_known_stay(database: Database):
    log(database, 90, "generated_new", "alias")
    log(database, 80, "generated_equal", "alias")
    log(database, 70, "generated_equal", "other alias")
    log(database, 60, "generated_new", "alias", OTHER)
    log(database, 50, "generated_new", None)
    log(database, 40, "found", "alias")
    assert delete_old_look_ups(database, 30) == 3
    assert kept(database) == [
        (80, "generated_equal", "alias", ANSWER),
        (70, "generated_equal", "other alias", ANSWER),
        (60, "generated_new", "alias", OTHER),
    ]
    assert delete_old_look_ups(database, 30) == 0


def test_a_young_answer_speaks_for_an_old_one(database: Database):
    log(database, 90, "generated_new", "alias")
    log(database, 1, "generated_equal", "alias")
    assert delete_old_look_ups(database, 30) == 1
    assert [row[0] for row in kept(database)] == [1]


def test_many_go_in_several_transactions(database: Database, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(look_ups, "LOOK_UPS_PER_TRANSACTION", 2)
    for _ in range(5):
        log(database, 40)
    log(database, 1)
    assert delete_old_look_ups(database, 30) == 5
    assert [row[0] for row in kept(database)] == [1]


def test_zero_days_keep_everything(database: Database):
    log(database, 4_000)
    assert delete_old_look_ups(database, 0) == 0
    assert len(kept(database)) == 1
