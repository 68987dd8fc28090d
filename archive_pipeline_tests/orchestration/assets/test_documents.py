"""The assets about documents on a real instance: what they write and say, and the check that cuts documents anew."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import dagster as dg
import pytest

from archive_pipeline.ingest.documents import Candidate, add_document
from archive_pipeline.orchestration.assets.documents import (
    CUT_CHECK,
    DOCUMENT_CHECK,
    ENCODE_JOB,
    NO_MODEL,
    PAGE_VECTORS,
)
from archive_pipeline.orchestration.assets.search import EMBEDDINGS_ASSET, INDEX_ASSET, INDEX_JOB
from archive_pipeline.orchestration.build import build_defs
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.document_chunks import DOCUMENT_CHUNKS
from archive_pipeline_tests.documents import files
from archive_pipeline_tests.documents.stored import PAGE, refuse_to_chunk, store_document
from archive_pipeline_tests.retrieval.visual.test_search import ColourEncoder
from archive_pipeline_tests.tables import query

pytestmark = [pytest.mark.dagster, pytest.mark.postgres]


def run(
    instance: dg.DagsterInstance, settings: Settings, job: str, assets: Sequence[str] | None = None
) -> dg.ExecuteInProcessResult:
    selection = None if assets is None else [dg.AssetKey(name) for name in assets]
    definition = build_defs(settings=settings).resolve_job_def(job)
    return definition.execute_in_process(instance=instance, asset_selection=selection, raise_on_error=False)


def metadata_of(result: dg.ExecuteInProcessResult, asset: str) -> dict[str, object]:
    (event,) = [event for event in result.get_asset_materialization_events() if event.asset_key == dg.AssetKey(asset)]
    return {name: value.value for name, value in event.step_materialization_data.materialization.metadata.items()}


def check_of(result: dg.ExecuteInProcessResult, name: str = DOCUMENT_CHECK) -> dg.AssetCheckEvaluation:
    (check,) = [check for check in result.get_asset_check_evaluations() if check.check_name == name]
    return check


def test_chunks_are_cut_once_and_checked(
    instance: dg.DagsterInstance, settings: Settings, empty_archive: Database
) -> None:
    store_document(empty_archive, "a", [PAGE, PAGE * 15])
    first = run(instance, settings, INDEX_JOB, [DOCUMENT_CHUNKS])
    assert first.success
    metadata = metadata_of(first, DOCUMENT_CHUNKS)
    assert (metadata["documents_built"], metadata["rows_document_chunks"]) == (1, 3)
    assert query(empty_archive, "SELECT count(*) FROM derived.document_chunks") == [(3,)]
    check = check_of(first)
    assert check.passed
    assert {name: value.value for name, value in check.metadata.items()} == {
        "documents": 1,
        "pages": 2,
        "rows": 3,
        "rows_differing": 0,
    }
    again = metadata_of(run(instance, settings, INDEX_JOB, [DOCUMENT_CHUNKS]), DOCUMENT_CHUNKS)
    assert (again["documents_built"], again["rows_document_chunks"]) == (0, 0)


def test_a_row_that_cutting_anew_does_not_give_is_an_error_that_blocks_nothing(
    instance: dg.DagsterInstance, settings: Settings, empty_archive: Database
) -> None:
    identifier = store_document(empty_archive, "a", [PAGE])
    store_document(empty_archive, "b", [PAGE])
    assert run(instance, settings, INDEX_JOB, [DOCUMENT_CHUNKS]).success
    with empty_archive.session() as connection:
        connection.execute("UPDATE derived.document_chunks SET text = 'x' WHERE document_id = %s", [identifier])
    found = run(instance, settings, INDEX_JOB, [DOCUMENT_CHUNKS])
    check = check_of(found)
    assert (found.success, check.passed, check.severity) == (True, False, dg.AssetCheckSeverity.ERROR)
    assert check.metadata["rows_differing"].value == 1
    assert identifier in check.metadata["document_ids"].value
    assert "llm-archive build --asset document_chunks --full" in (check.description or "")


def test_a_document_that_cannot_be_cut_is_in_the_metadata_and_in_a_check(
    instance: dg.DagsterInstance, settings: Settings, empty_archive: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = store_document(empty_archive, "a", [PAGE])
    store_document(empty_archive, "b", [PAGE])
    with monkeypatch.context() as patch:
        refuse_to_chunk(patch, bad, ValueError("an odd page"))
        found = run(instance, settings, INDEX_JOB, [DOCUMENT_CHUNKS])
    metadata = metadata_of(found, DOCUMENT_CHUNKS)
    assert (found.success, metadata["documents_built"], metadata["documents_failed"]) == (True, 1, 1)
    assert metadata["examples_of_failures"] == [f"document {bad} cannot be cut: ValueError: an odd page"]
    check = check_of(found, CUT_CHECK)
    assert (check.passed, check.severity) == (False, dg.AssetCheckSeverity.ERROR)
    assert check.description is not None
    assert f"1 document cannot be cut: {bad}: ValueError: an odd page" in check.description
    told = {name: value.value for name, value in check.metadata.items()}
    assert told == {"documents": 1, "quarantined": 1, "document_ids": [bad]}
    assert check_of(found).passed
    again = run(instance, settings, INDEX_JOB, [DOCUMENT_CHUNKS])
    assert not check_of(again, CUT_CHECK).passed
    assert metadata_of(again, DOCUMENT_CHUNKS)["documents_failed"] == 0
    store_document(empty_archive, "a", [PAGE])  # read again
    assert check_of(run(instance, settings, INDEX_JOB, [DOCUMENT_CHUNKS]), CUT_CHECK).passed


def test_embedding_alone_takes_chunks_as_they_are_and_says_what_is_stale(
    instance: dg.DagsterInstance, settings: Settings, empty_archive: Database
) -> None:
    pytest.importorskip("wordllama")
    store_document(empty_archive, "a", [PAGE])
    alone = run(instance, settings, INDEX_JOB, [EMBEDDINGS_ASSET])
    assert alone.success
    metadata = metadata_of(alone, EMBEDDINGS_ASSET)
    assert (metadata["stale_documents"], metadata["texts_embedded"]) == (1, 0)
    both = metadata_of(run(instance, settings, INDEX_JOB, [DOCUMENT_CHUNKS, EMBEDDINGS_ASSET]), EMBEDDINGS_ASSET)
    assert (both["stale_documents"], both["texts_embedded"]) == (0, 1)


def test_without_a_visual_model_there_is_nothing_to_encode_and_no_failure(
    instance: dg.DagsterInstance, settings: Settings, empty_archive: Database
) -> None:
    result = run(instance, settings, ENCODE_JOB)
    assert result.success
    assert metadata_of(result, PAGE_VECTORS) == {"rows_page_vectors": 0, "note": NO_MODEL}


def test_images_are_encoded_once_by_the_model_that_is_set(
    instance: dg.DagsterInstance,
    settings: Settings,
    empty_archive: Database,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seeing = settings.with_values(visual_model="colours")
    loaded: list[bool] = []

    def load(_settings: Settings) -> ColourEncoder:
        loaded.append(True)
        return ColourEncoder()

    monkeypatch.setattr("archive_pipeline.retrieval.visual.encoding.open_encoder", load)
    path = tmp_path / "red.png"
    path.write_bytes(files.png_bytes("red"))
    add_document(empty_archive, settings, Candidate(path, str(path), path.name))
    first = run(instance, seeing, ENCODE_JOB)
    assert metadata_of(first, PAGE_VECTORS) == {"rows_page_vectors": 1, "model": "colours", "unreadable_images": 0}
    assert query(empty_archive, "SELECT model FROM derived.page_vectors") == [("colours",)]
    again = run(instance, seeing, ENCODE_JOB)
    assert metadata_of(again, PAGE_VECTORS)["rows_page_vectors"] == 0
    assert loaded == [True]


ASSETS_OF = {
    "raw.dialogues": "raw/dialogues",
    "raw.documents": "raw/documents",
    "raw.document_pages": "raw/document_pages",
    "derived.exchange_content": "exchanges",
    "derived.document_builds": DOCUMENT_CHUNKS,
    "derived.embedding_generations": EMBEDDINGS_ASSET,
}
BASE_TABLES = """
WITH RECURSIVE reads AS (
    SELECT view_schema || '.' || view_name AS reader, table_schema || '.' || table_name AS name
    FROM information_schema.view_table_usage
),
found AS (
    SELECT name FROM reads WHERE reader IN ('derived.text_entries', 'derived.page_entries')
    UNION
    SELECT reads.name FROM found INNER JOIN reads ON reads.reader = found.name
)
SELECT name FROM found WHERE name NOT IN (SELECT reader FROM reads) AND name <> 'derived.build_state'
"""


def test_the_index_names_what_it_reads(settings: Settings, database: Database) -> None:
    graph = build_defs(settings=settings).resolve_asset_graph()
    named = {key.to_user_string() for key in graph.get(dg.AssetKey(INDEX_ASSET)).parent_keys}
    tables = [name for (name,) in query(database, BASE_TABLES)]
    assert named == {ASSETS_OF.get(name, name.removeprefix("derived.")) for name in tables}
