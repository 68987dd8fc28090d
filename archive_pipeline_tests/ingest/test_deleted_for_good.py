"""What was deleted for good is left out of every import, and all else is as if exports never had it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.domain import identity
from archive_pipeline.ingest.mirror import mirror
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.deleted_dialogues import delete_for_good
from archive_pipeline.store.raw_writes import delete_dialogues
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.exports import chain, chatgpt, claude, load
from archive_pipeline_tests.tables import derived_rows, query, raw_rows
from archive_pipeline_tests.trials import trials

pytestmark = pytest.mark.postgres

GONE = 0


def forget(database: Database, *ids: str) -> None:
    with database.session() as connection:
        delete_for_good(connection, ids)
        delete_dialogues(connection, ids)


@dataclass(frozen=True)
class State:
    """A dialogue as an export has it; all share ids of messages, so that some are branches of others."""

    dialogue: int
    messages: int
    text: str
    updated: float | None

    def conversation(self) -> dict[str, Any]:
        said = chain(*[f"{self.text} {at}" for at in range(self.messages)], prefix=f"{'0' * 35}")
        return chatgpt(f"d{self.dialogue}", said, title=f"Title {self.dialogue}", updated=self.updated)


@dataclass(frozen=True)
class Export:
    """An import: of a whole export, one that is mirrored, or a part."""

    states: tuple[State, ...]
    how: str

    def without(self, dialogue: int) -> Export:
        return Export(tuple(state for state in self.states if state.dialogue != dialogue), self.how)


STATES = st.builds(
    State,
    dialogue=st.integers(0, 2),
    messages=st.integers(1, 3),
    text=st.sampled_from(["tea", "pie"]),
    updated=st.sampled_from([None, 1000.0, 2000.0]),
)
# Also the same dialogue twice, equal or as a rival.
EXPORTS = st.builds(
    Export,
    states=st.lists(STATES, min_size=1, max_size=4).map(tuple),
    how=st.sampled_from(["whole", "mirror", "partial"]),
)
BEGINNING = st.builds(Export, states=st.lists(STATES, max_size=3).map(tuple), how=st.sampled_from(["whole", "partial"]))


def run(database: Database, path: Path, export: Export) -> None:
    if not export.states:
        return
    conversations = [state.conversation() for state in export.states]
    summary = load(database, path, *conversations, is_partial=export.how == "partial")
    if export.how == "mirror":
        mirror(database, Settings(home=path.parent), summary, limit=100)


def everything(database: Database) -> list[Any]:
    links = query(database, "SELECT dialogue_id, original_id, kind, shared_messages FROM raw.dialogue_links ORDER BY 1")
    vintages = query(
        database,
        "SELECT dialogue_id, vintage, source_updated_at, layer, reader_version FROM raw.dialogue_vintages "
        "ORDER BY 1, 2",
    )
    rejected = query(database, "SELECT locator, reason FROM raw.rejected_records ORDER BY id")
    return [raw_rows(database), derived_rows(database), links, vintages, [reason for _, reason in rejected]]


@given(before=st.lists(BEGINNING, max_size=2), after=st.lists(EXPORTS, min_size=1, max_size=4))
@trials(5)
def test_whatever_is_imported_afterwards_it_is_as_if_exports_never_had_it(
    archive: Database,
    settings: Settings,
    tmp_path_factory: pytest.TempPathFactory,
    before: Sequence[Export],
    after: Sequence[Export],
):
    path = tmp_path_factory.mktemp("exports", numbered=True) / "conversations.json"
    empty(archive)
    for export in [*(export.without(GONE) for export in before), *(export.without(GONE) for export in after)]:
        run(archive, path, export)
    build_stale(archive, settings)
    expected = everything(archive)

    empty(archive)
    for export in before:
        run(archive, path, export.without(GONE))
    load(archive, path, State(GONE, 2, "tea", None).conversation())
    forget(archive, identity.dialogue_id("chatgpt", f"d{GONE}"))
    for export in after:
        run(archive, path, export)
        assert query(archive, "SELECT count(*) FROM raw.dialogues WHERE source_id = 'd0'") == [(0,)]
    build_stale(archive, settings)
    # Where a record stood in its file is another place without the dialogue.
    assert [*everything(archive)[:-1]] == expected[:-1]
    assert len(everything(archive)[-1]) == len(expected[-1])


def test_it_is_counted_once_however_many_files_have_it(database: Database, tmp_path: Path):
    path = tmp_path / "conversations.json"
    gone, kept = chatgpt("c1", chain("a", "b")), chatgpt("c2", chain("a", "b"))
    load(database, path, gone, kept)
    forget(database, identity.dialogue_id("chatgpt", "c1"))
    other = chatgpt("c1", chain("a", "another answer"))
    summary = load(database, path, gone, gone, other, kept)
    assert summary.deleted_for_good == {identity.dialogue_id("chatgpt", "c1")}
    assert summary.dialogues == {"unchanged": 1}
    assert (summary.rejected, summary.present) == ([], {"chatgpt": {identity.dialogue_id("chatgpt", "c2")}})
    counts = query(database, "SELECT counts -> 'dialogues' FROM raw.imports ORDER BY started_at")
    assert [found["deleted_for_good"] for (found,) in counts] == [0, 1]


def test_nothing_but_source_and_id_is_kept(database: Database, tmp_path: Path):
    path = tmp_path / "conversations.json"
    load(database, path, claude("t1", "A secret", name="Surprise"), chatgpt(None, chain("Hush", "b"), title="Party"))
    ids = [identifier for (identifier,) in query(database, "SELECT id::text FROM raw.dialogues")]
    [(made,)] = query(database, "SELECT source_id FROM raw.dialogues WHERE source = 'chatgpt'")
    forget(database, *ids)
    # The id of the dialogue without one is a hash of how it begins.
    assert made.startswith("made-")
    found = query(database, "SELECT * FROM raw.deleted_dialogues ORDER BY source")
    assert found == [("chatgpt", made), ("claude_ai", "t1")]


def test_of_dialogues_without_an_id_that_begin_alike_the_other_one_stays(database: Database, tmp_path: Path):
    path = tmp_path / "conversations.json"
    alike = [chatgpt(None, chain("Hello", answer)) for answer in ("one", "two")]
    load(database, path, *alike)
    texts = "SELECT dialogue_id::text, text_content FROM raw.content_parts WHERE text_content <> 'Hello' ORDER BY 2"
    first, second = query(database, texts)
    forget(database, first[0])
    summary = load(database, path, *alike)
    assert (len(summary.deleted_for_good), summary.dialogues) == (1, {"unchanged": 1})
    assert query(database, texts) == [second]
