"""``llm-archive delete``: removes a dialogue from every table, the vector store and Dagster's partitions."""

from __future__ import annotations

import click

from archive_pipeline.cli.archive import open_for_writing
from archive_pipeline.cli.forgetting import left_in_vector_store, say_left
from archive_pipeline.cli.output import note, one_line, print_json
from archive_pipeline.errors import UnknownDialogueError
from archive_pipeline.ingest.attachments import purge_unreferenced
from archive_pipeline.settings import Settings
from archive_pipeline.store.raw_writes import delete_dialogues
from archive_pipeline.store.staleness import find_dialogue


def run(key: str, *, as_json: bool) -> int:
    """Delete the dialogue; return the exit code."""
    with open_for_writing() as archive:
        with archive.database.session() as connection:
            dialogue = find_dialogue(connection, key)
            if dialogue is None:
                raise UnknownDialogueError(f"no dialogue has the key or id {key!r}")
            delete_dialogues(connection, [dialogue.id])
        purge_unreferenced(archive.database, archive.settings)
        left = left_in_vector_store(archive)
        _remove_key(archive.settings, dialogue.partition_key)
    if as_json:
        print_json({"deleted": dialogue.partition_key, "messages": dialogue.message_count})
    else:
        click.echo(f"deleted {one_line(dialogue.partition_key)} ({dialogue.message_count:,} messages)")
    return say_left(left, "dialogue")


def _remove_key(settings: Settings, key: str) -> None:
    from archive_pipeline.orchestration.instance.opening import instance_for  # noqa: PLC0415 (slow to import)
    from archive_pipeline.orchestration.instance.orphans import fail_orphans  # noqa: PLC0415
    from archive_pipeline.orchestration.partitions.keys import remove_dialogues  # noqa: PLC0415

    with instance_for(settings) as instance:
        fail_orphans(instance)
        if remove_dialogues(instance, settings, [key]):
            note(f"a Dagster run covers the partition {key}, which is removed when no run does")
