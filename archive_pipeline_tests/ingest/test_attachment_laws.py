"""Laws of kept files: any order of imports keeps the same, a deletion leaves what is pointed to, a kill converges."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.ingest import attachment_store, attachments
from archive_pipeline.ingest.attachment_check import check_contents
from archive_pipeline.ingest.attachments import attachments_of_import, purge_unreferenced
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.settings import Settings
from archive_pipeline.store import attachments as stored
from archive_pipeline.store.database import Database
from archive_pipeline.store.raw_writes import delete_dialogues
from archive_pipeline_tests.attached import (
    export,
    file_id,
    imported,
    kept_files,
    referenced_hashes,
    stored_names,
    talk,
)
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.tables import query
from archive_pipeline_tests.trials import trials

pytestmark = pytest.mark.postgres

FILES = (1, 2, 3)
# The first two of each file differ in size, as a content and what is left of one that was cut off.
CONTENTS = {number: (f"whole text {number}", f"whole {number}", None) for number in FILES}


class Killed(BaseException):
    """What no handler of errors takes for its own: a process that is gone."""


@pytest.fixture
def home(settings: Settings, tmp_path: Path) -> Settings:
    return settings.with_values(home=tmp_path / "home")


def fresh(database: Database, home: Settings) -> None:
    empty(database)
    shutil.rmtree(home.home, ignore_errors=True)


@st.composite
def exports(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Some exports of the same account: each has all dialogues, and some files, whole or cut off."""
    pointed = {name: draw(st.sets(st.sampled_from(FILES), min_size=1)) for name in ("c1", "c2")}
    found = []
    for _ in range(draw(st.integers(2, 3))):
        members: dict[str, Any] = {"conversations.json": [talk(name, *sorted(pointed[name])) for name in pointed]}
        for number in FILES:
            content = draw(st.sampled_from(CONTENTS[number]))
            if content is not None:
                members[draw(st.sampled_from(["{}.dat", "files/{}-notes.txt"])).format(file_id(number))] = content
        found.append(members)
    return found


def state(database: Database, home: Settings) -> Any:
    documents = query(database, "SELECT sha256 FROM raw.documents ORDER BY 1")
    links = query(database, "SELECT count(*) FROM raw.document_attachments")
    return kept_files(database, home), stored_names(home), documents, links


@trials(4)
@given(history=exports())
def test_any_order_of_imports_keeps_the_same(
    database: Database, home: Settings, tmp_path: Path, history: list[dict[str, Any]]
):
    paths = [export(tmp_path / f"{number}.zip", members) for number, members in enumerate(history)]
    found = []
    for order in itertools.permutations(paths):
        fresh(database, home)
        for path in order:
            imported(database, home, path)
        assert stored_names(home) == referenced_hashes(database)
        found.append(state(database, home))
    fresh(database, home)
    imported(database, home, *paths)
    assert all(each == state(database, home) for each in found)


@trials(8)
@given(
    pointed=st.lists(st.sets(st.sampled_from(FILES)), min_size=2, max_size=4),
    same=st.booleans(),
    deleted=st.data(),
)
def test_after_a_deletion_there_is_exactly_what_is_pointed_to(
    database: Database, home: Settings, tmp_path: Path, pointed: list[set[int]], same: bool, deleted: st.DataObject
):
    fresh(database, home)
    talks = [talk(f"c{index}", *sorted(numbers)) for index, numbers in enumerate(pointed)]
    members = {f"{file_id(number)}.dat": "the same" if same else f"text {number}" for number in FILES}
    imported(database, home, export(tmp_path / "e.zip", {"conversations.json": talks, **members}))
    gone = deleted.draw(st.sets(st.sampled_from(range(len(pointed)))))
    with database.session() as connection:
        ids = connection.execute(
            "SELECT id::text FROM raw.dialogues WHERE source_id = ANY(%s)", ([f"c{index}" for index in gone],)
        ).fetchall()
        delete_dialogues(connection, [dialogue for (dialogue,) in ids])
    purge_unreferenced(database, home)
    left = set().union(*(numbers for index, numbers in enumerate(pointed) if index not in gone))
    assert set(kept_files(database, home)) == {file_id(number) for number in left}
    assert stored_names(home) == referenced_hashes(database)
    assert {sha for (sha,) in query(database, "SELECT sha256 FROM raw.attachment_contents")} == stored_names(home)
    assert {sha for (sha,) in query(database, "SELECT sha256 FROM raw.documents")} == stored_names(home)


# Where a process may be gone: a place in the code, and at which of its calls.
PLACES = [
    *((stored, "replace_files", call) for call in (1,)),
    *((attachment_store.AttachmentStore, "flush", call) for call in (1,)),
    *((attachment_store.AttachmentStore, "path_of", call) for call in (1, 2, 3)),
    *((attachment_store, "media_type", call) for call in (1, 2)),
    *((stored, "give_contents", call) for call in (1,)),
    *((stored, "note_missing", call) for call in (1,)),
    *((attachments, "purge_unreferenced", call) for call in (1,)),
    *((attachments, "read_texts", call) for call in (1,)),
]


# The export that is killed everywhere.
KILLED: dict[str, Any] = {
    "conversations.json": [talk("c1", 1, 2, 3, 4)],
    **{f"{file_id(number)}.dat": f"text {number}" for number in FILES},
}


@pytest.fixture(scope="module")
def whole(archive: Database, settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What it leaves when nobody kills it."""
    folder = tmp_path_factory.mktemp("whole")
    home = settings.with_values(home=folder / "home")
    fresh(archive, home)
    imported(archive, home, export(folder / "e.zip", KILLED))
    return state(archive, home)


@pytest.mark.parametrize(("module", "name", "call"), PLACES, ids=lambda value: getattr(value, "__name__", str(value)))
def test_an_import_that_is_killed_and_repeated_ends_as_one_that_is_not(
    database: Database,
    home: Settings,
    tmp_path: Path,
    whole: Any,
    monkeypatch: pytest.MonkeyPatch,
    module: Any,
    name: str,
    call: int,
):
    path = export(tmp_path / "e.zip", KILLED)
    fresh(database, home)
    function = getattr(module, name)
    calls = itertools.count(1)

    def die(*arguments: Any, **more: Any) -> Any:
        if next(calls) == call:
            raise Killed
        return function(*arguments, **more)

    with monkeypatch.context() as patch:
        patch.setattr(module, name, die)
        reading = read_paths([path])
        summary = import_archive(database, reading)
        with pytest.raises(Killed):
            attachments_of_import(database, home, reading, summary)
    # No row speaks of a file that is not there.
    assert check_contents(database, home).is_good
    imported(database, home, path)
    assert state(database, home) == whole
    assert check_contents(database, home).strays == 0
