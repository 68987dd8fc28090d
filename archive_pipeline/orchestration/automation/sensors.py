"""Sensors: exports in the drop folder are imported, and whatever is stale is built, without any command.

Each is a thin shell: what is decided is in `drop_folder` and `stale_runs`, what is asked is in `stale_keys`.
"""

# No `from __future__ import annotations` here: Dagster reads the annotations of decorated functions.

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import dagster as dg
import psycopg

from archive_pipeline.derive.registry import code_versions, effective_version
from archive_pipeline.orchestration.assets.documents import ENCODE_JOB
from archive_pipeline.orchestration.assets.search import INDEX_JOB
from archive_pipeline.orchestration.assets.summary import SUMMARY_JOB
from archive_pipeline.orchestration.automation.activity import is_being_built
from archive_pipeline.orchestration.automation.content_runs import fates_of_contents, import_request, import_result
from archive_pipeline.orchestration.automation.drop_folder import scan_once
from archive_pipeline.orchestration.automation.import_job import IMPORT_JOB
from archive_pipeline.orchestration.automation.stale_runs import (
    KEYS_PER_TICK,
    AttemptPlan,
    SensorCursor,
    format_cursor,
    parse_cursor,
    plan,
    slices,
)
from archive_pipeline.orchestration.instance.execution import NOT_RETRIED
from archive_pipeline.orchestration.instance.in_flight import RANGE_END, RANGE_START
from archive_pipeline.orchestration.instance.orphans import HIDDEN
from archive_pipeline.orchestration.jobs import JOB
from archive_pipeline.orchestration.partitions import stale_keys
from archive_pipeline.orchestration.partitions.key_sweep import sweep_keys
from archive_pipeline.orchestration.partitions.keys import KEYS_PER_RUN, NAMES, contiguous_ranges
from archive_pipeline.orchestration.resources import Archive
from archive_pipeline.retrieval.index.choice import searched_index
from archive_pipeline.retrieval.visual.encoding import lacks_vectors
from archive_pipeline.settings import Settings
from archive_pipeline.store.counts import count_stale_documents
from archive_pipeline.store.document_chunks import DOCUMENT_CHUNKS
from archive_pipeline.store.home import private_folder
from archive_pipeline.store.page_vectors import are_pages_encoded

STALE_DIALOGUES: Final = "stale_dialogues"
ATTEMPT_TAG: Final = f"{HIDDEN}attempt"
_SHOWN: Final = 5


def new_imports_sensor(settings: Settings) -> dg.SensorDefinition:
    """Return the sensor that watches the drop folder."""

    @dg.sensor(
        name="new_imports",
        job_name=IMPORT_JOB,
        minimum_interval_seconds=settings.sensor_seconds,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description=(
            "Imports what is put into the folder imports/ of ARCHIVE_HOME, once it has stopped changing. The same "
            "content is imported once, under the name it has by then. A run that was lost before it read the file is "
            "asked for again, up to three times; one that failed is when the file changes or its run is started anew."
        ),
    )
    def new_imports(context: dg.SensorEvaluationContext) -> dg.SensorResult:
        private_folder(settings.imports_folder)
        seen = scan_once(settings.imports_folder, context.cursor, fates_of_contents(context.instance))
        # A home may be moved before a run starts: its configuration names the entry as it is called in any home.
        requests = [
            import_request(
                ready.path.relative_to(settings.home).as_posix(), ready.path.name, ready.content, ready.signature
            )
            for ready in seen.ready
        ]
        return import_result(
            context,
            str(settings.imports_folder),
            requests,
            seen.waiting,
            seen.cursor,
            notes=seen.notes,
            new_notes=seen.new_notes,
        )

    return new_imports


def stale_dialogues_sensor(settings: Settings, jobs: Sequence[Any]) -> dg.SensorDefinition:
    """Return the sensor that builds what is stale, whatever made it so, and has summary, index and the like follow."""

    @dg.sensor(
        name=STALE_DIALOGUES,
        jobs=jobs,
        minimum_interval_seconds=settings.sensor_seconds,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description=(
            "Builds derived tables of dialogues that are new, changed, or were built by older code, up to 2,500 in a "
            "run. A dialogue whose run is killed three times is left alone until it changes or the night comes. After "
            "builds the summary follows; after builds, and when documents were added, the index of search."
        ),
    )
    def stale_dialogues(
        context: dg.SensorEvaluationContext, archive: dg.ResourceParam[Archive]
    ) -> dg.SensorResult | dg.SkipReason:
        state = parse_cursor(context.cursor)
        with stale_keys.only_writer_or_none(archive.database) as is_writer:
            if not is_writer or is_being_built(context.instance):
                return _wait(state, "an import or a build is under way")
            return _tick(context, archive, state)

    return stale_dialogues


def _wait(state: SensorCursor, reason: str) -> dg.SensorResult:
    waiting = replace(state, quiet_at=None, is_summary_due=True)
    return dg.SensorResult(skip_reason=reason, cursor=format_cursor(waiting))


