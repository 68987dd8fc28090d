"""The assets `chunk_embeddings` and `vector_index`: what search needs beyond the derived tables.

They have no partitions: what is missing is told by hashes of texts, over all dialogues. Without the extra `search` they
load and fail with the command that installs it.
"""

# No `from __future__ import annotations` here: Dagster reads the annotations of decorated functions.

from typing import Any, Final

import dagster as dg

from archive_pipeline.building.engine import BuildResult
from archive_pipeline.derive.registry import CHUNK_ASSETS, chunk_versions, effective_version
from archive_pipeline.domain.choices import VectorStore
from archive_pipeline.orchestration.assets.documents import report_document_chunks
from archive_pipeline.orchestration.assets.raw import OWNERS, raw_key
from archive_pipeline.orchestration.assets.table_metadata import table_schema
from archive_pipeline.orchestration.resources import Archive, transient_errors_retried
from archive_pipeline.retrieval.embedders.registry import open_embedder
from archive_pipeline.retrieval.index.choice import FORMS, store_to_fill
from archive_pipeline.retrieval.index.embed import EmbeddingResult, embed_chunks, only_indexer
from archive_pipeline.retrieval.index.run import IndexResult
from archive_pipeline.retrieval.index.sync import SyncResult, sync
from archive_pipeline.retrieval.index.verify import Comparison, compare
from archive_pipeline.store.counts import count_stale, count_stale_documents
from archive_pipeline.store.document_chunks import DOCUMENT_CHUNKS
from archive_pipeline.store.tables.search import chunk_embeddings

GROUP: Final = "search"
EMBEDDINGS_ASSET: Final = "chunk_embeddings"
INDEX_ASSET: Final = "vector_index"
INDEX_JOB: Final = "index_archive"
INDEX_CHECK: Final = "equals_the_tables"


class IndexConfig(dg.Config):
    """Configuration of the vector index.

    Attributes:
        rebuild: make it anew from the vectors in PostgreSQL.
    """

    rebuild: bool = False


index_archive: Final = dg.define_asset_job(
    INDEX_JOB,
    selection=dg.AssetSelection.groups(GROUP) | dg.AssetSelection.assets(DOCUMENT_CHUNKS),
    description=(
        "Cuts documents that have no chunks, embeds the chunks that have no vector yet and brings the vector index "
        "up to date."
    ),
    executor_def=dg.in_process_executor,
)


@dg.asset_check(
    asset=INDEX_ASSET,
    name=INDEX_CHECK,
    description="The vector index holds what the tables ask for: numbers of entries, and a sample of them.",
)
def equals_the_tables(
    context: dg.AssetCheckExecutionContext, archive: dg.ResourceParam[Archive]
) -> dg.AssetCheckResult:
    with transient_errors_retried():
        return check_result(compare(archive.database, archive.settings, seed=context.run.run_id))


def check_result(comparison: Comparison) -> dg.AssetCheckResult:
    """Judge a comparison."""
    return dg.AssetCheckResult(
        passed=comparison.is_equal,
        severity=dg.AssetCheckSeverity.WARN,
        description=(
            None if comparison.is_equal else "Run `llm-archive index`; if this stays, `llm-archive index --rebuild`."
        ),
        metadata={
            "store": comparison.store,
            **({} if comparison.note is None else {"note": comparison.note}),
            **{f"entries_{kind}": count for kind, count in comparison.entries.items()},
            **{f"stale_{kind}": count for kind, count in comparison.stale.items()},
            **{f"surplus_{kind}": count for kind, count in comparison.surplus.items()},
            "sampled": comparison.sampled,
            "differing": len(comparison.differing),
        },
    )


def report_index(instance: dg.DagsterInstance, documents: BuildResult, result: IndexResult) -> None:
    """Tell Dagster what a command cut, embedded and indexed."""
    report_document_chunks(instance, documents)
    for asset, metadata in (
        (EMBEDDINGS_ASSET, embedding_metadata(result.embedding)),
        (INDEX_ASSET, sync_metadata(result.store, result.sync)),
    ):
        instance.report_runless_asset_event(dg.AssetMaterialization(asset, metadata=metadata))


