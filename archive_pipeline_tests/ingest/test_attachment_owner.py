"""Files of attached contents go with the rows of the archive that wrote them, and with no other's."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from archive_pipeline.ingest.attachment_owner import LIST, Owner
from archive_pipeline.ingest.attachment_store import AttachmentStore
from archive_pipeline.ingest.attachments import purge_unreferenced
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.raw_writes import delete_dialogues
from archive_pipeline_tests.attached import export, file_id, imported, stored_names, talk
from archive_pipeline_tests.tables import query

pytestmark = pytest.mark.postgres

TEXT = hashlib.sha256(b"text").hexdigest()


@pytest.fixture
def home(settings: Settings, tmp_path: Path) -> Settings:
    return settings.with_values(home=tmp_path / "home")


@pytest.fixture
def one_file(tmp_path: Path) -> Path:
    return export(tmp_path / "e.zip", {"conversations.json": [talk("c1", 1)], f"{file_id(1)}.dat": b"text"})


def delete_all(database: Database) -> None:
    with database.session() as connection:
        delete_dialogues(connection, [name for (name,) in query(database, "SELECT id::text FROM raw.dialogues")])


def test_another_database_in_the_same_home_leaves_them_alone(
    database: Database,
    new_migrated_database: Callable[[], Database],
    home: Settings,
    one_file: Path,
    tmp_path: Path,
):
    imported(database, home, one_file)
    with database.session() as connection:
        half = Path(f"{Owner.of(home.home / 'attachments', connection).path.with_suffix('')}-x.partial")
    half.write_bytes(b"half")
    other = new_migrated_database()
    imported(other, home, export(tmp_path / "other.zip", {"conversations.json": [talk("c2")]}))
    assert purge_unreferenced(other, home) == (0, 0, 0)
    assert stored_names(home) == {TEXT, half.name}
    purge_unreferenced(database, home)
    assert stored_names(home) == {TEXT}


@pytest.mark.parametrize("has_list", [True, False])
def test_what_both_have_goes_with_neither_of_them(
    database: Database,
    new_migrated_database: Callable[[], Database],
    home: Settings,
    one_file: Path,
    has_list: bool,
):
    imported(database, home, one_file)
    if not has_list:  # as a version has left it that wrote none
        for path in (home.home / "attachments").glob(f"*{LIST}"):
            path.unlink()
    other = new_migrated_database()
    imported(other, home, one_file)
    delete_all(other)
    assert purge_unreferenced(other, home) == (1, 0, 1)
    assert stored_names(home) == {TEXT}
    imported(other, home, one_file)
    delete_all(database)
    assert purge_unreferenced(database, home) == (1, 0, 1)
    assert stored_names(home) == {TEXT}
    delete_all(other)
    assert purge_unreferenced(other, home) == (1, 0, 0)
    assert stored_names(home) == set()


def test_lines_of_a_list_that_are_no_hashes_say_nothing(database: Database, home: Settings, one_file: Path):
    imported(database, home, one_file)
    [of_owner] = (home.home / "attachments").glob(f"*{LIST}")
    of_owner.write_bytes(TEXT.encode() + b"\n\0\0\xff" + TEXT[:9].encode())
    delete_all(database)
    assert purge_unreferenced(database, home) == (1, 0, 0)
    assert stored_names(home) == set()


def test_what_another_machine_deleted_goes_here_with_the_next_import(
    database: Database, home: Settings, one_file: Path, tmp_path: Path
):
    elsewhere = home.with_values(home=tmp_path / "elsewhere")
    imported(database, home, one_file)
    delete_all(database)
    assert purge_unreferenced(database, elsewhere) == (1, 1, 0)
    assert stored_names(home) == {TEXT}
    imported(database, home, export(tmp_path / "other.zip", {"conversations.json": [talk("c2")]}))
    assert stored_names(home) == set()


def test_an_archive_without_a_list_owns_what_it_keeps(database: Database, home: Settings, one_file: Path):
    imported(database, home, one_file)
    store = AttachmentStore.of(home.home)
    [of_owner] = store.folder.glob(f"*{LIST}")
    of_owner.unlink()
    foreign = store.path_of(hashlib.sha256(b"foreign").hexdigest())
    foreign.parent.mkdir()
    foreign.write_bytes(b"foreign")
    purge_unreferenced(database, home)
    assert of_owner.read_text(encoding="ascii") == f"{TEXT}\n"
    delete_all(database)
    purge_unreferenced(database, home)
    assert stored_names(home) == {foreign.name}
    assert of_owner.read_text(encoding="ascii") == ""
