"""``llm-archive delete``: removes a dialogue from every table, the vector store and Dagster's partitions."""

from __future__ import annotations

from typing import NamedTuple

import click

from archive_pipeline.cli.archive import OpenArchive, open_for_writing
from archive_pipeline.cli.forgetting import left_in_vector_store, say_left
from archive_pipeline.cli.output import note, one_line, print_json
from archive_pipeline.domain.counted import counted
from archive_pipeline.domain.identity import as_uuid
from archive_pipeline.errors import AmbiguousDialogueError, UnknownDialogueError
from archive_pipeline.ingest.attachment_owner import LIST
from archive_pipeline.ingest.attachment_store import FOLDER
from archive_pipeline.ingest.attachments import purge_unreferenced
from archive_pipeline.ingest.removal import delete_with_documents
from archive_pipeline.store.deleted_dialogues import deleted_dialogues
from archive_pipeline.store.deleted_dialogues import readmit as bring_back
from archive_pipeline.store.staleness import find_dialogue


class _Deleted(NamedTuple):
    """A dialogue that is gone from the archive, with no messages if an earlier command deleted its rows."""

    partition_key: str
    messages: int
    is_forever: bool


def run(key: str, *, is_forever: bool, as_json: bool) -> int:
    """Delete the dialogue, for good or until an import brings it back; return the exit code.

    What commands have left that were killed after they had deleted rows goes too, of whichever dialogue it is.
    """
    with open_for_writing() as archive:
        deleted = _delete(archive, key, is_forever=is_forever)
        purged = purge_unreferenced(archive.database, archive.settings)
        left = left_in_vector_store(archive)
        had_key = _remove_keys(archive, deleted.partition_key if deleted else key)
    if deleted is None:
        if is_forever or not had_key:
            raise UnknownDialogueError(f"no dialogue has the key or id {key!r}")
        deleted = _Deleted(key, 0, is_forever=False)
    if as_json:
        print_json({"deleted": deleted.partition_key, "messages": deleted.messages, "is_forever": deleted.is_forever})
    else:
        how = ", for good: imports leave it out" if deleted.is_forever else ""
        click.echo(f"deleted {one_line(deleted.partition_key)} ({counted(deleted.messages, 'message')}){how}")
    if purged.elsewhere:
        files = counted(purged.elsewhere, "attached file is", "attached files are")
        note(f"{files} not in this home: the machine that has them removes them with its next import or `delete`")
    if purged.shared:
        files = counted(purged.shared, "attached file stays", "attached files stay")
        lists = archive.settings.home / FOLDER / f"*{LIST}"
        note(f"{files}, which another database of this home has too; if it is no more, remove its list ({lists})")
    return say_left(left, "dialogue")


def readmit(key: str, *, as_json: bool) -> int:
    """Let later imports bring a dialogue back that was deleted for good; return the exit code."""
    with open_for_writing() as archive, archive.database.session() as connection:
        found = [dialogue for dialogue in deleted_dialogues(connection) if dialogue.is_called(key)]
        if not found:
            raise UnknownDialogueError(f"no dialogue that was deleted for good has the key or id {key!r}")
        if len(found) > 1:
            keys = ", ".join(dialogue.partition_key for dialogue in found)
            raise AmbiguousDialogueError(f"several dialogues that were deleted for good are called {key!r}: {keys}")
        bring_back(connection, found[0])
    if as_json:
        print_json({"readmitted": found[0].partition_key})
    else:
        click.echo(f"readmitted {one_line(found[0].partition_key)}: the next import that has it brings it back")
    return 0


def _delete(archive: OpenArchive, key: str, *, is_forever: bool) -> _Deleted | None:
    """Delete the rows of a dialogue; None if there is none, and none of this name was deleted for good earlier."""
    with archive.database.session() as connection:
        dialogue = find_dialogue(connection, key)
        if dialogue is None:
            known = deleted_dialogues(connection)
            named = (earlier for earlier in known if key == earlier.partition_key or as_uuid(key) == earlier.id)
            return next((_Deleted(earlier.partition_key, 0, is_forever=True) for earlier in named), None)
    delete_with_documents(archive.database, archive.settings, [dialogue.id], is_forever=is_forever)
    return _Deleted(dialogue.partition_key, dialogue.message_count, is_forever)


def _remove_keys(archive: OpenArchive, key: str) -> bool:
    """Take deleted dialogues out of Dagster; return whether it had this key, without a dialogue."""
    from archive_pipeline.orchestration.instance.orphans import fail_orphans  # noqa: PLC0415 (slow to import)
    from archive_pipeline.orchestration.partitions.key_sweep import keys_of_deleted  # noqa: PLC0415
    from archive_pipeline.orchestration.partitions.keys import remove_dialogues  # noqa: PLC0415

    fail_orphans(archive.instance)
    found = keys_of_deleted(archive.instance, archive.database)
    if key in remove_dialogues(archive.instance, archive.settings, {key, *found}):
        note(f"a Dagster run covers the partition {key}, which is removed when no run does")
    return key in found
