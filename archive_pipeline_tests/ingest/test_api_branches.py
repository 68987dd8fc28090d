"""Messages that the API added to an imported dialogue stay, whatever later imports bring."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.domain.identity import dialogue_id, message_id
from archive_pipeline.ingest.fingerprint import dialogue_fingerprint
from archive_pipeline.store.database import Database
from archive_pipeline_tests.exports import Said, chain, chatgpt, load
from archive_pipeline_tests.tables import query, raw_rows

pytestmark = pytest.mark.postgres

DIALOGUE = dialogue_id("chatgpt", "c1")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "conversations.json"


def add_branch(database: Database, parent: str) -> None:
    """Add a question and its answer below a message, as an API that writes to ``raw`` does."""
    with database.session() as connection:
        above = message_id(DIALOGUE, parent)
        for number, (name, role) in enumerate((("api-1", "user"), ("api-2", "assistant"))):
            connection.execute(
                "INSERT INTO raw.messages (id, dialogue_id, source_id, parent_id, role, sequence_number, state, "
                "is_hidden, content_hash, origin) VALUES (%s, %s, %s, %s, %s, %s, 'complete', false, %s, 'api')",
                [message_id(DIALOGUE, name), DIALOGUE, name, above, role, 100 + number, f"hash of {name}"],
            )
            above = message_id(DIALOGUE, name)
        hashes = connection.execute(
            "SELECT source_id, content_hash FROM raw.messages WHERE dialogue_id = %s AND deleted_at IS NULL", [DIALOGUE]
        ).fetchall()
        connection.execute(
            "UPDATE raw.dialogues SET fingerprint = %s, message_count = %s WHERE id = %s",
            [dialogue_fingerprint("A chat", None, dict(hashes)), len(hashes), DIALOGUE],
        )


def live(database: Database) -> dict[str, str | None]:
    """Live messages with their parents, by source id."""
    statement = (
        "SELECT m.source_id, p.source_id FROM raw.messages m LEFT JOIN raw.messages p ON m.parent_id = p.id "
        "WHERE m.deleted_at IS NULL"
    )
    return dict(query(database, statement))


BRANCH: dict[str, Any] = {"api-1": "m1", "api-2": "api-1"}


@pytest.mark.parametrize("is_partial", [False, True])
def test_the_same_export_is_unchanged(database: Database, path: Path, is_partial: bool):
    whole = chatgpt("c1", chain("a", "b"))
    load(database, path, whole)
    add_branch(database, "m1")
    before = raw_rows(database)
    assert load(database, path, whole, is_partial=is_partial).dialogues == {"unchanged": 1}
    assert raw_rows(database) == before


@pytest.mark.parametrize("is_partial", [False, True])
def test_a_changed_export_leaves_the_branch_alone(database: Database, path: Path, is_partial: bool):
    load(database, path, chatgpt("c1", chain("a", "b")))
    add_branch(database, "m1")
    more = chatgpt("c1", chain("a", "b", "c"))
    assert load(database, path, more, is_partial=is_partial).dialogues == {"changed": 1}
    assert live(database) == {"m0": None, "m1": "m0", "m2": "m1", **BRANCH}
    assert query(database, "SELECT message_count FROM raw.dialogues") == [(5,)]
    # New messages are numbered after those of the branch; and what was imported is the state now.
    assert query(database, "SELECT sequence_number FROM raw.messages WHERE source_id = 'm2'") == [(102,)]
    assert load(database, path, more, is_partial=is_partial).dialogues == {"unchanged": 1}


def test_what_the_branch_hangs_on_stays_with_it(database: Database, path: Path):
    load(database, path, chatgpt("c1", [*chain("a", "b", "c", "d"), Said("x", "m0", "assistant", "other")]))
    add_branch(database, "m2")
    # The export has lost everything but the first message and another answer to it.
    short = chatgpt("c1", [*chain("a"), Said("y", "m0", "assistant", "again")])
    assert load(database, path, short).dialogues == {"changed": 1}
    assert live(database) == {"m0": None, "y": "m0", "m1": "m0", "m2": "m1", "api-1": "m2", "api-2": "api-1"}
    assert load(database, path, short).dialogues == {"unchanged": 1}


def test_a_whole_export_after_a_partial_one_leaves_the_branch_alone(database: Database, path: Path):
    load(database, path, chatgpt("c1", chain("a", "b"), updated=10.0))
    add_branch(database, "m1")
    load(database, path, chatgpt("c1", chain("a", "b", "c"), updated=20.0), is_partial=True)
    # It takes back what the exports before had, of which the branch is no part.
    load(database, path, chatgpt("c1", chain("a"), updated=30.0))
    assert live(database) == {"m0": None, "m1": "m0", **BRANCH}


def test_an_older_export_is_older_in_spite_of_the_branch(database: Database, path: Path):
    load(database, path, chatgpt("c1", chain("a", "b"), updated=2000.0))
    add_branch(database, "m1")
    assert load(database, path, chatgpt("c1", chain("before"), updated=1000.0)).dialogues == {"older": 1}
    assert live(database) == {"m0": None, "m1": "m0", **BRANCH}


def test_a_message_that_an_export_has_is_the_exports(database: Database, path: Path):
    load(database, path, chatgpt("c1", chain("a", "b")))
    add_branch(database, "m1")
    both = [*chain("a", "b"), Said("api-1", "m1", "user", "said in the chat too")]
    assert load(database, path, chatgpt("c1", both)).dialogues == {"changed": 1}
    origins = dict(query(database, "SELECT source_id, origin FROM raw.messages"))
    assert origins == {"m0": "import", "m1": "import", "api-1": "import", "api-2": "api"}
    assert live(database)["api-2"] == "api-1"
