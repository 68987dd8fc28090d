"""The one shape of all derived assets: keys, what is stale of them, build, report."""

# No `from __future__ import annotations` here: Dagster reads the annotations of decorated functions.

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

import dagster as dg
from sqlalchemy import Table

from archive_pipeline.building.dialogues import build_asset, expect_asset
from archive_pipeline.building.engine import BuildResult
from archive_pipeline.derive.asset import DerivedAsset
from archive_pipeline.derive.registry import ASSETS, effective_version
from archive_pipeline.orchestration.assets.dialogue_view import NAMES, Shown, browse_link, dialogue_metadata
from archive_pipeline.orchestration.assets.raw import OWNERS, raw_key
from archive_pipeline.orchestration.assets.table_metadata import described, table_schema
from archive_pipeline.orchestration.instance.earlier_metadata import earlier_metadata
from archive_pipeline.orchestration.instance.explained_error import ExplainedError
from archive_pipeline.orchestration.instance.materialized_together import materialize_together
from archive_pipeline.orchestration.partitions.keys import KEYS_PER_RUN, partitions_definition
from archive_pipeline.orchestration.resources import Archive, transient_errors_retried
from archive_pipeline.settings import Settings
from archive_pipeline.store.replace import TABLES
from archive_pipeline.store.staleness import DialogueRef, dialogues_of_keys, key_of, quarantined_dialogues

GROUP: Final = "derived"
KINDS: Final = frozenset({"postgres", "pandas", "python"})
# Its partitions' events show the dialogues.
SHOWN_ASSET: Final = "dialogue_trees"


class BuildConfig(dg.Config):
    """Configuration of a derived asset.

    Attributes:
        full: build dialogues whose rows are up to date as well.
        retry: build dialogues as well that could not be built before, though neither they nor the code changed.
    """

    full: bool = False
    retry: bool = False


def derived_asset(name: str, settings: Settings) -> dg.AssetsDefinition:
    """Return the asset of a derived table.

    Partitions and backfill policy are the same for all, so that a backfill over several assets is one run per chunk.
    """

    @dg.asset(
        name=name,
        deps=[*map(dg.AssetKey, ASSETS[name].upstream), *map(raw_key, ASSETS[name].reads)],
        group_name=GROUP,
        owners=OWNERS,
        kinds=set(KINDS),
        description=f"{described(TABLES[name])}. {ASSETS[name].description}",
        code_version=effective_version(name, settings),
        partitions_def=partitions_definition(settings),
        backfill_policy=dg.BackfillPolicy.multi_run(max_partitions_per_run=KEYS_PER_RUN[settings.partitioning]),
        metadata=definition_metadata(ASSETS[name]),
    )
    def build(
        context: dg.AssetExecutionContext, config: BuildConfig, archive: dg.ResourceParam[Archive]
    ) -> dg.MaterializeResult[None]:
        keys = context.partition_keys
        if not keys:
            raise ExplainedError("The range of partitions ends before it begins, so there is nothing to build.")
        with transient_errors_retried():
            dialogues = archive.planned.take(name)
            if dialogues is None:
                dialogues = _to_build(archive, name, keys, config)
            _plan_another(context, archive)
            result = build_asset(
                archive.database,
                archive.settings,
                name,
                dialogues,
                cache=archive.cache,
                executor=archive.executor,
                progress=archive.progress,
            )
            failed = _quarantined(archive, name, set(keys))
            shown = _shown(context, archive, name, dialogues) if name == SHOWN_ASSET else {}
        materialize_together(context, shown)
        stale = {key_of(dialogue, archive.settings.partitioning) for dialogue in dialogues}
        metadata = run_metadata(result, up_to_date=len(set(keys) - stale - set(failed)), quarantined=len(failed))
        return dg.MaterializeResult(metadata=metadata)

    return build


def _plan_another(context: dg.AssetExecutionContext, archive: Archive) -> None:
    """Let the build of another asset of the run begin while events of this one are stored and its rows are checked."""
    run = context.run
    steps = run.step_keys_to_execute or [key.to_user_string() for key in run.asset_selection or ()] or ASSETS
    name = archive.planned.next_of(each for each in ASSETS if each in steps)
    if name is None:
        return
    ops: Any = run.run_config.get("ops", {})
    config = BuildConfig(**ops.get(name, {}).get("config", {}))
    dialogues = _to_build(archive, name, context.partition_keys, config)
    archive.planned.plan(name, dialogues)
    expect_asset(archive.database, archive.settings, name, dialogues, cache=archive.cache, executor=archive.executor)


