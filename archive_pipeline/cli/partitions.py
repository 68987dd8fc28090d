"""``llm-archive partitions``: which keys Dagster has in either granularity, and the switch from one to the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table

from archive_pipeline.cli.archive import OpenArchive, open_archive, open_for_writing
from archive_pipeline.cli.output import note, print_json, stdout_console
from archive_pipeline.domain.choices import Partitioning
from archive_pipeline.domain.counted import counted

if TYPE_CHECKING:
    from archive_pipeline.orchestration.partitions.partition_migration import Registration


def run(*, register: bool, remove_unused: bool, as_json: bool) -> None:
    """Print the keys, after registering or removing some if asked to."""
    with (open_for_writing if register or remove_unused else open_archive)() as archive:
        result = _run(archive, register=register, remove_unused=remove_unused)
    if as_json:
        print_json(result)
    else:
        _print(result)


def _run(archive: OpenArchive, *, register: bool, remove_unused: bool) -> dict[str, Any]:
    from archive_pipeline.orchestration.partitions import partition_migration as granularity  # noqa: PLC0415 (Dagster takes seconds to import)
    from archive_pipeline.orchestration.partitions.key_sweep import key_state  # noqa: PLC0415

    result: dict[str, Any] = {"in_use": archive.settings.partitioning.value}
    if register:
        result["registration"] = _registered(
            granularity.register_archive(archive.instance, archive.database, archive.settings)
        )
    if remove_unused:
        result["removed_unused"] = granularity.remove_unused(archive.instance, archive.settings)
    with archive.database.session() as connection:
        states = {each: key_state(archive.instance, connection, each) for each in Partitioning}
    result["keys"] = {
        each.value: {"registered": state.registered, "missing": len(state.missing), "orphaned": len(state.orphaned)}
        for each, state in states.items()
    }
    return result


def _registered(registration: Registration) -> dict[str, Any]:
    return {
        "added": registration.added,
        "removed": registration.removed,
        "reported": registration.reported,
        "stale": registration.stale,
    }


def _print(result: dict[str, Any]) -> None:
    table = Table(show_edge=False, pad_edge=False, box=None)
    table.add_column("")
    for header in ("registered", "missing", "orphaned"):
        table.add_column(header, justify="right")
    for name, counts in result["keys"].items():
        in_use = " (in use)" if name == result["in_use"] else ""
        table.add_row(name + in_use, *(f"{count:,}" for count in counts.values()))
    stdout_console().print(table)
    _note_registration(result)
    used = result["keys"][result["in_use"]]
    if used["missing"] or used["orphaned"]:
        note("`llm-archive partitions --register` adds what is missing and removes what is orphaned")


def _note_registration(result: dict[str, Any]) -> None:
    if "registration" in result:
        done = result["registration"]
        shown = max(done["reported"].values(), default=0)
        note(f"{counted(done['added'], 'key')} added, {done['removed']:,} removed, {shown:,} reported as materialised")
        if done["stale"]:
            note(f"{counted(done['stale'], 'key has', 'keys have')} something to build: `llm-archive build`")
        note("restart `llm-archive up`, or reload the code location in Dagster's UI, if it runs with another setting")
    if "removed_unused" in result:
        note(f"{counted(result['removed_unused'], 'key')} of the granularity that is not in use removed")
