"""Which path is the current one: that of the source's pointer, down to a leaf."""

from __future__ import annotations

from pathlib import Path

import pytest

from archive_pipeline.derive.forest import forest_of
from archive_pipeline.export.branches import current_leaf
from archive_pipeline.retrieval.reading.dialogues import read_dialogue
from archive_pipeline.retrieval.reading.outline import read_outline
from archive_pipeline.store.database import Database
from archive_pipeline_tests.exports import Said, chatgpt, load

pytestmark = pytest.mark.postgres

# a - b1 - c1 - d
#   - b2 - e (an earlier answer to b2 is f)
TREE = [
    Said("a", None, "user", "question", 1.0),
    Said("b1", "a", "assistant", "first answer", 2.0),
    Said("b2", "a", "assistant", "second answer", 3.0),
    Said("c1", "b1", "user", "and then?", 4.0),
    Said("d", "c1", "assistant", "last answer", 5.0),
    Said("f", "b2", "user", "or else?", 6.0),
    Said("e", "b2", "user", "or what?", 7.0),
]


@pytest.mark.parametrize(
    ("current", "expected"),
    [
        ("d", "last answer"),
        ("f", "or else?"),
        ("b2", "or what?"),
        ("b1", "last answer"),
        ("a", "last answer"),
        (None, "last answer"),
    ],
)
def test_a_pointer_leads_to_the_leaf_that_the_browser_shows_last(
    database: Database, tmp_path: Path, current: str | None, expected: str
):
    load(database, tmp_path / "a.json", chatgpt("tree", TREE, current=current))
    dialogue = read_dialogue(database, "chatgpt-tree")
    leaf = current_leaf(dialogue)
    assert dialogue.message(leaf).text == expected
    assert not forest_of(dialogue.batch).children[leaf]
    with database.session() as connection:
        outline = read_outline(connection, "chatgpt-tree")
    at = outline.default_message()
    assert at is not None
    assert [outline.message_ids[position] for position in outline.path_through(at)] == [
        dialogue.batch.message_ids[position] for position in dialogue.path(leaf)
    ]
