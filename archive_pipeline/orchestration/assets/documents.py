"""The assets `document_chunks` and `page_vectors`: what is made of the pages of documents.

They have no partitions: documents are no dialogues, and each knows what it lacks (`derived.document_builds`, the pages
without vectors of the model).
"""

# No `from __future__ import annotations` here: Dagster reads the annotations of decorated functions.

from collections.abc import Mapping
from typing import Any, Final

import dagster as dg

from archive_pipeline.building.document_source import DOCUMENTS
from archive_pipeline.building.documents import build_document_chunks, failed_documents
from archive_pipeline.building.engine import BuildResult
from archive_pipeline.building.verify import Verification, verify_sample
from archive_pipeline.derive.registry import DOCUMENT_ASSETS, effective_version
from archive_pipeline.domain.counted import counted
from archive_pipeline.orchestration.assets.factory import KINDS, definition_metadata, table_metadata
from archive_pipeline.orchestration.assets.raw import OWNERS, raw_key
from archive_pipeline.orchestration.assets.table_metadata import described
from archive_pipeline.orchestration.markdown import escaped
from archive_pipeline.orchestration.resources import Archive, transient_errors_retried
from archive_pipeline.retrieval.visual.encoding import Encoded, encode_missing
from archive_pipeline.settings import Settings
from archive_pipeline.store import tables
from archive_pipeline.store.document_chunks import DOCUMENT_CHUNKS, quarantined_documents, stale_documents

GROUP: Final = "documents"
ENCODE_JOB: Final = "encode_pages"
PAGE_VECTORS: Final = tables.page_vectors.name
DOCUMENT_CHECK: Final = "incremental_equals_rebuild"
NO_MODEL: Final = "No visual model is configured: set ARCHIVE_VISUAL_MODEL to have page images encoded."
SAMPLE: Final = 20
SHOWN: Final = 20
CUT_CHECK: Final = "cuts_every_document"


class DocumentChunksConfig(dg.Config):
    """Configuration of the chunks of documents.

    Attributes:
        full: cut documents as well whose chunks are up to date.
    """

    full: bool = False


encode_pages: Final = dg.define_asset_job(
    ENCODE_JOB,
    selection=dg.AssetSelection.assets(PAGE_VECTORS),
    description="Encodes page images that have no vectors of the visual model yet.",
    executor_def=dg.in_process_executor,
)


@dg.asset_check(
    asset=DOCUMENT_CHUNKS,
    name=DOCUMENT_CHECK,
    description=(
        f"The stored chunks of {SAMPLE} documents, others each time, are those that cutting their pages anew "
        "gives; of all documents if there are no more."
    ),
)
def incremental_equals_rebuild(
    context: dg.AssetCheckExecutionContext, archive: dg.ResourceParam[Archive]
) -> dg.AssetCheckResult:
    with transient_errors_retried():
        return check_result(
            verify_sample(archive.database, archive.settings, DOCUMENTS, number=SAMPLE, seed=context.run.run_id)
        )


@dg.asset_check(
    asset=DOCUMENT_CHUNKS,
    name=CUT_CHECK,
    description="The pages of every document that was read are cut, as they were read, by this version.",
)
def cuts_every_document(archive: dg.ResourceParam[Archive]) -> dg.AssetCheckResult:
    version = effective_version(DOCUMENT_CHUNKS, archive.settings)
    with transient_errors_retried(), archive.database.session() as connection:
        stale = [document.id for document in stale_documents(connection, version)]
        failed = quarantined_documents(connection, version)
    left = [*failed, *stale]
    return dg.AssetCheckResult(
        passed=not left,
        severity=dg.AssetCheckSeverity.ERROR if failed else dg.AssetCheckSeverity.WARN,
        description=_advice(failed) if left else None,
        metadata={
            "documents": len(left),
            "quarantined": len(failed),
            **({"document_ids": left[:SHOWN]} if left else {}),
        },
    )


def _advice(failed: Mapping[str, str]) -> str:
    if not failed:
        return "`llm-archive build` cuts them."
    named = "; ".join(escaped(f"{document_id}: {error}") for document_id, error in list(failed.items())[:SHOWN])
    return (
        f"{counted(len(failed), 'document')} cannot be cut: {named}. They are tried again when they are read again or "
        f"the code changes, or by `llm-archive build --asset {DOCUMENT_CHUNKS} --full`."
    )


