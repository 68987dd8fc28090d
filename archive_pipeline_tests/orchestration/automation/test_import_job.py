"""The import job from end to end, in this process."""

from __future__ import annotations

from pathlib import Path

import dagster as dg
import numpy as np
import pytest

from archive_pipeline.domain import identity
from archive_pipeline.errors import DatabaseUnavailableError, VectorStoreError
from archive_pipeline.orchestration import resources
from archive_pipeline.orchestration.automation import import_job
from archive_pipeline.orchestration.build import build_defs
from archive_pipeline.settings import Settings
from archive_pipeline.settings.variables import CHECKOUT
from archive_pipeline.store.database import Database
from archive_pipeline.store.deleted_dialogues import delete_for_good
from archive_pipeline.store.embeddings import VectorForm, add_generation, add_vectors, count_vectors
from archive_pipeline.store.raw_writes import delete_dialogues
from archive_pipeline_tests.attached import export, file_id, referenced_hashes, stored_names, talk
from archive_pipeline_tests.exports import chain, chatgpt, write

pytestmark = [pytest.mark.dagster, pytest.mark.postgres]

SAMPLE = CHECKOUT / "examples" / "sample_archive"


def run(instance: dg.DagsterInstance, settings: Settings, *paths: Path, **config: object) -> dg.ExecuteInProcessResult:
    job = build_defs(settings=settings).resolve_job_def("import_files")
    return job.execute_in_process(
        instance=instance,
        run_config={"ops": {"import_exports": {"config": {"paths": [str(path) for path in paths], **config}}}},
        raise_on_error=False,
    )


def metadata_of(result: dg.ExecuteInProcessResult) -> dict[str, object]:
    output = result.filter_events(lambda event: event.is_successful_output)[0]
    return {name: value.value for name, value in output.step_output_data.metadata.items()}


def test_an_export_is_imported_reported_and_registered(
    instance: dg.DagsterInstance, settings: Settings, empty_archive: Database
) -> None:
    result = run(instance, settings, SAMPLE)
    assert result.success
    metadata = metadata_of(result)
    with empty_archive.session() as connection:
        keys = {row[0] for row in connection.execute("SELECT partition_key FROM raw.dialogues")}
        messages = connection.execute("SELECT count(*) FROM raw.messages").fetchone()[0]
    assert metadata["dialogues_new"] == len(keys) > 10
    assert metadata["rows_messages"] == messages
    assert keys <= set(instance.get_dynamic_partitions("dialogues"))
    event = instance.get_latest_materialization_event(dg.AssetKey(["raw", "messages"]))
    assert event is not None
    assert event.run_id == result.run_id
    assert event.asset_materialization.metadata["rows_written"].value == messages
    again = metadata_of(run(instance, settings, SAMPLE))
    assert (again["dialogues_new"], again["dialogues_unchanged"]) == (0, len(keys))


def test_what_was_deleted_for_good_is_left_out_and_counted(
    instance: dg.DagsterInstance, settings: Settings, empty_archive: Database, tmp_path: Path
) -> None:
    path = write(tmp_path / "conversations.json", chatgpt("gone", chain("a", "b")), chatgpt("kept", chain("a", "b")))
    assert run(instance, settings, path).success
    with empty_archive.session() as connection:
        gone = [identity.dialogue_id("chatgpt", "gone")]
        delete_for_good(connection, gone)
        delete_dialogues(connection, gone)
    metadata = metadata_of(run(instance, settings, tmp_path))
    assert (metadata["dialogues_new"], metadata["dialogues_deleted_for_good"]) == (0, 1)
    with empty_archive.session() as connection:
        assert connection.execute("SELECT source_id FROM raw.dialogues").fetchall() == [("kept",)]


