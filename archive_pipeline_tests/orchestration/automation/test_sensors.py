"""Sensors on a real instance: what they ask for, and that the runs they ask for leave nothing to do."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import dagster as dg
import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.building.documents import build_document_chunks
from archive_pipeline.domain.choices import Partitioning, VectorStore
from archive_pipeline.ingest.documents import Candidate, add_document
from archive_pipeline.orchestration.assets.documents import ENCODE_JOB
from archive_pipeline.orchestration.assets.search import INDEX_JOB
from archive_pipeline.orchestration.assets.summary import SUMMARY_JOB
from archive_pipeline.orchestration.automation.stale_runs import parse_cursor
from archive_pipeline.orchestration.build import build_defs
from archive_pipeline.orchestration.instance.execution import job_origin
from archive_pipeline.orchestration.jobs import JOB
from archive_pipeline.orchestration.partitions import stale_keys
from archive_pipeline.orchestration.resources import Archive
from archive_pipeline.retrieval.index.chroma import location_of
from archive_pipeline.retrieval.index.run import index_archive
from archive_pipeline.retrieval.visual.encoding import encode_pages
from archive_pipeline.settings import Settings
from archive_pipeline.settings.variables import CHECKOUT
from archive_pipeline.store import vector_indexes
from archive_pipeline.store.database import Database
from archive_pipeline.store.document_chunks import DOCUMENT_CHUNKS
from archive_pipeline.store.embeddings import add_generation
from archive_pipeline.store.import_log import only_writer
from archive_pipeline.store.vector_indexes import IN_POSTGRESQL
from archive_pipeline_tests.documents import files
from archive_pipeline_tests.documents.stored import PAGE, remove_document, store_document
from archive_pipeline_tests.orchestration.conftest import add_dialogues
from archive_pipeline_tests.retrieval.visual.test_search import ColourEncoder
from archive_pipeline_tests.tables import query

pytestmark = [pytest.mark.dagster, pytest.mark.postgres]

SAMPLE = CHECKOUT / "examples" / "sample_archive" / "chatgpt" / "conversations.json"
# The server counts changes when it finds the time, which a sensor has and a test has not.
COUNT_AT_ONCE = "SELECT pg_stat_force_next_flush()"
START, END = "dagster/asset_partition_range_start", "dagster/asset_partition_range_end"


@pytest.fixture
def imports(settings: Settings) -> Iterator[Path]:
    folder = settings.imports_folder
    folder.mkdir(exist_ok=True)
    yield folder
    shutil.rmtree(folder)


def tick(name: str, instance: dg.DagsterInstance, archive: Archive, cursor: str | None = None) -> dg.SensorResult:
    sensor = build_defs(settings=archive.settings).resolve_sensor_def(name)
    resources = {} if name == "new_imports" else {"archive": archive}
    with dg.build_sensor_context(instance=instance, cursor=cursor, resources=resources) as context:
        return sensor(context)


def run(request: dg.RunRequest, instance: dg.DagsterInstance, settings: Settings) -> dg.ExecuteInProcessResult:
    """Run what was asked for, the way the daemon does."""
    job = build_defs(settings=settings).resolve_job_def(request.job_name or "")
    return job.execute_in_process(
        instance=instance,
        tags=request.tags,
        run_config=request.run_config,
        asset_selection=request.asset_selection,
        raise_on_error=False,
    )


def keys_of(request: dg.RunRequest, instance: dg.DagsterInstance) -> list[str]:
    order = list(instance.get_dynamic_partitions("dialogues"))
    return order[order.index(request.tags[START]) : order.index(request.tags[END]) + 1]


def test_a_dropped_export_is_asked_for_once(imports: Path, instance: dg.DagsterInstance, archive: Archive) -> None:
    shutil.copy(SAMPLE, imports / "conversations.json")
    first = tick("new_imports", instance, archive)
    assert first.run_requests == []
    second = tick("new_imports", instance, archive, first.cursor)
    assert second.run_requests is not None
    assert [request.job_name for request in second.run_requests] == ["import_files"]
    config = second.run_requests[0].run_config
    assert config == {"ops": {"import_exports": {"config": {"paths": ["imports/conversations.json"]}}}}
    third = tick("new_imports", instance, archive, second.cursor)
    assert (third.run_requests, third.skip_reason is not None) == ([], True)


def test_the_same_content_has_the_same_run_key_whatever_it_is_called(
    imports: Path, instance: dg.DagsterInstance, archive: Archive
) -> None:
    run_keys = []
    for name in ("a.json", "b.json"):
        shutil.copy(SAMPLE, imports / name)
        seen = tick("new_imports", instance, archive, tick("new_imports", instance, archive).cursor)
        run_keys += [request.run_key for request in seen.run_requests or []]
        (imports / name).unlink()
    assert len(run_keys) == 2
    assert len(set(run_keys)) == 1


def test_a_dropped_export_becomes_rows_by_sensors_alone(
    imports: Path, instance: dg.DagsterInstance, archive: Archive, empty_archive: Database
) -> None:
    shutil.copy(SAMPLE, imports / "conversations.json")
    seen = tick("new_imports", instance, archive, tick("new_imports", instance, archive).cursor)
    assert run(seen.run_requests[0], instance, archive.settings).success
    wanted = tick("stale_dialogues", instance, archive)
    with empty_archive.session() as connection:
        keys = {row[0] for row in connection.execute("SELECT partition_key FROM raw.dialogues")}
    assert [set(keys_of(request, instance)) for request in wanted.run_requests] == [keys]
    assert run(wanted.run_requests[0], instance, archive.settings).success
    with empty_archive.session() as connection:
        assert stale_keys.stale_keys(connection, archive.settings) == []
    summary = tick("stale_dialogues", instance, archive, wanted.cursor)
    assert [request.job_name for request in summary.run_requests] == [SUMMARY_JOB]
    for _ in range(3):
        summary = tick("stale_dialogues", instance, archive, summary.cursor)
        assert summary.run_requests == []
    with stale_keys.only_writer_or_none(archive.database):
        summary = tick("stale_dialogues", instance, archive, summary.cursor)
    # Whoever was at work built nothing.
    assert parse_cursor(summary.cursor).is_summary_due
    assert tick("stale_dialogues", instance, archive, summary.cursor).run_requests == []


@contextmanager
def an_index(archive: Archive, store: VectorStore = VectorStore.POSTGRES) -> Iterator[None]:
    """An index that is searched, as far as the tables tell."""
    with archive.database.session() as connection:
        location = IN_POSTGRESQL if store is VectorStore.POSTGRES else location_of(archive.settings)
        vector_indexes.add_index(connection, str(uuid.uuid4()), add_generation(connection, "a model", 3), location)
        (index,) = vector_indexes.indexes_at(connection, location)
        vector_indexes.activate(connection, index.id, location)
    try:
        yield
    finally:
        with archive.database.session() as connection:
            connection.execute("DELETE FROM derived.embedding_generations")


@pytest.mark.parametrize("store", list(VectorStore))
def test_where_there_is_an_index_it_follows_with_the_summary(
    instance: dg.DagsterInstance, archive: Archive, empty_archive: Database, store: VectorStore
) -> None:
    add_dialogues(empty_archive, 1)
    wanted = tick("stale_dialogues", instance, archive)
    build_stale(empty_archive, archive.settings)
    with an_index(archive, store):
        afterwards = tick("stale_dialogues", instance, archive, wanted.cursor)
        assert [request.job_name for request in afterwards.run_requests] == [SUMMARY_JOB, INDEX_JOB]
        assert tick("stale_dialogues", instance, archive, afterwards.cursor).run_requests == []


def count_documents_at_once(database: Database) -> None:
    """Have the server count a write to documents; those that other connections wrote are counted when it finds time."""
    with database.session() as connection:
        connection.execute("UPDATE raw.documents SET size_bytes = size_bytes")
        connection.execute(COUNT_AT_ONCE)


def test_documents_that_come_and_go_are_followed_once_by_the_index(
    instance: dg.DagsterInstance, archive: Archive, empty_archive: Database
) -> None:
    quiet = tick("stale_dialogues", instance, archive)
    assert quiet.run_requests == []
    with an_index(archive):
        for change in (
            lambda: store_document(empty_archive, "a", [PAGE]),
            lambda: store_document(empty_archive, "b", [PAGE]),
            lambda: store_document(empty_archive, "a", [PAGE, PAGE]),  # read again
            lambda: remove_document(empty_archive, "b"),
        ):
            change()
            count_documents_at_once(empty_archive)
            wanted = tick("stale_dialogues", instance, archive, quiet.cursor)
            assert [(request.job_name, request.asset_selection) for request in wanted.run_requests] == [
                (INDEX_JOB, None)
            ]
            count_documents_at_once(empty_archive)  # a write that changes nothing
            quiet = tick("stale_dialogues", instance, archive, wanted.cursor)
            assert quiet.run_requests == []


def test_a_document_that_is_added_while_the_sensor_runs_is_cut_and_indexed(
    instance: dg.DagsterInstance, archive: Archive, empty_archive: Database
) -> None:
    pytest.importorskip("wordllama")
    settings = archive.settings
    index_archive(empty_archive, settings)
    quiet = tick("stale_dialogues", instance, archive)
    store_document(empty_archive, "a", [PAGE, PAGE * 15])
    count_documents_at_once(empty_archive)
    try:
        wanted = tick("stale_dialogues", instance, archive, quiet.cursor)
        assert [request.job_name for request in wanted.run_requests] == [INDEX_JOB]
        assert run(wanted.run_requests[0], instance, settings).success
        assert query(empty_archive, "SELECT count(*) FROM derived.document_chunks") == [(3,)]
        texts = "SELECT DISTINCT content_hash FROM derived.document_chunks ORDER BY 1"
        stored = "SELECT content_hash FROM derived.chunk_embeddings WHERE half_vector IS NOT NULL ORDER BY 1"
        assert query(empty_archive, stored) == query(empty_archive, texts)
    finally:
        with empty_archive.session() as connection:
            connection.execute("DELETE FROM derived.embedding_generations")


def test_without_an_index_documents_that_are_not_cut_are_cut_and_nothing_else(
    instance: dg.DagsterInstance, archive: Archive, empty_archive: Database
) -> None:
    store_document(empty_archive, "a", [PAGE])
    wanted = tick("stale_dialogues", instance, archive)
    (request,) = wanted.run_requests
    assert (request.job_name, request.asset_selection) == (INDEX_JOB, [dg.AssetKey(DOCUMENT_CHUNKS)])
    assert run(request, instance, archive.settings).success
    assert query(empty_archive, "SELECT count(*) FROM derived.document_chunks") == [(1,)]
    count_documents_at_once(empty_archive)
    assert tick("stale_dialogues", instance, archive, wanted.cursor).run_requests == []
    # Other settings make them stale, and a code location that was started with them sees it.
    finer = replace(archive, settings=archive.settings.with_values(chunk_tokens=16))
    assert [request.job_name for request in tick("stale_dialogues", instance, finer, wanted.cursor).run_requests] == [
        INDEX_JOB
    ]


def test_page_images_are_encoded_where_some_are(
    instance: dg.DagsterInstance, archive: Archive, empty_archive: Database, tmp_path: Path
) -> None:
    def add(colour: str) -> None:
        path = tmp_path / f"{colour}.png"
        path.write_bytes(files.png_bytes(colour))
        add_document(empty_archive, archive.settings, Candidate(path, str(path), path.name))
        build_document_chunks(empty_archive, archive.settings)
        count_documents_at_once(empty_archive)

    seeing = replace(archive, settings=archive.settings.with_values(visual_model="colours"))
    add("red")
    first = tick("stale_dialogues", instance, seeing)
    assert first.run_requests == []
    encode_pages(empty_archive, seeing.settings, ColourEncoder())
    add("green")
    second = tick("stale_dialogues", instance, seeing, first.cursor)
    assert [request.job_name for request in second.run_requests] == [ENCODE_JOB]
    assert tick("stale_dialogues", instance, seeing, second.cursor).run_requests == []
    assert tick("stale_dialogues", instance, archive, first.cursor).run_requests == []  # no model is set


def test_scattered_stale_keys_are_one_range_of_nothing_else(
    instance: dg.DagsterInstance, archive: Archive, empty_archive: Database
) -> None:
    keys = add_dialogues(empty_archive, 9)
    everything = tick("stale_dialogues", instance, archive)
    build_stale(empty_archive, archive.settings)
    with empty_archive.session() as connection:
        connection.execute(
            "UPDATE raw.dialogues SET fingerprint = fingerprint || '!' WHERE partition_key = ANY(%s)", [keys[::2]]
        )
    wanted = tick("stale_dialogues", instance, archive, everything.cursor)
    assert [keys_of(request, instance) for request in wanted.run_requests] == [keys[::2]]
    assert run(wanted.run_requests[0], instance, archive.settings).success
    assert tick("stale_dialogues", instance, archive, wanted.cursor).run_requests[0].job_name == SUMMARY_JOB


def test_code_that_was_raised_makes_everything_stale(
    instance: dg.DagsterInstance, archive: Archive, empty_archive: Database
) -> None:
    keys = add_dialogues(empty_archive, 3)
    first = tick("stale_dialogues", instance, archive)
    build_stale(empty_archive, archive.settings)
    newer = replace(archive, settings=archive.settings.with_values(simhash_version=1))
    wanted = tick("stale_dialogues", instance, newer, first.cursor)
    assert [keys_of(request, instance) for request in wanted.run_requests] == [keys]


def test_shards_are_asked_for_as_shards(
    instance: dg.DagsterInstance, archive: Archive, empty_archive: Database
) -> None:
    add_dialogues(empty_archive, 5)
    sharded = replace(archive, settings=archive.settings.with_values(partitioning=Partitioning.SHARDED))
    wanted = tick("stale_dialogues", instance, sharded)
    assert wanted.run_requests[0].tags[START].startswith("s")
    assert run(wanted.run_requests[0], instance, sharded.settings).success
    assert tick("stale_dialogues", instance, sharded, wanted.cursor).run_requests[0].job_name == SUMMARY_JOB


@pytest.mark.parametrize("job", [JOB, "__ASSET_JOB"])
@pytest.mark.parametrize("status", [dg.DagsterRunStatus.QUEUED, dg.DagsterRunStatus.STARTED])
def test_nothing_is_asked_for_while_runs_over_dialogues_are_queued_or_under_way(
    job: str, status: dg.DagsterRunStatus, instance: dg.DagsterInstance, archive: Archive, empty_archive: Database
) -> None:
    add_dialogues(empty_archive, 1)
    under_way = dg.DagsterRun(job, status=status, remote_job_origin=job_origin(JOB))
    instance.add_run(under_way)
    waiting = tick("stale_dialogues", instance, archive)
    assert waiting.run_requests == []
    assert parse_cursor(waiting.cursor).is_summary_due
    instance.report_run_failed(under_way)
    assert len(tick("stale_dialogues", instance, archive, waiting.cursor).run_requests) == 1


def test_a_quiet_archive_is_not_searched_again(
    instance: dg.DagsterInstance, archive: Archive, empty_archive: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    with empty_archive.session() as connection:
        connection.execute(COUNT_AT_ONCE)
    quiet = tick("stale_dialogues", instance, archive)
    monkeypatch.setattr(stale_keys, "stale_keys", lambda *_args, **_kwargs: pytest.fail("asked"))
    assert "nothing has changed" in str(tick("stale_dialogues", instance, archive, quiet.cursor).skip_reason)


def test_nothing_is_asked_for_while_a_command_writes(
    instance: dg.DagsterInstance, archive: Archive, empty_archive: Database
) -> None:
    add_dialogues(empty_archive, 1)
    with only_writer(empty_archive):
        assert tick("stale_dialogues", instance, archive).run_requests == []
    assert len(tick("stale_dialogues", instance, archive).run_requests) == 1


def test_a_dialogue_whose_runs_are_killed_is_told_from_its_neighbours_and_left_alone(
    instance: dg.DagsterInstance, archive: Archive, empty_archive: Database
) -> None:
    keys = add_dialogues(empty_archive, 4)
    deadly = keys[2]
    cursor, built = None, []
    for _ in range(4):
        seen = tick("stale_dialogues", instance, archive, cursor)
        cursor = seen.cursor
        requests = [request for request in seen.run_requests or [] if request.job_name == JOB]
        built.append([deadly in keys_of(request, instance) for request in requests])
        for request in requests:
            if deadly not in keys_of(request, instance):
                assert run(request, instance, archive.settings).success
    assert built == [[True], [False, False, True, False], [True], []]
    with empty_archive.session() as connection:
        assert [item.key for item in stale_keys.stale_keys(connection, archive.settings)] == [deadly]


def test_the_night_tries_again_what_was_given_up(
    instance: dg.DagsterInstance, archive: Archive, empty_archive: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The context of a schedule makes the instance anew, from the home's configuration and the environment.
    monkeypatch.setenv("ARCHIVE_HOME", str(archive.settings.home))
    schedule = build_defs(settings=archive.settings).resolve_schedule_def("nightly_incremental")
    with dg.build_schedule_context(instance=instance, resources={"archive": archive}) as context:
        assert schedule.evaluate_tick(context).skip_message == "all is built"
        keys = add_dialogues(empty_archive, 2)
        requests = schedule.evaluate_tick(context).run_requests
    assert [keys_of(request, instance) for request in requests] == [keys]


def test_an_import_without_stale_dialogues_has_the_summary_made(
    instance: dg.DagsterInstance, archive: Archive, empty_archive: Database
) -> None:
    first = tick("stale_dialogues", instance, archive)
    assert first.run_requests == []
    with empty_archive.session() as connection:
        connection.execute(
            "INSERT INTO raw.imports (id, path, status, finished_at) VALUES (gen_random_uuid(), 'x', 'done', now())"
        )
        connection.execute(COUNT_AT_ONCE)
    second = tick("stale_dialogues", instance, archive, first.cursor)
    assert [request.job_name for request in second.run_requests] == [SUMMARY_JOB]


def test_sensors_and_schedules_run_by_default_and_name_jobs_that_exist() -> None:
    definitions = build_defs(
        settings=Settings(home=Path("/nowhere"), schedule="15 4 * * 1", timezone="Europe/Berlin", sensor_seconds=60)
    )
    jobs = {job.name for job in definitions.resolve_all_job_defs()}
    repository = definitions.get_repository_def()
    assert {sensor.name for sensor in repository.sensor_defs} == {"new_imports", "stale_dialogues"}
    for sensor in repository.sensor_defs:
        assert sensor.default_status == dg.DefaultSensorStatus.RUNNING
        assert sensor.minimum_interval_seconds == 60
        assert {target.job_name for target in sensor.targets} <= jobs
    assert {schedule.name for schedule in repository.schedule_defs} == {
        "nightly_incremental",
        "nightly_summary",
        "nightly_duplicates",
        "nightly_housekeeping",
    }
    for schedule in repository.schedule_defs:
        assert schedule.default_status == dg.DefaultScheduleStatus.RUNNING
        assert (schedule.cron_schedule, schedule.execution_timezone) == ("15 4 * * 1", "Europe/Berlin")
        assert schedule.job_name in jobs