def _tick(context: dg.SensorEvaluationContext, archive: Archive, state: SensorCursor) -> dg.SensorResult:
    with archive.database.session() as connection:
        counters = stale_keys.change_counters(connection)
        quiet_at = f"{counters}|{_versions(archive)}" if counters else None
        if quiet_at is not None and quiet_at == state.quiet_at:
            return dg.SensorResult(skip_reason="nothing has changed", cursor=format_cursor(state))
        stale = stale_keys.stale_keys(connection, archive.settings, state.attempts, limit=KEYS_PER_TICK)
        imports = stale_keys.imports_state(connection)
        documents = stale_keys.documents_state(connection, archive.settings)
        # Whoever was at work may have found everything up to date.
        may_have_built = state.is_summary_due or bool(state.attempts)
        built = stale_keys.built_state(connection) if may_have_built else state.built
    todo = plan(stale, KEYS_PER_RUN[archive.settings.partitioning])
    _report_given_up(context, todo)
    if todo.keys:
        requests = range_requests(context.instance, archive.settings, todo)
        busy = replace(state, attempts=todo.attempts, quiet_at=None, is_summary_due=True)
        return dg.SensorResult(run_requests=requests, cursor=format_cursor(busy))
    sweep_keys(context.instance, archive.database, archive.settings)
    quiet = SensorCursor(todo.attempts, quiet_at, imports, is_summary_due=False, documents=documents, built=built)
    has_built = built != state.built or imports != state.summarised
    requests = _what_follows(archive, has_built=has_built, has_documents=documents != state.documents)
    if requests:
        return dg.SensorResult(run_requests=requests, cursor=format_cursor(quiet))
    left = (
        f"{todo.exhausted_count} keys failed and are left alone until they change"
        if todo.exhausted_count
        else "all is built"
    )
    return dg.SensorResult(skip_reason=left, cursor=format_cursor(quiet))


def _what_follows(archive: Archive, *, has_built: bool, has_documents: bool) -> list[dg.RunRequest]:
    """Return the runs that look at the whole archive, after something was built or documents came or went.

    The index of search and vectors of page images follow where there are some already: whoever made them wants them
    up to date, and nobody else has to have a model. Documents are cut in any case, since words are searched without.
    """
    requests = [dg.RunRequest(job_name=SUMMARY_JOB)] if has_built else []
    with archive.database.session() as connection:
        if has_built or has_documents:
            requests += _index_requests(connection, archive.settings)
        is_visual = has_documents and are_pages_encoded(connection, archive.settings.visual_model or "")
    if is_visual and lacks_vectors(archive.database, archive.settings):
        requests.append(dg.RunRequest(job_name=ENCODE_JOB))
    return requests


def _index_requests(connection: psycopg.Connection[Any], settings: Settings) -> list[dg.RunRequest]:
    if searched_index(connection, settings) is not None:
        return [dg.RunRequest(job_name=INDEX_JOB)]
    if count_stale_documents(connection, effective_version(DOCUMENT_CHUNKS, settings)):
        return [dg.RunRequest(job_name=INDEX_JOB, asset_selection=[dg.AssetKey(DOCUMENT_CHUNKS)])]
    return []


def range_requests(instance: dg.DagsterInstance, settings: Settings, todo: AttemptPlan) -> list[dg.RunRequest]:
    """Return runs of `build_derived` over the planned keys, which are made one range of the partitions.

    They have no run key: Dagster would never run a key twice, also where a dialogue was deleted and came back. That
    nothing is built twice follows from the caller's promise that nothing is under way.
    """
    ranges = contiguous_ranges(instance, settings, todo.keys)
    registered = instance.get_dynamic_partitions(NAMES[settings.partitioning])
    return [
        dg.RunRequest(
            job_name=JOB,
            tags={
                RANGE_START: start,
                RANGE_END: end,
                ATTEMPT_TAG: str(todo.attempt),
                # A later tick starts what is still stale, whatever came in between; twice would be once too often.
                **NOT_RETRIED,
            },
        )
        for whole in ranges
        for start, end in slices(
            registered[registered.index(whole.start) : registered.index(whole.end) + 1], todo.keys_per_run
        )
    ]


def _report_given_up(context: dg.SensorEvaluationContext, todo: AttemptPlan) -> None:
    if todo.newly_exhausted:
        named = ", ".join(todo.newly_exhausted[:_SHOWN]) + (", ..." if len(todo.newly_exhausted) > _SHOWN else "")
        context.log.error(
            f"{len(todo.newly_exhausted)} keys were in three runs that failed and are left alone until they change: "
            f"{named}. Their runs say why."
        )


def _versions(archive: Archive) -> str:
    versions = code_versions(archive.settings).values()
    return ",".join([*versions, effective_version(DOCUMENT_CHUNKS, archive.settings)])