def test_what_is_rejected_is_a_table_and_no_failure(
    instance: dg.DagsterInstance, settings: Settings, empty_archive: Database, tmp_path: Path
) -> None:
    (tmp_path / "conversations.json").write_bytes((SAMPLE / "chatgpt" / "conversations.json").read_bytes())
    (tmp_path / "broken.json").write_text('[{"mapping": ')
    result = run(instance, settings, tmp_path)
    assert result.success
    metadata = metadata_of(result)
    assert metadata["dialogues_rejected"] == 1
    assert metadata["files_failed"] == 1
    assert "broken.json" in metadata["rejected"].records[0].data["locator"]


@pytest.mark.parametrize("config", [{}, {"source": "a vendor nobody knows"}])
def test_a_run_that_could_read_nothing_fails_and_is_not_retried(
    instance: dg.DagsterInstance, settings: Settings, empty_archive: Database, tmp_path: Path, config: dict[str, object]
) -> None:
    (tmp_path / "broken.json").write_text("not JSON at all")
    result = run(instance, settings, tmp_path, **config)
    assert not result.success
    assert result.filter_events(lambda event: event.is_step_up_for_retry) == []
    error = result.filter_events(lambda event: event.is_step_failure)[0].step_failure_data.error
    assert ("broken.json" in error.message) or ("a vendor nobody knows" in error.message)
    assert (error.stack, error.cause, error.context) == ([], None, None)


def test_the_configuration_of_a_run_cannot_raise_the_share_that_mirroring_removes(
    instance: dg.DagsterInstance, settings: Settings, empty_archive: Database, tmp_path: Path
) -> None:
    path = write(tmp_path / "conversations.json", *(chatgpt(f"left{n}", chain("a", "b")) for n in range(60)))
    assert run(instance, settings, path).success
    write(path, *(chatgpt(f"left{n}", chain("a", "b")) for n in range(2)))
    result = run(instance, settings, path, mirror=True, mirror_limit=100)
    assert not result.success
    assert (
        "--mirror-limit 100"
        in result.filter_events(lambda event: event.is_step_failure)[0].step_failure_data.error.message
    )
    with empty_archive.session() as connection:
        assert connection.execute("SELECT count(*) FROM raw.dialogues").fetchone() == (60,)


def test_a_path_that_does_not_exist_is_no_import(
    instance: dg.DagsterInstance, settings: Settings, empty_archive: Database, tmp_path: Path
) -> None:
    result = run(instance, settings, SAMPLE, tmp_path / "nowhere.zip")
    assert not result.success
    failure = result.filter_events(lambda event: event.is_step_failure)[0].step_failure_data.user_failure_data
    assert failure is not None
    assert failure.description == f"{tmp_path}/nowhere.zip does not exist: check the path"
    with empty_archive.session() as connection:
        assert connection.execute("SELECT count(*) FROM raw.imports").fetchone() == (0,)