def _to_build(archive: Archive, name: str, keys: Sequence[str], config: BuildConfig) -> list[DialogueRef]:
    return _dialogues(archive, name, keys, include_current=config.full, include_quarantined=config.full or config.retry)


def _dialogues(archive: Archive, name: str, keys: Sequence[str], **included: bool) -> list[DialogueRef]:
    with archive.database.session() as connection:
        return dialogues_of_keys(
            connection,
            name,
            effective_version(name, archive.settings),
            keys,
            partitioning=archive.settings.partitioning,
            **included,
        )


def _shown(
    context: dg.AssetExecutionContext, archive: Archive, name: str, built: Sequence[DialogueRef]
) -> dict[str, Shown]:
    """Return what the partitions' events show of the dialogues that are up to date now, built or not."""
    keys = context.partition_keys
    there = {dialogue.id: dialogue for dialogue in _dialogues(archive, name, keys, include_current=True)}
    chosen = {dialogue.id for dialogue in built}
    if not chosen <= there.keys():  # a batch with one that cannot be read cannot be read either
        built = [dialogue for dialogue in built if dialogue.id in there]
    others = [dialogue for dialogue in there.values() if dialogue.id not in chosen]
    earlier = earlier_metadata(context.instance, context.asset_key, [other.partition_key for other in others], NAMES)
    rest = [other for other in others if other.partition_key not in earlier]
    is_alone = len(keys) == 1
    fresh = [dialogue_metadata(archive, group, is_alone=is_alone) for group in (built, rest)]
    shown = {**earlier, **fresh[0], **fresh[1]}
    # What an earlier event linked to may have moved.
    return {key: {**own, **browse_link(archive.settings, key)} for key, own in shown.items()}


def _quarantined(archive: Archive, name: str, keys: Collection[str]) -> list[str]:
    """Return the partition key of each dialogue of ``keys`` that the asset cannot be built for."""
    with archive.database.session() as connection:
        failed = quarantined_dialogues(connection, {name: effective_version(name, archive.settings)})
    return [key for key in (key_of(dialogue, archive.settings.partitioning) for dialogue in failed) if key in keys]


def definition_metadata(asset: DerivedAsset[Any]) -> dict[str, Any]:
    """Return table name, column schema and lineage of an asset; its further tables are named beside the main one."""
    main, *others = asset.tables
    return {
        **table_metadata(TABLES[main], asset.lineage),
        **{f"columns of {table}": table_schema(TABLES[table]) for table in others},
    }


def table_metadata(table: Table, lineage: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    """Return name, columns and lineage of a table, as the UI shows them."""
    return {
        "dagster/table_name": f"{table.schema}.{table.name}",
        "dagster/column_schema": table_schema(table),
        "dagster/column_lineage": column_lineage(lineage),
    }


def run_metadata(result: BuildResult, *, up_to_date: int, quarantined: int) -> dict[str, Any]:
    """Return what a build did. Each partition's event carries it and describes the whole range, so it is kept small."""
    return {
        **{f"rows_{table}": count for table, count in result.rows.items()},
        "dialogues_built": result.built,
        "messages_built": result.size,
        "seconds": round(result.seconds, 3),
        "up_to_date": up_to_date,
        "quarantined": quarantined,
        "messages_per_second": round(result.size / result.seconds) if result.size else 0,
    }


def column_lineage(lineage: Mapping[str, Sequence[str]]) -> dg.TableColumnLineage:
    """Return the lineage of columns; each source is ``asset.column``."""
    return dg.TableColumnLineage(
        {column: [_column_dep(source) for source in sources] for column, sources in lineage.items()}
    )


def _column_dep(source: str) -> dg.TableColumnDep:
    key, column = source.rsplit(".", 1)
    return dg.TableColumnDep(asset_key=dg.AssetKey(key.split("/")), column_name=column)
