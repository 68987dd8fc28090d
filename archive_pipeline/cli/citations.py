"""What the numbers of citations stand for, in the words of other commands."""

from __future__ import annotations

from archive_pipeline.cli.output import one_line
from archive_pipeline.retrieval.context.documents import SourceDocument
from archive_pipeline.retrieval.search.results import SearchResults


def cited(number: int, source: SourceDocument, results: SearchResults) -> str:
    """Return the line of a source: a dialogue by its key, as `show` takes it and `search` prints it; a file by its id.

    Args:
        number: of the source in the context.
        source: that was cited.
        results: of the search that found it.
    """
    keys = {other["doc_id"]: other["partition_key"] for result in results for other in result["alternatives"]}
    keys |= {result["doc_id"]: result["metadata"]["partition_key"] for result in results}
    name = one_line(keys.get(source.doc_id) or source.doc_id)
    return f"[{number}] {one_line(source.filename)}, page {source.page} ({name})"
