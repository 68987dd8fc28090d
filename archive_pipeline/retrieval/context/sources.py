"""From search results to the sources of a context: pages, and what pages do not have (seeds 002 and 004)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from archive_pipeline.retrieval.context.documents import SkipReason, SourceDocument
from archive_pipeline.retrieval.context.interfaces import ArtifactStore, PageStore, TraceStore
from archive_pipeline.retrieval.pages.stored_page import StoredPage


async def fetch_sources(pages: PageStore, results: Sequence[Mapping[str, Any]]) -> list[SourceDocument | SkipReason]:
    """Return the source of each result, or why there is none.

    What was found in a tool call or its result is delivered as these, in full, and not as the turn around them: a page
    has neither (seed 004). Nor has it artifacts, which are delivered by themselves, too.
    """
    places = [_place(result) for result in results]
    found = await pages.get_pages(places)
    calls, parts = _named_in(results, _call), _named_in(results, _part)
    traces = await pages.get_traces(calls) if calls and isinstance(pages, TraceStore) else {}
    artifacts = await pages.get_artifacts(parts) if parts and isinstance(pages, ArtifactStore) else {}
    return [_whole(result, found.get(place), traces, artifacts) for result, place in zip(results, places, strict=True)]


def _whole(
    result: Mapping[str, Any], page: StoredPage | None, traces: Mapping[str, str], artifacts: Mapping[str, str]
) -> SourceDocument | SkipReason:
    """Return the source of a result: its tool call or artifact where that was found, else its page."""
    call, part = _call(result), _part(result)
    trace = None if call is None else traces.get(call)
    artifact = None if part is None else artifacts.get(part)
    own = artifact if trace is None else trace
    source = _found(result, page if page is None or own is None else replace(page, markdown=own))
    if not isinstance(source, SourceDocument):
        return source
    return replace(source, pair_id=None if trace is None else call, part_id=None if artifact is None else part)


def _named_in(results: Iterable[Mapping[str, Any]], name: Callable[[Mapping[str, Any]], str | None]) -> list[str]:
    return [own for result in results if (own := name(result)) is not None]


def _call(result: Mapping[str, Any]) -> str | None:
    """Return the id of the pair that a result was found in, if that is a tool call; None if not."""
    return _said(result, "pair_id") if _said(result, "pair_type") == "trace_pair" else None


def _part(result: Mapping[str, Any]) -> str | None:
    """Return the id of the artifact or code that a result was found in; None if it was not."""
    return _said(result, "part_id")


def _said(result: Mapping[str, Any], name: str) -> str | None:
    metadata = result.get("metadata")
    value = metadata.get(name) if isinstance(metadata, Mapping) else None
    return value if isinstance(value, str) else None


def score_of(result: Mapping[str, Any]) -> float | None:
    """Return the score, None if it is no finite number."""
    try:
        score = float(result.get("score"))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return score if math.isfinite(score) else None


def _place(result: Mapping[str, Any]) -> tuple[str, int]:
    return result["doc_id"], int(result["page"])


def _found(result: Mapping[str, Any], page: StoredPage | None) -> SourceDocument | SkipReason:
    if page is None:
        return SkipReason.NOT_FOUND
    source = source_of(*_place(result), {**_named(result), **_present(page.metadata)}, page.markdown)
    if not source.markdown_content.strip() and source.image_path is None and source.thumbnail_path is None:
        return SkipReason.NO_TEXT
    return replace(source, relevance_score=score_of(result) or 0.0)


def _named(result: Mapping[str, Any]) -> dict[str, Any]:
    metadata = result.get("metadata")
    answered_at = metadata.get("answered_at") if isinstance(metadata, Mapping) else None
    return _present({"filename": result.get("filename"), "answered_at": answered_at})


def _present(metadata: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in metadata.items() if value is not None and value != ""}


def source_of(doc_id: str, page: int, metadata: Mapping[str, Any], markdown: str) -> SourceDocument:
    """Put a page together; the file name falls back to the id, the extension to the file name's."""
    filename = str(metadata.get("filename") or doc_id)
    return SourceDocument(
        doc_id=doc_id,
        filename=filename,
        page=page,
        extension=str(metadata.get("extension") or PurePath(filename).suffix.removeprefix(".")),
        thumbnail_path=_text(metadata, "thumb_path"),
        image_path=_text(metadata, "image_path"),
        timestamp=_text(metadata, "timestamp") or "",
        created_at=_text(metadata, "created_at") or "",
        answered_at=_text(metadata, "answered_at") or "",
        section_path=_text(metadata, "section_path"),
        parent_heading=_text(metadata, "parent_heading"),
        markdown_content=markdown.strip("\r\n"),
    )


def _text(metadata: Mapping[str, Any], name: str) -> str | None:
    value = metadata.get(name)
    return None if value is None or value == "" else str(value)