def embedding_metadata(result: EmbeddingResult) -> dict[str, Any]:
    """Return what embedding did."""
    return {
        "model": result.generation.model,
        "dimensions": result.generation.dimensions,
        "texts_embedded": result.embedded,
        "vectors_deleted": result.deleted,
        "texts_cut": result.cut_texts,
    }


def stale_chunks(archive: Archive) -> dict[str, int]:
    """Return how many dialogues and documents have chunks that are not up to date.

    An asset writes its own table only: chunks are cut by the assets that embedding depends on, which the job, `build`
    and `documents add` materialise before, and Dagster shows when. Alone, it says what they have not done.
    """
    settings = archive.settings
    with archive.database.session() as connection:
        dialogues = count_stale(connection, chunk_versions(settings))
        documents = count_stale_documents(connection, effective_version(DOCUMENT_CHUNKS, settings))
    return {"stale_dialogues": max(dialogues.values()), "stale_documents": documents}


def sync_metadata(store: VectorStore, result: SyncResult) -> dict[str, Any]:
    """Return what a synchronisation did, and in which store."""
    return {
        "store": store.value,
        "index": result.index.id,
        "model": result.index.generation.model,
        "is_new": result.is_new,
        **{f"written_{kind}": count for kind, count in result.written.items()},
        **{f"deleted_{kind}": count for kind, count in result.deleted.items()},
    }


@dg.asset(
    name=EMBEDDINGS_ASSET,
    deps=[*CHUNK_ASSETS, DOCUMENT_CHUNKS],
    group_name=GROUP,
    owners=OWNERS,
    kinds={"postgres", "python"},
    description=(
        f"{chunk_embeddings.comment}. A text that has a vector of the model is not embedded again. Chunks are "
        "taken as they are stored; what is stale of them is in the metadata."
    ),
    metadata={
        "dagster/table_name": f"{chunk_embeddings.schema}.{chunk_embeddings.name}",
        "dagster/column_schema": table_schema(chunk_embeddings),
    },
)
def embeddings(context: dg.AssetExecutionContext, archive: dg.ResourceParam[Archive]) -> dg.MaterializeResult[None]:
    with transient_errors_retried(), only_indexer(archive.database):
        stale = stale_chunks(archive)
        result = _embedded(archive, _store(context, archive))
    if any(stale.values()):
        context.log.warning(f"Chunks that are not up to date were embedded as they are stored: {stale}")
    return dg.MaterializeResult(metadata={**embedding_metadata(result), **stale})


@dg.asset(
    name=INDEX_ASSET,
    deps=[
        EMBEDDINGS_ASSET,
        *CHUNK_ASSETS,
        DOCUMENT_CHUNKS,
        "dialogue_pages",
        "exchanges",
        *map(raw_key, ("dialogues", "documents", "document_pages")),
    ],
    group_name=GROUP,
    owners=OWNERS,
    kinds={"postgres", "python"},
    description=(
        "What is searched by vectors: those of `chunk_embeddings` themselves, with a graph of neighbours where "
        "there are many; or a copy of chunks and pages in Chroma."
    ),
)
def vector_index(
    context: dg.AssetExecutionContext, config: IndexConfig, archive: dg.ResourceParam[Archive]
) -> dg.MaterializeResult[None]:
    with transient_errors_retried(), only_indexer(archive.database):
        # Usually nothing is left to embed: this names the generation, and an index is never ahead of its vectors.
        store = _store(context, archive, rebuild=config.rebuild)
        generation = _embedded(archive, store).generation
        result = sync(
            archive.database, archive.settings, store, generation, rebuild=config.rebuild, progress=archive.progress
        )
    return dg.MaterializeResult(metadata=sync_metadata(store, result))


def _embedded(archive: Archive, store: VectorStore) -> EmbeddingResult:
    return embed_chunks(
        archive.database,
        archive.settings,
        open_embedder(archive.settings),
        FORMS[store],
        executor=archive.executor,
        progress=archive.progress,
    )


def _store(context: dg.AssetExecutionContext, archive: Archive, *, rebuild: bool = False) -> VectorStore:
    chosen = store_to_fill(archive.database, archive.settings, rebuild=rebuild)
    if chosen.note is not None:
        context.log.warning(chosen.note)
    return chosen.store


SEARCH_ASSETS: Final = [embeddings, vector_index]
SEARCH_CHECKS: Final = [equals_the_tables]