def check_result(found: Verification) -> dg.AssetCheckResult:
    """Judge a verification."""
    drift = found.tables[DOCUMENT_CHUNKS]
    return dg.AssetCheckResult(
        passed=not drift.total,
        severity=dg.AssetCheckSeverity.ERROR,
        description=(
            "Chunks differ from those of their pages. Cut them again with "
            f"`llm-archive build --asset {DOCUMENT_CHUNKS} --full`; if it returns, it is a defect."
            if drift.total
            else None
        ),
        metadata={
            "documents": len(found.compared),
            "pages": found.counts["pages"],
            "rows": drift.rows,
            "rows_differing": drift.total,
            **({"document_ids": found.compared} if drift.total else {}),
        },
    )


def report_document_chunks(instance: dg.DagsterInstance, result: BuildResult) -> None:
    """Tell Dagster which documents a command cut."""
    event = dg.AssetMaterialization(DOCUMENT_CHUNKS, metadata=build_metadata(result))
    instance.report_runless_asset_event(event)


def report_page_vectors(instance: dg.DagsterInstance, model: str, result: Encoded) -> None:
    """Tell Dagster which pages a command encoded."""
    event = dg.AssetMaterialization(PAGE_VECTORS, metadata=encoding_metadata(model, result))
    instance.report_runless_asset_event(event)


def build_metadata(result: BuildResult) -> dict[str, Any]:
    """Return what a build did."""
    return {
        f"rows_{DOCUMENT_CHUNKS}": result.rows[DOCUMENT_CHUNKS],
        "documents_built": result.built,
        "documents_failed": len(result.failures),
        **({"examples_of_failures": failed_documents(result)[:SHOWN]} if result.failures else {}),
        "seconds": round(result.seconds, 3),
    }


def encoding_metadata(model: str, result: Encoded) -> dict[str, Any]:
    """Return what encoding did."""
    return {
        f"rows_{PAGE_VECTORS}": result.pages,
        "model": model,
        "unreadable_images": len(result.unreadable),
        **({"examples_of_unreadable": list(result.unreadable[:SHOWN])} if result.unreadable else {}),
    }


def document_chunks_asset(settings: Settings) -> dg.AssetsDefinition:
    """Return the asset of the chunks of documents; ``settings`` are those of the archive."""
    asset = DOCUMENT_ASSETS[DOCUMENT_CHUNKS]

    @dg.asset(
        name=DOCUMENT_CHUNKS,
        deps=[*map(raw_key, asset.reads)],
        group_name=GROUP,
        owners=OWNERS,
        kinds=set(KINDS),
        description=f"{described(tables.document_chunks)}. {asset.description}",
        code_version=effective_version(DOCUMENT_CHUNKS, settings),
        metadata=definition_metadata(asset),
    )
    def document_chunks(
        context: dg.AssetExecutionContext, config: DocumentChunksConfig, archive: dg.ResourceParam[Archive]
    ) -> dg.MaterializeResult[None]:
        with transient_errors_retried():
            result = build_document_chunks(
                archive.database,
                archive.settings,
                full=config.full,
                executor=archive.executor,
                progress=archive.progress,
            )
        for failure in failed_documents(result):
            context.log.error(failure)
        return dg.MaterializeResult(metadata=build_metadata(result))

    return document_chunks


@dg.asset(
    name=PAGE_VECTORS,
    deps=[raw_key("document_pages")],
    group_name=GROUP,
    owners=OWNERS,
    kinds={"postgres", "python"},
    description=(
        f"{described(tables.page_vectors)}. Encoded are page images without vectors of ARCHIVE_VISUAL_MODEL; "
        "without a model there is nothing to do."
    ),
    metadata=table_metadata(
        tables.page_vectors,
        {
            "pooled": ("raw/document_pages.image_path",),
            "vectors": ("raw/document_pages.image_path",),
        },
    ),
)
def page_vectors(context: dg.AssetExecutionContext, archive: dg.ResourceParam[Archive]) -> dg.MaterializeResult[None]:
    model = archive.settings.visual_model
    if model is None:
        # Most archives have none: whoever materialises everything did not ask for it, and is not failed.
        context.log.info(NO_MODEL)
        return dg.MaterializeResult(metadata={f"rows_{PAGE_VECTORS}": 0, "note": NO_MODEL})
    with transient_errors_retried():
        result = encode_missing(archive.database, archive.settings, progress=archive.progress)
    for reason in result.unreadable:
        context.log.warning(reason)
    return dg.MaterializeResult(metadata=encoding_metadata(model, result))


DOCUMENT_CHECKS: Final = [incremental_equals_rebuild, cuts_every_document]
