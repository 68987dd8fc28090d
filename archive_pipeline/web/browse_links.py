"""Addresses of the pages of ``llm-archive browse``: the paths, and links from elsewhere, which never have a token."""

from __future__ import annotations

from urllib.parse import quote


def dialogue_path(name: str) -> str:
    """Return the path of a dialogue by its partition key or id."""
    return f"/dialogues/{quote(name, safe='')}"


def document_path(document_id: str) -> str:
    """Return the path of a document."""
    return f"/documents/{quote(document_id, safe='')}"


def cited_path(doc_id: str, page: int) -> str:
    """Return the path that leads to a page as search results and citations name it."""
    return f"/pages/{quote(doc_id, safe='')}/{page}"


def link(address: str | None, path: str) -> dict[str, str]:
    """Return the entry ``url`` of a result.

    Args:
        address: of the server, as ``ARCHIVE_BROWSE_URL`` has it; None if there is none, and then there is no entry.
        path: of the page.
    """
    return {} if address is None else {"url": f"{address}{path}"}
