"""``llm-archive delete``: removes a dialogue from every table, the vector store and Dagster's partitions."""

from __future__ import annotations

import click

from archive_pipeline.cli.archive import OpenArchive, open_for_writing
from archive_pipeline.cli.forgetting import left_in_vector_store, say_left
from archive_pipeline.cli.output import note, one_line, print_json
from archive_pipeline.errors import AmbiguousDialogueError, UnknownDialogueError
from archive_pipeline.ingest.attachments import purge_unreferenced
from archive_pipeline.store.deleted_dialogues import delete_for_good, deleted_dialogues
from archive_pipeline.store.deleted_dialogues import readmit as bring_back
from archive_pipeline.store.raw_writes import delete_dialogues
from archive_pipeline.store.staleness import find_dialogue


def run(key: str, *, is_forever: bool, as_json: bool) -> int:
    """Delete the dialogue, for good or until an import brings it back; return the exit code."""
    with open_for_writing() as archive:
        with archive.database.session() as connection:
            dialogue = find_dialogue(connection, key)
            if dialogue is None:
                raise UnknownDialogueError(f"no dialogue has the key or id {key!r}")
            if is_forever:
                delete_for_good(connection, [dialogue.id])
            delete_dialogues(connection, [dialogue.id])
        purge_unreferenced(archive.database, archive.settings)
        left = left_in_vector_store(archive)
        _remove_key(archive, dialogue.partition_key)
    if as_json:
        print_json({"deleted": dialogue.partition_key, "messages": dialogue.message_count, "is_forever": is_forever})
    else:
        how = ", for good: imports leave it out" if is_forever else ""
        click.echo(f"deleted {one_line(dialogue.partition_key)} ({dialogue.message_count:,} messages){how}")
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


def _remove_key(archive: OpenArchive, key: str) -> None:
    from archive_pipeline.orchestration.instance.orphans import fail_orphans  # noqa: PLC0415 (slow to import)
    from archive_pipeline.orchestration.partitions.keys import remove_dialogues  # noqa: PLC0415

    fail_orphans(archive.instance)
    if remove_dialogues(archive.instance, archive.settings, [key]):
        note(f"a Dagster run covers the partition {key}, which is removed when no run does")