def test_a_database_that_goes_away_is_tried_again(
    instance: dg.DagsterInstance,
    settings: Settings,
    empty_archive: Database,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[object] = []
    real = import_job.import_archive

    def fails_once(*arguments: object, **named: object) -> object:
        calls.append(arguments)
        if len(calls) == 1:
            raise DatabaseUnavailableError("the database failed")
        return real(*arguments, **named)

    monkeypatch.setattr(import_job, "import_archive", fails_once)
    monkeypatch.setattr(resources, "SECONDS_BETWEEN_RETRIES", 0)
    assert run(instance, settings, SAMPLE / "claude_ai").success
    assert len(calls) == 2


def test_a_mirrored_export_takes_the_partitions_with_it(
    instance: dg.DagsterInstance, settings: Settings, empty_archive: Database, tmp_path: Path
) -> None:
    path = write(tmp_path / "conversations.json", *(chatgpt(f"gone{n}", chain("a", "b")) for n in range(4)))
    assert run(instance, settings, path, mirror=True).success
    write(path, *(chatgpt(f"gone{n}", chain("a", "b")) for n in range(3)))
    result = run(instance, settings, path, mirror=True)
    assert result.success
    metadata = metadata_of(result)
    assert (metadata["dialogues_removed"], metadata["removed"]) == (1, ["chatgpt-gone3"])
    keys = set(instance.get_dynamic_partitions("dialogues"))
    assert "chatgpt-gone2" in keys
    assert "chatgpt-gone3" not in keys


def test_a_mirrored_export_takes_out_what_a_killed_run_left_and_fails_if_it_cannot(
    instance: dg.DagsterInstance,
    settings: Settings,
    empty_archive: Database,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = write(tmp_path / "conversations.json", chatgpt("kept", chain("a", "b")))
    instance.add_dynamic_partitions("dialogues", ["chatgpt-gone"])
    with empty_archive.session() as connection:
        generation = add_generation(connection, "m", 2)
        add_vectors(connection, generation, ["0" * 64], np.ones((1, 2), np.float32), VectorForm.FLOATS)
    assert run(instance, settings, path, mirror=True).success
    assert list(instance.get_dynamic_partitions("dialogues")) == ["chatgpt-kept"]
    with empty_archive.session() as connection:
        left = count_vectors(connection, generation)
        connection.execute("DELETE FROM derived.embedding_generations")
    assert left == 0

    def fail(*_: object) -> None:
        raise VectorStoreError("it does not answer")

    monkeypatch.setattr(import_job, "purge_deleted", fail)
    result = run(instance, settings, path, mirror=True)
    error = result.filter_events(lambda event: event.is_step_failure)[0].step_failure_data.error
    assert "still has the removed dialogues (it does not answer). The job index_archive removes them." in error.message


@pytest.mark.parametrize("config", [{"mirror": True}, {"mirror": True, "partial": True}])
def test_a_run_that_was_to_mirror_and_did_not_fails(
    instance: dg.DagsterInstance, settings: Settings, empty_archive: Database, tmp_path: Path, config: dict[str, object]
) -> None:
    path = write(tmp_path / "conversations.json", *(chatgpt(f"kept{n}", chain("a", "b")) for n in range(4)))
    assert run(instance, settings, path).success
    result = run(instance, settings, write(path, chatgpt("kept0", chain("a", "b"))), **config)
    assert not result.success
    assert result.filter_events(lambda event: event.is_step_up_for_retry) == []
    with empty_archive.session() as connection:
        assert connection.execute("SELECT count(*) FROM raw.dialogues").fetchone() == (4,)
    assert {f"chatgpt-kept{n}" for n in range(4)} <= set(instance.get_dynamic_partitions("dialogues"))


def test_attached_files_are_kept_and_what_is_missing_is_told(
    instance: dg.DagsterInstance, settings: Settings, empty_archive: Database, tmp_path: Path
) -> None:
    home = settings.with_values(home=tmp_path / "home", database_url=empty_archive.url)
    conversation = talk("c1", 1, 2, names={1: "notes.txt", 2: "gone.pdf"})
    members = {"conversations.json": [conversation | {"never_seen": 1}], f"{file_id(1)}.dat": b"Feed the starter."}
    path = export(tmp_path / "export.zip", members)
    left = metadata_of(run(instance, home, path, attachments=False))
    assert "attachments_stored" not in left
    assert left["format_drift_key"] >= 1
    metadata = metadata_of(run(instance, home, path))
    assert (metadata["attachments_stored"], metadata["attachments_missing"]) == (1, 1)
    assert [record.data for record in metadata["missing_attachments"].records] == [
        {"id": file_id(2), "name": "gone.pdf"}
    ]
    assert stored_names(home) == referenced_hashes(empty_archive)
    event = instance.get_latest_materialization_event(dg.AssetKey(["raw", "documents"]))
    assert event is not None
    assert event.asset_materialization.metadata["rows_written"].value == 1


def test_what_a_manifest_names_and_was_not_given_is_told(
    instance: dg.DagsterInstance, settings: Settings, empty_archive: Database, tmp_path: Path
) -> None:
    write(tmp_path / "conversations-000.json", talk("c1"))
    write(tmp_path / "conversations-002.json", talk("c2"))
    assert "conversations-001.json: was not given" in metadata_of(run(instance, settings, tmp_path))["missing"]
