"""Partial exports of a tree with nodes without a message: each message has the parent that it has in the whole."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.store.database import Database
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.exports import Said, chatgpt, load
from archive_pipeline_tests.tables import query
from archive_pipeline_tests.trials import trials
from archive_pipeline_tests.variants import some_of

pytestmark = pytest.mark.postgres

A = Said("A", None, "user", "a", 1.0)
B = Said("B", "A", "assistant", "b", 2.0)
X = Said("X", "B", "", None)
C = Said("C", "X", "user", "c", 3.0)
E = Said("E", "C", "assistant", "e", 4.0)
F = Said("F", "C", "assistant", "f", 5.0)
N = Said("N", "X", "user", "n", 6.0)
WHOLE = [A, B, X, C, E]
FOUND = {"A": None, "B": "A", "C": "B", "E": "C", "F": "C"}


def parents(database: Database) -> dict[str, str | None]:
    """Return the parent of each live message, by the source's ids; ``!`` and the flag where there is one."""
    found = query(
        database,
        "SELECT m.source_id, coalesce('!' || m.parent_flag, above.source_id) FROM raw.messages AS m"
        " LEFT JOIN raw.messages AS above ON above.id = m.parent_id WHERE m.deleted_at IS NULL ORDER BY 1",
    )
    return dict(found)


@pytest.mark.parametrize(
    ("is_whole_partial", "is_later"), some_of([(False, True), (True, False), (False, False), (True, True)], 2)
)
@pytest.mark.parametrize(
    ("parts", "more"),
    [
        ([[C, E, F]], {}),
        ([[X, C, E, F]], {}),
        ([[X, C, E, F, N]], {"N": "B"}),
        ([[X, F, N]], {"N": "B"}),
        ([[F, N]], {"N": "B"}),
        ([[X, N], [C, F]], {"N": "B"}),
        ([[C, F], [N]], {"N": "B"}),
    ],
)
def test_a_part_leaves_stored_messages_below_their_parents(
    parts: Sequence[Sequence[Said]],
    more: dict[str, str],
    is_whole_partial: bool,
    is_later: bool,
    database: Database,
    tmp_path: Path,
):
    path = tmp_path / "c.json"
    load(database, path, chatgpt("c", WHOLE, updated=10.0), is_partial=is_whole_partial)
    for number, part in enumerate(parts):
        time = 20.0 + number if is_later else 10.0
        load(database, path, chatgpt("c", part, updated=time), is_partial=True)
        assert load(database, path, chatgpt("c", part, updated=time), is_partial=True).dialogues == {"unchanged": 1}
    assert parents(database) == FOUND | more


def test_messages_below_a_node_find_their_parent_when_the_node_comes(database: Database, tmp_path: Path):
    for number, part in enumerate([[N], [C], [A, B], [X]]):
        load(database, tmp_path / "c.json", chatgpt("c", part, updated=10.0 + number), is_partial=True)
        if number == 2:
            assert parents(database) == {"A": None, "B": "A", "C": "!missing_parent", "N": "!missing_parent"}
    assert parents(database) == {"A": None, "B": "A", "C": "B", "N": "B"}


# A node between two messages, and what is there before it, all of one time.
BARE, BELOW_BARE = Said("n1", "A", "user", None, 1.0), Said("n3", "n1", "user", "at last", 3.0)


@pytest.mark.parametrize("parts", [[[], [BARE], [A, BELOW_BARE]], [[A], [A, BARE], [BELOW_BARE]]])
def test_a_node_that_comes_with_nothing_new_beside_it_is_known_later(
    parts: list[list[Said]], database: Database, tmp_path: Path
):
    for part in parts:
        load(database, tmp_path / "c.json", chatgpt("c", part, updated=10.0), is_partial=True)
        assert load(database, tmp_path / "c.json", chatgpt("c", part, updated=10.0), is_partial=True).dialogues == {
            "unchanged": 1
        }
    assert parents(database) == {"A": None, "n3": "A"}


@st.composite
def trees(draw: st.DrawFn) -> list[Said]:
    """A tree of messages, between some of which and their parents nodes without a message lie, one after another."""
    nodes: list[Said] = []
    for number in range(draw(st.integers(2, 7))):
        above = draw(st.sampled_from([node.id for node in nodes])) if nodes else None
        has_message = number == 0 or draw(st.booleans())
        role = draw(st.sampled_from(["user", "assistant"]))
        nodes.append(Said(f"n{number}", above, role, f"text {number}" if has_message else None, float(number)))
    return nodes


def expected(nodes: Sequence[Said]) -> dict[str, str | None]:
    by_id = {node.id: node for node in nodes}
    found: dict[str, str | None] = {}
    for node in nodes:
        above = node.parent
        while above is not None and by_id[above].text is None:
            above = by_id[above].parent
        if node.text is not None:
            found[node.id] = above
    return found


@trials(40)
@given(data=st.data(), nodes=trees())
def test_a_tree_cut_into_parts_has_the_parents_of_the_whole(
    data: st.DataObject, nodes: list[Said], database: Database, tmp_path: Path
):
    count = data.draw(st.integers(1, 3))
    of = [data.draw(st.integers(0, count - 1)) for _ in nodes]
    parts = [[node for node, part in zip(nodes, of, strict=True) if part == number] for number in range(count)]
    said_again = [node for node in nodes if node.text is not None and data.draw(st.booleans())]
    step = data.draw(st.sampled_from([0.0, 1.0, -1.0, None]))
    empty(database)
    for number, part in enumerate([*data.draw(st.permutations(parts)), said_again]):
        time = None if step is None else 100.0 + step * number
        load(database, tmp_path / "c.json", chatgpt("c", part, updated=time), is_partial=True)
    assert parents(database) == expected(nodes)
