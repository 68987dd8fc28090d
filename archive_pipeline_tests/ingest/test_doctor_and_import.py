"""What `doctor` says of exports in which dialogues come several times is what their import does."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from archive_pipeline.ingest.doctor import examine
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.store.database import Database
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.exports import Said, chain, chatgpt, write
from archive_pipeline_tests.tables import query

pytestmark = pytest.mark.postgres

UNKNOWN: Final = {"content_type": "hologram"}


def full(*texts: str, updated: float | None) -> dict[str, Any]:
    return chatgpt("c1", [*chain(*texts), Said("h", None, "tool", None, content=UNKNOWN)], updated=updated)


def slim(*texts: str, updated: float | None) -> dict[str, Any]:
    conversation = chatgpt("c1", chain(*texts), updated=updated)
    for node in conversation["mapping"].values():
        node.pop("children", None)
        message = node["message"]
        node["message"] = {
            name: message[name] for name in ("id", "author", "create_time", "content") if name in message
        }
    return conversation


def predicted_and_done(database: Database, files: Sequence[Path]) -> tuple[dict[str, Any], dict[str, Any]]:
    findings = examine(read_paths(files))
    empty(database)
    summary = import_archive(database, read_paths(files))
    [(dialogues, messages)] = query(
        database,
        "SELECT count(DISTINCT d.id), count(m.id) FILTER (WHERE m.deleted_at IS NULL)"
        " FROM raw.dialogues d JOIN raw.messages m ON m.dialogue_id = d.id",
    )
    said = {
        "dialogues": findings.dialogues,
        "messages": findings.messages,
        "rejected": [(record.locator, record.reason) for record in findings.rejected],
        "anomalies": +findings.anomalies,
    }
    done = {
        "dialogues": dialogues,
        "messages": messages,
        "rejected": [(record.locator, record.reason) for record in summary.rejected],
        "anomalies": {
            name: count for name, count in summary.anomalies.items() if count and not name.startswith("messages_")
        },
    }
    return said, done


@pytest.mark.parametrize(
    "states",
    [
        [full("a", updated=1.0), full("a", "b", "c", updated=2.0)],
        [full("a", updated=1.0), full("b", updated=1.0), full("a", "d", updated=3.0)],
        [full("a", updated=None), full("a", "b", updated=1.0)],
        [full("a", updated=1.0), full("a", updated=2.0)],
        [slim("a", "b", updated=1.0), slim("a", "b", "c", updated=5.0)],
        [full("a", "b", updated=1.0), slim("a", "b", "c", updated=2.0)],
        [full("a", "b", updated=1.0), slim("a", "b", updated=1.0), slim("a", "b", "c", updated=4.0)],
        [full("a", "b", "c", updated=1.0), slim("a", updated=2.0), full("a", "b", updated=3.0)],
        [slim("a", "b", "c", updated=1.0), full("a", "b", updated=2.0), slim("a", updated=3.0)],
        [slim("a", "b", "c", updated=None), full("a", "b", updated=1.0), slim("a", updated=1.0)],
    ],
)
def test_dialogues_that_come_several_times(database: Database, tmp_path: Path, states: list[dict[str, Any]]):
    files = [write(tmp_path / f"{index}.json", state) for index, state in enumerate(states)]
    for order in itertools.permutations(files):
        said, done = predicted_and_done(database, order)
        assert said == done
    at_once = write(tmp_path / "all.json", *states)
    said, done = predicted_and_done(database, [at_once])
    assert said == done
